// SPDX-License-Identifier: GPL-2.0-only
//
// Partial sums of a Fourier transform against sums term by term, for every instruction set.

#include "unit/kernels/simd/instruction_sets.h"

#include "kernels/mesh/partial_dft.h"

#include <complex>

using namespace TOFU_NS;

namespace {

using Complex = std::complex<double>;

constexpr double PI = 3.14159265358979323846;
constexpr PartialDftKind ALL_KINDS[] = {PartialDftKind::REAL_TO_HALF, PartialDftKind::FORWARD,
                                        PartialDftKind::BACKWARD, PartialDftKind::HALF_TO_REAL};

Complex root(int j, int k, int n, double sign)
{
  return std::polar(1.0, sign * 2.0 * PI * ((j * k) % n) / n);
}

/** Place of a part of a line in a row. */
std::size_t place(PartialDftKind kind, std::size_t line, int part, std::size_t nlines)
{
  const bool planes = kind == PartialDftKind::REAL_TO_HALF || kind == PartialDftKind::HALF_TO_REAL;
  return planes ? part * nlines + line : 2 * line + part;
}

struct Dimension {
  PartialDftKind kind;
  int n, first, nmine;
  std::size_t nlines;

  bool real_in() const { return kind == PartialDftKind::REAL_TO_HALF; }
  bool real_out() const { return kind == PartialDftKind::HALF_TO_REAL; }
  std::size_t row_in() const { return (real_in() ? 1 : 2) * nlines; }
  std::size_t row_out() const { return (real_out() ? 1 : 2) * nlines; }

  template <class Real> Complex in(const std::vector<Real> &values, int j, std::size_t line) const
  {
    const Real *const row = values.data() + j * row_in();
    return {row[place(kind, line, 0, nlines)], real_in() ? 0.0 : row[place(kind, line, 1, nlines)]};
  }

  template <class Real>
  Complex expected(const std::vector<Real> &values, int k, std::size_t line) const
  {
    const double sign = real_out() || kind == PartialDftKind::BACKWARD ? 1.0 : -1.0;
    Complex sum = 0.0;
    for (int j = 0; j < nmine; j++) {
      const int point = first + j;
      const Complex term = in(values, j, line) * root(point, k, n, sign);
      if (real_out())
        sum += (point == 0 || 2 * point == n ? 1.0 : 2.0) * term.real();
      else
        sum += term;
    }
    return sum;
  }
};

/** Compare with sums term by term; values around the output show writes beside it. */
template <class Real> void check(const Dimension &dimension, double factor)
{
  constexpr Real UNTOUCHED = 77;
  const PartialDft<Real> dft(dimension.kind, dimension.n, dimension.first, dimension.nmine, factor);
  ASSERT_EQ(dft.row_in(dimension.nlines), dimension.row_in());
  ASSERT_EQ(dft.row_out(dimension.nlines), dimension.row_out());

  std::mt19937 random(dimension.n + 100 * static_cast<unsigned>(dimension.nlines));
  std::uniform_real_distribution<Real> uniform(-1, 1);
  std::vector<Real> in(dimension.nmine * dimension.row_in());
  for (Real &value : in) value = uniform(random);
  const std::size_t noutputs = dft.noutputs() * dimension.row_out();
  std::vector<Real> out(noutputs + 1, UNTOUCHED);
  dft.run(dimension.nlines, in.data(), out.data());

  EXPECT_EQ(out[noutputs], UNTOUCHED);
  const double tolerance = (sizeof(Real) == 8 ? 1e-14 : 4e-6) * (1 + dimension.nmine);
  for (int k = 0; k < dft.noutputs(); k++)
    for (std::size_t line = 0; line < dimension.nlines; line++) {
      const Complex sum = factor * dimension.expected(in, k, line);
      const Real *const row = out.data() + k * dimension.row_out();
      for (int part = 0; part < (dimension.real_out() ? 1 : 2); part++)
        EXPECT_NEAR(row[place(dimension.kind, line, part, dimension.nlines)],
                    part ? sum.imag() : sum.real(), tolerance)
            << "n " << dimension.n << " from " << dimension.first << " on " << dimension.nmine
            << " lines " << dimension.nlines << " output " << k << " line " << line;
    }
}

class PartialDftWith : public TOFU_TEST::WithInstructionSet {};

/** Numbers of lines with all remainders by the length of a vector. */
TEST_P(PartialDftWith, AllNumbersOfLinesGiveTheSums)
{
  for (PartialDftKind kind : ALL_KINDS)
    for (std::size_t nlines = 0; nlines <= 36; nlines++) {
      check<double>({kind, 12, 2, 4, nlines}, 1.0);
      check<float>({kind, 12, 2, 4, nlines}, 1.0);
    }
}

TEST_P(PartialDftWith, AllLengthsGiveTheSums)
{
  for (PartialDftKind kind : ALL_KINDS)
    for (int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 17, 27, 32, 45}) {
      const int npoints = kind == PartialDftKind::HALF_TO_REAL ? n / 2 + 1 : n;
      for (int first : {0, npoints / 3})
        for (int nmine : {0, 1, npoints - first}) {
          check<double>({kind, n, first, nmine, 5}, 1.0 / std::sqrt(n));
          check<float>({kind, n, first, nmine, 11}, 1.0 / std::sqrt(n));
        }
    }
}

INSTANTIATE_FOR_INSTRUCTION_SETS(PartialDftWith);

TEST(PartialDft, RootsThatAreZeroOrOneAreExact)
{
  const PartialDft<double> dft(PartialDftKind::REAL_TO_HALF, 4, 0, 4);
  const std::vector<double> in{1, 2, -1, -2};    // one frequency
  std::vector<double> out(2 * 3);
  dft.run(1, in.data(), out.data());
  EXPECT_EQ(out, (std::vector<double>{0, 0, 2, -4, 0, 0}));
}

}    // namespace
