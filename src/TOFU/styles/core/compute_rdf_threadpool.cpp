// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "compute_rdf_threadpool.h"

#include "lammps/lammps_version.h"
#include "threadpool/pool/fix_on_pool.h"

#include "atom.h"
#include "domain.h"
#include "force.h"
#include "math_const.h"
#include "neigh_list.h"
#include "neighbor.h"
#include "update.h"
#include "utils.h"

#include "kernels/neighbor/distance_counts.h"

#include <algorithm>
#include <cstring>
#include <mpi.h>
#include <utility>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

ComputeRDFThreadpool::ComputeRDFThreadpool(LAMMPS *lmp, int narg, char **arg) :
    ComputeRDF(lmp, narg, arg)
{
  read_types(narg, arg);
}

/* ----------------------------------------------------------------------
   compute rdf has checked them.  A pair of two single types in descending order
   is one in ascending order; older releases of LAMMPS do not give it back as it
   was asked for
------------------------------------------------------------------------- */

void ComputeRDFThreadpool::read_types(int narg, char **arg)
{
  const int ntypes = atom->ntypes;
  const auto types = [&](const char *word) {
    Types found{1, ntypes};
    utils::bounds_typelabel(FLERR, word, 1, ntypes, found.first, found.last, lmp, Atom::ATOM);
    return found;
  };
  const bool can_be_swapped = member_or(
      false, *this, [](const auto &self) -> decltype(self.rev != nullptr) { return true; });

  for (int iarg = 4; iarg + 1 < narg && strcmp(arg[iarg], "cutoff") != 0; iarg += 2) {
    Histogram one{types(arg[iarg]), types(arg[iarg + 1])};
    const bool single = one.central.first == one.central.last && one.other.first == one.other.last;
    if (single && one.central.first > one.other.first) {
      std::swap(one.central, one.other);
      one.swapped = can_be_swapped;
    }
    histograms.push_back(one);
  }
  if (histograms.empty()) histograms.push_back({{1, ntypes}, {1, ntypes}});
}

/* ---------------------------------------------------------------------- */

void ComputeRDFThreadpool::init()
{
  ComputeRDF::init();
  RankPool::of(lmp);
  natoms_before = atom->natoms;
  count_atoms();
  set_classes();
}

/* ---------------------------------------------------------------------- */

void ComputeRDFThreadpool::init_list(int id, NeighList *list)
{
  ComputeRDF::init_list(id, list);
  half_list = list;
}

/* ----------------------------------------------------------------------
   kinds from 1 on are types of owned atoms, then those of ghosts
------------------------------------------------------------------------- */

std::vector<int> ComputeRDFThreadpool::weights_of(int kind, int other) const
{
  const int ntypes = atom->ntypes;
  const auto type = [&](int of) {
    return of > ntypes ? of - ntypes : of;
  };
  const bool both = force->newton_pair || other <= ntypes;    // else another rank has the pair, too
  std::vector<int> found;
  for (const Histogram &one : histograms) {
    const auto count = [&](int central, int second) {
      return one.central.have(type(central)) && one.other.have(type(second)) ? 1 : 0;
    };
    found.push_back(count(kind, other) + (both ? count(other, kind) : 0));
  }
  return found;
}

/* ---------------------------------------------------------------------- */

void ComputeRDFThreadpool::set_classes()
{
  const int ntypes = atom->ntypes;
  const std::vector<int> nowhere(histograms.size(), 0);
  nkinds = 1 + (force->newton_pair ? ntypes : 2 * ntypes);
  classes.assign(static_cast<std::size_t>(nkinds) * nkinds, -1);
  weights.clear();
  all_alike = true;
  std::vector<bool> counts_somewhere(nkinds, false);

  for (int kind = 1; kind <= ntypes; kind++)    // the first of a pair is owned
    for (int other = 1; other < nkinds; other++) {
      const auto of_pair = weights_of(kind, other);
      if (weights.empty() && of_pair != nowhere) weights.push_back(of_pair);
      all_alike = all_alike && !weights.empty() && of_pair == weights[0];
      if (of_pair == nowhere) continue;
      const auto known = std::find(weights.begin(), weights.end(), of_pair);
      classes[kind * nkinds + other] = static_cast<int>(known - weights.begin());
      if (known == weights.end()) weights.push_back(of_pair);
      counts_somewhere[kind] = counts_somewhere[other] = true;
    }

  kind_of_type.assign(2 * (ntypes + 1), 0);
  for (int ghost = 0; ghost < 2; ghost++)
    for (int type = 1; type <= ntypes; type++) {
      const int kind = ghost && !force->newton_pair ? ntypes + type : type;
      if (counts_somewhere[kind]) kind_of_type[ghost * (ntypes + 1) + type] = kind;
    }
}

/* ---------------------------------------------------------------------- */

void ComputeRDFThreadpool::count_atoms()
{
  const int ntypes = atom->ntypes, *const type = atom->type, *const mask = atom->mask;
  std::vector<int> mine(ntypes + 1, 0);
  for (int i = 0; i < atom->nlocal; i++)
    if (mask[i] & groupbit) mine[type[i]]++;
  natoms_of_type.resize(ntypes + 1);
  MPI_Allreduce(mine.data(), natoms_of_type.data(), ntypes + 1, MPI_INT, MPI_SUM, world);
}

/* ---------------------------------------------------------------------- */

void ComputeRDFThreadpool::compute_array()
{
  RankPool *const threadpool = RankPool::find(lmp);
  if (!threadpool) {
    ComputeRDF::compute_array();
    return;
  }

  if (natoms_before != atom->natoms) {
    dynamic = 1;
    natoms_before = atom->natoms;
  }
  if (dynamic) count_atoms();
  invoked_array = update->ntimestep;
  neighbor->build_one(half_list);

  std::vector<double> mine(histograms.size() * size_array_rows, 0.0), all(mine.size());
  count_pairs(threadpool, mine);
  MPI_Allreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_SUM, world);
  normalize(all);
}

/* ---------------------------------------------------------------------- */

void ComputeRDFThreadpool::set_kinds(RankPool *threadpool)
{
  const int ntypes = atom->ntypes, nlocal = atom->nlocal, natoms = nlocal + atom->nghost;
  const int *const type = atom->type, *const mask = atom->mask;
  kinds.resize(natoms);
  for_atoms(threadpool, natoms, [&](int first, int last) {
    for (int i = first; i < last; i++) {
      const int *const of_type = kind_of_type.data() + (i < nlocal ? 0 : ntypes + 1);
      kinds[i] = mask[i] & groupbit ? of_type[type[i]] : 0;
    }
  });
}

/* ----------------------------------------------------------------------
   those of a bond whose factors are both 0 do not count: some lists have them
------------------------------------------------------------------------- */

void ComputeRDFThreadpool::count_pairs(RankPool *threadpool, std::vector<double> &sums)
{
  const int nrows = half_list->inum;
  if (nrows == 0 || weights.empty()) return;
  DistancePairs pairs;
  pairs.x = atom->x[0];
  pairs.atoms = half_list->ilist;
  pairs.entries = half_list->firstneigh;
  pairs.nentries = half_list->numneigh;
  pairs.index_bits = NEIGHMASK;
  pairs.bond_shift = SBBITS;
  for (int bond = 0; bond < 4; bond++)
    pairs.counts_bond[bond] = force->special_lj[bond] != 0.0 || force->special_coul[bond] != 0.0;
  if (igroup != 0 || !all_alike) {
    set_kinds(threadpool);
    pairs.kinds = kinds.data();
    pairs.classes = classes.data();
    pairs.nkinds = nkinds;
  }
  pairs.nbins = size_array_rows;
  pairs.per_width = 1.0 / width();

  const int nparts = parts_for_atoms(threadpool, nrows);
  const std::size_t ncounts = weights.size() * pairs.counts_of_class(), gap = 8;
  counts.assign(nparts * (ncounts + gap), 0);
  for_parts_of_atoms(threadpool, nparts, nrows, [&](int part, int first, int last) {
    count_distances(pairs, first, last, counts.data() + part * (ncounts + gap));
  });

  for (int part = 1; part < nparts; part++)
    for (std::size_t k = 0; k < ncounts; k++) counts[k] += counts[part * (ncounts + gap) + k];
  for (std::size_t of_class = 0; of_class < weights.size(); of_class++) {
    const std::int64_t *const count = counts.data() + of_class * pairs.counts_of_class();
    for (std::size_t m = 0; m < histograms.size(); m++) {
      if (weights[of_class][m] == 0) continue;    // that of most
      for (int bin = 0; bin < pairs.nbins; bin++)
        sums[m * pairs.nbins + bin] += static_cast<double>(weights[of_class][m] * count[bin]);
    }
  }
}

/* ----------------------------------------------------------------------
   of a bin.  Compute rdf keeps it for itself, and its first column has the middle
   of bins
------------------------------------------------------------------------- */

double ComputeRDFThreadpool::width() const
{
  return 2.0 * array[0][0];
}

/* ----------------------------------------------------------------------
   g(r) is the number of pairs in a shell divided by that in an ideal gas, in which
   no atom is a neighbor of itself.  Expressions have the form that they have in
   compute rdf, since compilers fuse products and sums by their form
------------------------------------------------------------------------- */

void ComputeRDFThreadpool::normalize(const std::vector<double> &sums)
{
  const bool flat = domain->dimension == 2;
  const double factor = flat
      ? MathConst::MY_PI / (domain->xprd * domain->yprd)
      : 4.0 * MathConst::MY_PI / (3.0 * domain->xprd * domain->yprd * domain->zprd);
  const double delr = width();
  const int nbins = size_array_rows;

  for (std::size_t m = 0; m < histograms.size(); m++) {
    const Histogram &one = histograms[m];
    int ncentral = 0, nother = 0, nboth = 0;
    for (int type = 1; type <= atom->ntypes; type++) {
      if (one.central.have(type)) ncentral += natoms_of_type[type];
      if (one.other.have(type)) nother += natoms_of_type[type];
      if (one.central.have(type) && one.other.have(type)) nboth += natoms_of_type[type];
    }
    if (one.swapped && !flat) std::swap(ncentral, nother);    // as in compute rdf
    const double npartners =
        ncentral > 0 ? static_cast<double>(nother) - static_cast<double>(nboth) / ncentral : 0.0;

    double coordination = 0.0;
    for (int bin = 0; bin < nbins; bin++) {
      const double inner = bin * delr, outer = (bin + 1) * delr;
      const double shell = factor *
          (flat ? outer * outer - inner * inner : outer * outer * outer - inner * inner * inner);
      const double count = sums[m * nbins + bin];
      const double gr = shell * npartners != 0.0 ? count / (shell * npartners * ncentral) : 0.0;
      if (ncentral != 0) coordination += gr * shell * npartners;
      array[bin][1 + 2 * m] = gr;
      array[bin][2 + 2 * m] = coordination;
    }
  }
}

/* ---------------------------------------------------------------------- */

double ComputeRDFThreadpool::memory_usage()
{
  return ComputeRDF::memory_usage() +
      static_cast<double>((kinds.capacity() + classes.capacity()) * sizeof(int) +
                          counts.capacity() * sizeof(std::int64_t));
}
