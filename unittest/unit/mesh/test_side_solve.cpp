// SPDX-License-Identifier: GPL-2.0-only
//
// Solutions of a mesh in the call of finish() and on a thread beside the caller.

#include "unit/testing.h"

#include "mesh/side_solve.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace TOFU_NS;

namespace {

/** Counts solutions; a result is twice the charge of the atom. */
class SideSolveTest : public testing::Test {
 protected:
  SideSolveTest() :
      solve([this](const MeshRequest &request) {
        solver = std::this_thread::get_id();
        nparts = request.parts.n();
        while (held) std::this_thread::yield();
        if (fails) throw std::runtime_error("lost atoms");
        field[0] = 2.0 * request.q[0];
        ncalls++;
        return MeshResults{field, nullptr, nullptr};
      })
  {
    solve.request.natoms = 1;
    solve.request.q = &charge;
  }

  double charge = 1.5, field[3] = {};
  std::atomic<bool> held{false};
  bool fails = false;
  int ncalls = 0, nparts = 0;
  std::thread::id solver;
  SideSolve solve;
};

Parts three_parts()
{
  return {3, [](int n, const Parts::Work &work) {
            for (int part = 0; part < n; part++) work(part);
          }};
}

TEST_F(SideSolveTest, SolvesInFinishIfNothingWasStarted)
{
  EXPECT_FALSE(solve.has_thread());
  EXPECT_FALSE(solve.busy());
  EXPECT_EQ(solve.finish(three_parts()).field[0], 3.0);
  EXPECT_EQ(solver, std::this_thread::get_id());
  EXPECT_EQ(nparts, 3);
  EXPECT_EQ(solve.times().nsolved, 1);
}

TEST_F(SideSolveTest, SolvesOnItsThreadWhichHasTheWorkAlone)
{
  solve.make_thread({});
  held = true;
  solve.start(7);
  EXPECT_TRUE(solve.busy());
  held = false;
  EXPECT_EQ(solve.finish(three_parts()).field[0], 3.0);
  EXPECT_FALSE(solve.busy());
  EXPECT_NE(solver, std::this_thread::get_id());
  EXPECT_EQ(nparts, 1);
  EXPECT_EQ(ncalls, 1);
}

TEST_F(SideSolveTest, IsOfTheStepAndTheResultsThatItWasStartedFor)
{
  solve.make_thread({});
  solve.request.energy = solve.request.atom_energy = true;
  MeshRequest wanted;
  EXPECT_FALSE(solve.started_for(7, wanted));
  held = true;
  solve.start(7);
  EXPECT_TRUE(solve.started_for(7, wanted));
  EXPECT_FALSE(solve.started_for(8, wanted));
  wanted.energy = wanted.atom_energy = true;
  EXPECT_TRUE(solve.started_for(7, wanted));
  wanted.virial = true;
  EXPECT_FALSE(solve.started_for(7, wanted));
  wanted.virial = false;
  wanted.atom_virial = true;
  EXPECT_FALSE(solve.started_for(7, wanted));
  held = false;
  solve.finish({});
  EXPECT_FALSE(solve.started_for(7, MeshRequest()));
}

TEST_F(SideSolveTest, ThrowsInFinishWhatTheSolutionThrew)
{
  fails = true;
  EXPECT_THROW(solve.finish({}), std::runtime_error);
  solve.make_thread({});
  solve.start(1);
  EXPECT_THROW(solve.finish({}), std::runtime_error);
  EXPECT_FALSE(solve.busy());
  fails = false;
  solve.start(2);
  EXPECT_EQ(solve.finish({}).field[0], 3.0);
}

TEST_F(SideSolveTest, CountsTimesButNotThoseOfMeasurements)
{
  solve.finish({});
  solve.finish({});
  const SideSolve::Times before = solve.times();
  EXPECT_EQ(before.nsolved, 2);
  EXPECT_GE(before.solving, before.last);
  EXPECT_GE(before.visible, before.solving);
  EXPECT_GE(solve.measure({}), 0.0);
  EXPECT_EQ(ncalls, 3);
  EXPECT_EQ(solve.times().nsolved, 2);
  EXPECT_EQ(solve.times().solving, before.solving);
  EXPECT_EQ(solve.times().visible, before.visible);
  solve.reset_times();
  EXPECT_EQ(solve.times().nsolved, 0);
}

TEST_F(SideSolveTest, EndsItsThreadAfterTheSolutionInHand)
{
  solve.make_thread({});
  solve.start(1);
  solve.end_thread();
  EXPECT_EQ(ncalls, 1);
  EXPECT_FALSE(solve.has_thread());
  EXPECT_FALSE(solve.busy());
}

}    // namespace
