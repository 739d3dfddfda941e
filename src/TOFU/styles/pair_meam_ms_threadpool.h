// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(meam/ms/threadpool,PairMEAMMSThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_MEAM_MS_THREADPOOL_H
#define LMP_PAIR_MEAM_MS_THREADPOOL_H

#include "meam.h"
#include "pair_meam_threadpool.h"

namespace LAMMPS_NS {

class PairMEAMMSThreadpool : public PairMEAMThreadpool {
 public:
  PairMEAMMSThreadpool(class LAMMPS *lmp) : PairMEAMThreadpool(lmp)
  {
    meam_inst->msmeamflag = msmeamflag = 1;
    myname = "meam/ms";
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
