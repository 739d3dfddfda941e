// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pair_edip_multi_threadpool.h"

#include <tuple>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

std::string PairEDIPMultiThreadpool::refused_settings() const
{
  return supported ? "" : "B of 0, or triples that depend on the order of elements";
}

/* ----------------------------------------------------------------------
   triples that depend on the order of two neighbors depend on the list
------------------------------------------------------------------------- */

void PairEDIPMultiThreadpool::fill_tables()
{
  supported = true;
  for (auto *table : {&cutsq_of_pairs, &pairs, &triples}) table->clear();
  for_pairs([&](int i, int j) {
    const Param &p = param(i, j, j);
    cutsq_of_pairs.push_back(p.cutsq);
    for (double c :
         {p.A, p.B, p.rho, p.sigma, p.cutoffA, p.cutoffC, p.alpha, p.gamma, p.beta, 0.0, 0.0, 0.0})
      pairs.push_back(c);
    if (p.B == 0.0) supported = false;
  });
  const auto coefficients = [&](int i, int j, int k) {
    const Param &p = param(i, j, k);
    return std::make_tuple(p.Q0, p.mu, p.lambda, p.eta, p.u1, p.u2, p.u3, p.u4);
  };
  for_triples([&](int i, int j, int k) {
    const Param &p = param(i, j, k);
    for (double c : {p.Q0, p.mu, p.lambda, p.eta, p.u1, p.u2, p.u3, p.u4}) triples.push_back(c);
    if (coefficients(i, j, k) != coefficients(i, k, j)) supported = false;
  });
  all = {nelements, cutsq_of_pairs.data(), pairs.data(), triples.data()};
}
