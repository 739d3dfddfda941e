// SPDX-License-Identifier: GPL-2.0-only
//
// Files about the network, and what Slurm says of it.

#include "unit/errors.h"

#include "placement/network_reader.h"

#include <sstream>

using namespace TOFU_NS;
using TOFU_TEST::expect_words;
using TOFU_TEST::message_of;

namespace {

const RankNodes NODES({0, 0, 1, 1, 2, 2});
const std::vector<std::string> HOSTS{"n1.cluster", "n2.cluster", "n3"};

std::unique_ptr<NodeNetwork> read(const std::string &text)
{
  std::istringstream file(text);
  return read_network(file, NODES, HOSTS);
}

}    // namespace

TEST(NetworkReader, ReadsCoordinatesOfHosts)
{
  const auto mesh =
      read("# a mesh\nn1 0 0\nn2.cluster 3 0   # with its domain\n\nn3 1 2\nother 9 9\n");
  EXPECT_EQ(mesh->links(0, 1), 3);
  EXPECT_EQ(mesh->links(1, 2), 4);
  EXPECT_EQ(mesh->text(), "a mesh of 4 by 3 nodes");
}

TEST(NetworkReader, ReadsTheSizesOfRings)
{
  const auto torus = read("torus 4 0\nn1 0 0\nn2 3 0\nn3 1 2\n");
  EXPECT_EQ(torus->links(0, 1), 1);
  EXPECT_EQ(torus->links(1, 2), 4);
  EXPECT_EQ(torus->text(), "a torus of 4 by 3 nodes");
}

TEST(NetworkReader, ReadsNumbersOfRanks)
{
  const auto mesh = read("1 0\n2 5\n4 7\n");
  EXPECT_EQ(mesh->links(0, 1), 5);
  EXPECT_EQ(mesh->links(1, 2), 2);
}

TEST(NetworkReader, ReadsSwitches)
{
  const auto tree = read("n1 top.left\nn2 top.right\nn3 top.left\n");
  EXPECT_EQ(tree->links(0, 2), 2);
  EXPECT_EQ(tree->links(0, 1), 4);
  EXPECT_EQ(tree->text(), "2 switches");
}

TEST(NetworkReader, SaysWhatIsWrongAndWhere)
{
  const std::pair<const char *, std::vector<std::string>> cases[] = {
      {"n1 0\nn2 1\n", {"no line", "host n3", "rank 4"}},
      {"", {"no line", "host n1.cluster", "rank 0"}},
      {"n1 0\nn2 1 2\n", {"line 2", "2 coordinates", "must be 1"}},
      {"torus 4 4\nn1 0\n", {"line 2", "1 coordinates", "must be 2"}},
      {"torus 4\nn1 4\n", {"line 2", "coordinate 4", "below 4"}},
      {"n1 0\nn2 a.b\n", {"line 2", "coordinates", "switches"}},
      {"n1 a.b\nn2 0 1\n", {"line 2", "coordinates", "switches"}},
      {"torus 4\nn1 a\n", {"line 2", "switches"}},
      {"n1 0 x\n", {"line 1", "'x'", "whole number"}},
      {"n1 0 -1\n", {"line 1", "'-1'"}},
      {"n1 0 99999999999\n", {"line 1", "99999999999"}},
      {"n1\n", {"line 1", "n1", "neither"}},
      {"n1 a..b\n", {"line 1", "a..b", "without a name"}},
      {"torus\n", {"line 1", "sizes"}},
      {"torus 4\ntorus 4\n", {"line 2", "second"}},
      {"n1 0\ntorus 4\n", {"line 2", "before"}},
      {"6 0\n", {"line 1", "rank 6", "0 to 5"}},
  };
  for (const auto &[text, words] : cases) {
    SCOPED_TRACE(text);
    expect_words(message_of([&, text = text] { read(text); }), words);
  }
}

TEST(NetworkReader, TakesSlurmsAddressesApart)
{
  const auto tree = slurm_network({"s0.s1.a.b.c", "s0.s2.b", "s0.s1.d"}, "switch.switch.node");
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->links(0, 2), 2);
  EXPECT_EQ(tree->links(0, 1), 4);
}

TEST(NetworkReader, KnowsWhenSlurmTellsNothing)
{
  EXPECT_FALSE(slurm_network({"a", "b"}, "node"));
  EXPECT_FALSE(slurm_network({"s.a", "s.b"}, "switch.node"));
  EXPECT_FALSE(slurm_network({"", ""}, ""));
  EXPECT_FALSE(slurm_network({"s.a", ""}, "switch.node"));
}

TEST(NetworkReader, TakesTheTorusOfTheSystemIfAllNodesAreInIt)
{
  const auto torus = torus_of_system({4, 2}, {{0, 0}, {3, 1}});
  ASSERT_TRUE(torus);
  EXPECT_EQ(torus->links(0, 1), 2);
  EXPECT_FALSE(torus_of_system({4, 2}, {{0, 0}, {4, 1}}));
  EXPECT_FALSE(torus_of_system({4, 2}, {{0, 0}, {-1, 1}}));
  EXPECT_FALSE(torus_of_system({4, 2}, {{0, 0}, {1}}));
  EXPECT_FALSE(torus_of_system({4, 2}, {{1, 1}, {1, 1}}));    // all at one place
  EXPECT_FALSE(torus_of_system({4, 2}, {}));
}

TEST(NetworkReader, TakesPlacesInASystemWhoseSizeIsNotKnown)
{
  // as uTofu and Fujitsu's MPI have them: X, Y, Z, A, B, C
  const auto torus =
      torus_of_system({0, 0, 0, 0, 3, 0}, {{23, 0, 9, 0, 0, 1}, {22, 1, 9, 1, 2, 1}});
  ASSERT_TRUE(torus);
  EXPECT_EQ(torus->links(0, 1), 4);
  EXPECT_FALSE(torus_of_system({0, 0, 0, 0, 3, 0}, {{0, 0, 0, 0, 3, 0}, {0, 0, 0, 0, 0, 0}}));
}
