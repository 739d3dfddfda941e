// SPDX-License-Identifier: GPL-2.0-only
//
// Plans of transfers on rings of ranks and of nodes: against all possible plans on small rings,
// against tables on longer ones, and for properties that plans on any ring must have.

#include "unit/testing.h"

#include "balance/ring_plan.h"

using namespace TOFU_NS;

namespace {

using Amount = std::int64_t;
using Work = std::vector<Amount>;
using Plan = std::vector<Transfer>;

constexpr Amount NEVER = std::numeric_limits<Amount>::max() / 2;

/** Ranks in the order of their numbers. */
RankRing simple_ring(std::size_t nranks, bool closed)
{
  RankRing ring{std::vector<int>(nranks), closed};
  std::iota(ring.order.begin(), ring.order.end(), 0);
  return ring;
}

RankRing shuffled_ring(int nranks, bool closed, std::mt19937 &random)
{
  RankRing ring = simple_ring(nranks, closed);
  std::shuffle(ring.order.begin(), ring.order.end(), random);
  return ring;
}

Amount sum(const Work &work)
{
  return std::accumulate(work.begin(), work.end(), Amount{0});
}

Amount largest(const Work &work)
{
  return *std::max_element(work.begin(), work.end());
}

/** Work by rank after the transfers. */
Work loads_after(Work work, const Plan &plan)
{
  for (const Transfer &transfer : plan) {
    work[transfer.from] -= transfer.amount;
    work[transfer.to] += transfer.amount;
  }
  return work;
}

Amount divide_up(Amount amount, Amount nranks)
{
  return (amount + nranks - 1) / nranks;
}

Amount moved(const Plan &plan)
{
  Amount amount = 0;
  for (const Transfer &transfer : plan) amount += transfer.amount;
  return amount;
}

Work given(const Plan &plan, std::size_t nranks)
{
  Work amounts(nranks, 0);
  for (const Transfer &transfer : plan) amounts[transfer.from] += transfer.amount;
  return amounts;
}

/** Place of each rank on the ring. */
std::vector<int> places_on(const RankRing &ring)
{
  std::vector<int> places(ring.order.size());
  for (std::size_t n = 0; n < places.size(); n++) places[ring.order[n]] = static_cast<int>(n);
  return places;
}

/** Check the properties of all plans.  Each unit moves once, since no rank hands over more than it
    owns, and no rank hands over and receives on the same link. */
void expect_sound(const Plan &plan, const Work &work)
{
  std::set<std::pair<int, int>> links;
  for (std::size_t n = 0; n < plan.size(); n++) {
    EXPECT_GT(plan[n].amount, 0);
    EXPECT_NE(plan[n].from, plan[n].to);
    EXPECT_TRUE(links.insert(std::minmax({plan[n].from, plan[n].to})).second);
    if (n) {
      EXPECT_LT(std::make_pair(plan[n - 1].from, plan[n - 1].to),
                std::make_pair(plan[n].from, plan[n].to));
    }
  }
  const Work gives = given(plan, work.size()), loads = loads_after(work, plan);
  for (std::size_t rank = 0; rank < work.size(); rank++) {
    EXPECT_LE(gives[rank], work[rank]) << "rank " << rank;
    EXPECT_GE(loads[rank], 0) << "rank " << rank;
  }
  EXPECT_EQ(sum(loads), sum(work));
  EXPECT_LE(largest(loads), largest(work));
}

void expect_neighbors_only(const Plan &plan, const RankRing &ring, RingDirection direction)
{
  const std::vector<int> places = places_on(ring);
  const int last = static_cast<int>(places.size()) - 1;
  for (const Transfer &transfer : plan) {
    const int from = places[transfer.from], to = places[transfer.to];
    const bool down = to == from + 1 || (ring.closed && from == last && to == 0);
    const bool up = from == to + 1 || (ring.closed && to == last && from == 0);
    EXPECT_TRUE(down || (up && direction == RingDirection::BOTH)) << from << " -> " << to;
  }
}

/** The least T such that the work of any consecutive places of the ring fits, with T per rank, into
    these places and one place on either side (Hall's theorem).

    Args:
      work      work of each place
      nranks    number of ranks of each place */
Amount least_possible(const Work &work, const std::vector<int> &nranks, bool closed)
{
  const int nplaces = static_cast<int>(work.size());
  Amount least = 0;
  for (int first = 0; first < nplaces; first++) {
    Amount inside = 0;
    std::set<int> places{first};
    Amount room = nranks[first];
    const auto add = [&](int place) {
      if (!closed && (place < 0 || place >= nplaces)) return;
      place = (place + nplaces) % nplaces;
      if (places.insert(place).second) room += nranks[place];
    };
    add(first - 1);
    for (int length = 1; length <= nplaces; length++) {
      const int last = first + length - 1;
      if (!closed && last >= nplaces) break;
      inside += work[last % nplaces];
      add(last + 1);
      least = std::max(least, divide_up(inside, room));
    }
  }
  return least;
}

Amount least_possible(const Work &work, const RankRing &ring)
{
  Work on_ring;
  for (int rank : ring.order) on_ring.push_back(work[rank]);
  return least_possible(on_ring, std::vector<int>(work.size(), 1), ring.closed && work.size() > 2);
}

/* ----------------------------------------------------------------------
   distributions of work
------------------------------------------------------------------------- */

/** Call with each distribution of at most nunits units over nranks ranks. */
void for_distributions(int nranks, int nunits, const std::function<void(const Work &)> &call)
{
  Work work(nranks, 0);
  const std::function<void(int, int)> place = [&](int rank, int left) {
    if (rank == nranks) return call(work);
    for (int n = 0; n <= left; n++) {
      work[rank] = n;
      place(rank + 1, left - n);
    }
  };
  place(0, nunits);
}

/** A droplet in a box of ranks, along the serpentine through it. */
struct Droplet {
  RankRing ring;
  Work work;
};

Droplet droplet(const std::array<int, 3> &grid, double radius, Amount inside, std::mt19937 &random)
{
  const auto rank_of = [&](int x, int y, int z) {
    return (x * grid[1] + y) * grid[2] + z;
  };
  Droplet drop{serpentine_ring(grid, {1, 1, 1}, rank_of), {}};
  for (int x = 0; x < grid[0]; x++)
    for (int y = 0; y < grid[1]; y++)
      for (int z = 0; z < grid[2]; z++) {
        double rsq = 0.0;
        const int at[3] = {x, y, z};
        for (int dim = 0; dim < 3; dim++) {
          const double r = at[dim] + 0.5 - 0.5 * grid[dim];
          rsq += r * r;
        }
        const Amount noise = static_cast<Amount>(random() % 5);
        drop.work.push_back((rsq < radius * radius ? inside : 0) + noise);
      }
  return drop;
}

Work random_work(std::size_t nranks, std::mt19937 &random)
{
  const Amount most = Amount{1} << random() % 12;
  const int kind = static_cast<int>(random() % 5);
  Work work(nranks, 0);
  for (Amount &amount : work) {
    amount = static_cast<Amount>(random() % (most + 1));
    if (kind == 1) amount += 10 * most;                 // nearly even
    if (kind == 2 && random() % 3) amount = 0;          // empty ranks
    if (kind == 3) amount *= 1000000007;                // times in nanoseconds
    if (kind == 4) amount = random() % 8 ? 1 : most;    // few ranks with much work
  }
  return work;
}

/** Call with thousands of rings and distributions. */
void for_rings(const std::function<void(const RankRing &, const Work &)> &call)
{
  std::mt19937 random(20250204);
  for (int n = 0; n < 4000; n++) {
    const int nranks = 1 + static_cast<int>(random() % 40);
    const RankRing ring = shuffled_ring(nranks, random() % 2, random);
    call(ring, random_work(nranks, random));
  }
  for (int n = 0; n < 20; n++) {
    const Droplet drop = droplet({4, 3 + n % 3, 4}, 0.2 * n, 50, random);
    call(drop.ring, drop.work);
  }
  for (int nranks = 1; nranks < 9; nranks++) {
    Work work(nranks, 0);
    call(simple_ring(nranks, true), work);
    work[nranks / 2] = 1000;
    call(simple_ring(nranks, true), work);
    call(simple_ring(nranks, false), work);
  }
}

/* ----------------------------------------------------------------------
   all plans on a small ring
------------------------------------------------------------------------- */

struct Best {
  Amount load = NEVER, movement = NEVER;
};

/** Tries all flows over the links of a ring, place after place. */
class Search {
 public:
  Search(const Work &work, bool closed) : work_(work), flows_(work.size(), 0)
  {
    const bool has_last = closed && work.size() > 2;
    for (Amount flow = has_last ? -work.front() : 0; flow <= (has_last ? work.back() : 0); flow++) {
      flows_.back() = flow;
      visit(0, flow, 0, 0);
    }
  }

  Best best;

 private:
  const Work &work_;
  Work flows_;

  void visit(std::size_t place, Amount came, Amount load, Amount movement)
  {
    if (std::make_pair(load, movement) >= std::make_pair(best.load, best.movement)) return;
    if (place == work_.size()) {
      best = {load, movement};
      return;
    }
    const bool last = place + 1 == work_.size();
    const Amount lo = last ? flows_.back() : -work_[place + 1];
    const Amount hi = last ? flows_.back() : work_[place];
    for (Amount flow = lo; flow <= hi; flow++) {
      if (std::max(Amount{0}, -came) + std::max(Amount{0}, flow) > work_[place]) continue;
      visit(place + 1, flow, std::max(load, work_[place] + came - flow), movement + std::abs(flow));
    }
  }
};

TEST(BothWays, HaveTheSmallestLoadAndTheLeastMovementOfAllPlansOnSmallRings)
{
  for (int nranks = 1; nranks <= 5; nranks++)
    for (bool closed : {false, true})
      for_distributions(nranks, 12, [&](const Work &work) {
        const Plan plan = plan_ring(simple_ring(nranks, closed), work, RingDirection::BOTH);
        const Best best = Search(work, closed).best;
        EXPECT_EQ(largest(loads_after(work, plan)), best.load) << testing::PrintToString(work);
        EXPECT_EQ(moved(plan), best.movement) << testing::PrintToString(work);
      });
}

/** Least movement on a closed ring by tables: for each flow over a link, the least movement up to
    this link. */
Amount least_movement(const Work &work, Amount limit, Amount last_flow)
{
  const Amount most = largest(work);
  Work before(2 * most + 1, NEVER), after;
  before[last_flow + most] = 0;
  for (std::size_t place = 0; place < work.size(); place++) {
    const Amount next = work[(place + 1) % work.size()];
    after.assign(before.size(), NEVER);
    for (Amount flow = -next; flow <= work[place]; flow++)
      for (Amount left = 0; left <= limit; left++) {
        const Amount came = flow + left - work[place];
        if (std::abs(came) > most) continue;
        const Amount movement = before[came + most] + std::abs(flow);
        after[flow + most] = std::min(after[flow + most], movement);
      }
    before.swap(after);
  }
  return before[last_flow + most];
}

TEST(BothWays, HaveTheLeastMovementOnLongerRings)
{
  std::mt19937 random(6);
  for (int n = 0; n < 200; n++) {
    Work work(3 + random() % 70);
    const int most = 1 + static_cast<int>(random() % 25);
    for (Amount &amount : work) amount = static_cast<Amount>(random() % most);
    const Plan plan = plan_ring(simple_ring(work.size(), true), work, RingDirection::BOTH);
    const Amount limit = largest(loads_after(work, plan));
    Amount least = NEVER;
    for (Amount flow = -work.front(); flow <= work.back(); flow++)
      least = std::min(least, least_movement(work, limit, flow));
    ASSERT_EQ(moved(plan), least) << testing::PrintToString(work);
  }
}

/* ---------------------------------------------------------------------- */

class AnyDirection : public testing::TestWithParam<RingDirection> {};

TEST_P(AnyDirection, MovesEachUnitOnceAndToANeighborOnly)
{
  for_rings([&](const RankRing &ring, const Work &work) {
    const Plan plan = plan_ring(ring, work, GetParam());
    expect_sound(plan, work);
    expect_neighbors_only(plan, ring, GetParam());
  });
}

TEST_P(AnyDirection, DoesNotDependOnTheNumbersOfRanks)
{
  for_rings([&](const RankRing &ring, const Work &work) {
    Work on_ring, expected;
    for (int rank : ring.order) on_ring.push_back(work[rank]);
    const Work loads = loads_after(work, plan_ring(ring, work, GetParam()));
    for (int rank : ring.order) expected.push_back(loads[rank]);
    const RankRing simple = simple_ring(work.size(), ring.closed);
    EXPECT_EQ(loads_after(on_ring, plan_ring(simple, on_ring, GetParam())), expected);
  });
}

TEST_P(AnyDirection, LeavesEvenLoadsAlone)
{
  for (int nranks = 1; nranks < 20; nranks++)
    for (bool closed : {false, true}) {
      Work work(nranks, 7);
      EXPECT_TRUE(plan_ring(simple_ring(nranks, closed), work, GetParam()).empty());
      for (int rank = 0; rank < nranks; rank += 3) work[rank] = 8;
      EXPECT_TRUE(plan_ring(simple_ring(nranks, closed), work, GetParam()).empty());
    }
}

TEST_P(AnyDirection, DoesManyRanks)
{
  std::mt19937 random(7);
  Work work;
  for (int rank = 0; rank < 100000; rank++)
    work.push_back(50 + static_cast<Amount>(random() % 100));
  const RankRing ring = simple_ring(work.size(), true);
  const Plan plan = plan_ring(ring, work, GetParam());
  const Work gives = given(plan, work.size()), loads = loads_after(work, plan);
  EXPECT_EQ(sum(loads), sum(work));
  EXPECT_LE(largest(loads), largest(work));
  for (std::size_t rank = 0; rank < work.size(); rank++) EXPECT_LE(gives[rank], work[rank]);
}

INSTANTIATE_TEST_SUITE_P(Ring, AnyDirection,
                         testing::Values(RingDirection::BOTH, RingDirection::DOWNSTREAM),
                         [](const auto &info) {
                           return info.param == RingDirection::BOTH ? "BOTH" : "DOWNSTREAM";
                         });

/* ---------------------------------------------------------------------- */

TEST(BothWays, ReachTheLoadThatNoStretchOfTheRingForbids)
{
  for_rings([&](const RankRing &ring, const Work &work) {
    const Plan plan = plan_ring(ring, work, RingDirection::BOTH);
    EXPECT_EQ(largest(loads_after(work, plan)), least_possible(work, ring));
  });
}

TEST(BothWays, ReachTheAverageIfSurplusAndLackAlternate)
{
  std::mt19937 random(8);
  for (int n = 0; n < 200; n++) {
    Work work;
    for (int pair = 0; pair < 10; pair++) {
      const Amount surplus = static_cast<Amount>(random() % 100);
      work.insert(work.end(), {100 + surplus, 100 - surplus});
    }
    const Plan plan = plan_ring(simple_ring(work.size(), true), work, RingDirection::BOTH);
    EXPECT_EQ(loads_after(work, plan), Work(work.size(), 100));
  }
}

TEST(BothWays, MoveNothingJustToEvenOutLoadsBelowTheLargest)
{
  // the first two ranks must have nine units each in any plan

  const Plan plan =
      plan_ring(simple_ring(8, false), {18, 0, 0, 2, 0, 4, 0, 3}, RingDirection::BOTH);
  EXPECT_EQ(largest(loads_after({18, 0, 0, 2, 0, 4, 0, 3}, plan)), 9);
  EXPECT_EQ(moved(plan), 9);
}

TEST(BothWays, UseTheLinkFromTheLastToTheFirst)
{
  EXPECT_EQ(loads_after({9, 0, 0, 0, 0},
                        plan_ring(simple_ring(5, true), {9, 0, 0, 0, 0}, RingDirection::BOTH)),
            (Work{3, 3, 0, 0, 3}));
  EXPECT_EQ(
      largest(loads_after({9, 0, 0, 0, 0},
                          plan_ring(simple_ring(5, false), {9, 0, 0, 0, 0}, RingDirection::BOTH))),
      5);
}

/* ----------------------------------------------------------------------
   Algorithm 1
------------------------------------------------------------------------- */

/** Work that goes downstream from each rank. */
Work downstream(const Work &work, bool closed)
{
  const Plan plan = plan_ring(simple_ring(work.size(), closed), work, RingDirection::DOWNSTREAM);
  expect_sound(plan, work);
  return given(plan, work.size());
}

TEST(Downstream, DoesFigureSixOfThePaper)
{
  // deviations from the ideal of two atoms per rank: 1 -1 0 2 -1 -1 1 -1

  EXPECT_EQ(downstream({3, 1, 2, 4, 1, 1, 3, 1}, true), (Work{1, 0, 0, 2, 1, 0, 1, 0}));
}

TEST(Downstream, PassesTheBeginningOfTheRing)
{
  EXPECT_EQ(downstream({2, 1, 1, 4}, true), (Work{2, 1, 0, 2}));
  EXPECT_EQ(downstream({2, 1, 1, 4}, false), (Work{0, 0, 0, 0}));
}

TEST(Downstream, GivesNoMoreThanItOwns)
{
  EXPECT_EQ(downstream({1, 9, 1, 1}, true),
            (Work{0, 6, 1, 0}));    // 3 more than rank 2 can hand on
}

TEST(Downstream, HoldsBackWhatTheEndOfAnOpenRingCannotTake)
{
  EXPECT_EQ(downstream({0, 0, 9, 9}, false), (Work{0, 0, 0, 0}));
  EXPECT_EQ(downstream({8, 4, 2, 2}, false), (Work{4, 4, 2, 0}));
  EXPECT_EQ(downstream({8, 0, 3, 5}, false), (Work{4, 0, 0, 0}));
  EXPECT_EQ(downstream({2, 6, 9, 7}, false), (Work{0, 0, 2, 0}));
}

TEST(Downstream, LeavesNobodyAboveTheAverageUnlessSomebodyGivesAllHeHas)
{
  for_rings([&](const RankRing &ring, const Work &work) {
    if (!ring.closed || work.size() < 3) return;
    const Plan plan = plan_ring(ring, work, RingDirection::DOWNSTREAM);
    const Work gives = given(plan, work.size());
    for (std::size_t rank = 0; rank < work.size(); rank++)
      if (gives[rank] == work[rank]) return;
    EXPECT_LE(largest(loads_after(work, plan)),
              divide_up(sum(work), static_cast<Amount>(work.size())));
  });
}

/* ----------------------------------------------------------------------
   nodes
------------------------------------------------------------------------- */

/** Call with thousands of rings, distributions and sets of nodes. */
void for_nodes(
    const std::function<void(const RankRing &, const std::vector<int> &, const Work &)> &call)
{
  std::mt19937 random(9);
  for_rings([&](const RankRing &ring, const Work &work) {
    const int nnodes = 1 + static_cast<int>(random() % work.size());
    std::vector<int> uneven, pairs, fours;
    for (std::size_t rank = 0; rank < work.size(); rank++) {
      uneven.push_back(1000 - static_cast<int>(random() % nnodes));
      pairs.push_back(static_cast<int>(rank / 2));
      fours.push_back(static_cast<int>(rank / 4));
    }
    for (const auto &nodes : {uneven, pairs, fours}) call(ring, nodes, work);
  });
}

/** Nodes in the order of their first ranks on the ring. */
struct NodeRing {
  std::map<int, int> place_of;
  Work work;
  std::vector<int> nranks;
  bool closed;

  NodeRing(const RankRing &ring, const std::vector<int> &nodes, const Work &by_rank)
  {
    for (int rank : ring.order) {
      const auto place = place_of.emplace(nodes[rank], place_of.size()).first->second;
      work.resize(place_of.size(), 0);
      nranks.resize(place_of.size(), 0);
      work[place] += by_rank[rank];
      nranks[place]++;
    }
    closed = ring.closed && work.size() > 2;
  }
};

class AnyNodes : public testing::TestWithParam<RingDirection> {};

TEST_P(AnyNodes, MoveEachUnitOnceInsideANodeOrToANeighboringOne)
{
  for_nodes([&](const RankRing &ring, const std::vector<int> &nodes, const Work &work) {
    const Plan plan = plan_nodes(ring, nodes, work, GetParam());
    expect_sound(plan, work);
    NodeRing on_ring(ring, nodes, work);
    const int last = static_cast<int>(on_ring.work.size()) - 1;
    for (const Transfer &transfer : plan) {
      const int from = on_ring.place_of[nodes[transfer.from]],
                to = on_ring.place_of[nodes[transfer.to]];
      const bool over_end = on_ring.closed && std::abs(from - to) == last;
      EXPECT_TRUE(over_end || std::abs(from - to) <= 1) << from << " -> " << to;
      if (GetParam() == RingDirection::DOWNSTREAM) { EXPECT_TRUE(to >= from || over_end); }
    }
  });
}

TEST_P(AnyNodes, OfOneRankEachAreARing)
{
  std::mt19937 random(10);
  for_rings([&](const RankRing &ring, const Work &work) {
    std::vector<int> nodes(work.size());
    std::iota(nodes.begin(), nodes.end(), 5);
    std::shuffle(nodes.begin(), nodes.end(), random);
    EXPECT_EQ(loads_after(work, plan_nodes(ring, nodes, work, GetParam())),
              loads_after(work, plan_ring(ring, work, GetParam())));
  });
}

TEST_P(AnyNodes, GiveTheAverageOrLessToEachRankOfASingleNode)
{
  for_rings([&](const RankRing &ring, const Work &work) {
    const std::vector<int> node(work.size(), 3);
    const Amount average = divide_up(sum(work), static_cast<Amount>(work.size()));
    const Plan plan = plan_nodes(ring, node, work, GetParam());
    EXPECT_EQ(largest(loads_after(work, plan)), average);
    Amount surplus = 0;
    for (Amount amount : work) surplus += std::max(Amount{0}, amount - average);
    EXPECT_EQ(moved(plan), surplus);
  });
}

INSTANTIATE_TEST_SUITE_P(Nodes, AnyNodes,
                         testing::Values(RingDirection::BOTH, RingDirection::DOWNSTREAM),
                         [](const auto &info) {
                           return info.param == RingDirection::BOTH ? "BOTH" : "DOWNSTREAM";
                         });

TEST(Nodes, ReachTheLoadPerRankThatNoStretchOfTheirRingForbids)
{
  for_nodes([&](const RankRing &ring, const std::vector<int> &nodes, const Work &work) {
    const NodeRing on_ring(ring, nodes, work);
    const Plan plan = plan_nodes(ring, nodes, work, RingDirection::BOTH);
    EXPECT_EQ(largest(loads_after(work, plan)),
              least_possible(on_ring.work, on_ring.nranks, on_ring.closed));
  });
}

TEST(Nodes, HoldBackWhatAChainOfThemCannotTakeDownstream)
{
  // nodes have 1, 4, 4 and 4 ranks: the last node would hand over 30 to the single rank, and
  // receives 15 from the node before it

  std::vector<int> nodes(1, 0);
  for (int node : {1, 2, 3}) nodes.insert(nodes.end(), 4, node);
  Work work(13, 0);
  std::fill(work.begin() + 5, work.end(), 10);
  const Plan plan = plan_nodes(simple_ring(13, true), nodes, work, RingDirection::DOWNSTREAM);
  expect_sound(plan, work);
  EXPECT_EQ(loads_after(work, plan)[0], 10);
}

TEST(Nodes, TakeFromThoseWithMostAndGiveToThoseWithLeast)
{
  const std::vector<int> nodes = {0, 0, 0, 1, 1, 1};
  const Work work = {20, 10, 6, 0, 3, 9};
  const Plan plan = plan_nodes(simple_ring(6, false), nodes, work, RingDirection::BOTH);
  EXPECT_EQ(loads_after(work, plan), Work(6, 8));
  EXPECT_EQ(given(plan, 6)[1], 2);
}

}    // namespace
