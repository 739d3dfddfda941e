/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifdef DIHEDRAL_CLASS
// clang-format off
DihedralStyle(charmm/threadpool,DihedralCharmmThreadpool);
// clang-format on
#else

#ifndef LMP_DIHEDRAL_CHARMM_THREADPOOL_H
#define LMP_DIHEDRAL_CHARMM_THREADPOOL_H

#include "dihedral_charmm.h"

#include "threadpool/bonded_style.h"

namespace LAMMPS_NS {

class DihedralCharmmThreadpool : public BondedStyle<DihedralCharmm, 4> {
 public:
  DihedralCharmmThreadpool(class LAMMPS *);
  void init_style() override;
  void compute(int, int) override;
  double memory_usage() override;

 protected:
  void compute_on_pool() override;

 private:
  BondedOnPool pairs_on_pool;          // of the first and last atoms of dihedrals
  std::vector<int> pairs;              // [..][3] those atoms, and type of the dihedral
  std::vector<double> pair_weights;    // [ntypes+1] when they were collected
  bool pairs_are_tallied = false;      // by a compute, one by one

  void collect_pairs();
  void compute_pairs();
};

}    // namespace LAMMPS_NS

#endif
#endif
