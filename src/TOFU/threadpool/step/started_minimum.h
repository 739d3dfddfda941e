// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_STARTED_MINIMUM_H
#define LMP_STARTED_MINIMUM_H

#include <memory>
#include <vector>

namespace LAMMPS_NS {

/** The smallest numbers of all ranks, by a reduction that is started at one time and read at
    another: no rank waits for others in between.  All calls but progress() are collective. */
class StartedMinimum {
 public:
  StartedMinimum();
  ~StartedMinimum();    // finishes what is under way
  StartedMinimum(const StartedMinimum &) = delete;
  StartedMinimum &operator=(const StartedMinimum &) = delete;

  /** Begin with this rank's numbers, of which all ranks have as many.  Nothing may be under way. */
  void start(class LAMMPS *, const int *numbers, int n);

  /** Let MPI continue what is under way: most MPI libraries do so in their own calls only, and a
      reduction over many ranks has several rounds. */
  void progress();

  /** Finish what is under way.  Waits for ranks that have not started it yet.

      \return   the smallest numbers, valid until the next start() */
  const std::vector<int> &read();

  /** Finish what is under way, if anything is, and forget it. */
  void drop();

 private:
  struct Reduction;
  const std::unique_ptr<Reduction> reduction;
};

}    // namespace LAMMPS_NS

#endif
