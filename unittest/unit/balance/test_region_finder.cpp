// SPDX-License-Identifier: GPL-2.0-only
//
// The atoms around those that a donor hands over, against a search over all pairs, in boxes of any
// tilt; and distances of atoms from a sub-box.

#include "unit/testing.h"

#include "balance/sub_box.h"
#include "balance/transfer/region_finder.h"
#include "balance/transfer/transfer_selection.h"

using namespace TOFU_NS;

namespace {

using Vector = std::array<double, 3>;

/** A box with a tilt, and atoms in it. */
class Box {
 public:
  std::vector<double> x;    // [natoms][3]

  Box(const Vector &lengths, const Vector &tilt, unsigned seed) :
      random(seed), lengths_(lengths), tilt_(tilt)
  {
    for (double &one : lo_) one = uniform() * 20.0 - 10.0;
  }

  double uniform() { return std::uniform_real_distribution<double>(0.0, 1.0)(random); }

  Vector place(const Vector &fraction) const
  {
    const auto &[xy, xz, yz] = tilt_;
    return {lo_[0] + lengths_[0] * fraction[0] + xy * fraction[1] + xz * fraction[2],
            lo_[1] + lengths_[1] * fraction[1] + yz * fraction[2],
            lo_[2] + lengths_[2] * fraction[2]};
  }

  /** The metric of the box, as in Domain::h_inv. */
  BoxMetric metric() const
  {
    const auto &[lx, ly, lz] = lengths_;
    const auto &[xy, xz, yz] = tilt_;
    return {lo_,
            lengths_,
            {1.0 / lx, 1.0 / ly, 1.0 / lz, -yz / (ly * lz), (xy * yz - ly * xz) / (lx * ly * lz),
             -xy / (lx * ly)}};
  }

  /** Put atoms into a part of the box, which may extend beyond the box. */
  void fill(int natoms, double from, double to)
  {
    for (int n = 0; n < natoms; n++) {
      Vector fraction;
      for (double &one : fraction) one = from + (to - from) * uniform();
      for (double one : place(fraction)) x.push_back(one);
    }
  }

  int natoms() const { return static_cast<int>(x.size() / 3); }

  double distance(int i, int j) const
  {
    return std::hypot(x[3 * i] - x[3 * j], x[3 * i + 1] - x[3 * j + 1],
                      x[3 * i + 2] - x[3 * j + 2]);
  }

  std::vector<double> squares_from(const SubBox &sub_box) const
  {
    std::vector<double> squares(natoms());
    find_squares(metric(), x.data(), natoms(), sub_box, squares.data());
    return squares;
  }

  SubBox random_sub_box()
  {
    SubBox box;
    for (int dim = 0; dim < 3; dim++) {
      box.lo[dim] = uniform() * 2.0 - 1.0;
      box.hi[dim] = box.lo[dim] + 0.1 + uniform();
    }
    return box;
  }

  std::mt19937 random;

 private:
  Vector lo_{}, lengths_, tilt_;
};

struct Shape {
  const char *name;
  Vector lengths, tilt;    // xy, xz, yz
};

const std::vector<Shape> SHAPES = {{"Orthogonal", {5.0, 6.0, 7.0}, {0.0, 0.0, 0.0}},
                                   {"Flat", {20.0, 20.0, 1.0}, {0.0, 0.0, 0.0}},
                                   {"TiltedInOnePlane", {6.0, 5.0, 4.0}, {2.5, 0.0, 0.0}},
                                   {"Tilted", {6.0, 5.0, 4.0}, {-2.0, 1.5, 2.5}},
                                   {"TiltedFar", {6.0, 5.0, 4.0}, {6.0, -9.0, 5.0}}};

class BoxOf : public testing::TestWithParam<Shape> {
 protected:
  Box box(unsigned seed) const { return {GetParam().lengths, GetParam().tilt, seed}; }
};

std::string name(const testing::TestParamInfo<Shape> &info)
{
  return info.param.name;
}

}    // namespace

TEST_P(BoxOf, AllAtomsNearGivenOnesAreFound)
{
  RegionFinder finder;
  for (unsigned seed = 0; seed < 60; seed++) {
    Box box = this->box(seed);
    const int nlocal = 1 + seed * 3;
    box.fill(nlocal, 0.0, 1.0);
    box.fill(200, -0.4, 1.4);
    const std::vector<double> squares = box.squares_from(box.random_sub_box());
    TransferSelection selection;
    selection.begin(nlocal);
    selection.give_nearest(0, 1 + nlocal * (seed % 4) / 4, squares.data());
    const std::vector<int> &given = selection.atoms();
    const double cutoff = 0.1 + 2.0 * box.uniform();
    finder.find(squares, box.x.data(), given.data(), static_cast<int>(given.size()), cutoff,
                box.metric().stretch());

    const std::vector<int> &found = finder.atoms();
    ASSERT_TRUE(std::is_sorted(found.begin(), found.end()));
    for (int i = 0; i < box.natoms(); i++) {
      const bool near = std::any_of(given.begin(), given.end(),
                                    [&](int k) { return box.distance(i, k) <= cutoff; });
      if (near) ASSERT_TRUE(std::binary_search(found.begin(), found.end(), i)) << "seed " << seed;
    }
  }
}

TEST_P(BoxOf, FractionsLeadBackToTheirPlace)
{
  for (unsigned seed = 0; seed < 20; seed++) {
    Box box = this->box(seed);
    const Vector fraction = {box.uniform(), box.uniform() - 1.0, 3.0 * box.uniform()};
    double found[3];
    box.metric().find_fraction(box.place(fraction).data(), found);
    for (int dim = 0; dim < 3; dim++) EXPECT_NEAR(found[dim], fraction[dim], 1e-12);
  }
}

TEST_P(BoxOf, NoDistanceIsStretchedByMore)
{
  Box box = this->box(1);
  const BoxMetric metric = box.metric();
  box.fill(200, 0.0, 1.0);
  double most = 0.0;
  for (int i = 0; i < box.natoms(); i++)
    for (int j = 0; j < i; j++) {
      double from[3], to[3], sum = 0.0;
      metric.find_fraction(&box.x[3 * i], from);
      metric.find_fraction(&box.x[3 * j], to);
      for (int dim = 0; dim < 3; dim++)
        sum += std::pow((from[dim] - to[dim]) * metric.lengths[dim], 2);
      most = std::max(most, std::sqrt(sum) / box.distance(i, j));
    }
  EXPECT_LE(most, metric.stretch() * (1.0 + 1e-12));
  EXPECT_GE(most, metric.stretch() / 1.5);
}

INSTANTIATE_TEST_SUITE_P(Shapes, BoxOf, testing::ValuesIn(SHAPES), name);

TEST(RegionFinder, LeavesOutWhatIsFartherFromTheSubBoxThanGivenAtomsAndTheirReach)
{
  const std::vector<double> squares{0.0, 9.0, 4.0, 24.9, 25.1, 1e300}, x(3 * squares.size());
  const std::vector<int> given{0, 2};
  RegionFinder finder;
  finder.find(squares, x.data(), given.data(), 2, 3.0, 1.0);
  EXPECT_EQ(finder.atoms(), (std::vector<int>{0, 1, 2, 3}));
  finder.find(squares, x.data(), given.data(), 2, 1.0, 3.0);
  EXPECT_EQ(finder.atoms(), (std::vector<int>{0, 1, 2, 3}));
}

TEST(RegionFinder, LeavesOutWhatIsFartherFromTheBoxAroundGivenAtomsThanTheirReach)
{
  for (int dim = 0; dim < 3; dim++) {
    const std::vector<double> along{-4.1, -3.9, -1.0, 0.0, 2.0, 4.9, 5.1}, squares(along.size());
    std::vector<double> x(3 * along.size());
    for (std::size_t i = 0; i < along.size(); i++) x[3 * i + dim] = along[i];
    const std::vector<int> given{2, 4};
    RegionFinder finder;
    finder.find(squares, x.data(), given.data(), 2, 3.0, 1.0);
    EXPECT_EQ(finder.atoms(), (std::vector<int>{1, 2, 3, 4, 5}));
  }
}

TEST(RegionFinder, FindsNothingAroundNothing)
{
  const std::vector<double> squares{0.0, 1.0};
  RegionFinder finder;
  finder.find(squares, nullptr, nullptr, 0, 3.0, 1.0);
  EXPECT_TRUE(finder.atoms().empty());
  finder.find({}, nullptr, nullptr, 0, 3.0, 1.0);
  EXPECT_TRUE(finder.atoms().empty());
}

TEST(SquareFrom, IsFiniteIfAPlaceIsNoNumber)
{
  Box box({5.0, 6.0, 7.0}, {0.0, 0.0, 0.0}, 1);
  box.fill(20, 0.0, 1.0);
  box.x[3 * 7 + 1] = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> squares = box.squares_from({{0.0, 0.0, 0.0}, {0.1, 0.1, 0.1}});
  EXPECT_TRUE(std::all_of(squares.begin(), squares.end(),
                          [](double square) { return std::isfinite(square); }));
  EXPECT_EQ(std::max_element(squares.begin(), squares.end()) - squares.begin(), 7);
}

TEST(BoxMetric, StretchesNothingWithoutATilt)
{
  EXPECT_DOUBLE_EQ(Box({5.0, 6.0, 7.0}, {0.0, 0.0, 0.0}, 1).metric().stretch(), 1.0);
}

TEST(SquareFrom, CountsFromTheNearestPlaceOfTheSubBox)
{
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1.0, 2.0);
  const Vector lengths{3.0, 5.0, 7.0};
  const SubBox box{{0.0, 0.25, 0.5}, {0.5, 0.75, 1.0}};
  for (int n = 0; n < 1000; n++) {
    const Vector fraction{uniform(random), uniform(random), uniform(random)};
    double sum = 0.0;
    for (int dim = 0; dim < 3; dim++) {
      const double inside = std::clamp(fraction[dim], box.lo[dim], box.hi[dim]);
      sum += std::pow((fraction[dim] - inside) * lengths[dim], 2);
    }
    EXPECT_NEAR(square_from(fraction.data(), box, lengths), sum, 1e-12);
  }
}
