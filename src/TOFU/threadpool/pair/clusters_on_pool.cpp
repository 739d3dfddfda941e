// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "clusters_on_pool.h"

#include "threadpool/lists/npair_threadpool.h"

#include "neigh_list.h"

#include "kernels/simd/instruction_set.h"

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

/* ---------------------------------------------------------------------- */

static NPairThreadpool *build_of(const NeighList *list)
{
  return list->copy ? nullptr : dynamic_cast<NPairThreadpool *>(list->np);
}

/* ---------------------------------------------------------------------- */

void ClustersOnPool::gather(NeighList *list, const double *charge, bool types)
{
  pairs.gather(list, charge, types, PairOnPool::Rows::ON_DEMAND);
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
    pieces = ewald_pieces(g_ewald, cut_coulsq);
  }
  const bool useful = worthwhile(wanted.lj.ntypes) && pairs.copies().from().singly &&
      polynomial.n && pieces.n && coul.forces.singles && !coul.splitting.n;
  NPairThreadpool *const build = build_of(list);
  if (build) build->allow_deferred_rows(useful);
  if (!useful || tallies_of(pair) != Tallies::NONE) return pairs.compute(pair, rows);

  note_list(list);
  const bool searched = build && build->has_deferred_rows() && build->natoms() == seen.natoms;
  nuses++;
  if (!searched && wait > 0) {
    wait--;
    return pairs.compute(pair, rows);
  }
  ClusterPotential potential = wanted;
  potential.coul = polynomial;
  potential.pieces = pieces;
  potential.cut_coulsq = cut_coulsq;
  if (searched)
    search(list, *build);
  else
    make_of_rows();
  pairs.compute_forces([&](int part, const PairJob &job, int natoms, double *f, int width) {
    Part &mine = *parts[part];
    ClusterPotential with_factors = potential;
    with_factors.special_lj = job.special_lj;
    with_factors.special_coul = job.special_coul;
    mine.atoms.gather(mine.list, pairs.copies().from(), cluster_sums());
    cluster_pairs(with_factors, mine.list, mine.atoms);
    mine.atoms.add_forces(mine.list, natoms, f, width);
  });
}

/* ----------------------------------------------------------------------
   where the list before did not live long, this one has to live as long first
------------------------------------------------------------------------- */

void ClustersOnPool::note_list(NeighList *list)
{
  while (static_cast<int>(parts.size()) < pairs.nparts()) parts.push_back(std::make_unique<Part>());
  if (!pairs.list_rows().is_old(seen, list)) return;
  seen = pairs.list_rows().state_of(list);
  is_made = false;
  wait = nuses < SHORT_LIVED ? SHORT_LIVED : 0;
  nuses = 0;
}

/* ----------------------------------------------------------------------
   parts reach the atoms of clusters that are used, and with these all that their
   rows would name
------------------------------------------------------------------------- */

void ClustersOnPool::search(NeighList *list, const NPairThreadpool &build)
{
  if (is_made) return;
  pairs.for_parts([&](int part) { search(part, build); });
  is_made = true;
  measure_work();
  if (!pairs.copies().of_parts()) return;
  pairs.row_reach().find_by(list, [&](int part, PartReach &reach) {
    const ClusterList &mine = parts[part]->list;
    const int width = mine.width();
    for (int cluster : mine.used())
      for (int k = 0; k < width; k++) {
        const int i = mine.atoms()[cluster * width + k];
        if (i != ClusterList::NO_ATOM) reach.add(part, i);
      }
  });
}

/* ----------------------------------------------------------------------
   in the thread that has the part
------------------------------------------------------------------------- */

void ClustersOnPool::search(int part, const NPairThreadpool &build)
{
  Part &mine = *parts[part];
  const PairOnPool::Share share = pairs.share_of(part);
  mine.exceptions.clear();
  build.for_special_pairs(share.first, share.last, [&](int i, int j, int kind) {
    mine.exceptions.push_back({i, j, kind});
  });
  AtomsToSearch atoms = build.atoms_to_search();
  atoms.first = share.first;
  atoms.last = share.last;
  mine.list.search(atoms, mine.exceptions, cluster_width());
}

/* ---------------------------------------------------------------------- */

void ClustersOnPool::make_of_rows()
{
  if (is_made) return;
  pairs.for_rows([&](int part, const PairJob &job, int first, int last) {
    Part &mine = *parts[part];
    mine.ranges.clear();
    pairs.copies().for_ranges(part, pairs.row_reach().blocks(), [&](int begin, int end) {
      mine.ranges.push_back({begin, end});
    });
    mine.list.build(job.list, first, last, job.atoms.singles, mine.ranges, cluster_width());
  });
  is_made = true;
}

/* ----------------------------------------------------------------------
   parts have clusters of other atoms than their own, which are gathered and get
   forces, and of two parts that meet one has the pairs of both.  Rows that are
   there have been dealt by their pairs already
------------------------------------------------------------------------- */

void ClustersOnPool::measure_work()
{
  constexpr double CLUSTER = 5.0;    // entries that take as long as a cluster besides its pairs
  work.clear();
  for (int part = 0; part < pairs.nparts(); part++) {
    const ClusterList &list = parts[part]->list;
    work.push_back(static_cast<double>(list.nentries()) +
                   CLUSTER * static_cast<double>(list.used().size()));
  }
  pairs.list_rows().set_work(work);
}

/* ---------------------------------------------------------------------- */

double ClustersOnPool::memory_usage() const
{
  double bytes = 0.0;
  for (const auto &part : parts)
    bytes += part->list.nbytes() + part->atoms.nbytes() +
        static_cast<double>(part->exceptions.capacity() * sizeof(ClusterList::Exception));
  return bytes;
}
