// SPDX-License-Identifier: GPL-2.0-only
//
// BondRows: the bonds of a rank in one step, and its atoms with what their bonds add up to.
//
// Each bond is there twice, in the rows of both its ends.  Rows are those of the owned atoms, then
// of ghosts one bond away from them, then of ghosts two bonds away; ghosts three bonds away are in
// the rows of these, and have none.  What a pass adds to a neighbor it writes to the bond in the
// row at hand, and the neighbor collects it in a later pass: no two threads write to one place, and
// results do not depend on the number of threads.

#ifndef TOFU_KERNELS_BOND_ROWS_H
#define TOFU_KERNELS_BOND_ROWS_H

#include "reaxff_tables.h"

#include <cstdint>
#include <vector>

namespace TOFU_NS {

/** From one atom to a neighbor. */
struct ReaxBond {
  int neighbor;         // atom
  int row;              // of the neighbor, -1: none
  int reverse;          // the bond in that row
  int torsion_chunk;    // whose torsion_pushes hold those of this bond; -1: none
  int torsion_begin;    // [bonds of the neighbor] from here on
  int element;          // of the neighbor
  double r, d[3];       // distance, and vector to the neighbor

  // before corrections; slopes are divided by the distance

  double raw, raw_pi, raw_pipi;
  double slope, slope_pi, slope_pipi;

  double bo;                      // corrected
  double a0, a1, a2, a3, c_pi;    // factors of derivatives, see bond_slopes.h

  double torsion_decay, conjugation;    // exp(-l23 a) and exp(-l27 (a-1.5)^2), a = bo - thb_cut

  // derivatives of the energy by orders of this bond, and what the neighbor gets

  double c, c_pi_bond, c_pipi_bond;
  double push_delta;    // derivative by the sum of orders of the neighbor
  double push[3];       // force on the neighbor

  // corrected orders of each kind, which add up to bo but for tiny ones

  double bo_s() const { return without_tiny(raw * a0 - (raw_pi * c_pi + raw_pipi * c_pi)); }
  double bo_pi() const { return without_tiny(raw_pi * c_pi); }
  double bo_pipi() const { return without_tiny(raw_pipi * c_pi); }

  static double without_tiny(double order) { return order < ReaxTables::TINY_ORDER ? 0.0 : order; }
};

/** An atom with a row. */
struct ReaxAtom {
  int atom, element, first, last;               // bonds [first, last)
  double deltap, deltap_boc, decay1, decay2;    // of raw orders; exp(-l0 deltap), exp(-l1 deltap)
  double total, delta, delta_boc, delta_val;    // of corrected orders
  double delta_lp, delta_lp_light, slope_lp, nlp, vlpex;
  double c_delta;      // derivative of the energy by `total`, without what neighbors push
  double sum_delta;    // with it
  double a;            // derivative by deltap
  double f[3];         // force, without what neighbors push
};

/** What a torsion adds to the bond at its far end. */
struct TorsionPush {
  double c, f[3];
};

/** Energies by LAMMPS' places in compute pair, and virials; added to. */
struct ReaxTally {
  enum Term {
    BOND,
    OVER_UNDER,
    LONE_PAIR,
    ANGLE = 4,
    PENALTY,
    COALITION,
    HYDROGEN,
    TORSION,
    CONJUGATION,
    VDW,
    COULOMB,
    POLARIZATION = 13,
    NTERMS
  };
  double energies[NTERMS] = {};
  double virial[6] = {};    // xx, yy, zz, xy, xz, yz
  bool wants_virial = false;
  double *eatom = nullptr;         // [natoms] if wanted: one thread at a time then
  double (*vatom)[6] = nullptr;    // likewise

  void add(const ReaxTally &other)
  {
    for (int k = 0; k < NTERMS; k++) energies[k] += other.energies[k];
    for (int k = 0; k < 6; k++) virial[k] += other.virial[k];
  }

  /** Share an energy equally among atoms. */
  void share(double energy, int i, int j)
  {
    if (!eatom) return;
    eatom[i] += 0.5 * energy;
    eatom[j] += 0.5 * energy;
  }
  void give(double energy, int i)
  {
    if (eatom) eatom[i] += energy;
  }

  /** Virial of a force on an atom at a place relative to that of all others together. */
  static void add_force(double *v, const double *f, const double *d)
  {
    v[0] += f[0] * d[0];
    v[1] += f[1] * d[1];
    v[2] += f[2] * d[2];
    v[3] += f[1] * d[0];
    v[4] += f[2] * d[0];
    v[5] += f[2] * d[1];
  }

  /** Add a virial, in equal shares of n atoms. */
  void add_virial(const double *v, const int *atoms, int n)
  {
    for (int k = 0; k < 6; k++) virial[k] += v[k];
    if (!vatom) return;
    for (int m = 0; m < n; m++)
      for (int k = 0; k < 6; k++) vatom[atoms[m]][k] += v[k] / n;
  }
};

struct BondRows {
  int nowned = 0;                 // the first rows, of owned atoms in their order
  int ncorrected = 0;             // rows with corrected orders: owned and one bond away
  std::vector<ReaxAtom> atoms;    // [rows]
  std::vector<ReaxBond> bonds;    // as many as rows name, then unused ones
  std::vector<std::vector<TorsionPush>> torsion_pushes;    // [chunks]

  int nrows() const { return static_cast<int>(atoms.size()); }
};

/** Atoms of the rank, arrays of the caller. */
struct ReaxSystem {
  const ReaxTables *tables = nullptr;
  int natoms = 0;
  const double *x = nullptr;            // [natoms][3]
  const int *element = nullptr;         // [natoms], -1: not of this style
  const std::int64_t *tag = nullptr;    // [natoms]

  /** Whether the rank and row of i, not of j, computes a pair that both have. */
  bool computes(int i, int j) const
  {
    if (tag[i] != tag[j]) return tag[i] < tag[j];
    for (int dim = 2; dim >= 0; dim--) {
      const double xi = x[3 * static_cast<std::size_t>(i) + dim],
                   xj = x[3 * static_cast<std::size_t>(j) + dim];
      if (xi != xj) return xj > xi;
    }
    return true;
  }
};

}    // namespace TOFU_NS

#endif
