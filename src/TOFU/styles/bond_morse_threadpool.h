// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef BOND_CLASS
// clang-format off
BondStyle(morse/threadpool,BondMorseThreadpool);
// clang-format on
#else

#ifndef LMP_BOND_MORSE_THREADPOOL_H
#define LMP_BOND_MORSE_THREADPOOL_H

#include "bond_morse.h"

#include "threadpool/bonded/bonded_style.h"

namespace LAMMPS_NS {

class BondMorseThreadpool : public BondedStyle<BondMorse, 2> {
 public:
  using BondedStyle::BondedStyle;

 protected:
  void compute_on_pool() override;
};

}    // namespace LAMMPS_NS

#endif
#endif
