// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_UNREAD_TALLIES_H
#define LMP_UNREAD_TALLIES_H

#include "pointers.h"

#include <string>
#include <vector>

namespace LAMMPS_NS {

/** Energies and virials that fix plumed requests for each step, and reads only where its bias
    depends on them.  Its requests are withdrawn until it has read them once.  All decisions are the
    same on all ranks. */
class UnreadTallies : protected Pointers {
 public:
  using Pointers::Pointers;

  /** After setup().  Nothing is withdrawn if anything in the run may read energies without a
      request, or if forces may not be computed twice. */
  void begin_run();

  /** Around Modify::post_force(), in which fix plumed reads or requests. */
  void before_requests();
  void after_requests();

  /** Whether fix plumed may still read what it has not been given. */
  bool any() const { return !computes.empty(); }

  /** To be called when it is known whether the present step has energies. */
  void begin_step(bool has_energies);

  /** Whether the fix has requested the present step, so that fixes have to tally their virials. */
  bool withdrawn() const;

  /** Count a step whose energies were computed after its forces. */
  void note_late() { nlate++; }

  /** A line for the log at the end of a run, or "". */
  std::string end_run();

 private:
  struct Requests {
    class Compute *compute;
    std::vector<bigint> before;    // steps requested so far
  };
  std::vector<Requests> computes;    // of fix plumed; none: its requests stay
  bigint withdrawn_step = -1;
  bigint nwithout = 0, nlate = 0;    // steps

  bool all_readers_request() const;
};

}    // namespace LAMMPS_NS

#endif
