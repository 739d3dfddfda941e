// SPDX-License-Identifier: GPL-2.0-only
//
// The atoms that a donor gives, and the atoms around them, against searches over all atoms.

#include "unit/testing.h"

#include "balance/transfer/donor_selection.h"

using namespace TOFU_NS;

namespace {

constexpr double LENGTH = 10.0, CUTOFF = 1.5;

/** A periodic cube whose middle half, from 2.5 to 7.5 along x, is the donor's sub-box; ghosts are
    around it.  The receivers have the quarters below and above. */
class Donor {
 public:
  static constexpr int BELOW = 3, ABOVE = 8;    // ranks

  Donor(int nlocal, int nghost, unsigned seed) : random_(seed)
  {
    for (int i = 0; i < nlocal; i++) add(between(2.5, 7.5));
    for (int i = 0; i < nghost; i++) add(i % 2 ? between(1.0, 2.5) : between(7.5, 9.0));
    state_.metric = {{0.0, 0.0, 0.0},
                     {LENGTH, LENGTH, LENGTH},
                     {1.0 / LENGTH, 1.0 / LENGTH, 1.0 / LENGTH, 0.0, 0.0, 0.0}};
    state_.periodicity = {1, 1, 1};
    state_.nlocal = nlocal;
    state_.nghost = nghost;
    state_.x = x.data();
  }

  const DonorState &state() const { return state_; }
  int nall() const { return static_cast<int>(x.size() / 3); }
  double distance(int i, int j) const
  {
    return std::hypot(x[3 * i] - x[3 * j], x[3 * i + 1] - x[3 * j + 1],
                      x[3 * i + 2] - x[3 * j + 2]);
  }

  std::vector<double> x;

 private:
  double between(double lo, double hi)
  {
    return std::uniform_real_distribution<double>(lo, hi)(random_);
  }
  void add(double along)
  {
    x.push_back(along);
    for (int dim = 1; dim < 3; dim++) x.push_back(between(0.0, LENGTH));
  }

  DonorState state_;
  std::mt19937 random_;
};

const SubBox LOW{{0.0, 0.0, 0.0}, {0.25, 1.0, 1.0}}, HIGH{{0.75, 0.0, 0.0}, {1.0, 1.0, 1.0}};

/** All atoms can be identified by their source but some ghosts. */
bool by_source(int i)
{
  return i % 3 != 1;
}

TEST(DonorSelection, GivesEachReceiverTheNearestAtomsOfThoseThatAreLeft)
{
  const Donor donor(200, 0, 1);
  DonorSelection selection;
  selection.begin(donor.state());
  selection.give_atoms(Donor::BELOW, LOW, 30);
  selection.give_atoms(Donor::ABOVE, HIGH, 50);
  selection.mark_given();

  ASSERT_EQ(selection.transfers().size(), 2U);
  EXPECT_EQ(selection.ngiven(), 80U);
  EXPECT_EQ(std::count(selection.given().begin(), selection.given().end(), 1), 80);
  for (const SelectedTransfer &transfer : selection.transfers()) {
    const bool below = selection.rank_of(transfer) == Donor::BELOW;
    EXPECT_EQ(transfer.natoms, below ? 30 : 50);
    EXPECT_EQ(selection.box_shift_of(transfer), (std::array<int, 3>{0, 0, 0}));
    double farthest = below ? 0.0 : LENGTH;
    for (int k = 0; k < transfer.natoms; k++) {
      const double at = donor.x[3 * selection.atoms_of(transfer)[k]];
      farthest = below ? std::max(farthest, at) : std::min(farthest, at);
    }
    for (int i = 0; i < 200; i++)
      if (!selection.given()[i])
        EXPECT_TRUE(below ? donor.x[3 * i] >= farthest : donor.x[3 * i] <= farthest) << i;
  }
}

TEST(DonorSelection, GivesRowsUpToTheirWork)
{
  const Donor donor(100, 0, 2);
  std::vector<std::int64_t> work(100, 10);
  for (int i = 0; i < 100; i += 2) work[i] = 0;    // atoms without a row stay
  DonorSelection selection;
  selection.begin(donor.state());
  selection.give_rows(Donor::BELOW, LOW, 200, work.data());
  selection.mark_given();
  EXPECT_EQ(selection.ngiven(), 20U);
  for (int i = 0; i < 100; i += 2) EXPECT_FALSE(selection.given()[i]) << i;
}

TEST(DonorSelection, ReachesReceiversThroughPeriodicBoundaries)
{
  Donor donor(50, 0, 3);
  for (int i = 0; i < 50; i++) donor.x[3 * i] -= 2.5;    // from 0 to 5: HIGH is below
  DonorSelection selection;
  selection.begin(donor.state());
  selection.give_atoms(Donor::ABOVE, HIGH, 10);
  ASSERT_EQ(selection.transfers().size(), 1U);
  EXPECT_EQ(selection.box_shift_of(selection.transfers()[0]), (std::array<int, 3>{1, 0, 0}));
}

TEST(DonorSelection, BeginsAnewWithoutAtoms)
{
  DonorSelection selection;
  selection.begin(Donor(20, 0, 4).state());
  selection.begin({});
  selection.give_atoms(Donor::BELOW, LOW, 5);
  selection.mark_given();
  EXPECT_TRUE(selection.transfers().empty());
  EXPECT_TRUE(selection.given().empty());
}

class DonorRegion : public testing::Test {
 protected:
  DonorRegion() : donor(300, 200, 5)
  {
    selection.begin(donor.state());
    selection.give_atoms(Donor::BELOW, LOW, 60);
    selection.give_atoms(Donor::ABOVE, HIGH, 200);
    selection.mark_given();
  }

  bool near(int i, const SelectedTransfer &transfer) const
  {
    const int *const given = selection.atoms_of(transfer);
    return std::any_of(given, given + transfer.natoms,
                       [&](int k) { return donor.distance(i, k) <= CUTOFF; });
  }

  bool is_in(int i, const SelectedTransfer &transfer) const
  {
    const int *const given = selection.atoms_of(transfer);
    return std::binary_search(given, given + transfer.natoms, i);
  }

  Donor donor;
  DonorSelection selection;
};

TEST_F(DonorRegion, HasEachNeighborOfAGivenAtomOnceForAFullList)
{
  selection.mark_seam(CUTOFF, true);
  for (const SelectedTransfer &transfer : selection.transfers()) {
    const TransferredRegion &region = selection.region_of(transfer, CUTOFF, true, by_source);
    std::multiset<int> atoms(region.given, region.given + region.ngiven);
    atoms.insert(region.owned.begin(), region.owned.end());
    atoms.insert(region.ghosts.begin(), region.ghosts.end());
    for (int i = 0; i < donor.nall(); i++) {
      EXPECT_LE(atoms.count(i), 1U) << i;
      if (near(i, transfer)) EXPECT_EQ(atoms.count(i), 1U) << i;
    }
  }
}

TEST_F(DonorRegion, HasKeptAtomsOfTheSeamThenThoseGivenElsewhere)
{
  selection.mark_seam(CUTOFF, false);
  EXPECT_GT(std::count(selection.seam().begin(), selection.seam().end(), 1), 0);
  for (const SelectedTransfer &transfer : selection.transfers()) {
    const TransferredRegion &region = selection.region_of(transfer, CUTOFF, true, by_source);
    std::set<int> owned(region.owned.begin(), region.owned.end());
    for (std::size_t n = 0; n < region.owned.size(); n++) {
      const int i = region.owned[n];
      EXPECT_EQ(static_cast<int>(n) < region.nseam, !selection.given()[i]) << i;
      if (static_cast<int>(n) < region.nseam) EXPECT_TRUE(selection.seam()[i]) << i;
    }
    for (int i = 0; i < 300; i++)
      if (near(i, transfer) && !is_in(i, transfer) && (selection.given()[i] || selection.seam()[i]))
        EXPECT_TRUE(owned.count(i)) << i;
  }
}

TEST_F(DonorRegion, HasGhostsThatTheirSourceIdentifiesBeforeTheOthers)
{
  selection.mark_seam(CUTOFF, false);
  for (const SelectedTransfer &transfer : selection.transfers()) {
    const TransferredRegion &region = selection.region_of(transfer, CUTOFF, true, by_source);
    const int nidentified =
        static_cast<int>(std::count_if(region.ghosts.begin(), region.ghosts.end(), by_source));
    EXPECT_GT(nidentified, 0);
    EXPECT_TRUE(std::is_partitioned(region.ghosts.begin(), region.ghosts.end(), by_source));
    EXPECT_EQ(region.nnamed, region.ngiven + static_cast<int>(region.owned.size()) + nidentified);
    EXPECT_EQ(selection.region_of(transfer, CUTOFF, false, by_source).nnamed, 0);
  }
}

}    // namespace
