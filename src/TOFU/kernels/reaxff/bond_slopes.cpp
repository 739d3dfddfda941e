// SPDX-License-Identifier: GPL-2.0-only

#include "bond_slopes.h"

#include "bond_vectors.h"

namespace TOFU_NS {

namespace {

  /** Derivatives of the energy by the corrected orders of a bond, both ends together. */
  struct Derivatives {
    double by_order, weighted_pi, by_pi, by_pipi;

    Derivatives(const BondRows &rows, const ReaxAtom &i, const ReaxBond &bond)
    {
      const ReaxBond &back = rows.bonds[bond.reverse];
      by_order = bond.c + back.c + i.sum_delta + rows.atoms[bond.row].sum_delta;
      by_pi = bond.c_pi_bond + back.c_pi_bond;
      by_pipi = bond.c_pipi_bond + back.c_pipi_bond;
      weighted_pi = bond.c_pi * (bond.raw_pi * by_pi + bond.raw_pipi * by_pipi);
    }
  };

  bool is_corrected(const BondRows &rows, int row, const ReaxBond &bond)
  {
    return bond.row >= 0 && (row < rows.ncorrected || bond.row < rows.ncorrected);
  }

  /** Force of a bond, divided by its length: positive if it pulls. */
  double pull(const BondRows &rows, int row, const ReaxBond &bond)
  {
    const ReaxAtom &i = rows.atoms[row];
    double by_raw = i.a + (bond.row >= 0 ? rows.atoms[bond.row].a : 0.0);
    if (!is_corrected(rows, row, bond)) return by_raw * bond.slope;
    const Derivatives by(rows, i, bond);
    const double bo = bond.raw * bond.a0;
    by_raw += (bond.a0 + bo * bond.a1) * by.by_order + bond.a1 * by.weighted_pi;
    return by_raw * bond.slope +
        bond.c_pi * (by.by_pi * bond.slope_pi + by.by_pipi * bond.slope_pipi);
  }

}    // namespace

/* ---------------------------------------------------------------------- */

void gather_derivatives(BondRows &rows, int first, int last)
{
  for (int row = first; row < last; row++) {
    ReaxAtom &k = rows.atoms[row];
    k.sum_delta = k.c_delta;
    for (int b = k.first; b < k.last; b++) {
      if (rows.bonds[b].row < 0) continue;
      const ReaxBond &jk = rows.bonds[rows.bonds[b].reverse];
      k.sum_delta += jk.push_delta;
      if (jk.torsion_chunk < 0) continue;
      const TorsionPush *const pushes = &rows.torsion_pushes[jk.torsion_chunk][jk.torsion_begin];
      for (int m = k.first; m < k.last; m++) {
        rows.bonds[m].c += pushes[m - k.first].c;
        add_scaled(rows.bonds[m].push, 1.0, pushes[m - k.first].f);
      }
    }
  }
}

/* ---------------------------------------------------------------------- */

void sum_raw_derivatives(BondRows &rows, int first, int last)
{
  for (int row = first; row < last; row++) {
    ReaxAtom &i = rows.atoms[row];
    i.a = 0.0;
    for (int b = i.first; b < i.last; b++) {
      const ReaxBond &bond = rows.bonds[b];
      if (!is_corrected(rows, row, bond)) continue;
      const Derivatives by(rows, i, bond);
      i.a += bond.raw * bond.a0 * bond.a2 * by.by_order + bond.a3 * by.weighted_pi;
    }
  }
}

/* ---------------------------------------------------------------------- */

void bond_forces(BondRows &rows, int first, int last, double *f, ReaxTally &tally)
{
  for (int row = first; row < last; row++) {
    ReaxAtom &i = rows.atoms[row];
    double force[3] = {i.f[0], i.f[1], i.f[2]};
    for (int b = i.first; b < i.last; b++) {
      const ReaxBond &bond = rows.bonds[b];
      const double along = pull(rows, row, bond);
      add_scaled(force, along, bond.d);
      if (bond.row >= 0) add_scaled(force, 1.0, rows.bonds[bond.reverse].push);
      if (!tally.wants_virial || (bond.row >= 0 && bond.row < row)) continue;
      double v[6] = {};
      const double on_neighbor[3] = {-along * bond.d[0], -along * bond.d[1], -along * bond.d[2]};
      ReaxTally::add_force(v, on_neighbor, bond.d);
      const int atoms[2] = {i.atom, bond.neighbor};
      tally.add_virial(v, atoms, 2);
    }
    add_scaled(f + 3 * static_cast<std::size_t>(i.atom), 1.0, force);
  }
}

/* ---------------------------------------------------------------------- */

void forces_beyond_rows(const BondRows &rows, double *f)
{
  for (int row = rows.ncorrected; row < rows.nrows(); row++)
    for (int b = rows.atoms[row].first; b < rows.atoms[row].last; b++) {
      const ReaxBond &bond = rows.bonds[b];
      if (bond.row < 0)
        add_scaled(f + 3 * static_cast<std::size_t>(bond.neighbor), -pull(rows, row, bond), bond.d);
    }
}

}    // namespace TOFU_NS
