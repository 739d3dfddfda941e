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
KSpaceStyle(pppm/offload,PPPMOffload);
// clang-format on
#else

#ifndef LMP_PPPM_OFFLOAD_H
#define LMP_PPPM_OFFLOAD_H

#include "pppm_fele.h"

#include "long_range_overlap.h"
#include "threadpool/pair/forces_of_charges.h"
#include "threadpool/pool/work_on_pool.h"

#include <memory>
#include <string>
#include <vector>

namespace TOFU_NS {
class Bootstrap;
class Parts;
class Transport;
struct P2PSettings;
}    // namespace TOFU_NS

namespace LAMMPS_NS {

/** PPPM with its own distributed FFTs, whose mesh part may run on a thread beside the pair forces.
    */
class PPPMOffload :
    public PPPMFele,
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

  bool in_single_precision() const override;    // because of package threadpool

 protected:
  void allocate() override;
  void deallocate() override;
  void compute_gf_ik() override;
  void compute_gf_ad() override;

  /** Whether the long-range part shall run beside the pair forces, if it can. */
  virtual bool overlap_wanted() const { return overlap_allowed; }

  /** Whether wave vectors are those of the box also in the step in which a fix flips a triclinic
      box: those of LAMMPS' pppm are of the box before then. */
  virtual bool follows_flips() const { return true; }

  /** Name in Force, but for a run with deepmd-kit's fix dplr. */
  virtual const char *own_name() const { return "pppm/offload"; }

  /** Distance of Wannier centers from their atoms that a mesh has to have room for. */
  double room_for_centers() const;

  /** End the thread, the transform and the links, before PPPM computes without them. */
  void leave_offload();

  /** An error if something would lose forces that fix dplr takes further. */
  void check_run_with_fix_dplr();

 private:
  struct Impl;    // members, which do not depend on LAMMPS
  Impl *impl;

  // mesh, links and transform

  void set_up_ghost_mesh();
  bool collect_bricks();
  void drop_transform();
  void make_transform();
  std::vector<int> find_leaders(const TOFU_NS::P2PSettings &);
  void gather_bricks(const std::vector<int> &leaders);
  void make_choice();
  int connect(const TOFU_NS::P2PSettings &, TOFU_NS::Bootstrap &, const MPI_Comm &,
              const std::vector<std::size_t> &nbytes, std::unique_ptr<TOFU_NS::Transport> &);
  int connect_node(const TOFU_NS::P2PSettings &);
  int connect_solvers(const TOFU_NS::P2PSettings &);
  void tell_choice();
  void set_spectrum_block();
  void set_up_tilted();
  void fold_self_force_sums();
  std::string why_not_beside() const;
  bool may_overlap();
  std::string way_of_links() const;
  bool wants_single() const;
  TOFU_NS::Parts parts_of_pool() const;

  // one step

  bool has_charges();
  void set_request(int eflag, int vflag);
  void set_stencil();
  void set_nap(double seconds);
  void weigh();
  double seconds_of_work();
  bool on_one_node();
  bool started_for(int eflag, int vflag) const;
  void solve();
  void subtract_self_forces();
  void finish();
  void await();
  void tell_warnings();
  void add_forces();
  void add_slab_correction();
  void sum_energies();
  bool leave_sums();
  void take_sums(const double *all);
  void add_atom_energies();
  std::vector<double> spectrum_of_groups(int groupbits);
};

}    // namespace LAMMPS_NS

#endif
#endif
