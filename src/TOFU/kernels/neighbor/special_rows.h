// SPDX-License-Identifier: GPL-2.0-only
//
// Rows of neighbor lists in molecules: atoms with a special bond to the owner of a row are taken
// out of the others.  An atom has few of them, anywhere among some hundred neighbors.

#ifndef TOFU_KERNELS_SPECIAL_ROWS_H
#define TOFU_KERNELS_SPECIAL_ROWS_H

#include "kernels/data/pair_data.h"
#include "kernels/simd/find_entries.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

namespace TOFU_NS {

/** Special bonds of atoms: neighbors by one, two and three bonds, which are the levels. */
template <class Tag> struct SpecialBonds {
  enum Effect { NOT_LISTED = 0, NONE = 1, FACTOR = 2 };    // on pairs of a level

  const Tag *const *ids = nullptr;     // [natoms][ends[2]] of the neighbors
  const int *const *ends = nullptr;    // [natoms][3] where the neighbors of each level end
  std::array<int, 4> effects{};        // of levels 1 to 3
  int nlevels = 0;                     // up to the last one with an effect

  /** \param flags   [4] effects as NPair::special_flag has them; the first is not used */
  void set_effects(const int *flags)
  {
    std::copy_n(flags, 4, effects.begin());
    nlevels = 3;
    while (nlevels > 0 && effects[nlevels] == NONE) nlevels--;
  }

  /** 1 to 3: the level of the bond; 0: none, or without effect; -1: the pair is not listed. */
  int kind(int i, Tag id) const
  {
    const int n = nlevels ? ends[i][nlevels - 1] : 0;
    for (int k = 0, level = 1; k < n; k++) {
      if (ids[i][k] != id) continue;
      while (k >= ends[i][level - 1]) level++;
      return effects[level] == NOT_LISTED ? -1 : effects[level] == NONE ? 0 : level;
    }
    return 0;
  }

  /** Call use(id) for the neighbors whose bond to i has an effect. */
  template <class Use> void for_each(int i, const Use &use) const
  {
    for (int level = 1, k = 0; level <= nlevels; level++) {
      const int end = ends[i][level - 1];
      if (effects[level] == NONE)
        k = end;
      else
        for (; k < end; k++) use(ids[i][k]);
    }
  }
};

/** Memory of one thread. */
struct SpecialScratch {
  static constexpr std::size_t NMARKS = 4096;    // a power of two, many more than special bonds

  struct Candidate {
    int j, place;    // place in the row without candidates
  };

  std::vector<int> special;                                          // entries of the last row
  std::vector<unsigned> marks = std::vector<unsigned>(NMARKS, 0);    // by ID: maybe special
  unsigned mark = 0;
  std::vector<Candidate> candidates;
  std::vector<int> near_special;    // atoms that may be special
  std::vector<int> places;          // of those in a row

  template <class Tag> static std::size_t place_of_mark(Tag tag)
  {
    return static_cast<std::size_t>(tag) & (NMARKS - 1);
  }

  double nbytes() const
  {
    std::size_t n = marks.capacity() * sizeof(unsigned) + candidates.capacity() * sizeof(Candidate);
    for (const auto *numbers : {&special, &near_special, &places})
      n += numbers->capacity() * sizeof(int);
    return static_cast<double>(n);
  }
};

template <class Tag> class SpecialRows {
 public:
  static constexpr int LONG_ROW = 64;    // entries from which the row is searched for few atoms

  SpecialBonds<Tag> bonds;
  const Tag *tags = nullptr;       // [natoms] IDs
  const double *x = nullptr;       // [natoms][3] positions when the list is built
  const int *sametag = nullptr;    // [natoms] another atom with the same ID, or -1

  /** Index of an atom with an ID, -1: none; for IDs up to highest. */
  std::function<int(Tag)> index_of;
  Tag highest = std::numeric_limits<Tag>::max();

  /** Whether atom j is another image than the one with the bond to i; empty: no row has two images
      of an atom. */
  std::function<bool(int i, int j)> is_other_image;

  /** Whether any special bond has an effect. */
  bool any() const { return bonds.nlevels > 0; }

  /** Take atoms with a special bond to i out of a row; the others stay in their order.

      \param reach     [length] within which atoms of the row are
      \param found     [n] the row
      \param scratch   its `special` gets the entries taken out that are listed, with the level in
                       the bits from SPECIAL_SHIFT on
      \return          # of atoms that stay */
  int split(int i, double reach, std::vector<int> &found, int n, SpecialScratch &scratch) const
  {
    scratch.special.clear();
    return n < LONG_ROW ? split_short(i, found.data(), n, scratch)
                        : split_long(i, reach, found.data(), n, scratch);
  }

  /** Call use(i, j, kind) for higher atoms j, images included, with a special bond to i, whether
      they are near or not; kind 0: such pairs are not listed. */
  template <class Use> void for_higher(int i, const Use &use) const
  {
    bonds.for_each(i, [&](Tag id) {
      const int kind = bonds.kind(i, id);
      if (kind == 0) return;
      for_atoms(id, [&](int j) {
        if (j > i) use(i, j, std::max(kind, 0));
      });
    });
  }

 private:
  // lists of special bonds may have atoms that were deleted

  template <class Use> void for_atoms(Tag id, const Use &use) const
  {
    for (int j = id <= highest ? index_of(id) : -1; j >= 0; j = sametag[j]) use(j);
  }

  /** Whether j stays in the row of i; else it is in scratch.special if it is listed. */
  bool stays(int i, int j, SpecialScratch &scratch) const
  {
    const int kind = bonds.kind(i, tags[j]);
    if (kind == 0 || (is_other_image && is_other_image(i, j))) return true;
    if (kind > 0) scratch.special.push_back(j ^ (kind << SPECIAL_SHIFT));
    return false;
  }

  // candidates by their IDs are taken out without a branch, and the few that stay after all go back

  int split_short(int i, int *found, int n, SpecialScratch &scratch) const
  {
    scratch.mark++;
    bonds.for_each(
        i, [&](Tag id) { scratch.marks[SpecialScratch::place_of_mark(id)] = scratch.mark; });
    if (static_cast<int>(scratch.candidates.size()) <= n) scratch.candidates.resize(2 * n + 1);
    SpecialScratch::Candidate *const candidates = scratch.candidates.data();
    const unsigned mark = scratch.mark, *const marks = scratch.marks.data();

    int nkept = 0, ncandidates = 0;
    for (int k = 0; k < n; k++) {
      const int j = found[k];
      const bool is_candidate = marks[SpecialScratch::place_of_mark(tags[j])] == mark;
      candidates[ncandidates] = {j, nkept};
      ncandidates += is_candidate;
      found[nkept] = j;
      nkept += !is_candidate;
    }
    int nback = 0;
    for (int k = 0; k < ncandidates; k++) {
      if (!stays(i, candidates[k].j, scratch)) continue;
      const int place = candidates[k].place + nback++;
      std::copy_backward(found + place, found + nkept, found + nkept + 1);
      found[place] = candidates[k].j;
      nkept++;
    }
    return nkept;
  }

  // the row is searched for indices of special atoms: to read the ID of each entry takes longer

  int split_long(int i, double reach, int *found, int n, SpecialScratch &scratch) const
  {
    find_near_special(i, reach, scratch);
    if (static_cast<int>(scratch.places.size()) < n) scratch.places.resize(2 * n);
    const int nplaces =
        find_entries(found, n, scratch.near_special.data(),
                     static_cast<int>(scratch.near_special.size()), scratch.places.data());
    if (nplaces == 0) return n;
    int nkept = scratch.places[0];
    for (int k = 0; k < nplaces; k++) {
      const int place = scratch.places[k], next = k + 1 < nplaces ? scratch.places[k + 1] : n;
      if (stays(i, found[place], scratch)) found[nkept++] = found[place];
      if (nkept <= place) std::copy(found + place + 1, found + next, found + nkept);
      nkept += next - place - 1;
    }
    return nkept;
  }

  void find_near_special(int i, double reach, SpecialScratch &scratch) const
  {
    constexpr double WITH_MARGIN = 1.01;    // for what is rounded
    const double cutsq = WITH_MARGIN * WITH_MARGIN * reach * reach;
    const double *const xi = x + 3 * static_cast<std::size_t>(i);
    scratch.near_special.clear();
    bonds.for_each(i, [&](Tag id) {
      for_atoms(id, [&](int j) {
        const double *const xj = x + 3 * static_cast<std::size_t>(j);
        const double dx = xi[0] - xj[0], dy = xi[1] - xj[1], dz = xi[2] - xj[2];
        if (dx * dx + dy * dy + dz * dz <= cutsq) scratch.near_special.push_back(j);
      });
    });
  }
};

}    // namespace TOFU_NS

#endif
