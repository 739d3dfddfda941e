// SPDX-License-Identifier: GPL-2.0-only
//
// Values of atoms in messages: every value names its atom, so that a ghost shows where it is from.

#include "rank_of_grid.h"
#include "unit/base/part_threads.h"

#include "halo/messages/packed_exchange.h"
#include "halo/messages/partner_messages.h"
#include "halo/messages/position_exchange.h"

#include <mutex>

using namespace TOFU_TEST;

namespace {

const Case TWO_BY_TWO{"TwoByTwo", {2, 2, 1}, {1, 1, 1}, 0.2, true, 3};

/** A number for an atom of a rank. */
double name_of(int rank, int i)
{
  return 1000.0 * rank + i;
}

SelfImages::Box box_of(const HaloGeometry &geometry)
{
  return {{{geometry.prd[0], 0.0, 0.0}, {0.6, geometry.prd[1], 0.0}, {0.3, 0.2, geometry.prd[2]}}};
}

/** Names of the atoms that ghosts come from, by a packed exchange of one value each. */
std::vector<double> names_of_all(RankOfGrid &rank, PackedExchange &packed)
{
  std::vector<double> names(rank.nall, -1.0);
  for (int i = 0; i < RankOfGrid::NLOCAL; i++) names[i] = name_of(rank.rank, i);
  packed.forward(
      1,
      [&](int n, const int *list, double *values, int, const int *) {
        for (int k = 0; k < n; k++) values[k] = names[list[k]];
        return n;
      },
      [&](int n, int first, const double *values) {
        std::copy_n(values, n, names.begin() + first);
      });
  return names;
}

}    // namespace

TEST(PackedExchangeTest, GhostsGetTheValuesOfTheirOwnersAndReturnAsManyAsTheRoutinePacks)
{
  const Grid grid(TWO_BY_TWO);
  on_all_ranks(grid.size(), [&](const World &world) {
    RankOfGrid rank(grid, world);
    PackingBuffer buffer;
    PackedExchange packed(rank.halo, buffer);
    const std::vector<double> names = names_of_all(rank, packed);
    EXPECT_EQ(std::count(names.begin(), names.end(), -1.0), 0);

    std::vector<double> sums(rank.nall, 0.0), ncopies(rank.nall, 0.0);
    packed.reverse(
        2,
        [&](int n, int first, double *values) {    // names of ghosts with even names alone
          int m = 0;
          for (int i = first; i < first + n; i++) {
            const bool even = static_cast<int>(names[i]) % 2 == 0;
            values[m++] = even;
            if (even) values[m++] = names[i];
          }
          return m;
        },
        [&](int n, const int *list, const double *values) {
          for (int k = 0; k < n; k++) {
            const bool even = *values++ != 0.0;
            ncopies[list[k]] += even;
            sums[list[k]] += even ? *values++ : 0.0;
          }
        });
    for (int i = 0; i < RankOfGrid::NLOCAL; i++) {
      EXPECT_EQ(sums[i], ncopies[i] * names[i]);
      if (i % 2) { EXPECT_EQ(ncopies[i], 0.0); }
    }
  });
}

TEST(PackedExchangeTest, ValuesWithTheirNumberInFrontFollowEachOther)
{
  std::vector<std::byte> bytes(5 * sizeof(double));
  const std::int64_t counts[] = {2, 0};
  const double values[] = {1.5, 2.5};
  std::memcpy(bytes.data(), &counts[0], 8);
  std::memcpy(bytes.data() + 8, values, 16);
  std::memcpy(bytes.data() + 24, &counts[1], 8);
  const std::byte *cursor = bytes.data();
  EXPECT_EQ(get_counted(cursor)[1], 2.5);
  EXPECT_EQ(cursor, bytes.data() + 24);
  get_counted(cursor);
  EXPECT_EQ(cursor, bytes.data() + 32);
}

/* ---------------------------------------------------------------------- */

TEST(PositionExchangeTest, GhostsAreDisplacedByBoxLengthsAndVectorsAreNot)
{
  const Grid grid(TWO_BY_TWO);
  std::mutex mutex;
  std::map<double, std::array<double, 3>> places;    // of owned atoms, by name
  std::vector<std::vector<double>> names(grid.size()), x(grid.size()), vectors(grid.size());
  on_all_ranks(grid.size(), [&](const World &world) {
    RankOfGrid rank(grid, world);
    PackingBuffer buffer;
    PackedExchange packed(rank.halo, buffer);
    names[world.rank] = names_of_all(rank, packed);
    std::vector<double> vector(3 * rank.nall, 0.0);
    for (int i = 0; i < RankOfGrid::NLOCAL; i++) vector[3 * i + 1] = name_of(world.rank, i);
    PositionExchange positions(
        rank.halo, [] { return Parts(); }, false);
    positions.forward(rank.x.data(), {vector.data()}, RankOfGrid::NLOCAL, box_of(rank.geometry),
                      GhostLanding());
    x[world.rank] = rank.x;
    vectors[world.rank] = vector;
    const std::lock_guard<std::mutex> lock(mutex);
    for (int i = 0; i < RankOfGrid::NLOCAL; i++)
      places[name_of(world.rank, i)] = {rank.x[3 * i], rank.x[3 * i + 1], rank.x[3 * i + 2]};
  });

  const SelfImages::Box box = box_of(grid.geometry(0));
  std::set<std::array<int, 3>> images;
  for (int rank = 0; rank < grid.size(); rank++)
    for (std::size_t i = RankOfGrid::NLOCAL; i < names[rank].size(); i++) {
      const std::array<double, 3> &from = places.at(names[rank][i]);
      std::array<int, 3> n;
      for (int dim = 2; dim >= 0; dim--) {    // the box is lower triangular
        double shift = x[rank][3 * i + dim] - from[dim];
        for (int above = dim + 1; above < 3; above++) shift -= n[above] * box[above][dim];
        n[dim] = static_cast<int>(std::lround(shift / box[dim][dim]));
        EXPECT_NEAR(shift, n[dim] * box[dim][dim], 1e-12 * box[dim][dim]);
      }
      images.insert(n);
      EXPECT_EQ(vectors[rank][3 * i + 1], names[rank][i]);
    }
  EXPECT_GT(images.size(), 9u);
}

TEST(PositionExchangeTest, ForcesOfAllGhostsReturnToTheirOwnersAlsoFromSeveralParts)
{
  const Case one_rank{"OneRank", {1, 1, 1}, {1, 1, 1}, 0.9, true, 3};
  for (const Case &c : {TWO_BY_TWO, one_rank}) {
    const Grid grid(c);
    for (const int nparts : {1, 3})
      on_all_ranks(grid.size(), [&](const World &world) {
        RankOfGrid rank(grid, world);
        PackingBuffer buffer;
        PackedExchange packed(rank.halo, buffer);
        const std::vector<double> names = names_of_all(rank, packed);
        PositionExchange positions(
            rank.halo, [&] { return part_threads(nparts); }, false);
        std::vector<double> f(3 * rank.nall), ncopies(rank.nall, 0.0);
        for (int i = 0; i < rank.nall; i++) f[3 * i] = i < RankOfGrid::NLOCAL ? 0.0 : names[i];
        for (int i = RankOfGrid::NLOCAL; i < rank.nall; i++) f[3 * i + 2] = 1.0;
        positions.reverse(f.data(), RankOfGrid::NLOCAL, GhostLanding());
        for (int i = 0; i < RankOfGrid::NLOCAL; i++)
          EXPECT_EQ(f[3 * i], f[3 * i + 2] * names[i]) << i << ", " << nparts << " parts";
      });
  }
}

/* ---------------------------------------------------------------------- */

TEST(PartnerMessagesTest, MessagesArriveAlsoEmptyOnesAndThoseThatWaitForCredit)
{
  constexpr int SIZE = 3;
  on_all_ranks(SIZE, [&](const World &world) {
    TransportOptions options = world.options();
    options.link.nslots = 1;
    Transport transport(world.bootstrap, nullptr, options);
    const std::vector<int> peers = all_others(world.rank, SIZE);
    transport.connect(peers, std::vector<std::size_t>(peers.size(), Link::BLOCK));
    PartnerMessages messages;
    for (int round = 0; round < 4; round++) {
      const std::size_t nbytes = round == 0 ? 0 : round * 3 * Link::BLOCK / 2;
      PartnerMessages::Messages out, in;
      for (const int peer : peers) {
        out[peer] = std::vector<char>(nbytes, static_cast<char>('a' + world.rank));
        in[peer];
      }
      messages.send(transport, out, in);
      EXPECT_TRUE(messages.are_under_way());
      messages.receive(transport);
      EXPECT_FALSE(messages.are_under_way());
      messages.receive(transport);    // does nothing
      for (const int peer : peers)
        EXPECT_EQ(in[peer], std::vector<char>(nbytes, static_cast<char>('a' + peer)));
    }
  });
}
