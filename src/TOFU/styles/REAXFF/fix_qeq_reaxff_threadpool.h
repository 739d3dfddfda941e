// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(qeq/reaxff/threadpool,FixQEqReaxFFThreadpool);
FixStyle(qeq/reax/threadpool,FixQEqReaxFFThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_QEQ_REAXFF_THREADPOOL_H
#define LMP_FIX_QEQ_REAXFF_THREADPOOL_H

#include "fix_qeq_reaxff.h"

#include "threadpool/charges/charges_style.h"

namespace LAMMPS_NS {

class FixQEqReaxFFThreadpool : public ChargesStyle<FixQEqReaxFF> {
 public:
  using ChargesStyle::ChargesStyle;

 protected:
  ChargesOnPool::Input make_input() override;

 private:
  const double *field();
};

}    // namespace LAMMPS_NS

#endif
#endif
