// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_SECTION_TIMES_H
#define LMP_SECTION_TIMES_H

#include "pool/part_times.h"

#include "timer.h"

#include <array>
#include <fstream>
#include <string>

namespace LAMMPS_NS {

/** Processor time of each section of the timing breakdown in parts and out of them: keyword profile
    of package threadpool. */
class SectionTimes {
 public:
  SectionTimes() = default;
  ~SectionTimes() { end(); }
  SectionTimes(const SectionTimes &) = delete;
  SectionTimes &operator=(const SectionTimes &) = delete;

  /** Write the times of all parts to a file.

      \return   whether it is open */
  bool write_to(const std::string &path);

  /** The steps of a run begin: the runs of the pool are timed. */
  void begin();

  /** The time since the last call belongs to this section; Timer::START: to none of them. */
  void stamp(Timer::ttype section);

  /** The steps have ended. */
  void end();

  /** A table for the log, of all steps since the last call. */
  std::string table(int nparts, double nsteps);

 private:
  TOFU_NS::PartTimes times;
  std::ofstream file;
  bool running = false;                                           // the steps of a run
  std::array<TOFU_NS::PartTimes::Sums, Timer::NUM_TIMER> sums;    // at TOTAL: of no section
};

/** A stamp of LAMMPS' timer, and of the profile if there is one. */
inline void stamp_section(Timer *timer, SectionTimes *profile, Timer::ttype section)
{
  timer->stamp(section);
  if (profile) profile->stamp(section);
}

}    // namespace LAMMPS_NS

#endif
