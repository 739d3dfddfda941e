// SPDX-License-Identifier: GPL-2.0-only

#include "one_three_pairs.h"

#include "pairs_one_by_one.h"

#include <cmath>

namespace TOFU_NS {
namespace {

  /** The inverse of r to the power of 4, 5, 6, 9 or 12. */
  double inverse_power(double r2inv, double power)
  {
    const double r4inv = r2inv * r2inv;
    if (power == 4.0) return r4inv;
    if (power == 5.0) return r4inv * std::sqrt(r2inv);
    const double r6inv = r4inv * r2inv;
    if (power == 6.0) return r6inv;
    return power == 9.0 ? r6inv * r2inv * std::sqrt(r2inv) : r6inv * r6inv;
  }

}    // namespace

void one_three_pairs(const OneThreeTables &tables, const BondedJob &job, PairTally &tally)
{
  compute_pairs(job, tally, [&](int i, int j, int, double rsq, double &force, double &energy) {
    const int itype = tables.type[i], jtype = tables.type[j];
    if (rsq >= tables.rminsq[itype][jtype]) return false;
    const int kind = tables.kind[itype][jtype];
    const double r2inv = 1.0 / rsq;
    const double first = inverse_power(r2inv, tables.powers1[kind]),
                 second = inverse_power(r2inv, tables.powers2[kind]);
    force = (tables.lj1[itype][jtype] * first - tables.lj2[itype][jtype] * second) * r2inv;
    energy = tables.lj3[itype][jtype] * first - tables.lj4[itype][jtype] * second -
        tables.emin[itype][jtype];
    return true;
  });
}

}    // namespace TOFU_NS
