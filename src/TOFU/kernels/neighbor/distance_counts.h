// SPDX-License-Identifier: GPL-2.0-only
//
// How many pairs of a neighbor list have which distance, as compute rdf wants to know.

#ifndef TOFU_KERNELS_DISTANCE_COUNTS_H
#define TOFU_KERNELS_DISTANCE_COUNTS_H

#include <cstddef>
#include <cstdint>

namespace TOFU_NS {

/** Pairs, and what decides where they are counted.  Atoms have kinds, and a pair of kinds has a
    class.  Each class has counts of its own. */
struct DistancePairs {
  /** Counts of a class behind its bins, for pairs beyond the last one: several, since a processor
      waits before it adds to the same number again. */
  static constexpr int BEYOND = 8;

  const double *x = nullptr;              // [natoms][3]
  const int *atoms = nullptr;             // [nrows] the first atom of the pairs of a row
  const int *const *entries = nullptr;    // [natoms] row of an atom: the second ones
  const int *nentries = nullptr;          // [natoms]

  int index_bits = -1;                               // of an entry: which atom
  int bond_shift = 0;                                // the next two bits: which bond they have
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

/** The bin of a distance, at most nbins.  Compilers fuse products and sums here as they do in code
    that is compiled alike. */
int bin_of_distance(const double *from, const double *to, double per_width, int nbins);

/** Count the pairs of some rows.  Distances that rounding may move from one bin to the next get
    that of bin_of_distance().

    \param first    of the rows
    \param last     the one behind the last
    \param counts   [in, out] [nclasses][counts_of_class()] */
void count_distances(const DistancePairs &, int first, int last, std::int64_t *counts);

}    // namespace TOFU_NS

#endif
