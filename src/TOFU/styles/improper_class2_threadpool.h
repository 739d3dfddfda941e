/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifdef IMPROPER_CLASS
// clang-format off
ImproperStyle(class2/threadpool,ImproperClass2Threadpool);
// clang-format on
#else

#ifndef LMP_IMPROPER_CLASS2_THREADPOOL_H
#define LMP_IMPROPER_CLASS2_THREADPOOL_H

#include "improper_class2.h"

#include "threadpool/bonded/bonded_style.h"

namespace LAMMPS_NS {

class ImproperClass2Threadpool : public BondedStyle<ImproperClass2, 4> {
 public:
  using BondedStyle::BondedStyle;

 protected:
  void compute_on_pool() override;
};

}    // namespace LAMMPS_NS

#endif
#endif
