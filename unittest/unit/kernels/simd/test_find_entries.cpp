// SPDX-License-Identifier: GPL-2.0-only

#include "instruction_sets.h"

#include "kernels/simd/find_entries.h"

using namespace TOFU_NS;

namespace {

constexpr int PADDING = 64;    // of rows, with wanted atoms in it, which do not count

std::vector<int> places_in(const std::vector<int> &row, const std::vector<int> &wanted)
{
  std::vector<int> places;
  for (int k = 0; k < static_cast<int>(row.size()); k++)
    if (std::count(wanted.begin(), wanted.end(), row[k])) places.push_back(k);
  return places;
}

void expect_places(std::vector<int> row, const std::vector<int> &wanted)
{
  const std::vector<int> expected = places_in(row, wanted);
  const int n = static_cast<int>(row.size());
  row.resize(n + PADDING, wanted.empty() ? 0 : wanted[0]);
  TOFU_TEST::for_each_instruction_set([&] {
    std::vector<int> places(n + 1, -1);
    places.resize(
        find_entries(row.data(), n, wanted.data(), static_cast<int>(wanted.size()), places.data()));
    EXPECT_EQ(places, expected) << n << " entries, " << wanted.size() << " wanted";
  });
}

}    // namespace

TEST(FindEntries, FindsAllPlacesInAscendingOrderInRowsOfAnyLength)
{
  std::mt19937 random(5);
  for (int n = 0; n < 150; n++)
    for (int nwanted : {0, 1, 2, 7, 40}) {
      std::vector<int> row(n), wanted(nwanted);
      for (int &j : row) j = static_cast<int>(random() % 200);
      for (int &j : wanted) j = static_cast<int>(random() % 200);
      expect_places(row, wanted);
    }
}

TEST(FindEntries, FindsOneAtEveryPlaceAndNoneBehindTheRow)
{
  for (int n : {1, 4, 16, 33})
    for (int place = 0; place < n; place++) {
      std::vector<int> row(n, 3);
      row[place] = 5;
      expect_places(row, {9, 5});
    }
}
