// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

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
