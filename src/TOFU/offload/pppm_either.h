/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_PPPM_EITHER_H
#define LMP_PPPM_EITHER_H

#include "pppm_tip4p.h"

namespace LAMMPS_NS {

/** LAMMPS' pppm, or its pppm/tip4p if a derived class has set tip4pflag in its constructor.  The
    latter is a pppm without members of its own. */
class PPPMEither : public PPPMTIP4P {
 public:
  explicit PPPMEither(class LAMMPS *);
  void init() override;

 protected:
  void particle_map() override;
  void make_rho() override;
  void fieldforce_ik() override;
  void fieldforce_ad() override;
  void fieldforce_peratom() override;
  void slabcorr() override;
};

}    // namespace LAMMPS_NS

#endif
