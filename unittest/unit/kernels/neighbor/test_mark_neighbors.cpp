// SPDX-License-Identifier: GPL-2.0-only

// Blocks of atoms that rows of a list name, against a look at every entry.

#include "unit/kernels/simd/instruction_sets.h"

#include "kernels/neighbor/mark_neighbors.h"

using namespace TOFU_NS;

namespace {

constexpr int BLOCK = 16, NATOMS = 600;

/** Rows of any length, with kinds of bonds above the atoms. */
struct List {
  std::vector<int> owners, nneighbors;
  std::vector<std::vector<int>> entries;
  std::vector<const int *> first;
  std::vector<int> one_after_another;
  PairRows rows;

  /** Owners are from..from+n-1, or every second of as many more; neighbors are from low to high. */
  List(int from, int n, int every, int low, int high, std::mt19937 &random) :
      nneighbors(NATOMS, 0), entries(NATOMS), first(NATOMS, nullptr)
  {
    for (int k = 0; k < n; k++) {
      const int i = from + every * k;
      owners.push_back(i);
      nneighbors[i] = static_cast<int>(random() % 40);
      for (int m = 0; m < nneighbors[i]; m++) {
        const unsigned kind = random() % 4, atom = low + random() % (high - low);
        entries[i].push_back(static_cast<int>(kind << SPECIAL_SHIFT | atom));
      }
      entries[i].insert(entries[i].end(), ROW_PADDING, NATOMS);    // must not be marked
      first[i] = entries[i].data();
    }
    rows = {n, owners.data(), first.data(), nneighbors.data(), nullptr};
  }

  /** Let rows follow each other in memory, but for gaps of other numbers. */
  void join(std::mt19937 &random)
  {
    one_after_another.clear();
    std::vector<std::size_t> begins;
    for (int i : owners) {
      if (random() % 8 == 0) one_after_another.insert(one_after_another.end(), random() % 3, 0);
      begins.push_back(one_after_another.size());
      one_after_another.insert(one_after_another.end(), entries[i].begin(), entries[i].end());
    }
    for (std::size_t n = 0; n < owners.size(); n++)
      first[owners[n]] = one_after_another.data() + begins[n];
  }

  std::set<int> blocks(int begin, int end) const
  {
    std::set<int> blocks;
    for (int n = begin; n < end; n++) {
      const int i = owners[n];
      blocks.insert(i / BLOCK);
      for (int k = 0; k < nneighbors[i]; k++)
        blocks.insert(static_cast<int>((entries[i][k] & NEIGHBOR_MASK) / BLOCK));
    }
    return blocks;
  }
};

void expect_blocks(const List &list, int first, int last)
{
  TOFU_TEST::for_each_instruction_set([&] {
    std::vector<char> marked(NATOMS / BLOCK + 1, 0);
    mark_neighbors(list.rows, first, last, ROW_PADDING, NATOMS, BLOCK, marked.data());
    std::set<int> found;
    for (int block = 0; block < static_cast<int>(marked.size()); block++)
      if (marked[block]) found.insert(block);
    EXPECT_EQ(found, list.blocks(first, last)) << "rows " << first << " to " << last;
  });
}

}    // namespace

TEST(MarkNeighbors, AreTheBlocksThatRowsName)
{
  std::mt19937 random(4711);
  for (int time = 0; time < 20; time++) {
    List inside(100, 200, 1, 100, 300, random), around(100, 200, 1, 80, 330, random),
        elsewhere(100, 200, 1, 400, 600, random), gaps(100, 100, 3, 90, 420, random);
    for (List *list : {&inside, &around, &elsewhere, &gaps})
      for (bool joined : {false, true}) {
        if (joined) list->join(random);
        for (int first : {0, 37, 99})
          for (int last : {first, first + 1, 100, list->rows.nrows})
            expect_blocks(*list, first, last);
      }
  }
}

TEST(MarkNeighbors, InTheBlockOfTheAtomFarAway)
{
  std::mt19937 random(11);
  List list(0, 60, 1, 0, 60, random);
  for (int i : list.owners) {
    list.nneighbors[i] = i % 2;
    list.entries[i].assign(list.nneighbors[i], i == 51 ? NATOMS - 1 : i);
    list.entries[i].insert(list.entries[i].end(), ROW_PADDING, NATOMS);
  }
  list.join(random);
  for (int first = 40; first < 52; first++) expect_blocks(list, first, 60);
}
