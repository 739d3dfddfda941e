// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef KSPACE_CLASS
// clang-format off
KSpaceStyle(pppm/threadpool,PPPMThreadpool);
KSpaceStyle(pppm/tip4p/threadpool,PPPMTIP4PThreadpool);
KSpaceStyle(pppm/dplr/threadpool,PPPMDPLRThreadpool);
// clang-format on
#else

#ifndef LMP_PPPM_THREADPOOL_H
#define LMP_PPPM_THREADPOOL_H

#include "pppm_offload.h"

#include <string>

namespace LAMMPS_NS {

/** kspace_style pppm under the suffix: pppm/offload where its results are those of pppm, and
    LAMMPS' pppm otherwise; the log has the reason.  The choice is made when a run begins. */
class PPPMThreadpool : public PPPMOffload {
 public:
  using PPPMOffload::PPPMOffload;
  void init() override;
  int modify_param(int, char **) override;

 protected:
  bool overlap_wanted() const override;
  bool overlap_without_gain() const override;
  bool follows_flips() const override { return false; }
  std::string own_name() const override
  {
    return tip4pflag ? "pppm/tip4p/threadpool" : "pppm/threadpool";
  }
  std::string why_plain() const override;

 private:
  bool fft_given = false;       // by kspace_modify
  std::string chosen_fft;       // otherwise
  std::string logged_reason;    // why LAMMPS' pppm computes

  void choose_fft();
};

/** kspace_style pppm/tip4p under the suffix. */
class PPPMTIP4PThreadpool : public PPPMThreadpool {
 public:
  explicit PPPMTIP4PThreadpool(class LAMMPS *lmp) : PPPMThreadpool(lmp) { tip4pflag = 1; }
};

/** kspace_style pppm/dplr of deepmd-kit under the suffix: pppm for a run with fix dplr. */
class PPPMDPLRThreadpool : public PPPMThreadpool {
 public:
  using PPPMThreadpool::PPPMThreadpool;
  void init() override;

 protected:
  std::string own_name() const override { return "pppm/dplr/threadpool"; }
};

}    // namespace LAMMPS_NS

#endif
#endif
