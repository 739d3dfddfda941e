// SPDX-License-Identifier: GPL-2.0-only

// Atoms in the form that kernels take: one copy for all threads, or one for each thread with the
// atoms that it needs, so that rows that a thread reads often are not in the cache of another core.

#ifndef TOFU_GATHERED_ATOMS_H
#define TOFU_GATHERED_ATOMS_H

#include "base/aligned_array.h"
#include "pair_data.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace TOFU_NS {

/** Arrays of the caller, which must not change until all copies are made. */
struct AtomsToGather {
  int natoms = 0;
  const double *x = nullptr;         // [natoms][3]
  const int *type = nullptr;         // [natoms], or nullptr: kernels do not read types
  const double *fourth = nullptr;    // [natoms] fourth value of the rows, or nullptr: 0
  bool singly = false;               // in single precision, from the center
  double center[3] = {0.0, 0.0, 0.0};
};

class GatheredAtoms {
 public:
  /** Set new positions, which invalidates all copies.  To be called before threads use copies.

      \throws std::bad_alloc */
  void renew(const AtomsToGather &, int ncopies);

  /** Set another fourth value, [natoms], of the same atoms. */
  void set_fourth(const double *fourth);

  /** Values of a copy that fill() has to set. */
  enum class Missing { ALL, FOURTH, NOTHING };
  Missing missing(int copy) const { return copies_[copy]->missing; }

  /** Allocate a copy, and set the atom far away with which rows end.  To be called by the thread
      that first writes to the copy.

      \throws std::bad_alloc */
  void begin(int copy);

  /** Set the missing values of the atoms [first, last).  Different threads may set those of
      different atoms at the same time. */
  void fill(int copy, int first, int last);

  /** To be called when all atoms that are needed are in the copy. */
  void end(int copy) { copies_[copy]->missing = Missing::NOTHING; }

  /** The copy; atoms without fill() are undefined. */
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
