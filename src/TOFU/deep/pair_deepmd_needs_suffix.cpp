// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pair_deepmd_needs_suffix.h"

#include "error.h"

using namespace LAMMPS_NS;

PairDeepMDNeedsSuffix::PairDeepMDNeedsSuffix(LAMMPS *lmp) : Pair(lmp)
{
  error->all(FLERR,
             "Pair style deepmd is part of deepmd-kit, whose plug-in is not loaded. Use the suffix "
             "threadpool, with which TOFU computes it (-sf threadpool, or 'suffix threadpool'), or "
             "load that plug-in");
}
