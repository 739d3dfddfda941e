/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

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
  table_.cutsq = cut_coulsq;
  table_.g_ewald = g_ewald;
  if (!pair->ncoultablebits) {    // computed at every distance
    table_.innersq = std::numeric_limits<double>::max();
    table_.nentries = 1;
    table_.mask = 0;
    table_.forces = {};
    return table_;
  }

  const int nentries = 1 << pair->ncoultablebits;
  table_.innersq = pair->tabinnersq;
  table_.mask = pair->ncoulmask;
  table_.shift = pair->ncoulshiftbits;
  const bool same = table_.forces.doubles && table_.nentries == nentries &&
      begin_ == pair->ftable[0] && end_ == pair->ftable[nentries - 1];
  if (same) return table_;

  double *const forces = forces_.room(static_cast<std::size_t>(nentries) * 2);
  double *const others = others_.room(static_cast<std::size_t>(nentries) * 4);
  float *const single_forces = single_forces_.room(static_cast<std::size_t>(nentries) * 4);
  float *const single_others = single_others_.room(static_cast<std::size_t>(nentries) * 4);
  for (int i = 0; i < nentries; i++) {
    const double per_rsq = pair->drtable[i];
    const double force[2] = {pair->ftable[i], pair->dftable[i] * per_rsq};
    const double other[4] = {pair->ctable[i], pair->dctable[i] * per_rsq, pair->etable[i],
                             pair->detable[i] * per_rsq};
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
  begin_ = pair->ftable[0];
  end_ = pair->ftable[nentries - 1];
  return table_;
}
