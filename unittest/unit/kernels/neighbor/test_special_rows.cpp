// SPDX-License-Identifier: GPL-2.0-only
//
// Atoms with special bonds in rows of neighbor lists, against the definition pair by pair.

#include "unit/testing.h"

#include "kernels/neighbor/special_rows.h"

using namespace TOFU_NS;

namespace {

using Tag = std::int64_t;
using Bonds = SpecialBonds<Tag>;

/** Atoms at random places, some of which are images of others, with random special bonds. */
class System {
 public:
  static constexpr int NOWNED = 150, NALL = 400;

  explicit System(unsigned seed) : draw_(seed), tags_(NALL), sametag_(NALL, -1), x_(3 * NALL)
  {
    for (int i = 0; i < NALL; i++) tags_[i] = i < NOWNED ? i + 1 : 1 + draw_() % (NOWNED + 50);
    for (int i = NALL - 1; i >= 0; i--) {    // the lowest index is found first
      const auto found = first_.find(tags_[i]);
      if (found != first_.end()) sametag_[i] = found->second;
      first_[tags_[i]] = i;
    }
    for (double &coordinate : x_) coordinate = 1e-3 * (draw_() % 4000);
    ids_.resize(NOWNED);
    ends_.assign(NOWNED, std::vector<int>(3));
    for (int i = 0; i < NOWNED; i++) {
      std::set<Tag> others;
      for (int level = 0; level < 3; level++) {
        for (unsigned n = draw_() % 5; n > 0; n--) {
          const Tag id = 1 + draw_() % (NOWNED + 60);    // some have been deleted
          if (id != tags_[i] && others.insert(id).second) ids_[i].push_back(id);
        }
        ends_[i][level] = static_cast<int>(ids_[i].size());
      }
      id_rows_.push_back(ids_[i].data());
      end_rows_.push_back(ends_[i].data());
    }
  }

  SpecialRows<Tag> rows(const std::array<int, 4> &effects)
  {
    SpecialRows<Tag> rows;
    rows.bonds.ids = id_rows_.data();
    rows.bonds.ends = end_rows_.data();
    rows.bonds.set_effects(effects.data());
    rows.tags = tags_.data();
    rows.sametag = sametag_.data();
    rows.x = x_.data();
    rows.highest = NOWNED + 50;
    rows.index_of = [this](Tag id) {
      EXPECT_LE(id, NOWNED + 50);
      const auto found = first_.find(id);
      return found == first_.end() ? -1 : found->second;
    };
    return rows;
  }

  /** As SpecialBonds::kind(), by the lists themselves. */
  int kind(int i, Tag id, const std::array<int, 4> &effects) const
  {
    const auto place = std::find(ids_[i].begin(), ids_[i].end(), id) - ids_[i].begin();
    for (int level = 1; level <= 3; level++)
      if (place < ends_[i][level - 1])
        return effects[level] == Bonds::NOT_LISTED ? -1 : effects[level] == Bonds::NONE ? 0 : level;
    return 0;
  }

  std::vector<int> random_row(int i, int n, double reach)
  {
    std::vector<int> row;
    for (int j = 0; j < NALL; j++)
      if (j != i && distance(i, j) <= reach) row.push_back(j);
    std::shuffle(row.begin(), row.end(), draw_);
    if (static_cast<int>(row.size()) > n) row.resize(n);
    return row;
  }

  Tag tag(int i) const { return tags_[i]; }

 private:
  std::mt19937 draw_;
  std::vector<Tag> tags_;
  std::vector<int> sametag_;
  std::vector<double> x_;
  std::map<Tag, int> first_;
  std::vector<std::vector<Tag>> ids_;
  std::vector<std::vector<int>> ends_;
  std::vector<const Tag *> id_rows_;
  std::vector<const int *> end_rows_;

  double distance(int i, int j) const
  {
    double square = 0.0;
    for (int dim = 0; dim < 3; dim++) {
      const double d = x_[3 * i + dim] - x_[3 * j + dim];
      square += d * d;
    }
    return std::sqrt(square);
  }
};

const std::vector<std::array<int, 4>> EFFECTS = {{0, 2, 2, 2}, {0, 0, 0, 2}, {0, 0, 0, 0},
                                                 {0, 2, 1, 0}, {0, 0, 2, 1}, {0, 1, 1, 1}};

}    // namespace

TEST(SpecialRows, HaveTheAtomsThatStayInOrderAndTheOthersWithTheirLevels)
{
  constexpr double REACH = 2.5;
  SpecialScratch scratch;
  int nspecial = 0, nlong = 0;
  for (unsigned seed = 0; seed < 20; seed++) {
    System system(seed);
    for (const auto &effects : EFFECTS)
      for (bool images : {false, true}) {
        SpecialRows<Tag> rows = system.rows(effects);
        if (!rows.any()) continue;
        const auto is_image = [](int i, int j) {
          return (i + j) % 3 == 0;
        };
        if (images) rows.is_other_image = is_image;
        for (int i = 0; i < System::NOWNED; i += 7) {
          std::vector<int> row = system.random_row(i, i % 2 ? 50 : 300, REACH);
          const int n = static_cast<int>(row.size());
          std::vector<int> stay, special;
          for (int j : row) {
            const int kind = system.kind(i, system.tag(j), effects);
            if (kind == 0 || (images && is_image(i, j)))
              stay.push_back(j);
            else if (kind > 0)
              special.push_back(j ^ (kind << SPECIAL_SHIFT));
          }
          nspecial += static_cast<int>(special.size());
          nlong += n >= SpecialRows<Tag>::LONG_ROW;
          row.resize(n + 16);
          const int nstay = rows.split(i, REACH, row, n, scratch);
          row.resize(nstay);
          ASSERT_EQ(row, stay) << "seed " << seed << ", atom " << i;
          ASSERT_EQ(scratch.special, special) << "seed " << seed << ", atom " << i;
        }
      }
  }
  EXPECT_GT(nspecial, 1000);
  EXPECT_GT(nlong, 100);
}

TEST(SpecialRows, ShowAllHigherAtomsWithABondThatHasAnEffect)
{
  System system(4711);
  for (const auto &effects : EFFECTS) {
    const SpecialRows<Tag> rows = system.rows(effects);
    for (int i = 0; i < System::NOWNED; i++) {
      std::set<std::pair<int, int>> expected, found;
      for (int j = i + 1; j < System::NALL; j++)
        if (const int kind = system.kind(i, system.tag(j), effects))
          expected.insert({j, std::max(kind, 0)});
      rows.for_higher(i, [&](int atom, int j, int kind) {
        EXPECT_EQ(atom, i);
        EXPECT_TRUE(found.insert({j, kind}).second) << "twice";
      });
      ASSERT_EQ(found, expected) << "atom " << i;
    }
  }
}
