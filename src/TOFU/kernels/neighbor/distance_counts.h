// SPDX-License-Identifier: GPL-2.0-only
//
// Histograms of the distances of pairs of a neighbor list, for compute rdf.

#ifndef TOFU_KERNELS_DISTANCE_COUNTS_H
#define TOFU_KERNELS_DISTANCE_COUNTS_H

#include <cstddef>
#include <cstdint>

namespace TOFU_NS {

/** Pairs, and their classes.  Atoms have kinds, and a pair of kinds has a class.  Each class has a
    histogram of its own. */
struct DistancePairs {
  /** Counters of a class behind its bins, for pairs beyond the last bin: several, since consecutive
      additions to the same counter wait for each other. */
  static constexpr int BEYOND = 8;

  const double *x = nullptr;              // [natoms][3]
  const int *atoms = nullptr;             // [nrows] the first atom of the pairs of a row
  const int *const *entries = nullptr;    // [natoms] row of an atom: the second ones
  const int *nentries = nullptr;          // [natoms]

  int index_bits = -1;                               // mask of an entry: the atom
  int bond_shift = 0;                                // position of the two bits of the bond
  bool counts_bond[4] = {true, true, true, true};    // 0: none
  bool counts_all_bonds() const
  {
    return counts_bond[0] && counts_bond[1] && counts_bond[2] && counts_bond[3];
  }

  const int *kinds = nullptr;      // [natoms] 0: with no pair that counts; nullptr: all pairs
                                   // have class 0
  const int *classes = nullptr;    // [nkinds][nkinds] by first and second atom; negative: none
  int nkinds = 0;

  double per_width = 0.0;    // 1 / width of a bin
  int nbins = 0;

  std::size_t counts_of_class() const { return static_cast<std::size_t>(nbins) + BEYOND; }
};

/** The bin of a distance, at most nbins.  Not vectorised, so that compilers fuse products and sums
    as in LAMMPS. */
int bin_of_distance(const double *from, const double *to, double per_width, int nbins);

/** Count the pairs of rows [first, last).  Distances within rounding of the border of a bin get the
    bin of bin_of_distance().

    \param counts   [in, out] [nclasses][counts_of_class()] */
void count_distances(const DistancePairs &, int first, int last, std::int64_t *counts);

}    // namespace TOFU_NS

#endif
