/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "clusters_on_pool.h"

#include "kernels/instruction_set.h"

#include <algorithm>
#include <string>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

// making clusters takes as long as what some steps gain by them

static constexpr int WIDTH = 8;          // atoms of a cluster; others were not measured
static constexpr int SHORT_LIVED = 6;    // steps with a list

/* ---------------------------------------------------------------------- */

void ClustersOnPool::reset()
{
  seen = PairOnPool::ListState();
  nuses = SHORT_LIVED;
  wait = 0;
}

/* ----------------------------------------------------------------------
   the kernel has the coefficients of all types in a vector; loading those of
   many types was no faster than rows in a run of rhodopsin
------------------------------------------------------------------------- */

static bool worthwhile(int ntypes)
{
  static const bool measured = std::string(instruction_set()).rfind("AVX", 0) == 0;
  return measured && cluster_width() == WIDTH && ntypes < WIDTH;
}

/* ----------------------------------------------------------------------
   without a table LAMMPS computes the error function at every distance, which
   rows do as well
------------------------------------------------------------------------- */

void ClustersOnPool::compute(Pair *pair, NeighList *list, const ClusterPotential &wanted,
                             const LongRange &coul, const PairOnPool::Kernel &rows)
{
  if (g_ewald != coul.g_ewald || cut_coulsq != coul.cutsq) {
    g_ewald = coul.g_ewald;
    cut_coulsq = coul.cutsq;
    polynomial = ewald_polynomial(g_ewald, cut_coulsq);
  }
  if (!worthwhile(wanted.lj.ntypes) || !pairs.single_precision() || !polynomial.n ||
      !coul.forces.singles || coul.splitting.n)
    return pairs.compute(pair, rows);

  ClusterPotential potential = wanted;
  potential.coul = polynomial;
  potential.cut_coulsq = cut_coulsq;
  look_at_list(list);
  pairs.compute_parts(pair,
                      [&](int part, const PairJob &job, int first, int last, PairTally &tally) {
                        Part &mine = *parts[part];
                        mine.wanted = job.tallies == Tallies::NONE && job.atoms.singles;
                        if (!mine.wanted || wait > 0) return rows(job, first, last, tally);
                        compute_clusters(part, potential, job, first, last);
                      });
  if (!parts[0]->wanted) return;
  nuses++;
  wait = std::max(0, wait - 1);
}

/* ----------------------------------------------------------------------
   where the list before did not live long, this one has to live as long first
------------------------------------------------------------------------- */

void ClustersOnPool::look_at_list(NeighList *list)
{
  while (static_cast<int>(parts.size()) < pairs.nparts()) parts.push_back(std::make_unique<Part>());
  if (!pairs.is_old(seen, list)) return;
  seen = pairs.state_of(list);
  for (auto &part : parts) part->is_made = false;
  wait = nuses < SHORT_LIVED ? SHORT_LIVED : 0;
  nuses = 0;
}

/* ----------------------------------------------------------------------
   in the thread that has the part
------------------------------------------------------------------------- */

void ClustersOnPool::compute_clusters(int part, const ClusterPotential &potential,
                                      const PairJob &job, int first, int last)
{
  Part &mine = *parts[part];
  if (!mine.is_made) {
    mine.ranges.clear();
    pairs.for_reach(part, [&](int begin, int end) { mine.ranges.push_back({begin, end}); });
    mine.list.build(job.list, first, last, job.atoms.singles, mine.ranges, cluster_width());
    mine.is_made = true;
  }
  mine.atoms.gather(mine.list, job.atoms, cluster_sums());
  ClusterPotential with_factors = potential;
  with_factors.special_lj = job.special_lj;
  with_factors.special_coul = job.special_coul;
  cluster_pairs(with_factors, mine.list, mine.atoms);
  mine.atoms.add_forces(mine.list, job.forces.rows);
}

/* ---------------------------------------------------------------------- */

double ClustersOnPool::memory_usage() const
{
  double bytes = 0.0;
  for (const auto &part : parts) bytes += part->list.nbytes() + part->atoms.nbytes();
  return bytes;
}
