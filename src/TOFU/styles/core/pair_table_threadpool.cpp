// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pair_table_threadpool.h"

#include "atom.h"
#include "error.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ----------------------------------------------------------------------
   tables are read by pair_coeff, which may come between two runs
------------------------------------------------------------------------- */

void PairTableThreadpool::init_style()
{
  PairwiseStyle::init_style();
  filled = false;
}

/* ----------------------------------------------------------------------
   a table of style lookup is a linear one without slopes
------------------------------------------------------------------------- */

DistanceTables::Kind PairTableThreadpool::kind() const
{
  if (tabstyle == BITMAP) return DistanceTables::Kind::BITMAP;
  return tabstyle == SPLINE ? DistanceTables::Kind::SPLINE : DistanceTables::Kind::LINEAR;
}

/* ----------------------------------------------------------------------
   of one table; the last interval of a spline ends at an entry
------------------------------------------------------------------------- */

int PairTableThreadpool::nentries() const
{
  if (tabstyle == BITMAP) return 1 << tablength;
  return tabstyle == SPLINE ? tablength : tablength - 1;
}

/* ---------------------------------------------------------------------- */

void PairTableThreadpool::fill_rows()
{
  if (filled) return;
  filled = true;
  const int n = nentries();
  double *to = rows.room(static_cast<std::size_t>(ntables) * n * DistanceTables::ROW);
  for (const Table *t = tables; t < tables + ntables; t++)
    for (int k = 0; k < n; k++, to += DistanceTables::ROW) fill_row(*t, k, to);
}

/* ----------------------------------------------------------------------
   a line through an entry becomes one that begins where the table does
------------------------------------------------------------------------- */

void PairTableThreadpool::fill_row(const Table &t, int k, double *to) const
{
  const auto line = [to](int first, double value, double slope, double at) {
    to[first] = value - slope * at;
    to[first + 1] = slope;
  };
  switch (tabstyle) {
    case LOOKUP:
      line(0, t.f[k], 0.0, 0.0);
      line(2, t.e[k], 0.0, 0.0);
      break;
    case LINEAR:
      line(0, t.f[k], t.df[k], k);
      line(2, t.e[k], t.de[k], k);
      break;
    case BITMAP:
      line(0, t.f[k], t.df[k] * t.drsq[k], t.rsq[k]);
      line(2, t.e[k], t.de[k] * t.drsq[k], t.rsq[k]);
      break;
    default:
      to[0] = t.f[k];
      to[1] = t.f2[k] * t.deltasq6;
      to[2] = t.e[k];
      to[3] = t.e2[k] * t.deltasq6;
  }
}

/* ----------------------------------------------------------------------
   LAMMPS' own loop finds the pair that is too close, and says so
------------------------------------------------------------------------- */

void PairTableThreadpool::compute(int eflag, int vflag)
{
  ev_init(eflag, vflag);
  fill_rows();
  fill_coefficients(DistanceTables::NCOEFFICIENTS, [&](int i, int j, double *to) {
    const Table &t = tables[tabindex[i][j]];
    to[0] = cutsq[i][j];
    to[1] = static_cast<double>(tabindex[i][j]) * nentries();
    to[2] = t.innersq;
    to[3] = tabstyle == BITMAP ? t.nshiftbits : t.invdelta;
  });
  is_outside = false;
  const DistanceTables all{kind(),      atom->ntypes,    coefficients(), largest_cutsq,
                           rows.data(), tablength - 2.0, nentries() - 1, &is_outside};
  on_pool.gather(list, nullptr, atom->ntypes > 1);
  compute_rows([&](const PairJob &job, int first, int last, PairTally &tally) {
    distance_tables(all, job, first, last, tally);
  });
  if (!is_outside) return;
  PairTable::compute(eflag, vflag);
  error->one(FLERR, "Pair distance < table inner cutoff");
}

/* ---------------------------------------------------------------------- */

double PairTableThreadpool::memory_usage()
{
  return PairwiseStyle::memory_usage() + static_cast<double>(rows.nbytes());
}
