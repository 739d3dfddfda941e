// SPDX-License-Identifier: GPL-2.0-only

#include "grid.h"
#include "halo/ghost_sources.h"

using namespace TOFU_TEST;

namespace {

using Boxes = std::array<int, 3>;

/** An image of an atom: the atom, and the displacement in box lengths from the position that its
    owner has. */
using Image = std::tuple<int, int, int, int>;

Image image(int id, const Boxes &box_shift)
{
  return {id, box_shift[0], box_shift[1], box_shift[2]};
}

Boxes sum(const Boxes &a, const Boxes &b)
{
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}

Boxes box_shift_of(const HaloSwap &swap)
{
  return {swap.pbc[0], swap.pbc[1], swap.pbc[2]};
}

/** Ranks with atoms that have swapped ghosts. */
class Ranks {
 public:
  static constexpr int NATOMS = 160;

  struct Rank {
    HaloPlan plan;
    std::vector<int> ids;    // owned
    SendLists lists;
    std::vector<int> firstrecv;
    std::vector<Image> images;    // owned and ghosts
  };
  std::vector<Rank> ranks;

  Ranks(const Case &c, bool half)
  {
    const Grid grid(c);
    std::vector<HaloPlan> plans = half ? grid.half_plans() : grid.plans(true);
    ranks.resize(plans.size());
    for (int rank = 0; rank < grid.size(); rank++) ranks[rank].plan = plans[rank];
    place_atoms(grid, c);
    for (int rank = 0; rank < grid.size(); rank++) list_borders(grid.geometry(rank), ranks[rank]);
    for (int rank = 0; rank < grid.size(); rank++) get_ghosts(rank);
  }

  /** The swap by which a rank sends to another. */
  int find_swap(int from, int to, int code) const
  {
    const std::vector<HaloSwap> &swaps = ranks[from].plan.swaps;
    for (std::size_t n = 0; n < swaps.size(); n++)
      if (swaps[n].sendproc == to && code_of_offset(swaps[n].offset) == code)
        return static_cast<int>(n);
    ADD_FAILURE() << "rank " << from << " sends nothing to rank " << to << " by swap " << code;
    return 0;
  }

  bool has(int rank, const Image &one) const
  {
    const std::vector<Image> &images = ranks[rank].images;
    return std::find(images.begin(), images.end(), one) != images.end();
  }

 private:
  void place_atoms(const Grid &grid, const Case &c)
  {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    const HaloGeometry geometry = grid.geometry(0);
    for (int id = 0; id < NATOMS; id++) {
      Boxes loc{};
      std::array<double, 3> x{};
      for (int dim = 0; dim < c.dimension; dim++) {
        x[dim] = geometry.boxlo[dim] + uniform(random) * geometry.prd[dim];
        loc[dim] = geometry.locate(dim, x[dim]);
      }
      x_.push_back(x);
      Rank &owner = ranks[grid.rank_of(loc[0], loc[1], loc[2])];
      owner.ids.push_back(id);
      owner.images.push_back(image(id, {0, 0, 0}));
    }
  }

  void list_borders(const HaloGeometry &geometry, Rank &rank) const
  {
    for (const HaloSwap &swap : rank.plan.swaps) {
      for (std::size_t i = 0; swap.sendproc >= 0 && i < rank.ids.size(); i++) {
        bool near = true;
        for (int dim = 0; dim < geometry.dimension; dim++) {
          const int m = swap.offset[dim];
          const double x = x_[rank.ids[i]][dim], cut = geometry.cutghost[dim];
          if (m > 0) near &= x >= rank.plan.above[dim][m - 1] - cut;
          if (m < 0) near &= x <= rank.plan.below[dim][-m - 1] + cut;
        }
        if (near) rank.lists.add(static_cast<int>(i));
      }
      rank.lists.finish_swap();
    }
  }

  void get_ghosts(int me)
  {
    Rank &rank = ranks[me];
    for (const HaloSwap &swap : rank.plan.swaps) {
      rank.firstrecv.push_back(static_cast<int>(rank.images.size()));
      if (swap.recvproc < 0) continue;
      const Rank &owner = ranks[swap.recvproc];
      const int from = find_swap(swap.recvproc, me, code_of_offset(swap.offset));
      for (int k = 0; k < owner.lists.count(from); k++)
        rank.images.push_back(
            image(owner.ids[owner.lists.list(from)[k]], box_shift_of(owner.plan.swaps[from])));
    }
  }

  std::vector<std::array<double, 3>> x_;
};

Image displaced(const Image &one, const Boxes &box_shift)
{
  return {std::get<0>(one), std::get<1>(one) + box_shift[0], std::get<2>(one) + box_shift[1],
          std::get<3>(one) + box_shift[2]};
}

/** The image that the receiver gets by a source that the donor names. */
Image image_from(const Ranks &all, int donor, int receiver, const GhostSources &sources,
                 const GhostSources::Source &source, const Boxes &frame)
{
  const Ranks::Rank &owner = all.ranks[source.rank];
  if (source.code <= GhostSources::EXTRA) {
    const ExtraSwap &swap = sources.extra_swaps()[GhostSources::EXTRA - source.code];
    return image(owner.ids[swap.atoms()[source.place]], swap.box_shift);
  }
  if (source.code == GhostRequest::GHOST) return displaced(owner.images[source.place], frame);
  if (source.rank == donor) {
    const int swap = all.find_swap(donor, receiver, source.code);
    return image(owner.ids[owner.lists.list(swap)[source.place]],
                 box_shift_of(owner.plan.swaps[swap]));
  }
  const int swap = all.find_swap(source.rank, donor, source.code);
  return image(owner.ids[owner.lists.list(swap)[source.place]],
               sum(box_shift_of(owner.plan.swaps[swap]), frame));
}

const std::vector<Boxes> FRAMES = {{0, 0, 0}, {1, 0, 0}, {0, -1, 1}};

class GhostSourcesTest : public testing::TestWithParam<std::tuple<Case, bool>> {
 protected:
  Ranks all{std::get<0>(GetParam()), std::get<1>(GetParam())};

  void begin(GhostSources &sources, int donor, int receiver,
             const std::function<bool(int)> &is_linked)
  {
    const Ranks::Rank &rank = all.ranks[donor];
    donor_ = donor;
    sources.begin(rank.plan, rank.lists, rank.firstrecv, static_cast<int>(rank.ids.size()),
                  static_cast<int>(rank.images.size()), donor, receiver, is_linked);
  }

  /** Check the sources of all owned atoms and ghosts of a donor, in several frames. */
  void check(int donor, int receiver, GhostSources &sources)
  {
    const Ranks::Rank &rank = all.ranks[donor], &other = all.ranks[receiver];
    KnownSources known;
    for (const Boxes &frame : FRAMES) {
      sources.set_frame(frame);
      known.begin(other.plan, other.lists, other.firstrecv, static_cast<int>(other.ids.size()),
                  receiver, donor, frame);
      for (std::size_t i = 0; i < rank.images.size(); i++) {
        const Image wanted = displaced(rank.images[i], frame);
        const GhostSources::Source source = sources.of(static_cast<int>(i));
        ASSERT_EQ(image_from(all, donor, receiver, sources, source, frame), wanted);
        if (source.rank == donor && source.code >= 0) ASSERT_TRUE(all.has(receiver, wanted));
        check_known(known, receiver, source, wanted);
      }
    }
  }

  /** Check that the receiver finds owned atoms, images of them that it has, and ghosts that the
      donor sends to it. */
  void check_known(KnownSources &known, int receiver, const GhostSources::Source &source,
                   const Image &wanted)
  {
    const int i = known.find(source.rank, source.code, source.place);
    const bool own = source.rank == receiver && all.has(receiver, wanted);
    const bool sent = source.rank == donor_ && source.code >= 0;
    ASSERT_EQ(i >= 0, own || sent);
    if (i >= 0) ASSERT_EQ(all.ranks[receiver].images[i], wanted);
  }

  int donor_ = -1;
};

std::string name(const testing::TestParamInfo<std::tuple<Case, bool>> &info)
{
  return std::string(std::get<0>(info.param).name) + (std::get<1>(info.param) ? "HalfShell" : "");
}

}    // namespace

TEST_P(GhostSourcesTest, LeadToTheSameImageOfTheSameAtom)
{
  GhostSources sources;
  const int nranks = static_cast<int>(all.ranks.size());
  for (int donor = 0; donor < std::min(nranks, 4); donor++)
    for (int receiver = 0; receiver < nranks; receiver++) {
      if (receiver == donor) continue;
      begin(sources, donor, receiver, [](int) { return true; });
      check(donor, receiver, sources);
      EXPECT_FALSE(sources.forwards());
    }
}

TEST_P(GhostSourcesTest, AddWhatTheReceiverLacksOnceAndNothingElse)
{
  GhostSources sources;
  const int nranks = static_cast<int>(all.ranks.size());
  for (int receiver = 1; receiver < nranks; receiver++) {
    begin(sources, 0, receiver, [](int) { return true; });
    check(0, receiver, sources);
    std::set<Image> extra;
    for (const ExtraSwap &swap : sources.extra_swaps())
      for (int i : swap.atoms()) {
        const Image one = image(all.ranks[0].ids[i], swap.box_shift);
        EXPECT_TRUE(extra.insert(one).second) << "sent twice";
        EXPECT_FALSE(all.has(receiver, one)) << "sent though it is there";
      }
  }
}

TEST_P(GhostSourcesTest, TellWhichGhostsOfTheReceiverHaveRows)
{
  GhostSources sources;
  const int nranks = static_cast<int>(all.ranks.size());
  const Ranks::Rank &donor = all.ranks[0];
  for (int receiver = 1; receiver < nranks; receiver++)
    for (const Boxes &frame : FRAMES) {
      begin(sources, 0, receiver, [](int) { return true; });
      sources.set_frame(frame);
      std::set<Image> with_rows, back;
      for (int i = 0; i < static_cast<int>(donor.ids.size()); i += 3) {
        EXPECT_EQ(sources.of_row(i).place, sources.of(i).place);
        with_rows.insert(displaced(donor.images[i], frame));
      }
      for (int i = 0; i < static_cast<int>(donor.images.size()); i++) sources.of(i);

      for (const auto &[swap, code] : sources.swaps_with_rows()) {
        EXPECT_EQ(box_shift_of(donor.plan.swaps[swap]), frame);
        EXPECT_EQ(all.find_swap(0, receiver, code), swap);
        for (int k = 0; k < donor.lists.count(swap); k++)
          back.insert(image(donor.ids[donor.lists.list(swap)[k]], frame));
      }
      for (const ExtraSwap &swap : sources.extra_swaps()) {
        EXPECT_TRUE(swap.nrows == 0 || swap.box_shift == frame);
        for (int k = 0; k < swap.nrows; k++) {
          const Image one = image(donor.ids[swap.atoms()[k]], swap.box_shift);
          EXPECT_TRUE(with_rows.count(one)) << "has no row, and was asked for later";
          back.insert(one);
        }
      }
      EXPECT_TRUE(std::includes(back.begin(), back.end(), with_rows.begin(), with_rows.end()));
    }
}

TEST_P(GhostSourcesTest, OfThoseWhomTheReceiverCannotAskAreForwarded)
{
  GhostSources sources;
  const int nranks = static_cast<int>(all.ranks.size());
  for (int receiver = 1; receiver < nranks; receiver++) {
    begin(sources, 0, receiver, [](int) { return false; });
    check(0, receiver, sources);
    bool others = false;
    for (const HaloSwap &swap : all.ranks[0].plan.swaps)
      others |= swap.recvproc > 0 && swap.recvproc != receiver;
    EXPECT_TRUE(others || !sources.forwards());
    for (int i = 0; i < static_cast<int>(all.ranks[0].images.size()); i++) {
      const GhostSources::Source source = sources.of(i);
      EXPECT_TRUE(source.rank == 0 || source.rank == receiver);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Grids, GhostSourcesTest,
                         testing::Combine(testing::ValuesIn(cases()), testing::Bool()), name);

TEST(GhostSources, OfTheStagedPatternAreAllForwarded)
{
  const Case c{"", {2, 1, 1}, {1, 1, 1}, 0.2, true, 3};
  const HaloPlan plan = Grid(c).plans(false)[0];
  SendLists lists;
  std::vector<int> firstrecv;
  for (std::size_t n = 0; n < plan.swaps.size(); n++) {
    lists.finish_swap();
    firstrecv.push_back(3 + std::min(static_cast<int>(n), 4));
  }
  GhostSources sources;
  sources.begin(plan, lists, firstrecv, 3, 7, 0, 1, [](int) { return true; });
  EXPECT_TRUE(sources.forwards());
  for (int i = 0; i < 7; i++) {
    EXPECT_EQ(sources.of(i).rank, 0);
    EXPECT_EQ(sources.of(i).code, i < 3 ? GhostRequest::OWNED : GhostRequest::GHOST);
    EXPECT_EQ(sources.of(i).place, i);
  }
  EXPECT_TRUE(sources.extra_swaps().empty());
}
