// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(eam/alloy/threadpool,PairEAMAlloyThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_EAM_ALLOY_THREADPOOL_H
#define LMP_PAIR_EAM_ALLOY_THREADPOOL_H

#include "pair_eam_alloy.h"

#include "lammps/lammps_version.h"
#include "pair_eam_threadpool.h"

namespace LAMMPS_NS {

class PairEAMAlloyThreadpool :
    public TOFU_NS::ReadsFiles<PairEAM, PairEAMAlloy, PairEAMThreadpool> {
 public:
  PairEAMAlloyThreadpool(class LAMMPS *lmp) : PairEAM(lmp), ReadsFiles(lmp) {}
};

}    // namespace LAMMPS_NS

#endif
#endif
