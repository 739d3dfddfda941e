// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(qeq/shielded/threadpool,FixQEqShieldedThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_QEQ_SHIELDED_THREADPOOL_H
#define LMP_FIX_QEQ_SHIELDED_THREADPOOL_H

#include "fix_qeq_shielded.h"

#include "threadpool/charges/charges_style.h"

namespace LAMMPS_NS {

class FixQEqShieldedThreadpool : public ChargesStyle<FixQEqShielded> {
 public:
  using ChargesStyle::ChargesStyle;
  void setup_pre_force(int) override;

 protected:
  ChargesOnPool::Input make_input() override;
  void after_charges() override;
};

}    // namespace LAMMPS_NS

#endif
#endif
