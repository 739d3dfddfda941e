// SPDX-License-Identifier: GPL-2.0-only
//
// Processes that were started together and do not know of each other are noticed.

#include "unit/testing.h"

#include "base/started_ranks.h"

using namespace TOFU_NS;

namespace {

using Environment = std::map<std::string, std::string>;

StartedRanks apart(int world_size, const Environment &environment)
{
  return started_apart(world_size, [&environment](const char *name) {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

}    // namespace

TEST(StartedRanks, EachLauncherIsNamed)
{
  const std::map<std::string, std::string> launchers = {
      {"OMPI_COMM_WORLD_SIZE", "mpirun of Open MPI"},
      {"PMI_SIZE", "mpirun of MPICH"},
      {"SLURM_STEP_NUM_TASKS", "srun"}};
  for (const auto &[variable, launcher] : launchers) {
    const StartedRanks found = apart(1, {{variable, "4"}});
    EXPECT_EQ(found.launcher, launcher);
    EXPECT_EQ(found.variable, variable);
    EXPECT_EQ(found.nranks, 4);
  }
}

TEST(StartedRanks, RanksThatKnowEachOtherAreRight)
{
  EXPECT_EQ(apart(4, {{"PMI_SIZE", "4"}}).launcher, "");
  EXPECT_EQ(apart(2, {{"SLURM_STEP_NUM_TASKS", "4"}}).launcher, "");    // srun of helpers
}

TEST(StartedRanks, OneProcessIsRight)
{
  EXPECT_EQ(apart(1, {}).launcher, "");
  EXPECT_EQ(apart(1, {{"PMI_SIZE", "1"}}).launcher, "");
  EXPECT_EQ(apart(1, {{"SLURM_STEP_NUM_TASKS", "1"}}).launcher, "");
  EXPECT_EQ(apart(1, {{"SLURM_NTASKS", "8"}}).launcher, "");    // by hand in a batch script
  EXPECT_EQ(apart(1, {{"PMI_SIZE", "none"}}).launcher, "");
}

TEST(StartedRanks, AnMpirunInsideSrunIsBelieved)
{
  EXPECT_EQ(apart(1, {{"PMI_SIZE", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}}).launcher, "");
  EXPECT_EQ(apart(1, {{"OMPI_COMM_WORLD_SIZE", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}}).launcher, "");
  EXPECT_EQ(apart(1, {{"OMPI_COMM_WORLD_SIZE", "8"}, {"SLURM_STEP_NUM_TASKS", "2"}}).nranks, 8);
  EXPECT_EQ(apart(1, {{"OMPI_COMM_WORLD_SIZE", "8"}, {"PMI_SIZE", "1"}}).launcher, "");
}
