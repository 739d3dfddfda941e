// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef KSPACE_CLASS
// clang-format off
KSpaceStyle(pppm/offload,PPPMOffload);
KSpaceStyle(pppm/tip4p/offload,PPPMTIP4POffload);
// clang-format on
#else

#ifndef LMP_PPPM_OFFLOAD_H
#define LMP_PPPM_OFFLOAD_H

#include "pppm_block.h"

#include "long_range_overlap.h"
#include "threadpool/pair/forces_of_charges.h"
#include "threadpool/pool/work_on_pool.h"

#include <memory>
#include <string>
#include <vector>

namespace LAMMPS_NS {

/** PPPM with its own distributed FFTs, whose mesh part may run on a thread beside the pair forces.

    A step: fix KSPACE_OVERLAP calls start() when positions are final, and PPPMOverlap begins the
    solution; compute() waits for it, or solves, and adds the results to atoms (ChargeResults).
    PPPMLinks has the ranks, links and the transform.

    A derived class may leave a run to LAMMPS' PPPM: why_plain(). */
class PPPMOffload :
    public PPPMBlock,
    public LongRangeOverlap,
    public ForcesOfCharges,
    public WorkOnPool {
 public:
  PPPMOffload(class LAMMPS *);
  ~PPPMOffload() override;
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

  const std::vector<double> &forces_of_charges() const override { return fele; }

  std::string left_to_lammps() const override { return plain ? why_plain() : ""; }
  bool in_single_precision() const override;    // because of package threadpool

 protected:
  void allocate() override;
  void deallocate() override;

  /** Name in Force, unless deepmd-kit's fix dplr needs another one. */
  virtual std::string own_name() const { return tip4pflag ? "pppm/tip4p/offload" : "pppm/offload"; }

  /** Whether the long-range part shall run beside the pair forces, if it can. */
  virtual bool overlap_wanted() const { return overlap_allowed; }

  /** Whether it shall do so even if no processor is to spare for it. */
  virtual bool overlap_without_gain() const;

  /** Whether wave vectors are those of the box also in the step in which a fix flips a triclinic
      box: those of LAMMPS' pppm are of the box before then. */
  virtual bool follows_flips() const { return true; }

  /** Why LAMMPS' PPPM is to compute in the run that begins; "" if this class does. */
  virtual std::string why_plain() const { return ""; }

 private:
  std::unique_ptr<class PPPMLinks> links;
  std::unique_ptr<class PPPMOverlap> overlap;    // refers to the links
  std::unique_ptr<class WaterCharges> waters;    // nullptr: charges are at their atoms
  double sums[7] = {};                           // of this rank: energy and virial, without units
  std::unique_ptr<class RankSum> sums_of_ranks;
  bool serves_dplr = false;    // forces go to fele

  void set_request(int eflag, int vflag);
  void add_results(const TOFU_NS::MeshResults &);
  void sum_energies();
  void set_sums(const double *all);
  std::vector<double> spectrum_of_groups(int groupbits);
};

/** pppm/offload for water of four points: charges of oxygens are at sites beside them. */
class PPPMTIP4POffload : public PPPMOffload {
 public:
  explicit PPPMTIP4POffload(class LAMMPS *lmp) : PPPMOffload(lmp) { tip4pflag = 1; }
};

}    // namespace LAMMPS_NS

#endif
#endif
