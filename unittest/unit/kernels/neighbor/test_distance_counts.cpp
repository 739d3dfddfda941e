// SPDX-License-Identifier: GPL-2.0-only
//
// Counts of distances are those of a loop over pairs, for all kinds of atoms and bonds, and also
// where a distance is at the border of two bins.

#include "kernels/neighbor/distance_counts.h"

#include "unit/kernels/simd/instruction_sets.h"

#include <cstddef>

using namespace TOFU_NS;
using namespace TOFU_TEST;

namespace {

constexpr int SHIFT = 30, BITS = (1 << 29) - 1;

using Counts = std::vector<std::int64_t>;

/** Atoms with rows of any length; entries have the kind of a bond in their upper bits. */
struct System {
  std::vector<double> x;
  std::vector<std::vector<int>> rows;
  std::vector<int> atoms, nentries, kinds;
  std::vector<const int *> entries;
  std::vector<int> classes;
  DistancePairs pairs;
  int nclasses = 1;

  /** \param step   of a lattice of positions; 0: they are anywhere */
  System(int natoms, int longest, int nbins, double step)
  {
    std::mt19937 random(natoms + longest);
    std::uniform_real_distribution<double> any(0.0, 6.0);
    for (int k = 0; k < 3 * natoms; k++)
      x.push_back(step > 0.0 ? step * static_cast<int>(any(random) / step) : any(random));
    for (int i = 0; i < natoms; i++) {
      rows.emplace_back();
      for (int n = static_cast<int>(random() % (longest + 1)); n > 0; n--)
        rows.back().push_back(static_cast<int>(random() % natoms | random() % 4 << SHIFT));
      nentries.push_back(static_cast<int>(rows.back().size()));
      if (i % 5) atoms.push_back(i);    // not all have rows
    }
    for (const auto &row : rows) entries.push_back(row.data());
    pairs.x = x.data();
    pairs.atoms = atoms.data();
    pairs.entries = entries.data();
    pairs.nentries = nentries.data();
    pairs.index_bits = BITS;
    pairs.bond_shift = SHIFT;
    pairs.nbins = nbins;
    pairs.per_width = nbins / 4.0;
  }

  /** Three kinds in two classes; the pair of kinds 2 and 1 counts nowhere. */
  void set_kinds()
  {
    for (std::size_t i = 0; i < nentries.size(); i++) kinds.push_back(i % 7 % 3);
    classes = {-1, -1, -1, -1, 1, 0, -1, -1, 1};
    nclasses = 2;
    pairs.kinds = kinds.data();
    pairs.classes = classes.data();
    pairs.nkinds = 3;
  }

  Counts expected() const
  {
    Counts counts(nclasses * pairs.nbins, 0);
    for (int i : atoms)
      for (int entry : rows[i]) {
        const int j = entry & BITS, bond = entry >> SHIFT & 3;
        const int of_class = pairs.kinds ? classes[3 * kinds[i] + kinds[j]] : 0;
        if (of_class < 0 || !pairs.counts_bond[bond]) continue;
        const int bin = bin_of_distance(&x[3 * i], &x[3 * j], pairs.per_width, pairs.nbins);
        if (bin < pairs.nbins) counts[of_class * pairs.nbins + bin]++;
      }
    return counts;
  }

  /** In two shares of the rows, without what is beyond the last bin. */
  Counts found() const
  {
    const std::size_t stride = pairs.counts_of_class();
    Counts all(nclasses * stride, 0), counts;
    const int middle = static_cast<int>(atoms.size()) / 3;
    count_distances(pairs, 0, middle, all.data());
    count_distances(pairs, middle, static_cast<int>(atoms.size()), all.data());
    for (int of_class = 0; of_class < nclasses; of_class++)
      counts.insert(counts.end(), all.begin() + of_class * stride,
                    all.begin() + of_class * stride + pairs.nbins);
    return counts;
  }
};

class DistanceCounts : public TOFU_TEST::WithInstructionSet {};

}    // namespace

TEST_P(DistanceCounts, AreThoseOfALoopOverPairs)
{
  for (int longest : {1, 7, 40, 600}) {
    const System system(90, longest, 100, 0.0);
    EXPECT_EQ(system.found(), system.expected()) << longest;
  }
}

TEST_P(DistanceCounts, AreThoseOfALoopWhereDistancesAreBordersOfBins)
{
  const System system(90, 200, 80, 0.1);
  EXPECT_EQ(system.found(), system.expected());
}

TEST_P(DistanceCounts, DependOnKindsAndBonds)
{
  System system(80, 90, 50, 0.0);
  system.pairs.counts_bond[2] = false;
  EXPECT_EQ(system.found(), system.expected());
  system.set_kinds();
  EXPECT_EQ(system.found(), system.expected());
  for (bool &one : system.pairs.counts_bond) one = true;
  EXPECT_EQ(system.found(), system.expected());
}

TEST_P(DistanceCounts, LeaveOutAtomsThatAreNowhere)
{
  System system(60, 50, 100, 0.0);
  const double nowhere[] = {std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity(), 1e300};
  for (int k = 0; k < 3; k++) system.x[3 * (7 * k + 1)] = nowhere[k];
  EXPECT_EQ(system.found(), system.expected());
}

INSTANTIATE_FOR_INSTRUCTION_SETS(DistanceCounts);
