// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(gran/hertz/history/threadpool,PairGranHertzHistoryThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_GRAN_HERTZ_HISTORY_THREADPOOL_H
#define LMP_PAIR_GRAN_HERTZ_HISTORY_THREADPOOL_H

#include "pair_gran_hertz_history.h"

#include "threadpool/pair/contacts_style.h"

namespace LAMMPS_NS {

class PairGranHertzHistoryThreadpool :
    public ContactsStyle<PairGranHertzHistory, ContactLaw::HERTZ_HISTORY> {
 public:
  using ContactsStyle::ContactsStyle;
};

}    // namespace LAMMPS_NS

#endif
#endif
