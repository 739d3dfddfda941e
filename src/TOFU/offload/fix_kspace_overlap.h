// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(KSPACE_OVERLAP,FixKspaceOverlap);
// clang-format on
#else

#ifndef LMP_FIX_KSPACE_OVERLAP_H
#define LMP_FIX_KSPACE_OVERLAP_H

#include "fix.h"

namespace LAMMPS_NS {

/** Starts the long-range part of a step when no other fix changes positions or charges any more.
    The kspace style adds it by itself, behind all fixes that do so, each time it is initialized.
    If more of them are added later, by pair styles or by package threadpool balance, a second one
    takes its place behind these. */
class FixKspaceOverlap : public Fix {
 public:
  static constexpr const char *ID = "KSPACE_OVERLAP", *SECOND_ID = "KSPACE_OVERLAP_2";

  /** Put it behind all fixes that have something to do before forces.  Collective. */
  static void append(class LAMMPS *);

  FixKspaceOverlap(class LAMMPS *, int, char **);
  int setmask() override;
  void init() override;
  void setup_pre_force(int) override;
  void pre_force(int) override;
  void min_pre_force(int) override;
  void pre_reverse(int, int) override;
  void min_pre_reverse(int, int) override;
  void post_run() override;

 private:
  bool rests = false;    // the second one acts in the place of this one

  class LongRangeOverlap *style() const;
  bool others_come_later() const;
};

}    // namespace LAMMPS_NS

#endif
#endif
