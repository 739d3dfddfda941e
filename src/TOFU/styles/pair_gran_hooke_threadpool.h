// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(gran/hooke/threadpool,PairGranHookeThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_GRAN_HOOKE_THREADPOOL_H
#define LMP_PAIR_GRAN_HOOKE_THREADPOOL_H

#include "pair_gran_hooke.h"

#include "threadpool/pair/contacts_style.h"

namespace LAMMPS_NS {

class PairGranHookeThreadpool : public ContactsStyle<PairGranHooke, ContactLaw::HOOKE> {
 public:
  using ContactsStyle::ContactsStyle;
};

}    // namespace LAMMPS_NS

#endif
#endif
