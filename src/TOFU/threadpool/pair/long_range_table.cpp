// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "long_range_table.h"

#include "pair.h"

#include <algorithm>
#include <limits>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ----------------------------------------------------------------------
   tables are made in init_style(), and in mid-run when the parameter of the
   Ewald sum changes; copying one takes microseconds
------------------------------------------------------------------------- */

const LongRange &LongRangeTable::fill(Pair *pair, double g_ewald, double cut_coulsq)
{
  table_.g_ewald = g_ewald;
  return fill_charges(pair, cut_coulsq, pair->ncoultablebits);
}

/* ---------------------------------------------------------------------- */

const LongRange &LongRangeTable::fill(Pair *pair, const SplitCharges &splitting, double cut_coulsq,
                                      bool has_table)
{
  table_.splitting = splitting;
  return fill_charges(pair, cut_coulsq, has_table ? pair->ncoultablebits : 0);
}

/* ---------------------------------------------------------------------- */

const LongRange &LongRangeTable::fill_charges(Pair *pair, double cut_coulsq, int nbits)
{
  table_.cutsq = cut_coulsq;
  table_.innersq = pair->tabinnersq;
  table_.mask = pair->ncoulmask;
  table_.shift = pair->ncoulshiftbits;
  copy(nbits,
       {pair->drtable, pair->ftable, pair->dftable, pair->ctable, pair->dctable, pair->etable,
        pair->detable});
  return table_;
}

/* ---------------------------------------------------------------------- */

const LongRange &LongRangeTable::fill_dispersion(Pair *pair, double g_ewald, double cutsq)
{
  table_.cutsq = cutsq;
  table_.g_ewald = g_ewald;
  table_.innersq = pair->tabinnerdispsq;
  table_.mask = pair->ndispmask;
  table_.shift = pair->ndispshiftbits;
  copy(pair->ndisptablebits,
       {pair->drdisptable, pair->fdisptable, pair->dfdisptable, pair->edisptable, pair->dedisptable,
        pair->edisptable, pair->dedisptable});
  return table_;
}

/* ---------------------------------------------------------------------- */

void LongRangeTable::copy(int nbits, const Columns &from)
{
  if (!nbits) {    // computed at every distance
    table_.innersq = std::numeric_limits<double>::max();
    table_.nentries = 1;
    table_.mask = 0;
    table_.forces = {};
    return;
  }

  const int nentries = 1 << nbits;
  const bool same = table_.forces.doubles && table_.nentries == nentries && begin_ == from.f[0] &&
      end_ == from.f[nentries - 1];
  if (same) return;

  double *const forces = forces_.room(static_cast<std::size_t>(nentries) * 2);
  double *const others = others_.room(static_cast<std::size_t>(nentries) * 4);
  float *const single_forces = single_forces_.room(static_cast<std::size_t>(nentries) * 4);
  float *const single_others = single_others_.room(static_cast<std::size_t>(nentries) * 4);
  for (int i = 0; i < nentries; i++) {
    const double per_rsq = from.dr[i];
    const double force[2] = {from.f[i], from.df[i] * per_rsq};
    const double other[4] = {from.c[i], from.dc[i] * per_rsq, from.e[i], from.de[i] * per_rsq};
    const std::size_t row = 4 * static_cast<std::size_t>(i);
    std::copy_n(force, 2, forces + row / 2);
    std::copy_n(other, 4, others + row);
    std::copy_n(force, 2, single_forces + row);
    std::fill_n(single_forces + row + 2, 2, 0.0F);
    std::copy_n(other, 4, single_others + row);
  }
  table_.nentries = nentries;
  table_.forces = {forces, single_forces};
  table_.others = {others, single_others};
  begin_ = from.f[0];
  end_ = from.f[nentries - 1];
}
