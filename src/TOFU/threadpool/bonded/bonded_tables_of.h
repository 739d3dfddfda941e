// SPDX-License-Identifier: GPL-2.0-only
//
// The tables of LAMMPS' bonded styles "table" as the kernels see them.

#ifndef TOFU_BONDED_TABLES_OF_H
#define TOFU_BONDED_TABLES_OF_H

#include "kernels/bonded/bonded_data.h"

namespace TOFU_NS {

/** \param setflag    [ntypes+1] types without it have no table
    \param tabindex   [ntypes+1] which table
    \param finish     finish(from, to) copies what is not common to all kinds */
template <class Table, class Finish>
void copy_tables(int ntypes, const int *setflag, const Table *tables, const int *tabindex,
                 BondedTables &all, Finish finish)
{
  all.tables.assign(ntypes + 1, BondedTables::Table());
  for (int type = 1; type <= ntypes; type++) {
    if (!setflag[type]) continue;
    const Table &from = tables[tabindex[type]];
    BondedTables::Table &to = all.tables[type];
    to.e = from.e;
    to.de = from.de;
    to.e2 = from.e2;
    to.f = from.f;
    to.df = from.df;
    to.f2 = from.f2;
    to.invdelta = from.invdelta;
    to.deltasq6 = from.deltasq6;
    finish(from, to);
  }
}

}    // namespace TOFU_NS

#endif
