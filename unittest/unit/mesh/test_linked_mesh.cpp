// SPDX-License-Identifier: GPL-2.0-only
//
// A mesh with its links: every rank holds its brick, or one rank of each node holds those of all
// its ranks.

#include "mesh_atoms.h"
#include "mesh_ranks.h"

#include "mesh/linked_mesh.h"
#include "mesh/node_bricks.h"

using namespace TOFU_TEST;

namespace {

const MeshGrid GRID{{12, 10, 8}, {2, 2, 1}, 3, 3};
const std::vector<int> EACH_ALONE{0, 1, 2, 3}, TWO_TO_A_NODE{0, 0, 2, 2};    // leaders

/** Fields at the atoms, and what the ranks have in sum. */
struct Solution {
  std::vector<double> field, potential;
  double energy = 0.0;
  int nsolvers = 0, nspectra = 0;
};

/** Memory and mailboxes of the leaders alone. */
struct Leaders {
  ThreadPost post;
  HeapSharedMemory memory;
};

/** One rank: links, atoms of its brick, and their solution. */
class Rank {
 public:
  Rank(Bootstrap &bootstrap, SharedMemory &memory, const std::vector<int> &leaders,
       FftMethod method, bool single, Leaders &world) :
      bricks_(GRID.geometry(bootstrap.rank())),
      geometry_(geometry_of_leaders(bricks_, leaders)), mesh_(geometry_, settings(method), single),
      among_leaders_(world.post, geometry_.me, static_cast<int>(geometry_.bricks.size()))
  {
    TransportOptions options;
    options.backend = "shm";
    if (leaders == TWO_TO_A_NODE) {
      options.shared_memory = &memory;
      const int first = leaders[bootstrap.rank()];
      mesh_.connect_node({bootstrap, nullptr}, options, {first, first + 1}, 20);
    }
    options.shared_memory = &world.memory;
    if (mesh_.part())
      mesh_.connect_solvers({among_leaders_, nullptr}, options, 3,
                            [](double seconds) { return seconds; });
    if (mesh_.part()) set_up();
  }

  void solve(const Atoms &all, Solution &solution)
  {
    take(all);
    MeshRequest request;
    request.natoms = static_cast<int>(q_.size());
    request.x = x_.data();
    request.q = q_.data();
    request.energy = request.atom_energy = true;
    mesh_.set_nap(0.0);
    const MeshResults results = mesh_.solve(request);
    for (std::size_t n = 0; n < which_.size(); n++) {
      std::copy_n(results.field + 3 * n, 3, &solution.field[3 * which_[n]]);
      solution.potential[which_[n]] = results.potential[n];
    }
    if (mesh_.part()) solution.energy = mesh_.part()->energy();
    solution.nsolvers = mesh_.part() != nullptr;
    solution.nspectra = !mesh_.spectrum_of_charges(request).empty();
  }

  LinkedMesh &mesh() { return mesh_; }

 private:
  static FftSettings settings(FftMethod method)
  {
    FftSettings settings;
    settings.method = method;
    return settings;
  }

  void set_up()
  {
    set_gaussian_tables(mesh_.part()->shape(), Parts(), tables_);
    mesh_.part()->make_solver(tables_, Differentiation::IK);
    MeshStencil<double> stencil;
    stencil.order = ORDER;
    double charge_factor = 1.0;
    for (int dim = 0; dim < 3; dim++) {
      stencil.lo[dim] = geometry_.boxes[geometry_.me].lo[dim];
      stencil.hi[dim] = geometry_.boxes[geometry_.me].hi[dim];
      stencil.boxlo[dim] = 0.0;
      stencil.delinv[dim] = GRID.npoints[dim] / LENGTH;
      charge_factor *= GRID.npoints[dim] / LENGTH;
    }
    set_weights(stencil);
    mesh_.part()->set_stencil(stencil, charge_factor, std::nullopt);
  }

  /** Take the atoms in the brick of this rank. */
  void take(const Atoms &all)
  {
    const MeshBox &brick = bricks_.bricks[bricks_.me];
    for (int i = 0; i < static_cast<int>(all.q.size()); i++) {
      bool mine = true;
      for (int dim = 0; dim < 3; dim++) {
        const double at = all.x[3 * i + dim] * GRID.npoints[dim] / LENGTH;
        mine = mine && brick.lo[dim] <= at && at < brick.hi[dim];
      }
      if (!mine) continue;
      which_.push_back(i);
      x_.insert(x_.end(), &all.x[3 * i], &all.x[3 * i] + 3);
      q_.push_back(all.q[i]);
    }
  }

  const MeshGeometry bricks_, geometry_;
  SpectrumTables tables_;
  LinkedMesh mesh_;
  ThreadBootstrap among_leaders_;
  std::vector<int> which_;
  std::vector<double> x_, q_;
};

Solution solve(const Atoms &atoms, const std::vector<int> &leaders,
               FftMethod method = FftMethod::PENCIL, bool single = false,
               const std::optional<SelfForces> &self_forces = std::nullopt)
{
  const std::size_t natoms = atoms.q.size();
  Solution whole{std::vector<double>(3 * natoms, 0.0), std::vector<double>(natoms, 0.0)};
  std::vector<Solution> parts(GRID.size(), whole);
  Leaders world;
  on_threads(GRID.size(), [&](Bootstrap &bootstrap, SharedMemory &memory) {
    Rank rank(bootstrap, memory, leaders, method, single, world);
    rank.mesh().self_forces = self_forces;
    rank.solve(atoms, parts[bootstrap.rank()]);
  });
  for (const Solution &part : parts) {
    for (std::size_t i = 0; i < 3 * natoms; i++) whole.field[i] += part.field[i];
    for (std::size_t i = 0; i < natoms; i++) whole.potential[i] += part.potential[i];
    whole.energy += part.energy;
    whole.nsolvers += part.nsolvers;
    whole.nspectra += part.nspectra;
  }
  return whole;
}

void expect_the_same(const Solution &one, const Solution &other, double tolerance)
{
  EXPECT_NEAR(other.energy, one.energy, tolerance * std::abs(one.energy));
  for (std::size_t i = 0; i < one.field.size(); i++)
    EXPECT_NEAR(other.field[i], one.field[i], tolerance) << i;
  for (std::size_t i = 0; i < one.potential.size(); i++)
    EXPECT_NEAR(other.potential[i], one.potential[i], tolerance) << i;
}

TEST(LinkedMesh, GivesTheSameIfOneRankOfEachNodeHoldsTheMesh)
{
  const Atoms atoms = random_atoms(60);
  const Solution all = solve(atoms, EACH_ALONE), gathered = solve(atoms, TWO_TO_A_NODE);
  EXPECT_EQ(all.nsolvers, 4);
  EXPECT_EQ(all.nspectra, 4);
  EXPECT_EQ(gathered.nsolvers, 2);
  EXPECT_EQ(gathered.nspectra, 2);
  EXPECT_NE(all.energy, 0.0);
  expect_the_same(all, gathered, 1e-11);
}

TEST(LinkedMesh, KeepsOneOfSeveralTransforms)
{
  const Atoms atoms = random_atoms(30);
  expect_the_same(solve(atoms, EACH_ALONE), solve(atoms, EACH_ALONE, FftMethod::REPLICATED), 1e-11);
}

TEST(LinkedMesh, HasASinglePrecision)
{
  const Atoms atoms = random_atoms(30);
  const Solution precise = solve(atoms, EACH_ALONE),
                 single = solve(atoms, TWO_TO_A_NODE, FftMethod::PENCIL, true);
  expect_the_same(precise, single, 1e-4);
  EXPECT_NE(single.energy, precise.energy);
}

TEST(LinkedMesh, SubtractsForcesOfChargesOnThemselves)
{
  const Atoms atoms = random_atoms(30);
  SelfForces self;
  for (int dim = 0; dim < 3; dim++) self.delinv[dim] = GRID.npoints[dim] / LENGTH;
  for (int k = 0; k < 6; k++) self.coeff[k] = 0.1 * (k + 1);
  Solution expected = solve(atoms, EACH_ALONE);
  subtract_self_forces(self, atoms.x.data(), atoms.q.data(), 30, expected.field.data());
  for (const std::vector<int> &leaders : {EACH_ALONE, TWO_TO_A_NODE})
    expect_the_same(expected, solve(atoms, leaders, FftMethod::PENCIL, false, self), 1e-11);
}

TEST(LinkedMesh, RefusesATransformThatCannotDoTheMesh)
{
  MeshGeometry geometry = GRID.geometry(0);
  geometry.bricks[0].hi[0] -= 1;    // no grid of bricks
  geometry.bricks[1].lo[0] -= 1;
  FftSettings settings;
  settings.method = FftMethod::PARTIAL;
  EXPECT_THROW(LinkedMesh(geometry, settings, false), std::invalid_argument);
}

}    // namespace
