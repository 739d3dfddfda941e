// SPDX-License-Identifier: GPL-2.0-only
//
// Parameters of ReaxFF as kernels read them: flat arrays over elements, pairs, triples and
// quadruples of the elements of a force-field file.  Distances in Angstrom, energies in kcal/mol.
//
// What differs from the textbook, since LAMMPS' style is the reference: pi of angles has 9 digits
// (PI), Coulomb's constant is 332.06371 and that of polarization 23.02, the triple bond is chosen
// by exact masses, orders below TINY_ORDER are 0 each by itself, and only the first set of
// parameters of a torsion is used.

#ifndef TOFU_KERNELS_REAXFF_TABLES_H
#define TOFU_KERNELS_REAXFF_TABLES_H

#include <cstddef>
#include <vector>

namespace TOFU_NS {

struct ReaxTables {
  static constexpr int NGENERAL = 39;    // general parameters, those of the file from 0
  static constexpr int MOST_SETS = 5;    // of an angle
  static constexpr double PI = 3.14159265, EV = 23.02, TINY_ORDER = 1e-10;

  struct Element {
    double valency, valency_e, valency_boc, valency_val, nlp_opt, mass;
    double p_lp2, p_ovun2, p_ovun5, p_val3, p_val5, chi, eta, softness_reach;
    int p_hbond;    // 1: hydrogen of hydrogen bonds, 2: donor or acceptor
    bool is_heavy, is_carbon;
  };

  struct Pair {
    double p_bo1, p_bo2, p_bo3, p_bo4, p_bo5, p_bo6, r_s, r_p, r_pp;
    double p_boc3, p_boc4, p_boc5;
    double De_s, De_p, De_pp, p_be1, p_be2, p_ovun1;
    double reach;                   // distance beyond which there is no bond
    double pi_reach, pipi_reach;    // beyond which these orders are below 1e-21 and left out
    bool has_sigma, has_pi, has_pipi, is_overcoordinated, has_13, has_triple, any_torsion;
  };

  struct AngleSet {
    double theta_00, p_val1, p_val2, p_val4, p_val7, p_pen1, p_coa1;
  };
  struct Angle {
    int n = 0;
    AngleSet sets[MOST_SETS];
  };

  struct Torsion {
    double V1 = 0.0, V2 = 0.0, V3 = 0.0, p_tor1 = 0.0, p_cot1 = 0.0;
    bool any = false;
  };

  struct HydrogenBond {
    double r0 = -1.0, p_hb1 = 0.0, p_hb2 = 0.0, p_hb3 = 0.0;    // none if r0 <= 0
  };

  int n = 0;    // elements
  double general[NGENERAL] = {};
  double bo_cut = 0.0, bond_cut = 0.0, hbond_cut = 0.0, thb_cut = 0.0, thb_cutsq = 0.0;
  bool lone_atoms_count = true;    // lone pairs and undercoordination of atoms without bonds

  std::vector<Element> elements;               // [n]
  std::vector<Pair> pairs;                     // [n][n]
  std::vector<Angle> angles;                   // [n][n][n]
  std::vector<HydrogenBond> hydrogen_bonds;    // [n][n][n]
  std::vector<Torsion> torsions;               // [n][n][n][n]

  const Pair &pair(int i, int j) const { return pairs[at(i, j)]; }
  const Angle &angle(int i, int j, int k) const { return angles[at(i, j) * n + k]; }
  const HydrogenBond &hydrogen_bond(int i, int j, int k) const
  {
    return hydrogen_bonds[at(i, j) * n + k];
  }
  const Torsion &torsion(int i, int j, int k, int l) const
  {
    return torsions[(at(i, j) * n + k) * n + l];
  }
  double largest_reach() const
  {
    double largest = 0.0;
    for (const Pair &one : pairs) largest = one.reach > largest ? one.reach : largest;
    return largest;
  }

 private:
  std::size_t at(int i, int j) const { return static_cast<std::size_t>(i) * n + j; }
};

}    // namespace TOFU_NS

#endif
