/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_PPPM_FELE_H
#define LMP_PPPM_FELE_H

#include "pppm.h"

#include <vector>

namespace LAMMPS_NS {

/** PPPM with the array that fix dplr of deepmd-kit reads.  The fix takes the kspace style named
    pppm/dplr for deepmd-kit's own class PPPMDPLR, without a check, and reads that one's only
    member, which lies right behind PPPM.  So it must here, and this class must have no other. */
class PPPMFele : public PPPM {
 public:
  using PPPM::PPPM;

 protected:
  std::vector<double> fele;    // [3*nlocal] force; empty without a fix dplr
};

static_assert(sizeof(PPPMFele) == sizeof(PPPM) + sizeof(std::vector<double>),
              "fix dplr expects the array right behind PPPM");

}    // namespace LAMMPS_NS

#endif
