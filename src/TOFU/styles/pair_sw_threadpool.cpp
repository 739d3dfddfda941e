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

#include "pair_sw_threadpool.h"

#include "atom.h"

#include "kernels/sw.h"

#include <tuple>
#include <vector>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr double LARGEST_POWER = 16.0;    // that is computed by multiplications

/* ---------------------------------------------------------------------- */

struct PairSWThreadpool::Tables {
  SWCoefficients all;
  std::vector<double> cutsq, pairs, triples;
  bool symmetric = true;    // both atoms of a pair agree about its energy
};

/* ---------------------------------------------------------------------- */

PairSWThreadpool::PairSWThreadpool(LAMMPS *lmp) : CentersStyle(lmp), tables(new Tables) {}

/* ---------------------------------------------------------------------- */

PairSWThreadpool::~PairSWThreadpool() = default;

/* ----------------------------------------------------------------------
   without three-body terms it is a pair potential with a half list
------------------------------------------------------------------------- */

void PairSWThreadpool::init_style()
{
  PairSW::init_style();
  if (!skip_threebody_flag) on_pool.adjust_request(this);
  stale = true;
}

/* ---------------------------------------------------------------------- */

void PairSWThreadpool::compute(int eflag, int vflag)
{
  ev_init(eflag, vflag);
  if (stale) fill_tables();
  if (skip_threebody_flag || asks_for_more()) {
    PairSW::compute(eflag, vflag);
    return;
  }
  tables->all.tags = tables->symmetric ? nullptr : tags_as_numbers();
  compute_centers(cutmax,
                  [&](const PairJob &job, const CenterForces &forces, CenterWorkspace &work,
                      int first, int last, PairTally &tally) {
                    stillinger_weber(tables->all, job, forces, work, first, last, tally);
                  });
}

/* ---------------------------------------------------------------------- */

void PairSWThreadpool::fill_tables()
{
  stale = false;
  *tables = Tables();
  auto two_body = [&](int i, int j) {
    const Param &p = param(i, j, j);
    return std::make_tuple(p.cutsq, p.cut, p.sigma, p.powerp, p.powerq, p.c5, p.c6);
  };
  for_pairs([&](int i, int j) {
    const Param &p = param(i, j, j);
    if (two_body(i, j) != two_body(j, i)) tables->symmetric = false;
    tables->cutsq.push_back(p.cutsq);
    for (double c : {p.cut, p.sigma, p.sigma_gamma, p.powerp, p.powerq, p.c5, p.c6, 0.0})
      tables->pairs.push_back(c);
  });
  for_triples([&](int i, int j, int k) {
    const Param &p = param(i, j, k);
    for (double c : {p.lambda_epsilon, p.costheta, 0.0, 0.0}) tables->triples.push_back(c);
  });
  tables->all = {nelements,
                 tables->cutsq.data(),
                 tables->pairs.data(),
                 tables->triples.data(),
                 common_power(&Param::powerp),
                 common_power(&Param::powerq)};
}

/* ----------------------------------------------------------------------
   Returns: power of all pairs, -1 if they differ or it is none that
   multiplications give
------------------------------------------------------------------------- */

int PairSWThreadpool::common_power(double Param::*power) const
{
  const double first = param(0, 0, 0).*power;
  bool common = first >= 0.0 && first <= LARGEST_POWER && first == static_cast<int>(first);
  for_pairs([&](int i, int j) { common = common && param(i, j, j).*power == first; });
  return common ? static_cast<int>(first) : -1;
}
