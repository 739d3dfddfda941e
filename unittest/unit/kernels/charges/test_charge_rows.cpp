// SPDX-License-Identifier: GPL-2.0-only
//
// Products with the matrix of charge equilibration are those of the dense matrix with all images.

#include "charge_domain.h"

#include "unit/kernels/simd/instruction_sets.h"

using namespace TOFU_NS;
using TOFU_TEST::ChargeBox;
using TOFU_TEST::ChargeDomain;
using TOFU_TEST::parts_in_turn;

namespace {

std::vector<double> product(const ChargeBox &box, const ChargeDomain &domain, int nparts,
                            const std::vector<double> &x)
{
  ChargeRows rows;
  const Parts parts = parts_in_turn(nparts);
  rows.build(domain.list(), domain.columns(), parts);
  rows.set_values(box.coulomb, domain.rows.data(), parts);
  rows.begin_product(x.data(), parts);
  std::vector<double> y(domain.nlocal);
  rows.multiply(0, domain.nlocal, domain.diagonal.data(), x.data(), y.data());
  return y;
}

std::vector<long double> dense_product(const ChargeBox &box, const std::vector<double> &x)
{
  const std::vector<long double> h = box.matrix();
  std::vector<long double> y(box.natoms, 0.0L);
  for (int i = 0; i < box.natoms; i++)
    for (int j = 0; j < box.natoms; j++) y[i] += h[i * box.natoms + j] * x[j];
  return y;
}

class ChargeRowsOf : public TOFU_TEST::WithInstructionSet {};

TEST_P(ChargeRowsOf, AHalfAndAFullListGiveTheProductWithAllImages)
{
  for (const double spacing : {1.2, 3.1}) {    // boxes of less and of more than the cut-off
    const ChargeBox box(4, spacing, 6.0);
    const std::vector<double> x = TOFU_TEST::random_numbers(box.natoms, 5);
    const std::vector<long double> wanted = dense_product(box, x);
    for (const auto pairs : {ChargeList::Pairs::ONCE, ChargeList::Pairs::TWICE})
      for (int nslabs = 1; nslabs <= 2; nslabs++)
        for (int slab = 0; slab < nslabs; slab++) {
          const ChargeDomain domain(box, box.edge * slab / nslabs, box.edge * (slab + 1) / nslabs,
                                    6.8, pairs);
          const std::vector<double> found = product(box, domain, 1, domain.of_columns(x));
          for (int i = 0; i < domain.nlocal; i++)
            EXPECT_NEAR(found[i], static_cast<double>(wanted[domain.atom[i]]), 4e-13);
        }
  }
}

TEST_P(ChargeRowsOf, PartsDoNotChangeABit)
{
  const ChargeBox box(5, 2.1, 6.0);
  const ChargeDomain domain(box, 0.0, box.edge, 6.8);
  const std::vector<double> x = domain.of_columns(TOFU_TEST::random_numbers(box.natoms, 6));
  const std::vector<double> wanted = product(box, domain, 1, x);
  for (int nparts = 2; nparts <= 5; nparts++) EXPECT_EQ(product(box, domain, nparts, x), wanted);
}

TEST_P(ChargeRowsOf, TwoVectorsGetTheProductsOfEach)
{
  const ChargeBox box(4, 2.4, 6.0);
  const ChargeDomain domain(box, 0.0, box.edge, 6.8);
  const std::vector<double> x1 = domain.of_columns(TOFU_TEST::random_numbers(box.natoms, 7)),
                            x2 = domain.of_columns(TOFU_TEST::random_numbers(box.natoms, 8));
  ChargeRows rows;
  rows.build(domain.list(), domain.columns(), Parts());
  rows.set_values(box.coulomb, domain.rows.data(), Parts());
  std::vector<double> y1(domain.nlocal), y2(domain.nlocal);
  rows.begin_two_products(x1.data(), x2.data(), Parts());
  rows.multiply_two(0, domain.nlocal, domain.diagonal.data(), x1.data(), x2.data(), y1.data(),
                    y2.data());
  const std::vector<double> one = product(box, domain, 1, x1), other = product(box, domain, 1, x2);
  for (int i = 0; i < domain.nlocal; i++) {
    EXPECT_NEAR(y1[i], one[i], 1e-12);
    EXPECT_NEAR(y2[i], other[i], 1e-12);
  }
}

TEST_P(ChargeRowsOf, AtomsWithoutAChargeAreInNoRow)
{
  const ChargeBox box(4, 2.4, 6.0);
  const std::vector<int> without = {0, 7, 33};
  const ChargeDomain domain(box, 0.0, box.edge, 6.8, ChargeList::Pairs::ONCE, 0.7, without);
  const std::vector<double> x = TOFU_TEST::random_numbers(box.natoms, 9);
  std::vector<double> none = x;
  for (const int i : without) none[i] = 0.0;
  const std::vector<long double> wanted = dense_product(box, none);
  const std::vector<double> found = product(box, domain, 1, domain.of_columns(x));
  for (int i = 0; i < domain.nlocal; i++) {
    if (domain.has_charge[i])
      EXPECT_NEAR(found[i], static_cast<double>(wanted[domain.atom[i]]), 4e-13);
    else
      EXPECT_EQ(found[i], 0.0);
  }
}

/** A pair of owned atoms is stored once, whatever the list has. */
TEST_P(ChargeRowsOf, TwelveBytesAreKeptOfEachPair)
{
  const ChargeBox box(8, 1.7, 5.0);
  for (const auto pairs : {ChargeList::Pairs::ONCE, ChargeList::Pairs::TWICE}) {
    const ChargeDomain domain(box, 0.0, box.edge, 5.7, pairs);
    long long npairs = 0;
    for (int i = 0; i < domain.nlocal; i++)
      for (const int entry : domain.neighbors[i]) {
        const int j = entry & 0x1FFFFFFF;
        npairs += j > i || j >= domain.nlocal;
      }
    ChargeRows rows;
    rows.build(domain.list(), domain.columns(), Parts());
    const std::vector<double> x(domain.nall, 1.0);
    rows.begin_two_products(x.data(), x.data(), Parts());
    EXPECT_EQ(rows.nentries(), npairs);
    EXPECT_LT(rows.nbytes(), 1.06 * 12.0 * (npairs + 4 * domain.nlocal) + 450.0 * domain.nlocal);
  }
}

TEST_P(ChargeRowsOf, CouplingsAreThoseOfTheFormulaFromContactToTheCutoff)
{
  const ChargeBox box(1, 1.0, 10.0);
  const double point[4] = {0.0, 0.0, 0.0, ShieldedCoulomb::shield(0.82)};
  std::vector<double> rows;
  std::vector<int> index;
  for (int k = 0; k < 1000; k++) {
    rows.insert(rows.end(), {0.01015 * k, 0.0, 0.0, ShieldedCoulomb::shield(1.05)});
    index.push_back(k);
  }
  std::vector<double> found(index.size());
  shielded_couplings(box.coulomb, point, rows.data(), index.data(), static_cast<int>(index.size()),
                     found.data());
  for (int k = 0; k < 1000; k++) {
    const long double r = rows[4 * k];
    long double t = 0.0L;
    for (int power = 7; power >= 0; power--) t = t * r + box.coulomb.taper[power];
    const long double wanted =
        r > 10.0L ? 0.0L : 14.4L * t / std::cbrt(r * r * r + std::pow(0.82L * 1.05L, -1.5L));
    EXPECT_NEAR(found[k], static_cast<double>(wanted), 2e-14) << r;
  }
}

INSTANTIATE_FOR_INSTRUCTION_SETS(ChargeRowsOf);

}    // namespace
