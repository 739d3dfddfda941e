// SPDX-License-Identifier: GPL-2.0-only
//
// Images of a rank's own atoms, made in one pass, are those of its swaps with itself one after the
// other.  Numbers are small integers, so that sums are exact in every order.

#include "unit/testing.h"

#include "halo/self_images.h"

using namespace TOFU_NS;

namespace {

/** A rank with atoms and stages of swaps, with itself or with another rank. */
struct Rank {
  int nlocal;
  HaloPlan plan;
  SendLists lists;
  std::vector<int> firstrecv, nrecv;
  std::vector<bool> from_others;    // [nall] ghosts of other ranks
  int nall;

  const HaloSwap &swap(int i) const { return plan.swaps[i]; }
  bool own(int i) const { return plan.swaps[i].sendproc == 0; }
};

/** Indices below n, ascending: all, a range, or some. */
std::vector<int> some_of(int n, std::mt19937 &random)
{
  std::vector<int> list;
  const int form = random() % 4;
  const int from = form == 0 ? 0 : random() % (n + 1);
  const int to = form == 0 ? n : from + random() % (n - from + 1);
  for (int i = from; i < to; i++)
    if (form < 2 || random() % 3) list.push_back(i);
  return list;
}

Rank random_rank(std::mt19937 &random)
{
  Rank rank;
  rank.nlocal = rank.nall = random() % 6;
  rank.from_others.assign(rank.nlocal, false);
  rank.lists.clear();
  const int nstages = 1 + random() % 5, with_others = random() % 3;
  for (int s = 0; s < nstages; s++) {
    HaloStage stage;
    const int known = rank.nall;    // swaps of one stage do not see each other's ghosts
    stage.first = stage.last = static_cast<int>(rank.plan.swaps.size());
    for (int n = random() % 4; n > 0; n--) {
      const int i = stage.last++;
      HaloSwap swap;
      const bool own = with_others == 0 || random() % 2;
      swap.sendproc = swap.recvproc = own ? 0 : 1;
      for (int dim = 0; dim < 3; dim++) swap.pbc[dim] = static_cast<int>(random() % 3) - 1;
      rank.plan.swaps.push_back(swap);
      int nrecv = random() % 5;
      if (own) {
        stage.self.push_back(i);
        const auto list = some_of(known, random);
        for (const int index : list) rank.lists.add(index);
        nrecv = static_cast<int>(list.size());
      } else {
        stage.peers.assign(1, {1, {}, {}});
      }
      rank.lists.finish_swap();
      rank.firstrecv.push_back(rank.nall);
      rank.nrecv.push_back(nrecv);
      rank.nall += nrecv;
      rank.from_others.resize(rank.nall, !own);
    }
    rank.plan.stages.push_back(stage);
  }
  return rank;
}

std::vector<double> random_numbers(int n, std::mt19937 &random)
{
  std::vector<double> numbers(3 * n);
  for (double &number : numbers) number = random() % 1000;
  return numbers;
}

constexpr SelfImages::Box TRICLINIC = {{{16, 0, 0}, {4, 32, 0}, {-8, 2, 64}}};

/** Forward positions, one swap after the other. */
void forward_plainly(const Rank &rank, std::vector<double> &x)
{
  for (std::size_t i = 0; i < rank.plan.swaps.size(); i++) {
    if (!rank.own(i)) continue;
    for (int k = 0; k < rank.lists.count(i); k++)
      for (int d = 0; d < 3; d++) {
        double &ghost = x[3 * (rank.firstrecv[i] + k) + d];
        ghost = x[3 * rank.lists.list(i)[k] + d];
        for (int dim = 0; dim < 3; dim++) ghost += rank.swap(i).pbc[dim] * TRICLINIC[dim][d];
      }
  }
}

void reverse_plainly(const Rank &rank, std::vector<double> &f)
{
  for (int i = static_cast<int>(rank.plan.swaps.size()) - 1; i >= 0; i--) {
    if (!rank.own(i)) continue;
    for (int k = 0; k < rank.lists.count(i); k++)
      for (int d = 0; d < 3; d++)
        f[3 * rank.lists.list(i)[k] + d] += f[3 * (rank.firstrecv[i] + k) + d];
  }
}

/** The atoms as shares of some parts, in any order. */
std::vector<ImageSources> shares_of(int nall, std::mt19937 &random)
{
  std::vector<ImageSources> shares(1);
  for (int first = 1; first < nall; first++) {
    if (random() % 4) continue;
    shares.back().last = first;
    shares.emplace_back();
    shares.back().first = first;
  }
  std::shuffle(shares.begin(), shares.end(), random);
  return shares;
}

}    // namespace

TEST(SelfImages, AreThoseOfSwapAfterSwapWhateverTheListsAndTheStages)
{
  std::mt19937 random(4711);
  SelfImages images;    // this object is used repeatedly, as at every build of lists
  int nghosts = 0;
  for (int time = 0; time < 3000; time++) {
    const Rank rank = random_rank(random);
    const bool in_turn = time % 2;
    images.build(rank.plan, rank.lists, rank.firstrecv, in_turn);
    ASSERT_EQ(images.in_turn(), in_turn);
    const auto shares = [&]() {
      return in_turn ? std::vector<ImageSources>(1) : shares_of(rank.nall, random);
    };
    nghosts += rank.nall - rank.nlocal;

    std::vector<double> expected = random_numbers(rank.nall, random), found = expected;
    forward_plainly(rank, expected);
    for (const HaloStage &stage : rank.plan.stages)
      for (const int swap : stage.self)
        for (const ImageSources &share : shares())
          images.forward(swap, TRICLINIC, found.data(), share);
    ASSERT_EQ(found, expected) << "positions, case " << time;

    std::vector<double> expected_f = random_numbers(rank.nall, random), found_f = expected_f;
    reverse_plainly(rank, expected_f);
    for (auto stage = rank.plan.stages.rbegin(); stage != rank.plan.stages.rend(); ++stage)
      for (const int swap : stage->self)
        for (const ImageSources &share : shares()) images.reverse(swap, found_f.data(), share);
    for (int i = 0; i < rank.nall; i++) {
      if (i >= rank.nlocal && !rank.from_others[i]) continue;    // its value is not used any more
      for (int d = 0; d < 3; d++)
        ASSERT_EQ(found_f[3 * i + d], expected_f[3 * i + d])
            << "force on " << i << ", case " << time;
    }
  }
  EXPECT_GT(nghosts, 10000);
}
