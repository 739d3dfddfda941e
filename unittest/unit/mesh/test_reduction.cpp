// SPDX-License-Identifier: GPL-2.0-only
//
// Sums over the ranks of a row, and words that hold two integers; ranks as threads over heap
// memory.

#include "mesh_ranks.h"

#include "mesh/exchange/quantize.h"
#include "mesh/exchange/reduction.h"

using namespace TOFU_TEST;

namespace {

constexpr std::int32_t MOST = std::numeric_limits<std::int32_t>::max();

// ---- words

/** Compare the sum of words, one for each of these pairs, with sums of the parts. */
void expect_sum_of_parts(const std::vector<std::int32_t> &first,
                         const std::vector<std::int32_t> &second)
{
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < first.size(); i++) word += Quantizer::word(first[i], second[i]);
  EXPECT_EQ(Quantizer::first_of(word), std::accumulate(first.begin(), first.end(), 0));
  EXPECT_EQ(Quantizer::second_of(word), std::accumulate(second.begin(), second.end(), 0));
}

TEST(Quantizer, SumsOfWordsAreWordsOfSums)
{
  std::mt19937 random(5);
  for (int nsums : {1, 2, 3, 7, 12, 1000}) {
    const std::int32_t most = MOST / nsums;
    std::uniform_int_distribution<std::int32_t> any(-most, most);
    for (int repeat = 0; repeat < 2000; repeat++) {
      std::vector<std::int32_t> first(nsums), second(nsums);
      for (std::int32_t &value : first) value = any(random);
      for (std::int32_t &value : second) value = any(random);
      expect_sum_of_parts(first, second);
    }
  }
}

TEST(Quantizer, NothingIsCarriedBetweenTheHalvesForExtremeValues)
{
  for (int nsums : {1, 2, 3, 7, 12, 1000}) {
    const std::int32_t most = MOST / nsums;
    for (std::int32_t a : {-most, -1, 0, 1, most})
      for (std::int32_t b : {-most, -1, 0, 1, most})
        expect_sum_of_parts(std::vector<std::int32_t>(nsums, a),
                            std::vector<std::int32_t>(nsums, b));
  }
}

/** The number of values may be odd. */
template <class Real> void expect_rounded_values()
{
  std::mt19937 random(6);
  std::uniform_real_distribution<Real> uniform(-100, 100);
  for (std::size_t n : {0, 1, 2, 3, 8, 37}) {
    std::vector<Real> values(n), found(n);
    for (Real &value : values) value = uniform(random);
    const Quantizer quantizer(1e7, 2);
    std::vector<std::uint64_t> words(words_of(n));
    ASSERT_TRUE(quantizer.pack(values.data(), n, words.data()));
    quantizer.unpack(words.data(), n, found.data());
    for (std::size_t i = 0; i < n; i++)
      EXPECT_NEAR(found[i], values[i], 0.5e-7 + 100 * std::numeric_limits<Real>::epsilon());
  }
}

TEST(Quantizer, ValuesAreRoundedToTheNearest)
{
  expect_rounded_values<double>();
  expect_rounded_values<float>();
}

/** The largest accepted values are those whose sum is still an integer of 32 bits. */
TEST(Quantizer, WhatCouldOverflowIsRefusedAndNothingElse)
{
  for (int nsums : {1, 2, 3, 5, 12, 1000}) {
    const Quantizer quantizer(1.0, nsums);
    const double most = MOST / nsums;
    std::uint64_t word;
    for (double sign : {-1.0, 1.0})
      for (int at : {0, 1}) {
        double values[2] = {0.0, 0.0};
        values[at] = sign * (most + 0.499);
        ASSERT_TRUE(quantizer.pack(values, 2, &word)) << nsums;
        EXPECT_EQ(at ? Quantizer::second_of(word) : Quantizer::first_of(word), sign * most);
        values[at] = sign * (most + 0.5);
        EXPECT_FALSE(quantizer.pack(values, 2, &word)) << nsums;
        EXPECT_FALSE(quantizer.pack(values + at, 1, &word)) << nsums;
      }
  }
}

TEST(Quantizer, WhatIsNotFiniteIsRefusedAndFound)
{
  const Quantizer quantizer(1e7, 4);
  for (double bad :
       {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN(), 1e300, -60.0}) {
    const std::vector<double> values{1.0, -53.0, bad, 2.0, 53.0};
    std::vector<std::uint64_t> words(3);
    EXPECT_FALSE(quantizer.pack(values.data(), values.size(), words.data())) << bad;
    const double worst = quantizer.worst(values.data(), values.size());
    EXPECT_EQ(std::memcmp(&worst, &bad, sizeof(bad)), 0) << bad;
  }
}

// ---- sums over a row

struct RowCase {
  ReductionChain chain;
  std::vector<int> ranks;    // ranks of the row, out of 12
  std::vector<int> cuts;
  std::size_t nvalues;
};

/** Rows of all chains and of several sizes, also with more ranks than outputs. */
std::vector<RowCase> rows()
{
  std::vector<RowCase> all;
  for (ReductionChain chain :
       {ReductionChain::DIRECT, ReductionChain::RING, ReductionChain::GATES}) {
    all.push_back({chain, {3}, {0, 4}, 3});
    all.push_back({chain, {7, 2}, {0, 3, 5}, 3});
    all.push_back({chain, {0, 4, 8}, {0, 0, 5, 9}, 1});
    all.push_back({chain, {1, 2, 3, 4, 5}, {0, 1, 1, 1, 2, 3}, 700});
    all.push_back({chain,
                   {11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0},
                   {0, 1, 2, 3, 5, 7, 9, 10, 11, 12, 13, 14, 15},
                   5});
  }
  return all;
}

class ReductionOf : public testing::TestWithParam<RowCase> {
 protected:
  /** Call body(reduction, place in the row, rank) on each rank of the row. */
  template <class T, class Body> void on_row(bool marked, std::uint64_t seed, const Body &body)
  {
    const RowCase &c = GetParam();
    on_threads(12, [&](Bootstrap &bootstrap, SharedMemory &memory) {
      const int rank = bootstrap.rank();
      std::vector<std::size_t> nbytes(12, 0);
      const auto found = std::find(c.ranks.begin(), c.ranks.end(), rank);
      const int me = static_cast<int>(found - c.ranks.begin());
      std::unique_ptr<Reduction<T>> reduction;
      if (found != c.ranks.end()) {
        reduction = make_reduction<T>(c.chain, {c.ranks, me});
        reduction->add_traffic(c.cuts.data(), c.nvalues, marked, nbytes);
      }
      TransportOptions options;
      options.shuffle_seed = seed;
      auto transport = connect_mesh(bootstrap, memory, nbytes, options);
      if (!reduction) return;
      reduction->bind(*transport);
      body(*reduction, me, rank);
      transport->settle(Transport::ALL_LANES);
    });
  }

  std::size_t noutputs() const { return GetParam().cuts.back() * GetParam().nvalues; }

  std::size_t nmine(int me) const
  {
    return (GetParam().cuts[me + 1] - GetParam().cuts[me]) * GetParam().nvalues;
  }
};

template <class T> T part_of(int rank, std::size_t output)
{
  return static_cast<T>((rank + 1) * 100 + output % 97);
}

/** The sum runs three times, since slots are used again. */
TEST_P(ReductionOf, OwnersGetTheSumsOfTheirOutputs)
{
  const RowCase &c = GetParam();
  on_row<std::uint64_t>(false, 0, [&](Reduction<std::uint64_t> &reduction, int me, int rank) {
    std::vector<std::uint64_t> partial(noutputs()), mine(nmine(me));
    for (std::size_t i = 0; i < partial.size(); i++) partial[i] = part_of<std::uint64_t>(rank, i);
    for (int repeat = 0; repeat < 3; repeat++) {
      std::fill(mine.begin(), mine.end(), 1);
      reduction.sum(c.cuts.data(), c.nvalues, partial.data(), mine.data(), nullptr);
      for (std::size_t i = 0; i < mine.size(); i++) {
        std::uint64_t expected = 0;
        for (int other : c.ranks)
          expected += part_of<std::uint64_t>(other, c.cuts[me] * c.nvalues + i);
        EXPECT_EQ(mine[i], expected) << i;
      }
    }
  });
}

/** The mark of the lowest rank reaches all ranks, also those without outputs, and the next sum has
    no mark. */
TEST_P(ReductionOf, AllRanksGetTheMarkOfTheLowest)
{
  const RowCase &c = GetParam();
  const int lowest = *std::min_element(c.ranks.begin(), c.ranks.end());
  on_row<double>(true, 0, [&](Reduction<double> &reduction, int me, int rank) {
    const std::vector<double> partial(noutputs(), 1.0);
    std::vector<double> mine(nmine(me));
    for (int who : {c.ranks.back(), -1, lowest}) {
      ReductionMark mark;
      if (rank == who || rank == c.ranks.back()) mark = {rank, 2, 0.5 * rank};
      if (who < 0) mark = ReductionMark();
      reduction.sum(c.cuts.data(), c.nvalues, partial.data(), mine.data(), &mark);
      EXPECT_EQ(mark.set(), who >= 0);
      if (mark.set()) {
        EXPECT_EQ(mark.rank, who);
        EXPECT_EQ(mark.place, 2);
        EXPECT_EQ(mark.value, 0.5 * who);
      }
      for (double sum : mine) EXPECT_EQ(sum, c.ranks.size());
    }
    ReductionMark alone;
    if (me == 0) alone = {rank, 1, 4.0};
    reduction.sum(c.cuts.data(), 0, nullptr, nullptr, &alone);
    EXPECT_EQ(alone.rank, c.ranks[0]);
  });
}

/** Numbers whose sum depends on the order. */
TEST_P(ReductionOf, SumsAreBitwiseTheSameHoweverMessagesArrive)
{
  const RowCase &c = GetParam();
  std::vector<std::vector<float>> found(2 * c.ranks.size());
  for (int run = 0; run < 2; run++)
    on_row<float>(false, run ? 23 : 0, [&](Reduction<float> &reduction, int me, int rank) {
      std::mt19937 random(rank);
      std::uniform_real_distribution<float> uniform(-1, 1);
      std::vector<float> partial(noutputs()), &mine = found[run * c.ranks.size() + me];
      for (float &value : partial) value = uniform(random) * static_cast<float>(1 << random() % 20);
      mine.resize(nmine(me));
      reduction.sum(c.cuts.data(), c.nvalues, partial.data(), mine.data(), nullptr);
    });
  for (std::size_t me = 0; me < c.ranks.size(); me++)
    EXPECT_EQ(found[me], found[c.ranks.size() + me]);
}

INSTANTIATE_TEST_SUITE_P(Rows, ReductionOf, testing::ValuesIn(rows()), [](const auto &info) {
  const ReductionChain chain = info.param.chain;
  return std::string(chain == ReductionChain::DIRECT     ? "Direct"
                         : chain == ReductionChain::RING ? "Ring"
                                                         : "Gates") +
      std::to_string(info.param.ranks.size());
});

}    // namespace
