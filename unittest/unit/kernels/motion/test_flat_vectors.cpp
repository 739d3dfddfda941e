// SPDX-License-Identifier: GPL-2.0-only
//
// Sums, maxima and combinations of vectors are those of a loop over their numbers.

#include "kernels/motion/flat_vectors.h"

#include "unit/kernels/simd/instruction_sets.h"

using namespace TOFU_NS;

namespace {

constexpr int SIZES[] = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 192};

std::vector<double> numbers(int n, int seed)
{
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> found(n);
  for (double &number : found) number = uniform(random);
  return found;
}

class FlatVectors : public TOFU_TEST::WithInstructionSet {};

TEST_P(FlatVectors, DotProductHasEachNumberOnce)
{
  for (const int n : SIZES) {
    const std::vector<double> a = numbers(n, 1), b = numbers(n, 2);
    double wanted = 0.0;
    for (int k = 0; k < n; k++) wanted += a[k] * b[k];
    EXPECT_NEAR(dot_product(a.data(), b.data(), n), wanted, 1e-15 * (n + 1)) << n;

    // powers of two that no two sets of numbers have in common
    for (int k = 0; k < std::min(n, 50); k++) {
      std::vector<double> one(n, 0.0);
      one[k] = std::ldexp(1.0, k);
      EXPECT_EQ(dot_product(one.data(), std::vector<double>(n, 1.0).data(), n), one[k]) << n;
    }
  }
}

TEST_P(FlatVectors, DotProductReadsNoNumberBehindTheEnd)
{
  for (const int n : SIZES) {
    std::vector<double> a(n, 1.0), b(n, 1.0);
    a.resize(n + 16, std::numeric_limits<double>::quiet_NaN());
    b.resize(n + 16, 1.0);
    EXPECT_EQ(dot_product(a.data(), b.data(), n), n);
    EXPECT_EQ(largest_magnitude(a.data(), n), n ? 1.0 : 0.0);
  }
}

TEST_P(FlatVectors, LargestMagnitudeIsFoundAtEachPlaceAndWithEachSign)
{
  for (const int n : SIZES) {
    EXPECT_EQ(largest_magnitude(std::vector<double>(n, 0.0).data(), n), 0.0);
    for (int k = 0; k < n; k++)
      for (const double largest : {3.0, -3.0}) {
        std::vector<double> a = numbers(n, 3);
        a[k] = largest;
        EXPECT_EQ(largest_magnitude(a.data(), n), 3.0) << n << " " << k;
      }
  }
}

TEST_P(FlatVectors, LargestMagnitudeIsThatOfTheOthersOfNaN)
{
  std::vector<double> a = numbers(40, 4);
  a[20] = 5.0;
  for (const int k : {0, 19, 21, 39}) a[k] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(largest_magnitude(a.data(), 40), 5.0);
}

TEST_P(FlatVectors, CombinationHasFactorsOfBoth)
{
  for (const int n : SIZES) {
    const std::vector<double> a = numbers(n, 5), b = numbers(n, 6);
    std::vector<double> to(n + 1, 7.0);
    combine_vectors(0.75, a.data(), -0.3, b.data(), to.data(), n);
    for (int k = 0; k < n; k++)
      EXPECT_NEAR(to[k], 0.75 * a[k] - 0.3 * b[k], 3e-16) << n << " " << k;
    EXPECT_EQ(to[n], 7.0);
  }
}

TEST_P(FlatVectors, CombinationMayTakeThePlaceOfEither)
{
  for (const int n : SIZES) {
    const std::vector<double> a = numbers(n, 7), b = numbers(n, 8);
    std::vector<double> wanted(n), in_a = a, in_b = b;
    combine_vectors(1.0, a.data(), 0.1, b.data(), wanted.data(), n);
    combine_vectors(1.0, in_a.data(), 0.1, b.data(), in_a.data(), n);
    combine_vectors(1.0, a.data(), 0.1, in_b.data(), in_b.data(), n);
    EXPECT_EQ(in_a, wanted);
    EXPECT_EQ(in_b, wanted);
  }
}

INSTANTIATE_FOR_INSTRUCTION_SETS(FlatVectors);

}    // namespace
