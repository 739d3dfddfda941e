// SPDX-License-Identifier: GPL-2.0-only
//
// Deep potentials against their formula, and against forces that are differences of its energies.

#include "model/deep_dipole.h"
#include "model/deep_potential.h"
#include "model/embedding_table.h"
#include "model/model_error.h"

#include "deep_models.h"
#include "unit/kernels/data/compared_values.h"

using namespace deep_models;
using TOFU_TEST::slope_of;

namespace {

constexpr int NCENTERS = 70, NALL = 110;    // the rest are ghosts

/** Atoms at random, and a full list with some skin. */
struct System {
  std::vector<Place> x;
  std::vector<int> types;
  std::vector<double> rows, frame{0.7}, parameters;
  std::vector<std::vector<int>> entries;    // [NALL] of rows, and the padding behind
  std::vector<int> atoms, nneighbors, nspecial;

  explicit System(int ntypes, bool near_pair = false)
  {
    Random random(4711);
    while (static_cast<int>(x.size()) < NALL) {
      const Place place{random.number(0.0, 9.0), random.number(0.0, 9.0), random.number(0.0, 9.0)};
      bool far = true;
      for (const Place &other : x) far = far && distance(place, other) > 0.8;
      if (far) x.push_back(place);
    }
    if (near_pair) x[1] = {x[0][0] + 0.11, x[0][1], x[0][2] + 0.07};
    for (int i = 0; i < NALL; i++) types.push_back((i * 7 / 3) % ntypes);
    parameters = random.numbers(2 * NALL, 1.0);
    for (int i = 0; i < NALL; i++) {
      std::vector<int> near;
      for (int j = 0; j < NALL; j++)
        if (j != i && distance(x[i], x[j]) < 4.4) near.push_back(j);
      atoms.push_back(i);
      nneighbors.push_back(static_cast<int>(near.size()));
      near.resize(near.size() + ROW_PADDING, NALL);
      entries.push_back(near);
      nspecial.push_back(0);
    }
    gather();
  }

  static double distance(const Place &a, const Place &b)
  {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  }

  /** Begins of rows. */
  std::vector<const int *> first() const
  {
    std::vector<const int *> begins;
    for (const auto &row : entries) begins.push_back(row.data());
    return begins;
  }

  /** \param begins   those of rows, which must live as long as the job */
  PairJob job(const std::vector<const int *> &begins, Tallies tallies) const
  {
    PairJob made;
    made.list = {NALL, atoms.data(), begins.data(), nneighbors.data(), nspecial.data()};
    made.atoms.rows = rows.data();
    made.tallies = tallies;
    return made;
  }

  void gather()
  {
    rows.assign(4 * (NALL + 1), 1e12);
    for (int i = 0; i < NALL; i++) {
      std::copy(x[i].begin(), x[i].end(), rows.begin() + 4 * i);
      rows[4 * i + 3] = types[i];
    }
  }

  double energy(const DeepModel &model, int i) const
  {
    return outputs_of(model, i, x, types, frame, parameters)[0] + model.fitting.biases[types[i]];
  }
  double energy(const DeepModel &model) const
  {
    double sum = 0.0;
    for (int i = 0; i < NCENTERS; i++) sum += energy(model, i);
    return sum;
  }
};

struct Results {
  PairTally tally;
  std::vector<double> forces = std::vector<double>(4 * (NALL + 1), 0.0);
  std::vector<double> energies = std::vector<double>(NALL, 0.0);
  std::vector<double> virials = std::vector<double>(9 * NALL, 0.0);
  int noverflows = 0;
};

Results compute(const System &system, const DeepPotential &potential,
                const std::vector<int> &begins = {0, NCENTERS})
{
  Results results;
  const std::vector<const int *> first = system.first();
  const PairJob job = system.job(first, Tallies::ALL);
  CenterForces forces;
  forces.rows = results.forces.data();
  forces.last = NALL;
  results.tally.eatom = results.energies.data();
  DeepPotential::Extras extras;
  extras.centroids.rows = reinterpret_cast<double(*)[9]>(results.virials.data());
  extras.parameters = {system.frame.data(), system.parameters.data()};
  DeepPotential::Workspace work;
  for (std::size_t k = 0; k + 1 < begins.size(); k++)
    potential.compute(job, forces, extras, work, begins[k], begins[k + 1], results.tally);
  results.noverflows = work.batch.noverflows;
  return results;
}

std::vector<Shape> shapes()
{
  std::vector<Shape> all(11);
  all[1].one_sided = true;
  all[2].ntypes = 1;
  all[3].ntypes = 3;
  all[3].excluded = true;
  all[4].ntypes = 3;
  all[4].one_sided = all[4].excluded = true;
  all[5].radial_too = true;
  all[6].parameters = true;
  for (int k : {7, 8, 9, 10}) all[k].typed = true;
  all[7].smooth = all[7].excluded = true;
  all[7].ntypes = 3;
  all[8].one_sided = true;
  all[9].smooth = all[9].one_sided = all[9].radial_too = all[9].parameters = true;
  all[10].ntypes = 3;
  all[10].excluded = true;
  return all;
}

class DeepPotentialOf : public testing::TestWithParam<int> {
 protected:
  const Shape shape = shapes()[GetParam()];
  const DeepModel model = random_model(GetParam() + 1, shape);
  System system = System(shape.ntypes);
  const DeepPotential potential = DeepPotential(model, DeepNets::Precision::DOUBLE);

  void expect_energies(const Results &results, const DeepModel &formula) const
  {
    for (int i = 0; i < NCENTERS; i++) {
      const double expected = system.energy(formula, i);
      ASSERT_NEAR(results.energies[i], expected, 2e-12 * std::abs(expected)) << "atom " << i;
    }
  }
};

TEST_P(DeepPotentialOf, EnergiesAreThoseOfTheFormula)
{
  const Results results = compute(system, potential);
  expect_energies(results, model);
  const double sum = system.energy(model);
  EXPECT_NEAR(results.tally.evdwl, sum, 1e-12 * std::abs(sum));
}

TEST_P(DeepPotentialOf, ForcesAreSlopesOfTheEnergy)
{
  const Results results = compute(system, potential);
  double largest = 0.0;
  for (int i : {0, 5, 33, NCENTERS - 1, NCENTERS, NALL - 4})
    for (int dim = 0; dim < 3; dim++) {
      const double slope = slope_of(system.x[i][dim], [&] { return system.energy(model); });
      ASSERT_NEAR(results.forces[4 * i + dim], -slope, 1e-6) << "atom " << i;
      largest = std::max(largest, std::abs(results.forces[4 * i + dim]));
    }
  EXPECT_GT(largest, 0.05);
}

TEST_P(DeepPotentialOf, TheVirialIsThatOfForcesAndPlaces)
{
  const Results results = compute(system, potential);
  double expected[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, of_atoms[9] = {};
  for (int i = 0; i < NALL; i++) {
    const double *const f = results.forces.data() + 4 * i;
    const Place &x = system.x[i];
    expected[0] += f[0] * x[0];
    expected[1] += f[1] * x[1];
    expected[2] += f[2] * x[2];
    expected[3] += f[1] * x[0];
    expected[4] += f[2] * x[0];
    expected[5] += f[2] * x[1];
    for (int k = 0; k < 9; k++) of_atoms[k] += results.virials[9 * i + k];
  }
  const int transposed[9] = {0, 1, 2, 3, 4, 5, 3, 4, 5};
  for (int k = 0; k < 6; k++) EXPECT_NEAR(results.tally.virial[k], expected[k], 1e-9);
  for (int k = 0; k < 9; k++) EXPECT_NEAR(of_atoms[k], expected[transposed[k]], 1e-9);
}

TEST_P(DeepPotentialOf, BatchesDoNotChangeABit)
{
  const Results all = compute(system, potential),
                pieces = compute(system, potential, {0, 1, 4, 37, 38, NCENTERS});
  for (int i = 0; i < NCENTERS; i++) EXPECT_EQ(all.energies[i], pieces.energies[i]);
}

TEST_P(DeepPotentialOf, NetsInSinglePrecisionAreAlmostAsExact)
{
  const DeepPotential singly(model, DeepNets::Precision::SINGLE);
  const Results results = compute(system, potential), other = compute(system, singly);
  for (int i = 0; i < NCENTERS; i++) EXPECT_NEAR(other.energies[i], results.energies[i], 1e-4);
  for (int k = 0; k < 4 * NALL; k++) EXPECT_NEAR(other.forces[k], results.forces[k], 1e-3);
}

TEST_P(DeepPotentialOf, MoreNeighborsThanSlotsGiveTheNearest)
{
  DeepModel smaller = model;
  for (DeepDescriptor &one : smaller.descriptors) one.selected.assign(one.selected.size(), 3);
  const DeepPotential small(smaller, DeepNets::Precision::DOUBLE);
  const Results results = compute(system, small);
  EXPECT_GT(results.noverflows, 0);
  expect_energies(results, smaller);
}

TEST_P(DeepPotentialOf, PairsNearerThanTablesAreComputedByTheNet)
{
  system = System(shape.ntypes, true);
  const Results results = compute(system, potential);
  expect_energies(results, model);
}

#ifdef TOFU_EMULATED    // one takes a minute with emulated vector units
INSTANTIATE_TEST_SUITE_P(Shapes, DeepPotentialOf, testing::Values(5));
#else
INSTANTIATE_TEST_SUITE_P(Shapes, DeepPotentialOf, testing::Range(0, 11));
#endif

TEST(DeepPotential, AnAtomAloneHasTheEnergyOfEmptySlots)
{
  const DeepModel model = random_model(3, Shape());
  const DeepPotential potential(model, DeepNets::Precision::DOUBLE);
  System system(2);
  for (int i = 0; i < NALL; i++) {
    std::fill(system.entries[i].begin(), system.entries[i].end(), NALL);
    system.nneighbors[i] = 0;
  }
  const Results results = compute(system, potential, {0, 2});
  for (int i : {0, 1}) {
    const double expected = outputs_of(model, 0, {system.x[i]}, {system.types[i]}, {}, {})[0] +
        model.fitting.biases[system.types[i]];
    EXPECT_NEAR(results.energies[i], expected, 1e-12 * std::abs(expected));
  }
}

TEST(DeepPotential, AtomsThatAreNoneForTheModelHaveNoEnergyAndNoForces)
{
  const DeepModel model = random_model(3, Shape());
  const DeepPotential potential(model, DeepNets::Precision::DOUBLE);
  System system(2);
  for (int i = 0; i < NALL; i += 5) system.rows[4 * i + 3] = i % 2 ? -1.0 : 7.0;
  const Results results = compute(system, potential);
  for (int i = 0; i < NALL; i += 5) {
    EXPECT_EQ(results.energies[i], 0.0);
    for (int dim = 0; dim < 3; dim++) EXPECT_EQ(results.forces[4 * i + dim], 0.0);
  }
  EXPECT_NE(results.energies[1], 0.0);
}

TEST(DeepPotential, AFactorScalesEnergiesAndForces)
{
  const DeepModel model = random_model(3, Shape());
  const DeepPotential potential(model, DeepNets::Precision::DOUBLE);
  const System system(2);
  const Results once = compute(system, potential);
  const std::vector<const int *> first = system.first();
  const PairJob job = system.job(first, Tallies::NONE);
  Results half;
  CenterForces forces;
  forces.rows = half.forces.data();
  forces.last = NALL;
  DeepPotential::Extras extras;
  extras.factor = 0.5;
  DeepPotential::Workspace work;
  potential.compute(job, forces, extras, work, 0, NCENTERS, half.tally);
  EXPECT_NEAR(half.tally.evdwl, 0.5 * once.tally.evdwl, 1e-12);
  for (int k = 0; k < 4 * NALL; k++) EXPECT_NEAR(half.forces[k], 0.5 * once.forces[k], 1e-13);
}

TEST(DeepPotential, AModelOfDipolesIsRefused)
{
  Shape shape;
  shape.kind = DeepFitting::Kind::DIPOLE;
  EXPECT_THROW(DeepPotential(random_model(1, shape), DeepNets::Precision::DOUBLE), ModelError);
}

// ----------------------------------------------------------------------------------------- dipoles

/** Dipole of an atom, by the formula. */
Place dipole_of(const DeepModel &model, int i, const std::vector<Place> &x,
                const std::vector<int> &types)
{
  std::vector<std::array<double, 4>> sums;
  descriptor_values(model.descriptors[0], model.ntypes(), i, x, types, &sums);
  const std::vector<double> factors = outputs_of(model, i, x, types, {}, {});
  Place dipole{0.0, 0.0, 0.0};
  for (std::size_t a = 0; a < sums.size(); a++)
    for (int dim = 0; dim < 3; dim++) dipole[dim] += factors[a] * sums[a][dim + 1];
  return dipole;
}

class Dipoles : public testing::Test {
 protected:
  static Shape shape()
  {
    Shape of_dipoles;
    of_dipoles.kind = DeepFitting::Kind::DIPOLE;
    return of_dipoles;
  }
  DeepModel model = random_model(5, shape());
  System system{2};
  std::vector<Place> dipoles = std::vector<Place>(NALL, Place{7.0, 7.0, 7.0});
  std::vector<double> forces = std::vector<double>(4 * (NALL + 1), 0.0);
  std::vector<Place> on_ends;
  PairTally tally;

  Dipoles()
  {
    Random random(3);
    for (int i = 0; i < NALL; i++)
      on_ends.push_back({random.number(-1, 1), random.number(-1, 1), random.number(-1, 1)});
  }

  void compute(DeepNets::Precision precision)
  {
    const DeepDipole dipole(model, precision);
    const std::vector<const int *> first = system.first();
    const PairJob job = system.job(first, Tallies::VIRIAL);
    CenterForces to;
    to.rows = forces.data();
    to.last = NALL;
    DeepDipole::Workspace work;
    for (int again = 0; again < 2; again++) {    // nothing of a step stays for the next one
      std::fill(forces.begin(), forces.end(), 0.0);
      tally = PairTally();
      dipole.evaluate(job, work, 0, NCENTERS, reinterpret_cast<double(*)[3]>(dipoles.data()));
      dipole.add_forces(job, reinterpret_cast<const double(*)[3]>(on_ends.data()), to, work, tally);
    }
  }

  double minus_work() const
  {
    double sum = 0.0;
    for (int i = 0; i < NCENTERS; i++) {
      if (model.fitting.nets[system.types[i]].empty()) continue;
      const Place d = dipole_of(model, i, system.x, system.types);
      for (int dim = 0; dim < 3; dim++) sum -= on_ends[i][dim] * d[dim];
    }
    return sum;
  }

  void expect_slopes(double exact)
  {
    for (int i : {0, 5, 33, NCENTERS, NALL - 4})
      for (int dim = 0; dim < 3; dim++) {
        const double slope = slope_of(system.x[i][dim], [&] { return minus_work(); });
        ASSERT_NEAR(forces[4 * i + dim], -slope, exact) << "atom " << i;
      }
  }
};

TEST_F(Dipoles, AreThoseOfTheFormula)
{
  compute(DeepNets::Precision::DOUBLE);
  for (int i = 0; i < NCENTERS; i++) {
    const Place expected = dipole_of(model, i, system.x, system.types);
    for (int dim = 0; dim < 3; dim++)
      ASSERT_NEAR(dipoles[i][dim], expected[dim], 1e-12) << "atom " << i;
  }
  EXPECT_EQ(dipoles[NCENTERS][0], 7.0);
}

TEST_F(Dipoles, ForcesOnTheirEndsActOnAtoms)
{
  compute(DeepNets::Precision::DOUBLE);
  expect_slopes(1e-6);
  double expected[3] = {0.0, 0.0, 0.0}, largest = 0.0;
  for (int i = 0; i < NALL; i++)
    for (int dim = 0; dim < 3; dim++) {
      expected[dim] += forces[4 * i + dim] * system.x[i][dim];
      largest = std::max(largest, std::abs(forces[4 * i + dim]));
    }
  for (int dim = 0; dim < 3; dim++) EXPECT_NEAR(tally.virial[dim], expected[dim], 1e-9);
  EXPECT_GT(largest, 0.01);
}

TEST_F(Dipoles, InSinglePrecisionAreAlmostAsExact)
{
  compute(DeepNets::Precision::SINGLE);
  expect_slopes(1e-3);
}

TEST_F(Dipoles, OfTypesWithoutANetAreLeftAlone)
{
  model.fitting.nets[1].clear();
  compute(DeepNets::Precision::DOUBLE);
  for (int i = 0; i < NCENTERS; i++)
    if (system.types[i] == 1) { ASSERT_EQ(dipoles[i][0], 7.0); }
  expect_slopes(1e-6);
}

TEST_F(Dipoles, NeedAModelOfDipoles)
{
  EXPECT_THROW(DeepDipole(random_model(1, Shape()), DeepNets::Precision::DOUBLE), ModelError);
}

// ------------------------------------------------------------------------------------------ tables

TEST(EmbeddingTable, PolynomialsAreTheNetInsideAndOutsideOfTheRange)
{
  Random random(9);
  const DenseNet net = random_net(random, {1, 8, 16, 32}, true);
  const EmbeddingTable table(net, -1.0, 3.0);
  const EmbeddingRows rows = table.rows();
  std::vector<double> made(table.row_size());
  for (double x : {-0.999, -0.5, 0.0, 1.23456, 2.9, -7.0, 55.0}) {
    const std::vector<double> expected = net_values(net, {x});
    table.make_row(x, made.data());
    for (int k = 0; k < 32; k++) {
      const int at = (k / 8) * 48 + k % 8;
      ASSERT_NEAR(made[at], expected[k], 1e-13);
      if (x < rows.lower || x >= rows.upper) continue;
      const int n = static_cast<int>((x - rows.lower) / rows.interval);
      const double t = x - rows.lower - n * rows.interval;
      double value = 0.0;
      for (int power = 5; power >= 0; power--)
        value = value * t + rows.rows[n * table.row_size() + at + 8 * power];
      ASSERT_NEAR(value, expected[k], 1e-12);
    }
  }
}

TEST(EmbeddingTable, ANetWithKinksHasNoTable)
{
  Random random(9);
  DenseNet net = random_net(random, {1, 8, 16}, true);
  for (DenseLayer &layer : net) layer.activation = {Activation::RELU};
  const EmbeddingTable table(net, -1.0, 3.0);
  EXPECT_EQ(table.rows().lower, table.rows().upper);
}

TEST(EmbeddingTable, ACompressedNetIsItsPolynomialsWithShortAndLongIntervals)
{
  CompressedNet from;
  from.lower = -1.0;
  from.middle = 0.0;
  from.upper = 2.0;
  from.interval = 0.5;
  from.long_interval = 1.0;
  from.width = 3;
  for (int n = 0; n < 4 * 3; n++)
    for (int power = 0; power < 6; power++) from.coefficients.push_back(0.1 * n - 0.3 * power);
  const EmbeddingTable table(from);
  EXPECT_EQ(table.rows().nshort, 2);
  std::vector<double> row(table.row_size());
  const auto expected = [&](int interval, int column, double t) {
    double value = 0.0;
    for (int power = 5; power >= 0; power--)
      value = value * t + from.coefficients[(interval * 3 + column) * 6 + power];
    return value;
  };
  table.make_row(-0.2, row.data());
  EXPECT_NEAR(row[2], expected(1, 2, 0.3), 1e-15);
  table.make_row(1.25, row.data());
  EXPECT_NEAR(row[1], expected(3, 1, 0.25), 1e-15);
  table.make_row(2.5, row.data());    // a straight line behind the end
  const double h = 1e-6, end = expected(3, 0, 1.0), slope = (end - expected(3, 0, 1.0 - h)) / h;
  EXPECT_NEAR(row[0], end + 0.5 * slope, 1e-5);
}

}    // namespace
