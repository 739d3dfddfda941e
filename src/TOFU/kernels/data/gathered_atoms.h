// SPDX-License-Identifier: GPL-2.0-only

// Atoms in the form that kernels take: one copy for all threads, or for each thread a copy of what
// it needs, so that what a thread reads again and again is not in the cache of another core.

#ifndef TOFU_GATHERED_ATOMS_H
#define TOFU_GATHERED_ATOMS_H

#include "base/aligned_array.h"
#include "pair_data.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace TOFU_NS {

/** Arrays of the caller, which stay as they are until all copies are made. */
struct AtomsToGather {
  int natoms = 0;
  const double *x = nullptr;         // [natoms][3]
  const int *type = nullptr;         // [natoms], or nullptr: kernels do not look at types
  const double *fourth = nullptr;    // [natoms] fourth value of the rows, or nullptr: 0
  bool singly = false;               // in single precision, from the center
  double center[3] = {0.0, 0.0, 0.0};
};

class GatheredAtoms {
 public:
  /** New positions; no copy has them yet.  Before threads use copies.

      \throws std::bad_alloc */
  void renew(const AtomsToGather &, int ncopies);

  /** Another fourth value, [natoms], of the same atoms. */
  void renew_fourth(const double *fourth);

  /** What fill() has still to bring into a copy. */
  enum class Missing { ALL, FOURTH, NOTHING };
  Missing missing(int copy) const { return copies_[copy]->missing; }

  /** Make room in a copy, for a thread that is the first to write to it, and write the atom far
      away that rows end with.

      \throws std::bad_alloc */
  void begin(int copy);

  /** Copy what is missing of the atoms from first up to, not including, last.  Different threads
      may do so for different atoms. */
  void fill(int copy, int first, int last);

  /** All atoms that are needed are in the copy. */
  void end(int copy) { copies_[copy]->missing = Missing::NOTHING; }

  /** The copy; what has not been filled in is not set. */
  PairAtoms atoms(int copy) const;

  int natoms() const { return from_.natoms; }
  const AtomsToGather &from() const { return from_; }
  double nbytes() const;

 private:
  struct Copy {
    Missing missing = Missing::ALL;
    AlignedArray<double> rows;
    AlignedArray<float> singles;
    AlignedArray<std::int32_t> types;
  };
  AtomsToGather from_;
  std::vector<std::unique_ptr<Copy>> copies_;

  void fill_all(Copy &, int first, int last) const;
  void fill_fourth(Copy &, int first, int last) const;
};

}    // namespace TOFU_NS

#endif
