// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_ATOM_COPIES_H
#define LMP_ATOM_COPIES_H

#include "pointers.h"

#include "kernels/data/gathered_atoms.h"
#include "kernels/data/pair_data.h"
#include "pool/part_sums.h"

#include <algorithm>

namespace LAMMPS_NS {

/** Copies of positions, types and charges that kernels of pair styles read, made anew in each step:
    one for each part with the atoms that its rows name, or one for all parts. */
class AtomCopies : protected Pointers {
 public:
  /** ONE is for kernels that read other atoms than those in rows, too. */
  enum class Number { OF_PARTS, ONE };

  AtomCopies(LAMMPS *, Number);

  /** \param single   in single precision, as long as the sub-box is not too wide */
  void reset(class RankPool *, bool single);

  bool single_precision() const { return single; }

  /** Whether each part has one of its own; not with one part. */
  bool of_parts() const;

  /** Note the arrays of Atom that copies are made of; fill() or of_part() makes them.

      \param charges   [nlocal+nghost] fourth column of the copies; nullptr: 0
      \param types     whether kernels read types of atoms */
  void gather(const double *charges, bool types);

  /** As gather(), with other positions, [nlocal+nghost][3]; in double precision. */
  void gather_sites(const double *x, const double *charges);

  /** Replace the charges of the last gather(); to be followed by fill() if there is one copy. */
  void set_charge_column(const double *charges) { gathered.set_fourth(charges); }

  /** Fill the one copy for all parts. */
  void fill();

  /** The copy that a part reads; filled now if the part has its own.  To be called by the thread
      that has the part.

      \param reach   atoms of each part, and behind them the one far away */
  TOFU_NS::PairAtoms of_part(int part, const TOFU_NS::PartReach &reach);

  /** range(first, last) for the atoms in the copy of a part, from first up to, not including,
      last. */
  template <class Range>
  void for_ranges(int part, const TOFU_NS::PartReach &reach, Range &&range) const
  {
    const int nall = gathered.natoms();
    if (!of_parts()) return range(0, nall);
    reach.for_ranges(part, [&](int first, int last) { range(first, std::min(last, nall)); });
  }

  /** The arrays of the last gather(). */
  const TOFU_NS::AtomsToGather &from() const { return gathered.from(); }

  double nbytes() const { return gathered.nbytes(); }

 private:
  class RankPool *rank_pool;
  const Number number;
  TOFU_NS::GatheredAtoms gathered;
  bool single = false;
  bool warned_too_wide = false;

  void renew(const TOFU_NS::AtomsToGather &);
  bool is_too_wide();
  void find_center(double *center) const;
};

}    // namespace LAMMPS_NS

#endif
