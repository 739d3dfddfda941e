/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifdef KSPACE_CLASS
// clang-format off
KSpaceStyle(pppm/threadpool,PPPMThreadpool);
// clang-format on
#else

#ifndef LMP_PPPM_THREADPOOL_H
#define LMP_PPPM_THREADPOOL_H

#include "pppm_offload.h"

#include <string>

namespace LAMMPS_NS {

/** What kspace_style pppm is under the suffix: pppm/offload where its results are those of pppm,
    and LAMMPS' pppm in all other cases, which the log says with the reason.  That is known when a
    run begins, and may change from run to run. */
class PPPMThreadpool : public PPPMOffload {
 public:
  using PPPMOffload::PPPMOffload;
  void init() override;
  void setup() override;
  void reset_grid() override;
  void compute(int, int) override;
  void compute_group_group(int, int, int) override;
  int timing_1d(int, double &) override;
  int timing_3d(int, double &) override;
  int modify_param(int, char **) override;
  double memory_usage() override;

  void prepare() override;
  void start(int vflag) override;
  void end() override;
  void print_statistics() override;

  std::string left_to_lammps() const override { return plain ? why_plain() : ""; }
  bool in_single_precision() const override { return !plain && PPPMOffload::in_single_precision(); }

 protected:
  void allocate() override;
  void compute_gf_ik() override;
  void compute_gf_ad() override;
  bool overlap_wanted() const override;
  bool follows_flips() const override { return false; }
  const char *own_name() const override { return "pppm/threadpool"; }

 private:
  bool plain = false;         // LAMMPS' pppm computes
  bool plain_fele = false;    // and its forces go to fix dplr
  bool fft_given = false;     // by kspace_modify
  std::string chosen_fft;     // otherwise
  std::string told;           // reason that the log has

  std::string why_plain() const;
  void tell(const std::string &reason);
  void choose_fft();
  void init_plain();
  void allocate_plain();
  void compute_fele(int eflag, int vflag);
  void remove_self_energies();
};

}    // namespace LAMMPS_NS

#endif
#endif
