// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// Table of the known properties of LAMMPS' own styles, by their exact names.  A style belongs in it
// when its source has been read.  A style that is not in it still gives right results: it only gets
// the ghosts that comm_style brick would give it.

#ifndef TOFU_STYLE_TABLE_H
#define TOFU_STYLE_TABLE_H

#include <string>

namespace TOFU_NS {

enum StyleTrait : unsigned {
  READ = 1024,    // its source has been read; none of the others

  // of any style

  HALF_GHOSTS = 1,     // reads owned atoms, and ghosts through half neighbor lists only
  READS_GHOSTS = 2,    // reads positions of ghosts when its values are requested, not in a force

  // of pair styles; those WITH or WITHOUT_SUFFIX hold for variants with the suffix /threadpool, or
  // for all but these

  ANY_ROWS = 4,    // computes the rows of its list, whichever atoms own them, and does nothing else
  ANY_ROWS_WITH_SUFFIX = 8,
  HAS_HISTORY = 256,    // forces depend on contacts, say, or random numbers; or it writes files
  HAS_HISTORY_WITHOUT_SUFFIX = 512,

  // of fixes

  ONLY_READS = 16,    // changes neither atoms nor its virial where it integrates or at the end of a
                      // step
  READS_AT_END_OF_STEP = 32,    // changes neither at the end of a step, if it does not integrate
  BONDED_GHOSTS = 2048,         // as with HALF_GHOSTS, and ghosts in SHAKE clusters of owned atoms
  REQUESTS_LISTS = 128,    // reads no neighbor list that it has not requested, as with HALF_GHOSTS

  // of computes

  BIAS_OF_ANY_THREAD = 64,    // remove_bias_thr() and restore_bias_thr() may be called for several
                              // atoms at a time
};

/** Traits of a style, 0 if it is not in the table.

    \param style   with or without a suffix */
unsigned pair_traits(const std::string &style);
unsigned fix_traits(const std::string &style);
unsigned compute_traits(const std::string &style);
unsigned dump_traits(const std::string &style);

/** "lj/cut/opt" -> "lj/cut"; the suffixes of all packages. */
std::string without_suffix(const std::string &style);

}    // namespace TOFU_NS

#endif
