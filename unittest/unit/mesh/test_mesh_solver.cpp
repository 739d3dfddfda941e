// SPDX-License-Identifier: GPL-2.0-only
//
// The mesh part of PPPM, on the thread that asks for it and beside it; ranks as threads, so that
// sanitizers see the overlapped path as well.

#include "mesh_atoms.h"
#include "mesh_ranks.h"
#include "unit/base/part_threads.h"
#include "unit/errors.h"

#include "mesh/fft/fft_choice.h"
#include "mesh/mesh_solver.h"
#include "pool/side_thread.h"

#include <cmath>

using namespace TOFU_TEST;

namespace {

/** Results of all ranks, with atoms in the order of the whole system. */
struct Solution {
  double energy = 0.0;
  std::array<double, 6> virial{};
  std::vector<double> field, potential, parts;
};

enum class Way { INLINE, IN_PARTS, BESIDE };

/** Edges of a box with the same length along x, y and z; positions are those of the same parts of
    the edges. */
struct Box {
  double yz = 0.0, xz = 0.0, xy = 0.0;

  bool tilted() const { return yz != 0.0 || xz != 0.0 || xy != 0.0; }

  /** Where a position in the cube is in this box. */
  void tilt(double *x) const
  {
    x[0] += (xy * x[1] + xz * x[2]) / LENGTH;
    x[1] += yz * x[2] / LENGTH;
  }

  TriclinicBox inverse() const
  {
    const double square = LENGTH * LENGTH, inverse = 1.0 / LENGTH;
    return {
        {0.0, 0.0, 0.0},
        {inverse, inverse, inverse, -yz / square, (xy * yz / LENGTH - xz) / square, -xy / square}};
  }
};

/** One rank with all its data in one object, since the solver refers to them. */
class Rank {
 public:
  Rank(const MeshGrid &grid, Bootstrap &bootstrap, SharedMemory &memory, FftMethod kind,
       Differentiation differentiation, std::uint64_t shuffle_seed, const Box &box = {}) :
      box_(box),
      geometry_(grid.geometry(bootstrap.rank())),
      choice_(without_own_images(geometry_), settings(kind))
  {
    std::vector<std::size_t> nbytes(grid.size(), 0);
    choice_.add_traffic(10, nbytes);
    TransportOptions options;
    options.shuffle_seed = shuffle_seed;
    transport_ = connect_mesh(bootstrap, memory, nbytes, options);
    choice_.bind(*transport_);
    box_.tilted() ? make_triclinic_tables() : make_tables();
    solver_ =
        std::make_unique<MeshSolver<double>>(geometry_, choice_.fft(), tables_, differentiation);
    MeshStencil<double> &stencil = solver_->stencil;
    stencil.order = ORDER;
    for (int dim = 0; dim < 3; dim++) {
      stencil.lo[dim] = geometry_.boxes[geometry_.me].lo[dim];
      stencil.hi[dim] = geometry_.boxes[geometry_.me].hi[dim];
      stencil.delinv[dim] = geometry_.npoints[dim] / (box_.tilted() ? 1.0 : LENGTH);
      solver_->charge_factor *= geometry_.npoints[dim] / LENGTH;
    }
    if (box_.tilted()) solver_->box = box_.inverse();
    set_weights(stencil);
  }

  /** Take the atoms whose nearest point is in the brick of this rank. */
  void take(const Atoms &all)
  {
    const MeshBox &brick = geometry_.bricks[geometry_.me];
    for (int i = 0; i < static_cast<int>(all.q.size()); i++) {
      bool mine = true;
      for (int dim = 0; dim < 3; dim++) {
        const double at = all.x[3 * i + dim] * geometry_.npoints[dim] / LENGTH;
        mine = mine && brick.lo[dim] <= at && at < brick.hi[dim];
      }
      if (!mine) continue;
      which_.push_back(i);
      for (int dim = 0; dim < 3; dim++) x_.push_back(all.x[3 * i + dim]);
      box_.tilt(&x_[x_.size() - 3]);
      q_.push_back(all.q[i]);
    }
  }

  void move(int i, const std::array<double, 3> &to) { std::copy_n(to.data(), 3, &x_[3 * i]); }

  void solve(Way way, Solution &solution)
  {
    MeshRequest request;
    request.natoms = static_cast<int>(q_.size());
    request.x = x_.data();
    request.q = q_.data();
    request.energy = request.virial = request.atom_energy = request.atom_virial = true;
    if (way == Way::IN_PARTS) request.parts = part_threads(3);
    if (way != Way::BESIDE) {
      solver_->solve(request);
    } else {
      SideThread thread({});
      thread.start([&]() { solver_->solve(request); });
      double sum = 0.0;
      for (double x : x_) sum += x;    // the caller also reads positions meanwhile
      EXPECT_TRUE(std::isfinite(sum));
      thread.join();
    }
    solution.energy = solver_->energy();
    solution.virial = solver_->virial();
    for (std::size_t n = 0; n < which_.size(); n++) {
      for (int dim = 0; dim < 3; dim++)
        solution.field[3 * which_[n] + dim] = solver_->results().field[3 * n + dim];
      solution.potential[which_[n]] = solver_->results().potential[n];
      for (int i = 0; i < 6; i++)
        solution.parts[6 * which_[n] + i] = solver_->results().virial[6 * n + i];
    }
  }

 private:
  static FftSettings settings(FftMethod kind)
  {
    FftSettings settings;
    settings.method = kind;
    return settings;
  }

  void make_tables()
  {
    DistributedFft<double> &fft = choice_.fft();
    set_gaussian_tables({geometry_.npoints, fft.spectrum(), fft.half_dim(), fft.counted()},
                        two_parts(), tables_);
  }

  void make_triclinic_tables()
  {
    DistributedFft<double> &fft = choice_.fft();
    const double denominator[ORDER] = {1.0, -1.2, 0.4, -0.02, 0.0};
    tables_.set({geometry_.npoints, fft.spectrum(), fft.half_dim(), fft.counted()},
                TriclinicMesh{geometry_.npoints,
                              {LENGTH, LENGTH, LENGTH, box_.yz, box_.xz, box_.xy},
                              ORDER,
                              0.8,
                              denominator},
                two_parts());
  }

  static Parts two_parts()
  {
    return {2, [](int, const Parts::Work &work) {
              work(1);
              work(0);
            }};
  }

  const Box box_;
  const MeshGeometry geometry_;
  FftChoice<double> choice_;
  std::unique_ptr<Transport> transport_;
  SpectrumTables tables_;
  std::unique_ptr<MeshSolver<double>> solver_;
  std::vector<int> which_;
  std::vector<double> x_, q_;
};

Solution solve(const MeshGrid &grid, const Atoms &atoms, FftMethod kind,
               Differentiation differentiation, Way way = Way::INLINE,
               std::uint64_t shuffle_seed = 0, const Box &box = {})
{
  const std::size_t natoms = atoms.q.size();
  std::vector<Solution> parts(grid.size());
  Solution whole{0.0,
                 {},
                 std::vector<double>(3 * natoms, 0.0),
                 std::vector<double>(natoms, 0.0),
                 std::vector<double>(6 * natoms, 0.0)};
  for (Solution &part : parts) part = whole;
  on_threads(grid.size(), [&](Bootstrap &bootstrap, SharedMemory &memory) {
    Rank rank(grid, bootstrap, memory, kind, differentiation, shuffle_seed, box);
    rank.take(atoms);
    for (int repeat = 0; repeat < 2; repeat++) rank.solve(way, parts[bootstrap.rank()]);
  });
  for (const Solution &part : parts) {
    whole.energy += part.energy;
    for (int i = 0; i < 6; i++) whole.virial[i] += part.virial[i];
    for (std::size_t i = 0; i < 3 * natoms; i++) whole.field[i] += part.field[i];
    for (std::size_t i = 0; i < natoms; i++) whole.potential[i] += part.potential[i];
    for (std::size_t i = 0; i < 6 * natoms; i++) whole.parts[i] += part.parts[i];
  }
  return whole;
}

const MeshGrid ALONE{{12, 10, 9}, {1, 1, 1}, 3, 3};
const MeshGrid EIGHT{{12, 10, 9}, {2, 2, 2}, 3, 3};
constexpr double VOLUME = LENGTH * LENGTH * LENGTH;

void expect_the_same(const Solution &one, const Solution &other)
{
  EXPECT_NEAR(other.energy, one.energy, 1e-12 * std::abs(one.energy));
  for (int i = 0; i < 6; i++) EXPECT_NEAR(other.virial[i], one.virial[i], 1e-12 * one.energy);
  for (std::size_t i = 0; i < one.field.size(); i++)
    EXPECT_NEAR(other.field[i], one.field[i], 1e-11);
  for (std::size_t i = 0; i < one.parts.size(); i++)
    EXPECT_NEAR(other.parts[i], one.parts[i], 1e-11);
}

class MeshSolverWith : public testing::TestWithParam<std::tuple<FftMethod, Differentiation>> {};

TEST_P(MeshSolverWith, GivesTheSameOnOneRankAndOnEight)
{
  const auto [kind, differentiation] = GetParam();
  const Atoms atoms = random_atoms(40);
  const Solution one = solve(ALONE, atoms, FftMethod::PENCIL, differentiation),
                 eight = solve(EIGHT, atoms, kind, differentiation);
  expect_the_same(one, eight);
}

TEST_P(MeshSolverWith, GivesTheSameBitsBesideItsCallerWhateverTheOrderOfArrivals)
{
  const auto [kind, differentiation] = GetParam();
  const Atoms atoms = random_atoms(40);
  const Solution here = solve(EIGHT, atoms, kind, differentiation);
  const Solution beside = solve(EIGHT, atoms, kind, differentiation, Way::BESIDE, 99);
  EXPECT_EQ(beside.energy, here.energy);
  EXPECT_EQ(beside.virial, here.virial);
  EXPECT_EQ(beside.field, here.field);
  EXPECT_EQ(beside.potential, here.potential);
  EXPECT_EQ(beside.parts, here.parts);
}

INSTANTIATE_TEST_SUITE_P(
    Transforms, MeshSolverWith,
    testing::Combine(testing::Values(FftMethod::PARTIAL, FftMethod::PENCIL, FftMethod::REPLICATED),
                     testing::Values(Differentiation::IK, Differentiation::AD)));

TEST(MeshSolver, SharesEnergyAndVirialOutToAtoms)
{
  const Atoms atoms = random_atoms(30);
  const Solution found = solve(ALONE, atoms, FftMethod::PENCIL, Differentiation::IK);
  double energy = 0.0;
  std::array<double, 6> virial{};
  for (std::size_t i = 0; i < atoms.q.size(); i++) {
    energy += atoms.q[i] * found.potential[i];
    for (int j = 0; j < 6; j++) virial[j] += atoms.q[i] * found.parts[6 * i + j];
  }
  EXPECT_NEAR(energy, VOLUME * found.energy, 1e-10 * std::abs(energy));
  for (int j = 0; j < 6; j++)
    EXPECT_NEAR(virial[j], VOLUME * found.virial[j], 1e-10 * std::abs(energy));
}

TEST(MeshSolver, GivesTheSameBitsForAnyNumberOfParts)
{
  const Atoms everywhere = random_atoms(3100);    // each part has work for a thread
  Atoms on_top = everywhere;
  for (std::size_t i = 0; i < on_top.q.size(); i++)
    on_top.x[3 * i + 2] = 0.999 * LENGTH;    // one plane has all
  for (const Atoms &atoms : {everywhere, on_top})
    for (Differentiation differentiation : {Differentiation::IK, Differentiation::AD}) {
      const Solution alone = solve(ALONE, atoms, FftMethod::PENCIL, differentiation),
                     shared =
                         solve(ALONE, atoms, FftMethod::PENCIL, differentiation, Way::IN_PARTS);
      EXPECT_EQ(shared.field, alone.field);
      EXPECT_EQ(shared.potential, alone.potential);
    }
}

TEST(MeshSolver, GivesTheSameInATriclinicBoxForAllTransforms)
{
  const Atoms atoms = random_atoms(40);
  const Box box{-3.0, 2.0, 4.5};
  const Solution one =
      solve(ALONE, atoms, FftMethod::PENCIL, Differentiation::IK, Way::INLINE, 0, box);
  for (FftMethod kind : {FftMethod::PARTIAL, FftMethod::PENCIL, FftMethod::REPLICATED})
    expect_the_same(one, solve(EIGHT, atoms, kind, Differentiation::IK, Way::BESIDE, 99, box));
}

TEST(MeshSolver, HasNoForceOnTheWholeSystemWithIK)
{
  const Atoms atoms = random_atoms(30);
  const Solution found = solve(ALONE, atoms, FftMethod::PENCIL, Differentiation::IK);
  for (int dim = 0; dim < 3; dim++) {
    double force = 0.0;
    for (std::size_t i = 0; i < atoms.q.size(); i++) force += atoms.q[i] * found.field[3 * i + dim];
    EXPECT_NEAR(force, 0.0, 1e-11);
  }
}

TEST(MeshSolver, HasForcesThatAreTheGradientOfItsEnergyWithAD)
{
  const double step = 1e-4;
  Atoms atoms = random_atoms(12);
  const Solution found = solve(ALONE, atoms, FftMethod::PENCIL, Differentiation::AD);
  for (int i : {0, 5, 11})
    for (int dim = 0; dim < 3; dim++) {
      double energy[2];
      const double x = atoms.x[3 * i + dim];
      for (int side : {0, 1}) {
        atoms.x[3 * i + dim] = x + (side ? step : -step);
        energy[side] =
            0.5 * VOLUME * solve(ALONE, atoms, FftMethod::PENCIL, Differentiation::AD).energy;
      }
      atoms.x[3 * i + dim] = x;
      const double force = atoms.q[i] * found.field[3 * i + dim];
      EXPECT_NEAR(force, -(energy[1] - energy[0]) / (2.0 * step), 1e-6 * (1.0 + std::abs(force)));
    }
}

TEST(MeshSolver, NamesAtomsThatHaveLeftItsPartOfTheMesh)
{
  Atoms atoms = random_atoms(5);
  on_threads(1, [&](Bootstrap &bootstrap, SharedMemory &memory) {
    MeshGrid grid = ALONE;
    grid.below = grid.above = 2;
    Rank rank(grid, bootstrap, memory, FftMethod::PENCIL, Differentiation::IK, 0);
    rank.take(atoms);
    rank.move(2, {0.0, 1.5 * LENGTH, 0.0});
    Solution solution;
    expect_words(message_of([&] { rank.solve(Way::BESIDE, solution); }), {"Out of range atoms"});
  });
}

}    // namespace
