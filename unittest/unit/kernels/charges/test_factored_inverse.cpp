// SPDX-License-Identifier: GPL-2.0-only
//
// The factored inverse is the inverse itself where all atoms are near, and the same on one rank and
// on two.

#include "charge_domain.h"

using namespace TOFU_NS;
using TOFU_TEST::ChargeBox;
using TOFU_TEST::ChargeDomain;
using TOFU_TEST::parts_in_turn;

namespace {

TEST(FactoredInverse, IsTheInverseWhereAllAtomsAreNear)
{
  ChargeBox box(3, 1.6, 9.0);
  box.edge = 40.0;    // no images
  const ChargeDomain domain(box, 0.0, box.edge, 10.0);
  FactoredInverse inverse;
  inverse.build(domain.near(), box.coulomb, 8.5, false, Parts());
  EXPECT_EQ(inverse.nindefinite(), 0);
  EXPECT_EQ(inverse.nentries(), box.natoms * (box.natoms + 1) / 2);
  const std::vector<double> r = TOFU_TEST::random_numbers(box.natoms, 3);
  const auto wanted = TOFU_TEST::solve_dense(box.matrix(), {r.begin(), r.end()});
  std::vector<double> z(domain.nlocal), columns = domain.of_columns(r);
  inverse.apply(columns.data(), z.data(), Parts());
  for (int i = 0; i < box.natoms; i++)
    EXPECT_NEAR(z[i], static_cast<double>(wanted[domain.atom[i]]), 1e-12);
}

/** M r of a box cut into slabs. */
std::vector<double> of_slabs(const ChargeBox &box, int nslabs, bool with_ghosts, int nparts,
                             const std::vector<double> &r, const std::vector<int> &without = {})
{
  const double reach = 4.4;
  std::vector<double> found(box.natoms);
  for (int slab = 0; slab < nslabs; slab++) {
    const ChargeDomain domain(box, box.edge * slab / nslabs, box.edge * (slab + 1) / nslabs, 9.5,
                              ChargeList::Pairs::ONCE, 0.7, without);
    const Parts parts = parts_in_turn(nparts);
    FactoredInverse inverse;
    inverse.build(domain.near(), box.coulomb, reach, with_ghosts, parts);
    std::vector<double> z(domain.nlocal), columns = domain.of_columns(r);
    inverse.apply(columns.data(), z.data(), parts);
    for (int i = 0; i < domain.nlocal; i++) found[domain.atom[i]] = z[i];
  }
  return found;
}

TEST(FactoredInverse, OverRanksIsThatOfOneRank)
{
  for (const double spacing : {1.7, 2.4}) {    // slabs thinner and thicker than the reach
    const ChargeBox box(4, spacing, 6.0);
    const std::vector<double> r = TOFU_TEST::random_numbers(box.natoms, 4);
    const std::vector<double> wanted = of_slabs(box, 1, true, 1, r);
    EXPECT_EQ(of_slabs(box, 1, false, 1, r), wanted);
    for (int nslabs = 2; nslabs <= 4; nslabs++) {
      const std::vector<double> found = of_slabs(box, nslabs, true, 1, r);
      for (int i = 0; i < box.natoms; i++) EXPECT_NEAR(found[i], wanted[i], 1e-13) << nslabs;
    }
  }
}

TEST(FactoredInverse, WithoutMessagesIsStillSymmetricAndPositive)
{
  const ChargeBox box(4, 2.1, 6.0);
  const int n = box.natoms;
  std::vector<std::vector<double>> m;
  for (int i = 0; i < n; i++) {
    std::vector<double> one(n, 0.0);
    one[i] = 1.0;
    m.push_back(of_slabs(box, 2, false, 1, one));
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) EXPECT_NEAR(m[i][j], m[j][i], 1e-16);
  for (int seed = 0; seed < 20; seed++) {
    const std::vector<double> r = TOFU_TEST::random_numbers(n, seed),
                              z = of_slabs(box, 2, false, 1, r);
    double product = 0.0;
    for (int i = 0; i < n; i++) product += r[i] * z[i];
    EXPECT_GT(product, 0.0);
  }
}

TEST(FactoredInverse, PartsDoNotChangeABit)
{
  const ChargeBox box(4, 2.1, 6.0);
  const std::vector<double> r = TOFU_TEST::random_numbers(box.natoms, 5);
  const std::vector<double> wanted = of_slabs(box, 2, true, 1, r);
  for (int nparts = 2; nparts <= 4; nparts++) EXPECT_EQ(of_slabs(box, 2, true, nparts, r), wanted);
}

TEST(FactoredInverse, RowsOfAtomsTooCloseHaveTheDiagonal)
{
  ChargeBox box(2, 6.0, 6.0);
  box.x[3] = box.x[0] + 0.05;    // eta_i eta_j < H_ij^2
  box.x[4] = box.x[1];
  box.x[5] = box.x[2];
  box.eta[0] = box.eta[1] = 10.0;
  const ChargeDomain domain(box, 0.0, box.edge, 7.0);
  FactoredInverse inverse;
  inverse.build(domain.near(), box.coulomb, 2.0, false, Parts());
  EXPECT_EQ(inverse.nindefinite(), 1);
  const std::vector<double> r = TOFU_TEST::random_numbers(box.natoms, 6);
  std::vector<double> z(domain.nlocal), columns = domain.of_columns(r);
  inverse.apply(columns.data(), z.data(), Parts());
  for (int i = 0; i < box.natoms; i++) EXPECT_NEAR(z[i], columns[i] / domain.diagonal[i], 1e-15);
}

TEST(FactoredInverse, AtomsWithoutAChargeAreLeftOut)
{
  const ChargeBox box(4, 2.1, 6.0);
  const std::vector<int> without = {1, 2, 30};
  const std::vector<double> r = TOFU_TEST::random_numbers(box.natoms, 7);
  for (int nslabs = 1; nslabs <= 2; nslabs++) {
    const std::vector<double> z = of_slabs(box, nslabs, true, 1, r, without);
    for (const int i : without) EXPECT_EQ(z[i], 0.0);
  }
}

TEST(FactoredInverse, OfNoAtomIsNothing)
{
  const ChargeBox box(2, 3.0, 6.0);
  const ChargeDomain domain(box, 50.0, 51.0, 1.0);    // nothing there
  FactoredInverse inverse;
  inverse.build(domain.near(), box.coulomb, 2.0, true, Parts());
  EXPECT_EQ(inverse.nentries(), 0);
  inverse.apply(nullptr, nullptr, Parts());
}

}    // namespace
