// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(gran/hooke/history/threadpool,PairGranHookeHistoryThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_GRAN_HOOKE_HISTORY_THREADPOOL_H
#define LMP_PAIR_GRAN_HOOKE_HISTORY_THREADPOOL_H

#include "pair_gran_hooke_history.h"

#include "threadpool/pair/contacts_style.h"

namespace LAMMPS_NS {

class PairGranHookeHistoryThreadpool :
    public ContactsStyle<PairGranHookeHistory, ContactLaw::HOOKE_HISTORY> {
 public:
  using ContactsStyle::ContactsStyle;
};

}    // namespace LAMMPS_NS

#endif
#endif
