// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pair_vashishta_threadpool.h"

#include <cmath>
#include <tuple>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ----------------------------------------------------------------------
   forces of pairs are on the owned atom alone, so that the virial does not
   follow from forces and positions; pair hybrid must know this from the begin
------------------------------------------------------------------------- */

PairVashishtaThreadpool::PairVashishtaThreadpool(LAMMPS *lmp) : CentersStyle(lmp)
{
  no_virial_fdotr_compute = 1;
}

/* ---------------------------------------------------------------------- */

void PairVashishtaThreadpool::init_style()
{
  CentersStyle::init_style();
  no_virial_fdotr_compute = 1;
}

/* ---------------------------------------------------------------------- */

std::string PairVashishtaThreadpool::refused_settings() const
{
  return symmetric ? "" : "elements in reverse order have another two-body term";
}

/* ---------------------------------------------------------------------- */

void PairVashishtaThreadpool::fill_tables()
{
  for (auto *table : {&cutsq_of_pairs, &near_cutsq, &near, &triples}) table->clear();
  all = VashishtaCoefficients();
  all.nelements = nelements;
  fill_pairs();
  for_pairs([&](int i, int j) {
    const Param &p = param(i, j, j);
    cutsq_of_pairs.push_back(p.cutsq);
    near_cutsq.push_back(p.cutsq2);
    for (double c : {p.r0, p.gamma, 0.0, 0.0}) near.push_back(c);
  });
  for_triples([&](int i, int j, int k) {
    const Param &p = param(i, j, k);
    for (double c : {p.bigb, p.bigc, p.costheta, 0.0}) triples.push_back(c);
  });
  all.cutsq = cutsq_of_pairs.data();
  all.pairs = pairs.data();
  all.near_cutsq = near_cutsq.data();
  all.near = near.data();
  all.triples = triples.data();
}

/* ---------------------------------------------------------------------- */

void PairVashishtaThreadpool::fill_pairs()
{
  constexpr int N = VashishtaCoefficients::NPAIR;
  all.column = nelements + VashishtaCoefficients::PADDING;
  all.whole_powers = symmetric = true;
  pairs.assign(static_cast<std::size_t>(nelements) * N * all.column, 0.0);
  const auto coefficients = [&](int i, int j) {
    const Param &p = param(i, j, j);
    return std::make_tuple(p.cutsq, p.bigh, p.eta, p.zizj, p.lam1inv, p.mbigd, p.lam4inv, p.bigw,
                           p.dvrc, p.c0);
  };
  for_pairs([&](int i, int j) {
    const Param &p = param(i, j, j);
    if (coefficients(i, j) != coefficients(j, i)) symmetric = false;
    if (p.eta != std::floor(p.eta) || p.eta > VashishtaCoefficients::LARGEST_POWER)
      all.whole_powers = false;
    double *to = &pairs[static_cast<std::size_t>(i) * N * all.column + j];
    for (double c : {p.bigh, p.eta, p.zizj, p.lam1inv, p.mbigd, p.lam4inv, p.bigw, p.dvrc, p.c0}) {
      *to = c;
      to += all.column;
    }
  });
}
