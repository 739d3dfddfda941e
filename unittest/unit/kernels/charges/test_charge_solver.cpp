// SPDX-License-Identifier: GPL-2.0-only
//
// Charges are those of the dense system with the sum as one more equation, with both kinds of
// preconditioners, and as few passes and reductions are made as needed.

#include "charge_domain.h"

#include "kernels/charges/charge_history.h"
#include "kernels/charges/charge_solver.h"

using namespace TOFU_NS;
using TOFU_TEST::ChargeBox;
using TOFU_TEST::ChargeDomain;
using TOFU_TEST::parts_in_turn;

namespace {

enum class Kind { DIAGONAL, FACTORED };

/** A box on one rank, whose products are counted. */
class Equations {
 public:
  Equations(const ChargeBox &box, Kind kind, int nparts = 1, const std::vector<int> &without = {}) :
      domain(box, 0.0, box.edge, box.coulomb.cutoff + 0.7, ChargeList::Pairs::ONCE, 0.7, without),
      parts(parts_in_turn(nparts)), right(box.natoms), inverse(box.natoms), ones(box.natoms)
  {
    rows.build(domain.list(), domain.columns(), parts);
    rows.set_values(box.coulomb, domain.rows.data(), parts);
    factored.build(domain.near(), box.coulomb, 0.44271 * box.coulomb.cutoff, false, parts);
    for (int i = 0; i < box.natoms; i++) {
      ones[i] = domain.has_charge[i];
      right[i] = -box.chi[i] * ones[i];
      inverse[i] = ones[i] / box.eta[i];
    }
    system.nlocal = box.natoms;
    system.ncolumns = domain.nall;
    system.right = right.data();
    system.inverse_diagonal = inverse.data();
    system.total = 0.0;
    system.begin_product = [this](const double *x) {
      rows.begin_product(x, parts);
    };
    system.begin_two_products = [this](const double *x1, const double *x2) {
      rows.begin_two_products(x1, x2, parts);
    };
    system.multiply = [this](int first, int last, const double *x, double *y) {
      rows.multiply(first, last, domain.diagonal.data(), x, y);
    };
    system.multiply_two = [this](int first, int last, const double *x1, const double *x2,
                                 double *y1, double *y2) {
      rows.multiply_two(first, last, domain.diagonal.data(), x1, x2, y1, y2);
    };
    system.precondition = [this, kind](double *r, double *z) {
      if (kind == Kind::FACTORED) return factored.apply(r, z, parts);
      for (int i = 0; i < system.nlocal; i++) z[i] = inverse[i] * r[i];
    };
    system.forward = [this](double *x) {
      nforwards++;
      set_images(x);
    };
    system.add_over_ranks = [this](double *, int n) {
      nreductions++;
      longest = std::max(longest, n);
    };
    solver.set_preconditioner(system, ones);
    nforwards = 0;
  }

  /** Charges of a solution from a start. */
  std::vector<double> solve(double tolerance, std::vector<double> start, int most_passes = 200)
  {
    start.resize(domain.nall, 0.0);
    set_images(start.data());
    nreductions = 0;
    outcome = solver.solve(system, {tolerance, most_passes}, start.data(), nullptr, 0, parts);
    EXPECT_EQ(outcome.nreductions, nreductions);
    start.resize(system.nlocal);
    return start;
  }

  /** Numbers of ghosts, which are all images of owned atoms. */
  void set_images(double *x) const
  {
    for (int i = domain.nlocal; i < domain.nall; i++) x[i] = x[domain.column[i]];
  }

  ChargeDomain domain;
  Parts parts;
  ChargeRows rows;
  FactoredInverse factored;
  std::vector<double> right, inverse, ones;
  ChargeSystem system{};
  ChargeSolver solver;
  ChargeSolver::Outcome outcome;
  int nforwards = 0, nreductions = 0, longest = 0;
};

/** Charges and the chemical potential. */
std::vector<long double> exact(const ChargeBox &box, double total = 0.0,
                               const std::vector<int> &without = {})
{
  const int n = box.natoms;
  const std::vector<long double> h = box.matrix();
  std::vector<long double> a((n + 1) * (n + 1), 0.0L), b(n + 1);
  for (int i = 0; i < n; i++) {
    const bool none = std::count(without.begin(), without.end(), i) > 0;
    for (int j = 0; j < n; j++)
      if (!none && std::count(without.begin(), without.end(), j) == 0)
        a[i * (n + 1) + j] = h[i * n + j];
    if (none) {
      a[i * (n + 1) + i] = 1.0L;
    } else {
      a[i * (n + 1) + n] = -1.0L;
      a[n * (n + 1) + i] = 1.0L;
      b[i] = -box.chi[i];
    }
  }
  b[n] = total;
  return TOFU_TEST::solve_dense(a, b);
}

double largest_error(const std::vector<double> &found, const std::vector<long double> &wanted)
{
  double largest = 0.0;
  for (std::size_t i = 0; i < found.size(); i++)
    largest = std::max(largest, static_cast<double>(std::abs(found[i] - wanted[i])));
  return largest;
}

class ChargeSolverWith : public testing::TestWithParam<Kind> {};

TEST_P(ChargeSolverWith, ChargesOfAnyNumberOfAtomsAreExact)
{
  for (const int nedge : {1, 2, 3, 5}) {
    const ChargeBox box(nedge, nedge == 1 ? 7.0 : 2.2, 6.0);
    const auto wanted = exact(box);
    for (const double start : {0.0, 0.3}) {    // the sum of the latter is wrong
      Equations equations(box, GetParam());
      const std::vector<double> q = equations.solve(1e-13, std::vector<double>(box.natoms, start));
      EXPECT_EQ(equations.outcome.end, ChargeSolver::End::CONVERGED);
      EXPECT_LT(largest_error(q, wanted), 1e-12) << box.natoms;
      EXPECT_NEAR(equations.solver.potential(), static_cast<double>(wanted.back()), 1e-11);
      EXPECT_NEAR(std::accumulate(q.begin(), q.end(), 0.0), 0.0, 1e-13 * box.natoms);
    }
  }
}

TEST_P(ChargeSolverWith, TwoAtomsHaveOppositeCharges)
{
  ChargeBox box(2, 6.0, 5.0);
  box.natoms = 2;
  box.x.resize(6);
  box.x[3] = box.x[0] + 1.0;
  box.x[4] = box.x[1];
  box.x[5] = box.x[2];
  Equations equations(box, GetParam());
  const std::vector<double> q = equations.solve(1e-14, {0.0, 0.0});
  EXPECT_LT(largest_error(q, exact(box)), 1e-13);
  EXPECT_EQ(q[0] > 0.0, box.chi[0] < box.chi[1]);
}

TEST_P(ChargeSolverWith, TheSumIsTheWantedOne)
{
  const ChargeBox box(3, 2.2, 6.0);
  Equations equations(box, GetParam());
  equations.system.total = 1.5;
  const std::vector<double> q = equations.solve(1e-13, std::vector<double>(box.natoms, 0.0));
  EXPECT_LT(largest_error(q, exact(box, 1.5)), 1e-12);
}

TEST_P(ChargeSolverWith, AtomsWithoutAChargeAreLeftOut)
{
  const ChargeBox box(4, 2.2, 6.0);
  const std::vector<int> without = {3, 11, 12, 40};
  Equations equations(box, GetParam(), 1, without);
  const std::vector<double> q = equations.solve(1e-13, std::vector<double>(box.natoms, 0.0));
  EXPECT_LT(largest_error(q, exact(box, 0.0, without)), 1e-12);
  for (const int i : without) EXPECT_EQ(q[i], 0.0);
}

TEST_P(ChargeSolverWith, ATighterToleranceThanRoundingEndsWithoutAWarning)
{
  for (const int nedge : {1, 2, 4}) {
    const ChargeBox box(nedge, nedge == 1 ? 7.0 : 2.2, 6.0);
    Equations equations(box, GetParam());
    const std::vector<double> q = equations.solve(1e-20, std::vector<double>(box.natoms, 0.0), 400);
    EXPECT_EQ(equations.outcome.end, ChargeSolver::End::CONVERGED);
    EXPECT_LT(largest_error(q, exact(box)), 1e-13);
  }
}

TEST_P(ChargeSolverWith, TheResidualIsBelowTheTolerance)
{
  const ChargeBox box(5, 2.2, 6.0);
  const std::vector<long double> h = box.matrix();
  for (const double tolerance : {1e-2, 1e-4, 1e-6, 1e-8, 1e-10}) {
    Equations equations(box, GetParam());
    const std::vector<double> q = equations.solve(tolerance, std::vector<double>(box.natoms, 0.0));
    long double norm = 0.0L, constant = 0.0L, weight = 0.0L, of_right = 0.0L;
    for (int i = 0; i < box.natoms; i++) {
      long double r = equations.solver.potential() - box.chi[i];
      for (int j = 0; j < box.natoms; j++) r -= h[i * box.natoms + j] * q[j];
      norm += r * r / box.eta[i];
      constant += r / box.eta[i];
      weight += 1.0L / box.eta[i];
      of_right += box.chi[i] * box.chi[i];
    }
    norm -= constant * constant / weight;
    const double relative = std::sqrt(static_cast<double>(norm / of_right));
    EXPECT_LT(relative, tolerance * 1.1) << tolerance;
    EXPECT_LT(equations.outcome.residual, tolerance);
    EXPECT_EQ(equations.outcome.npasses, equations.outcome.nreductions + 1);
  }
}

TEST_P(ChargeSolverWith, PartsDoNotChangeABit)
{
  const ChargeBox box(6, 2.2, 6.0);
  Equations one(box, GetParam());
  const std::vector<double> start(box.natoms, 0.0), wanted = one.solve(1e-8, start);
  for (const int nparts : {2, 3, 5}) {
    Equations other(box, GetParam(), nparts);
    EXPECT_EQ(other.solve(1e-8, start), wanted) << nparts;
  }
}

TEST_P(ChargeSolverWith, ASolutionAsStartIsKept)
{
  const ChargeBox box(4, 2.2, 6.0);
  Equations equations(box, GetParam());
  const std::vector<double> q = equations.solve(1e-12, std::vector<double>(box.natoms, 0.0));
  const std::vector<double> again = equations.solve(1e-6, q);
  EXPECT_EQ(equations.outcome.npasses, 2);
  EXPECT_EQ(equations.outcome.nreductions, 1);
  for (int i = 0; i < box.natoms; i++) EXPECT_NEAR(again[i], q[i], 1e-14);
}

TEST_P(ChargeSolverWith, TooFewPassesAreTold)
{
  const ChargeBox box(4, 2.2, 6.0);
  for (const int most : {2, 3, 4}) {
    Equations equations(box, GetParam());
    equations.solve(1e-12, std::vector<double>(box.natoms, 0.0), most);
    EXPECT_EQ(equations.outcome.end, ChargeSolver::End::EXHAUSTED);
    EXPECT_LE(equations.outcome.npasses, most);
  }
}

TEST_P(ChargeSolverWith, AMatrixThatIsNotDefiniteIsTold)
{
  ChargeBox box(4, 2.2, 6.0);
  for (double &eta : box.eta) eta = 2.0;
  Equations equations(box, GetParam());
  equations.solve(1e-10, std::vector<double>(box.natoms, 0.0));
  EXPECT_EQ(equations.outcome.end, ChargeSolver::End::NOT_DEFINITE);
}

TEST_P(ChargeSolverWith, NumbersThatAreNotFiniteEndIt)
{
  const ChargeBox box(3, 2.2, 6.0);
  Equations equations(box, GetParam());
  equations.right[5] = std::numeric_limits<double>::quiet_NaN();
  equations.solve(1e-10, std::vector<double>(box.natoms, 0.0));
  EXPECT_EQ(equations.outcome.end, ChargeSolver::End::NOT_DEFINITE);
}

TEST_P(ChargeSolverWith, WithoutAPotentialThereAreNoCharges)
{
  const ChargeBox box(3, 2.2, 6.0);
  Equations equations(box, GetParam());
  std::fill(equations.right.begin(), equations.right.end(), 0.0);
  for (const double start : {0.0, 0.3})
    for (const double q : equations.solve(1e-10, std::vector<double>(box.natoms, start)))
      EXPECT_EQ(q, 0.0);
  EXPECT_EQ(equations.outcome.end, ChargeSolver::End::CONVERGED);
}

TEST_P(ChargeSolverWith, AnInfiniteNormEndsIt)
{
  ChargeBox box(3, 2.2, 6.0);
  Equations equations(box, GetParam());
  equations.inverse[5] = std::numeric_limits<double>::infinity();
  equations.solve(1e-10, std::vector<double>(box.natoms, 0.0));
  EXPECT_EQ(equations.outcome.end, ChargeSolver::End::NOT_DEFINITE);
}

TEST_P(ChargeSolverWith, FurtherNumbersAreReducedOnce)
{
  const ChargeBox box(3, 2.2, 6.0);
  Equations equations(box, GetParam());
  double more[2] = {3.0, 4.0};
  equations.system.add_over_ranks = [&](double *sums, int n) {
    if (n > 20) {
      EXPECT_EQ(sums[n - 2], 3.0);
      sums[n - 1] = 8.0;
    }
  };
  std::vector<double> q(equations.domain.nall, 0.0);
  equations.solver.solve(equations.system, {1e-8, 100}, q.data(), more, 2, Parts());
  EXPECT_EQ(more[0], 3.0);
  EXPECT_EQ(more[1], 8.0);
}

INSTANTIATE_TEST_SUITE_P(Preconditioners, ChargeSolverWith,
                         testing::Values(Kind::DIAGONAL, Kind::FACTORED), [](const auto &info) {
                           return info.param == Kind::DIAGONAL ? "Diagonal" : "Factored";
                         });

TEST(ChargeSolver, TheFactoredInverseSavesPasses)
{
  const ChargeBox box(6, 2.2, 6.0);
  Equations diagonal(box, Kind::DIAGONAL), factored(box, Kind::FACTORED);
  const std::vector<double> start(box.natoms, 0.0);
  diagonal.solve(1e-8, start);
  factored.solve(1e-8, start);
  EXPECT_LT(factored.outcome.npasses, 0.6 * diagonal.outcome.npasses);
}

TEST(ChargeHistory, GuessesArePolynomials)
{
  for (int n = 1; n <= ChargeHistory::MOST; n++) {
    double old[ChargeHistory::MOST];
    const auto polynomial = [n](double t) {
      double sum = 0.0;
      for (int power = 0; power < n; power++) sum += (power + 0.7) * std::pow(t, power);
      return sum;
    };
    for (int k = 0; k < ChargeHistory::MOST; k++) old[k] = polynomial(-k - 1.0);
    EXPECT_NEAR(ChargeHistory::guess(old, n), polynomial(0.0), 1e-12) << n;
  }
}

TEST(ChargeHistory, TheBestKnownOrderIsTakenAsFarAsThereAreSolutions)
{
  ChargeHistory history;
  EXPECT_EQ(history.best(), 0);
  history.add();
  EXPECT_EQ(history.best(), 1);
  const double errors[] = {4.0, 2.0, 1.0, 3.0};
  history.learn(errors, 4);
  EXPECT_EQ(history.best(), 1);
  for (int k = 0; k < 6; k++) history.add();
  EXPECT_EQ(history.size(), ChargeHistory::MOST);
  EXPECT_EQ(history.best(), 3);
  history.learn(errors, 2);
  EXPECT_EQ(history.best(), 2);
  history.clear();
  EXPECT_EQ(history.best(), 0);
}

}    // namespace
