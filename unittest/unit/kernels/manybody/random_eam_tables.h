// SPDX-License-Identifier: GPL-2.0-only
//
// Splines with any coefficients for kernels of embedded atoms, which must evaluate them.

#ifndef TOFU_TEST_RANDOM_EAM_TABLES_H
#define TOFU_TEST_RANDOM_EAM_TABLES_H

#include "unit/testing.h"

#include "kernels/manybody/eam.h"

namespace TOFU_TEST {

/** Tables in which each pair of types has splines and a scale of its own. */
inline TOFU_NS::EAMTables random_eam_tables(int ntypes, double cutoff)
{
  TOFU_NS::EAMTables tables;
  tables.ntypes = ntypes;
  tables.nr = 50;
  tables.rdr = tables.nr / cutoff;
  tables.cutsq = cutoff * cutoff;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (auto *table : {&tables.rhor, &tables.z2r}) {
    table->resize(ntypes * ntypes * (tables.nr + 1) * 4);
    for (double &c : *table) c = uniform(random);
  }
  tables.pairs.resize((ntypes + 1) * (ntypes + 1));
  for (int i = 1; i <= ntypes; i++)
    for (int j = 1; j <= ntypes; j++)
      tables.pairs[i * (ntypes + 1) + j] = {(i - 1) * ntypes + j - 1, (j - 1) * ntypes + i - 1,
                                            (std::min(i, j) - 1) * ntypes + std::max(i, j) - 1,
                                            1.0 + 0.2 * (i + j)};
  return tables;
}

}    // namespace TOFU_TEST

#endif
