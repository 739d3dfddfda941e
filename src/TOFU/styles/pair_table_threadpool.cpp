/* ----------------------------------------------------------------------
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

#include "pair_table_threadpool.h"

#include "error.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ----------------------------------------------------------------------
   tables are read by pair_coeff, which may come between two runs
------------------------------------------------------------------------- */

void PairTableThreadpool::init_style()
{
  PairTermsStyle::init_style();
  filled = false;
}

/* ---------------------------------------------------------------------- */

ShortRange PairTableThreadpool::kind() const
{
  if (tabstyle == BITMAP) return ShortRange::TABLE_BITMAP;
  return tabstyle == SPLINE ? ShortRange::TABLE_SPLINE : ShortRange::TABLE_LINEAR;
}

/* ----------------------------------------------------------------------
   of one table; an interval of a spline ends at the next entry
------------------------------------------------------------------------- */

int PairTableThreadpool::nentries() const
{
  if (tabstyle == BITMAP) return 1 << tablength;
  return tabstyle == SPLINE ? tablength : tablength - 1;
}

/* ---------------------------------------------------------------------- */

int PairTableThreadpool::row_size() const
{
  return tabstyle == BITMAP ? DistanceTables::BITMAP_ROW : DistanceTables::ROW;
}

/* ----------------------------------------------------------------------
   a table of style lookup is a linear one without slopes
------------------------------------------------------------------------- */

void PairTableThreadpool::fill_rows()
{
  if (filled) return;
  filled = true;
  const int n = nentries();
  double *to = rows.room(static_cast<std::size_t>(ntables) * n * row_size());
  for (const Table *t = tables; t < tables + ntables; t++)
    for (int k = 0; k < n; k++, to += row_size()) {
      std::fill_n(to, row_size(), 0.0);
      if (tabstyle == BITMAP) {
        to[0] = t->rsq[k];
        to[2] = t->f[k];
        to[3] = t->df[k] * t->drsq[k];
        to[4] = t->e[k];
        to[5] = t->de[k] * t->drsq[k];
      } else {
        to[0] = t->f[k];
        to[2] = t->e[k];
        if (tabstyle == LINEAR) {
          to[1] = t->df[k];
          to[3] = t->de[k];
        } else if (tabstyle == SPLINE) {
          to[1] = t->f2[k];
          to[3] = t->e2[k];
        }
      }
    }
}

/* ----------------------------------------------------------------------
   LAMMPS' own loop finds the pair that is too close, and says so
------------------------------------------------------------------------- */

void PairTableThreadpool::compute(int eflag, int vflag)
{
  fill_rows();
  is_outside = false;
  PairTerms terms;
  terms.short_range = kind();
  terms.tables = {rows.data(), tablength - 2.0, &is_outside};
  compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
    const Table &t = tables[tabindex[i][j]];
    const double begin = static_cast<double>(tabindex[i][j]) * nentries();
    if (tabstyle == BITMAP)
      c.bitmap(begin, t.innersq, t.nmask, t.nshiftbits);
    else
      c.evenly_spaced(begin, t.innersq, t.invdelta, t.delta, t.deltasq6);
  });
  if (!is_outside) return;
  PairTable::compute(eflag, vflag);
  error->one(FLERR, "Pair distance < table inner cutoff");
}

/* ---------------------------------------------------------------------- */

double PairTableThreadpool::memory_usage()
{
  return PairTermsStyle::memory_usage() + static_cast<double>(rows.nbytes());
}
