/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// Table of the known properties of LAMMPS' own styles, by their exact names.  A style belongs in it
// when its source has been read.  A style that is not in it still gives right results: it only gets
// the ghosts that comm_style brick would give it.

#ifndef TOFU_STYLE_TABLE_H
#define TOFU_STYLE_TABLE_H

#include <string>

namespace TOFU_NS {

enum StyleTrait : unsigned {
  HALF_GHOSTS = 1,     // looks at owned atoms, and at ghosts through half neighbor lists only
  READS_GHOSTS = 2,    // reads positions of ghosts when it is asked, not in a force
  ANY_ROWS = 4,        // of a pair style: computes the rows of its list, whichever atoms own
                       // them, and does nothing else
  ANY_ROWS_WITH_SUFFIX = 8,    // the same of its variant with the suffix /threadpool
  ONLY_LOOKS = 16,         // of a fix: changes neither atoms nor its virial where it integrates or
                           // at the end of a step
  LOOKS_AT_END = 32,       // of a fix: the same at the end of a step, if it does not integrate
  ASKS_FOR_LISTS = 128,    // of a fix: looks at no neighbor list that it has not asked for, as all
                           // with HALF_GHOSTS
  REMEMBERS = 256,         // of a pair style: forces depend on more than positions, velocities and
                           // the step, as contacts or a stream of random numbers; or it writes
                           // files
  REMEMBERS_WITHOUT_SUFFIX = 512,    // the same, except of its variant with the suffix /threadpool
  READ = 1024,                       // its source has been read; none of the others
  BIAS_OF_ANY_THREAD = 64,    // of a compute: remove_bias_thr() and restore_bias_thr() may be
                              // called for several atoms at a time
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
