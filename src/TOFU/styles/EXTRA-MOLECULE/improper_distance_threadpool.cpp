// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "improper_distance_threadpool.h"

#include "kernels/bonded/dihedrals.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

namespace {

// [nimpropertypes+1] coefficients, which are private members up to 2025, and protected later. The
// arguments of an explicit instantiation may name private members

const double *k2_of(const ImproperDistance &);
const double *k4_of(const ImproperDistance &);

template <double *ImproperDistance::*K2, double *ImproperDistance::*K4> struct Access {
  friend const double *k2_of(const ImproperDistance &style) { return style.*K2; }
  friend const double *k4_of(const ImproperDistance &style) { return style.*K4; }
};

template struct Access<&ImproperDistance::k, &ImproperDistance::chi>;

}    // namespace

/* ---------------------------------------------------------------------- */

ImproperDistanceThreadpool::Row ImproperDistanceThreadpool::row(int type) const
{
  return {k2_of(*this)[type], k4_of(*this)[type]};
}

/* ---------------------------------------------------------------------- */

void ImproperDistanceThreadpool::kernel(const Coefficients &all, const BondedJob &job,
                                        PairTally &tally)
{
  improper_distance(all, job, tally);
}
