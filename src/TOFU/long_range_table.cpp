/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "long_range_table.h"

#include "pair.h"

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
    table_.rows = nullptr;
    return table_;
  }

  const int nentries = 1 << pair->ncoultablebits;
  table_.innersq = pair->tabinnersq;
  table_.mask = pair->ncoulmask;
  table_.shift = pair->ncoulshiftbits;
  const bool same = table_.rows && table_.nentries == nentries && begin_ == pair->ftable[0] &&
      end_ == pair->ftable[nentries - 1];
  if (same) return table_;

  double *const rows = rows_.room(static_cast<std::size_t>(nentries) * LongRange::STRIDE);
  for (int i = 0; i < nentries; i++) {
    double *const row = rows + static_cast<std::size_t>(i) * LongRange::STRIDE;
    row[0] = pair->rtable[i];
    row[1] = pair->drtable[i];
    row[2] = pair->ftable[i];
    row[3] = pair->dftable[i];
    row[4] = pair->ctable[i];
    row[5] = pair->dctable[i];
    row[6] = pair->etable[i];
    row[7] = pair->detable[i];
  }
  table_.nentries = nentries;
  table_.rows = rows;
  begin_ = pair->ftable[0];
  end_ = pair->ftable[nentries - 1];
  return table_;
}
