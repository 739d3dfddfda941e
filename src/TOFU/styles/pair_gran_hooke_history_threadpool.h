/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifdef PAIR_CLASS
// clang-format off
PairStyle(gran/hooke/history/threadpool,PairGranHookeHistoryThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_GRAN_HOOKE_HISTORY_THREADPOOL_H
#define LMP_PAIR_GRAN_HOOKE_HISTORY_THREADPOOL_H

#include "pair_gran_hooke_history.h"

#include "lammps/last_build.h"
#include "threadpool/pair_on_pool.h"

namespace LAMMPS_NS {

/** Contacts of spheres.  The list is a half one for any number of parts, since each pair has one
    history.  A part changes its own atoms only.  It keeps reactions for the atoms of other parts,
    which add them when all contacts are computed. */
class PairGranHookeHistoryThreadpool : public PairGranHookeHistory {
 public:
  PairGranHookeHistoryThreadpool(class LAMMPS *);
  ~PairGranHookeHistoryThreadpool() override;
  void compute(int, int) override;
  void init_style() override;
  double memory_usage() override;

 private:
  struct Part;

  PairOnPool on_pool;
  TOFU_NS::AlignedArray<double> places, masses;    // [nall+1], see TOFU_NS::Spheres
  std::vector<std::unique_ptr<Part>> parts;

  TOFU_NS::LastBuild made_at;    // when parts were made
  const class NeighList *list_of_parts = nullptr;

  bool can_compute() const;
  bool parts_are_old() const;
  void make_parts();
  void share_atoms();
  void share_pairs(Part &, int first, int last) const;
  void gather();
  void compute_contacts();
  void add_reactions();
};

}    // namespace LAMMPS_NS

#endif
#endif
