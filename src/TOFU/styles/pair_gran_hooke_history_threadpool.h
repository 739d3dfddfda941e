/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

/* ----------------------------------------------------------------------
   Contributing authors: the TOFU developers
------------------------------------------------------------------------- */

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
