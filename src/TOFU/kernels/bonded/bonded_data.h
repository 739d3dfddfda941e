// SPDX-License-Identifier: GPL-2.0-only
//
// Data that the kernels of bonds, angles, dihedrals and impropers read and write.  Units are those
// of the run.

#ifndef TOFU_KERNELS_BONDED_DATA_H
#define TOFU_KERNELS_BONDED_DATA_H

#include "kernels/data/pair_data.h"

#include <vector>

namespace TOFU_NS {

/** The interactions of one part.  Each atom belongs to one part, or to none if it gets no force.  A
    part computes all interactions that its atoms take part in, and changes its own atoms only, so
    that parts may run at the same time. */
struct BondedJob {
  const double *x = nullptr;    // [natoms][3] and one more number that may be read
  double *f = nullptr;          // [natoms][3]; nullptr: tallies alone
  const int *list = nullptr;    // [..][atoms of an interaction + 1] atoms and type
  const int *order =
      nullptr;    // [n] rows of the list, first those of own atoms alone; nullptr: 0 to n-1
  int n = 0;
  int ninner = 0;                         // those of own atoms alone
  const unsigned char *own = nullptr;     // [n - ninner] of the others: one bit per atom, 1: own
  bool tallied = false;                   // energy and virial are wanted
  std::vector<int> *flagged = nullptr;    // gets the rows of the list for which LAMMPS' style has
                                          // a warning or an error
};

/** Coefficients by type, from 1; their meaning depends on the potential. */
struct BondedCoefficients {
  static constexpr int N = 4;
  const double *table = nullptr;    // [ntypes+1][N]
};

/** Tables of energy and force for each type of interaction, with equal steps of an angle from 0, or
    of a distance. */
struct BondedTables {
  struct Table {
    const double *e = nullptr, *de = nullptr, *e2 = nullptr;    // [npoints] as in LAMMPS
    const double *f = nullptr, *df = nullptr, *f2 = nullptr;
    double lo = 0.0;    // of the first point
    double invdelta = 0.0, deltasq6 = 0.0;
    bool has_forces = true;    // else splines of the energy are differentiated
  };

  /** Continuation beyond the table. */
  enum class Ends {
    LAST,        // of the last interval
    PERIODIC,    // from the other end
    REFUSED      // none: an interval behind the last point is outside
  };

  std::vector<Table> tables;    // [ntypes+1]
  int npoints = 0;
  bool splines = false;    // else linear
  Ends ends = Ends::LAST;

  /** Interpolate energy and force.

      \return   whether x is a number and an angle, or with REFUSED in the range of the table; if
                not, energy and force are 0 */
  bool look_up(int type, double x, double &energy, double &force) const;
};

inline bool BondedTables::look_up(int type, double x, double &energy, double &force) const
{
  const Table &t = tables[type];
  energy = force = 0.0;
  const double place = (x - t.lo) * t.invdelta;
  if (!(place > -1.0 && place < npoints + (ends == Ends::REFUSED ? 0.0 : 1.0))) return false;
  int i = static_cast<int>(place);
  double b = place - i;
  if (i >= npoints) {
    b += ends == Ends::LAST ? i - npoints + 1 : 0;
    i = ends == Ends::LAST ? npoints - 1 : i - npoints;
  }
  if (!splines) {
    energy = t.e[i] + b * t.de[i];
    force = t.f[i] + b * t.df[i];
    return true;
  }

  // the point behind the last one has no weight there, unless the table is periodic

  const int next = i + 1 < npoints ? i + 1 : ends == Ends::PERIODIC ? 0 : i;
  const double a = 1.0 - b, a3 = a * a * a - a, b3 = b * b * b - b;
  energy = a * t.e[i] + b * t.e[next] + (a3 * t.e2[i] + b3 * t.e2[next]) * t.deltasq6;
  if (t.has_forces)
    force = a * t.f[i] + b * t.f[next] + (a3 * t.f2[i] + b3 * t.f2[next]) * t.deltasq6;
  else
    force = (t.e[i] - t.e[next] +
             ((3.0 * a * a - 1.0) * t.e2[i] + (1.0 - 3.0 * b * b) * t.e2[next]) * t.deltasq6) *
        t.invdelta;
  return true;
}

}    // namespace TOFU_NS

#endif
