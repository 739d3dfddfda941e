/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

/* ----------------------------------------------------------------------
   Contributing authors: the TOFU developers
------------------------------------------------------------------------- */

#include "pair_tersoff_threadpool.h"

#include "atom.h"

#include "kernels/tersoff.h"

#include <algorithm>
#include <tuple>
#include <vector>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

struct PairTersoffThreadpool::Tables {
  TersoffCoefficients all;
  std::vector<double> cutsq, pairs, triples;
  double cutoff = 0.0;       // of distances that are not shifted
  bool symmetric = true;     // both atoms of a pair agree about its repulsion
  bool has_orders = true;    // the kernel can compute all bond orders
};

/* ---------------------------------------------------------------------- */

PairTersoffThreadpool::PairTersoffThreadpool(LAMMPS *lmp) : CentersStyle(lmp), tables(new Tables) {}

/* ---------------------------------------------------------------------- */

PairTersoffThreadpool::~PairTersoffThreadpool() = default;

/* ---------------------------------------------------------------------- */

void PairTersoffThreadpool::init_style()
{
  PairTersoff::init_style();
  on_pool.adjust_request(this);
  stale = true;
}

/* ---------------------------------------------------------------------- */

void PairTersoffThreadpool::compute(int eflag, int vflag)
{
  ev_init(eflag, vflag);
  if (stale) fill_tables();
  if (!tables->has_orders || asks_for_more()) {
    PairTersoff::compute(eflag, vflag);
    return;
  }
  tables->all.tags = tables->symmetric ? nullptr : tags_as_numbers();
  compute_centers(tables->cutoff,
                  [&](const PairJob &job, const CenterForces &forces, CenterWorkspace &work,
                      int first, int last, PairTally &tally) {
                    tersoff(tables->all, job, forces, work, first, last, tally);
                  });
}

/* ----------------------------------------------------------------------
   a third atom may reach farther than a second one of the same element
------------------------------------------------------------------------- */

void PairTersoffThreadpool::fill_tables()
{
  stale = false;
  *tables = Tables();
  TersoffCoefficients &all = tables->all;
  all.nelements = nelements;
  all.shift = shift_flag ? shift : 0.0;
  all.exponents = false;
  auto inverse = [](double width) {
    return width > 0.0 ? 1.0 / width : 0.0;
  };
  auto repulsion = [&](int i, int j) {
    const Param &p = param(i, j, j);
    return std::make_tuple(p.bigr, p.bigd, p.lam1, p.biga);
  };

  for_pairs([&](int i, int j) {
    const Param &p = param(i, j, j);
    if (repulsion(i, j) != repulsion(j, i)) tables->symmetric = false;
    if (p.powern <= 0.0) tables->has_orders = false;
    double cut = 0.0;
    for (int k = 0; k < nelements; k++) cut = std::max(cut, param(i, k, j).cut);
    cut = std::max(cut - all.shift, 0.0);
    tables->cutoff = std::max(tables->cutoff, cut);
    tables->cutsq.push_back(cut * cut);
    for (double c : {p.bigr, p.bigd, inverse(p.bigd), p.lam1, p.biga, p.lam2, p.bigb, p.beta,
                     p.powern, p.c4, 0.0, 0.0})
      tables->pairs.push_back(c);
  });
  for_triples([&](int i, int j, int k) {
    const Param &p = param(i, j, k);
    const double csq = p.c * p.c, dsq = p.d * p.d;
    if (p.lam3 != 0.0) all.exponents = true;
    for (double c : {p.gamma, csq, dsq, p.h, csq / dsq, p.lam3, static_cast<double>(p.powermint),
                     0.0, p.bigr, p.bigd, inverse(p.bigd), 0.0})
      tables->triples.push_back(c);
  });
  all.cutsq = tables->cutsq.data();
  all.pairs = tables->pairs.data();
  all.triples = tables->triples.data();
}
