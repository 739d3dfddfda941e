// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef BOND_CLASS
// clang-format off
BondStyle(harmonic/threadpool,BondHarmonicThreadpool);
// clang-format on
#else

#ifndef LMP_BOND_HARMONIC_THREADPOOL_H
#define LMP_BOND_HARMONIC_THREADPOOL_H

#include "bond_harmonic.h"

#include "threadpool/bonded/bonded_style.h"

namespace LAMMPS_NS {

class BondHarmonicThreadpool : public BondedStyle<BondHarmonic, 2> {
 public:
  using BondedStyle::BondedStyle;

 protected:
  void compute_on_pool() override;
};

}    // namespace LAMMPS_NS

#endif
#endif
