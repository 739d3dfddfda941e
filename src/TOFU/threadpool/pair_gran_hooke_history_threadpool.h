/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

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

#include "threadpool_pair.h"

namespace LAMMPS_NS {

/** Contacts of spheres.  The list is a half one for any number of parts, since each pair has one
    history.  A part changes its own atoms only; what others have to add to theirs they find in its
    reactions, when all contacts are computed. */
class PairGranHookeHistoryThreadpool : public PairGranHookeHistory {
 public:
  PairGranHookeHistoryThreadpool(class LAMMPS *);
  ~PairGranHookeHistoryThreadpool() override;
  void compute(int, int) override;
  void init_style() override;
  double memory_usage() override;

 private:
  struct Part;

  ThreadpoolPair engine;
  TOFU_NS::AlignedArray<double> rows;    // [nall+1][Spheres::WIDTH]
  std::vector<std::unique_ptr<Part>> parts;

  bool can_compute() const;
  void gather();
  void share_atoms();
  void compute_contacts(const TOFU_NS::PairRows &);
  void add_reactions();
};

}    // namespace LAMMPS_NS

#endif
#endif
