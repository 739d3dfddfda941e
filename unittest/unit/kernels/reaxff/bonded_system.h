// SPDX-License-Identifier: GPL-2.0-only
//
// A few atoms with bonds in no box, parameters of three elements, and all passes over their bonds.

#ifndef UNIT_BONDED_SYSTEM_H
#define UNIT_BONDED_SYSTEM_H

#include "kernels/reaxff/angle_terms.h"
#include "kernels/reaxff/atom_terms.h"
#include "kernels/reaxff/bond_orders.h"
#include "kernels/reaxff/bond_rows.h"
#include "kernels/reaxff/bond_slopes.h"
#include "kernels/reaxff/hydrogen_bonds.h"
#include "kernels/reaxff/torsion_terms.h"

#include <algorithm>
#include <random>
#include <vector>

namespace TOFU_TEST {

/** Carbon, hydrogen and oxygen, nearly; all terms are there, all masses are below 21. */
inline TOFU_NS::ReaxTables make_tables()
{
  using TOFU_NS::ReaxTables;
  ReaxTables tables;
  const double general[ReaxTables::NGENERAL] = {
      50.0,   9.5469,  26.5405, 1.7224, 6.87,    60.485, 1.0588, 4.6,    12.1176, 13.3056,
      -70.5,  0.0,     10.0,    2.8793, 33.8667, 6.0891, 1.0563, 2.0384, 6.929,   0.3989,
      3.9954, -2.4837, 5.7796,  10.0,   1.9487,  2.3276, 2.1645, 1.5591, 2.1365,  0.1,
      2.2485, 0.7,     50.0,    0.5,    20.0,    0.9,    1.0,    2.0,    2.6962};
  std::copy_n(general, ReaxTables::NGENERAL, tables.general);
  tables.general[3] = 3.0;
  tables.general[4] = 1.0;
  tables.n = 3;
  tables.bo_cut = 0.001;
  tables.bond_cut = 5.0;
  tables.hbond_cut = 7.5;
  tables.thb_cut = 0.001;
  tables.thb_cutsq = 1e-5;
  tables.elements = {{4.0, 4.0, 4.0, 4.0, 0.0, 12.0, 10.0, -2.8983, 34.9289, 2.5, 2.9663, 5.9, 14.0,
                      3.0, 2, false, true},
                     {1.0, 1.0, 1.0, 1.0, 0.0, 1.008, 5.0, -15.7683, 0.5, 2.1488, 2.8793, 5.3, 15.0,
                      3.0, 1, false, false},
                     {2.0, 6.0, 4.0, 4.0, 2.0, 15.999, 0.4056, -3.6141, 37.5, 2.7025, 2.9225, 8.5,
                      17.0, 3.0, 2, false, false}};
  std::mt19937 random(4711);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const auto between = [&](double lo, double hi) {
    return lo + (hi - lo) * uniform(random);
  };
  tables.pairs.resize(9);
  tables.angles.resize(27);
  tables.hydrogen_bonds.resize(27);
  tables.torsions.resize(81);
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) {
      ReaxTables::Pair pair{};
      pair.p_bo1 = between(-0.12, -0.07);
      pair.p_bo2 = between(5.0, 6.5);
      pair.p_bo3 = between(-0.4, -0.2);
      pair.p_bo4 = between(6.0, 8.0);
      pair.p_bo5 = between(-0.5, -0.2);
      pair.p_bo6 = between(10.0, 15.0);
      pair.r_s = i == 1 || j == 1 ? 1.05 : 1.35;
      pair.r_p = 1.2;
      pair.r_pp = 1.15;
      pair.p_boc3 = between(3.0, 5.0);
      pair.p_boc4 = between(1.0, 8.0);
      pair.p_boc5 = between(0.5, 2.0);
      pair.De_s = between(80.0, 170.0);
      pair.De_p = between(20.0, 100.0);
      pair.De_pp = between(10.0, 70.0);
      pair.p_be1 = between(-0.8, 0.6);
      pair.p_be2 = between(0.3, 5.0);
      pair.p_ovun1 = between(0.1, 0.7);
      pair.has_sigma = true;
      pair.has_pi = pair.has_pipi = i != 1 && j != 1;
      pair.is_overcoordinated = true;
      pair.has_13 = !(i == 1 && j == 1);
      pair.has_triple = i != 1 && j != 1;
      pair.any_torsion = true;
      TOFU_NS::set_reaches(tables, pair);
      tables.pairs[3 * i + j] = tables.pairs[3 * j + i] = pair;
    }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = i; k < 3; k++) {
        ReaxTables::Angle angle;
        angle.n = j == 1 ? 1 : 2;
        for (int n = 0; n < angle.n; n++)
          angle.sets[n] = {
              between(60.0, 90.0),         n ? -between(5.0, 9.0) : between(10.0, 40.0),
              between(0.5, 3.0),           between(1.0, 2.0),
              between(0.5, 2.0),           n ? 0.0 : between(5.0, 10.0),
              n ? 0.0 : -between(1.0, 4.0)};
        tables.angles[9 * i + 3 * j + k] = tables.angles[9 * k + 3 * j + i] = angle;
      }
  for (const int i : {0, 2})
    for (const int k : {0, 2})
      tables.hydrogen_bonds[9 * i + 3 + k] = {between(1.8, 2.3), -between(2.0, 5.0), 1.45, 19.5};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) {
          const ReaxTables::Torsion torsion{between(-2.0, 2.0), between(10.0, 40.0),
                                            between(-1.0, 1.0), -between(2.0, 6.0),
                                            -between(1.0, 3.0), !(j == 1 && k == 1)};
          tables.torsions[27 * i + 9 * j + 3 * k + l] = torsion;
          tables.torsions[27 * l + 9 * k + 3 * j + i] = torsion;
        }
  return tables;
}

/** Atoms at random, as far apart as bonds are long. */
struct BondedSystem {
  TOFU_NS::ReaxTables tables = make_tables();
  std::vector<double> x;
  std::vector<int> element;
  std::vector<std::int64_t> tag;

  explicit BondedSystem(int natoms, unsigned seed = 1)
  {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0.0, 3.6);
    while (static_cast<int>(element.size()) < natoms) {
      const double place[3] = {uniform(random), uniform(random), uniform(random)};
      bool free = true;
      for (std::size_t i = 0; i < element.size(); i++) {
        double rsq = 0.0;
        for (int dim = 0; dim < 3; dim++)
          rsq += (place[dim] - x[3 * i + dim]) * (place[dim] - x[3 * i + dim]);
        free = free && rsq > 1.1 * 1.1;
      }
      if (!free) continue;
      x.insert(x.end(), place, place + 3);
      tag.push_back(100 - static_cast<int>(element.size()));
      element.push_back(static_cast<int>(element.size()) % 3);
    }
  }

  int natoms() const { return static_cast<int>(element.size()); }

  TOFU_NS::ReaxSystem system() const
  {
    TOFU_NS::ReaxSystem all;
    all.tables = &tables;
    all.natoms = natoms();
    all.x = x.data();
    all.element = element.data();
    all.tag = tag.data();
    return all;
  }

  /** Rows of all atoms, with corrected orders. */
  TOFU_NS::BondRows rows() const
  {
    const TOFU_NS::ReaxSystem all = system();
    TOFU_NS::BondRows rows;
    rows.nowned = rows.ncorrected = natoms();
    rows.torsion_pushes.resize(1);
    for (int i = 0; i < natoms(); i++) {
      std::vector<int> others;
      for (int j = 0; j < natoms(); j++)
        if (j != i) others.push_back(j);
      TOFU_NS::ReaxAtom atom{};
      atom.atom = i;
      atom.element = element[i];
      atom.first = static_cast<int>(rows.bonds.size());
      const int nothers = static_cast<int>(others.size());
      std::vector<TOFU_NS::ReaxBond> bonds(TOFU_NS::count_near(all, i, others.data(), nothers));
      bonds.resize(TOFU_NS::find_bonds(all, i, others.data(), nothers, bonds.data()));
      for (TOFU_NS::ReaxBond &bond : bonds) bond.row = bond.neighbor;
      rows.bonds.insert(rows.bonds.end(), bonds.begin(), bonds.end());
      atom.last = static_cast<int>(rows.bonds.size());
      rows.atoms.push_back(atom);
    }
    for (int i = 0; i < natoms(); i++)
      for (int b = rows.atoms[i].first; b < rows.atoms[i].last; b++) {
        const TOFU_NS::ReaxAtom &j = rows.atoms[rows.bonds[b].row];
        for (int m = j.first; m < j.last; m++)
          if (rows.bonds[m].neighbor == i) rows.bonds[b].reverse = m;
      }
    TOFU_NS::sum_raw_orders(all, rows, 0, natoms());
    TOFU_NS::correct_orders(all, rows, 0, natoms());
    TOFU_NS::sum_orders(all, rows, 0, natoms());
    return rows;
  }

  /** Hydrogens with all acceptors. */
  TOFU_NS::HydrogenRows hydrogens() const
  {
    TOFU_NS::HydrogenRows to;
    to.first.push_back(0);
    for (int i = 0; i < natoms(); i++) {
      if (tables.elements[element[i]].p_hbond == 1)
        for (int j = 0; j < natoms(); j++)
          if (tables.elements[element[j]].p_hbond == 2) to.acceptors.push_back(j);
      to.first.push_back(static_cast<int>(to.acceptors.size()));
    }
    return to;
  }

  /** Energies, virial, and forces [natoms][3]; in shares of rows, whose number changes nothing. */
  TOFU_NS::ReaxTally compute(std::vector<double> &f, int nshares = 1) const
  {
    const TOFU_NS::ReaxSystem all = system();
    TOFU_NS::BondRows bonds = rows();
    const TOFU_NS::HydrogenRows hydrogen_rows = hydrogens();
    bonds.torsion_pushes.resize(nshares);
    TOFU_NS::ReaxTally tally;
    tally.wants_virial = true;
    const int n = natoms();
    f.assign(3 * static_cast<std::size_t>(n), 0.0);
    std::vector<double> on_acceptors(4 * static_cast<std::size_t>(n), 0.0);
    for (int s = 0; s < nshares; s++) {
      const int first = n * s / nshares, last = n * (s + 1) / nshares;
      TOFU_NS::atom_terms(all, bonds, first, last, tally);
      TOFU_NS::angle_terms(all, bonds, first, last, tally);
      TOFU_NS::torsion_terms(all, bonds, s, first, last, tally);
      TOFU_NS::hydrogen_bonds(all, bonds, hydrogen_rows, first, last, on_acceptors.data(), tally);
    }
    TOFU_NS::gather_derivatives(bonds, 0, n);
    TOFU_NS::sum_raw_derivatives(bonds, 0, n);
    TOFU_NS::bond_forces(bonds, 0, n, f.data(), tally);
    TOFU_NS::forces_beyond_rows(bonds, f.data());
    for (int i = 0; i < n; i++)
      for (int dim = 0; dim < 3; dim++) f[3 * i + dim] += on_acceptors[4 * i + dim];
    return tally;
  }
};

}    // namespace TOFU_TEST

#endif
