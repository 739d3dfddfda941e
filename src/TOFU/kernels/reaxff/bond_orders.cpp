// SPDX-License-Identifier: GPL-2.0-only

#include "bond_orders.h"

#include <algorithm>
#include <cmath>

namespace TOFU_NS {

namespace {

  /** exp(factor (r/r0)^power) and its slope divided by r. */
  struct Decay {
    double value = 0.0, slope = 0.0;

    Decay(bool any, double factor, double power, double r0, double r, double scale)
    {
      if (!any) return;
      const double exponent = factor * std::pow(r / r0, power);
      value = scale * std::exp(exponent);
      slope = value * power * exponent / (r * r);
    }
  };

  struct Orders {
    Decay sigma, pi, pipi;

    Orders(const ReaxTables &tables, const ReaxTables::Pair &pair, double r) :
        sigma(pair.has_sigma, pair.p_bo1, pair.p_bo2, pair.r_s, r, 1.0 + tables.bo_cut),
        pi(pair.has_pi && r < pair.pi_reach, pair.p_bo3, pair.p_bo4, pair.r_p, r, 1.0),
        pipi(pair.has_pipi && r < pair.pipi_reach, pair.p_bo5, pair.p_bo6, pair.r_pp, r, 1.0)
    {
    }
    double sum() const { return sigma.value + pi.value + pipi.value; }
  };

  /** An atom that may have bonds. */
  struct Center {
    const ReaxSystem &system;
    const double *x;
    const ReaxTables::Pair *pairs;

    Center(const ReaxSystem &all, int atom) :
        system(all), x(all.x + 3 * static_cast<std::size_t>(atom)),
        pairs(&all.tables->pairs[static_cast<std::size_t>(all.element[atom]) * all.tables->n])
    {
    }
  };

  /** From it to another atom. */
  struct Offset {
    const ReaxTables::Pair &pair;
    double d[3], rsq;
    bool is_near;

    Offset(const Center &center, int j) : pair(center.pairs[center.system.element[j]])
    {
      const double *const xj = center.system.x + 3 * static_cast<std::size_t>(j);
      for (int dim = 0; dim < 3; dim++) d[dim] = xj[dim] - center.x[dim];
      rsq = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
      is_near = rsq <= pair.reach * pair.reach;
    }
  };

  bool falls(bool any, double factor, double power, double r0)
  {
    return !any || (factor <= 0.0 && power >= 0.0 && r0 > 0.0);
  }

  double reach_of(bool any, double factor, double power, double r0, double end)
  {
    constexpr double MOST_EXPONENT = 50.0;    // exp(-50) is 2e-22
    if (!any || !falls(any, factor, power, r0) || !(factor < 0.0) || !(power > 0.0))
      return 2.0 * end;
    return std::min(2.0 * end, r0 * std::pow(MOST_EXPONENT / -factor, 1.0 / power));
  }

  /** Corrections of a bond, seen from one of its ends. */
  struct Correction {
    double f1 = 1.0, f45 = 1.0;
    double slope_f1[2] = {0.0, 0.0};     // of f1 by deltap of both ends, divided by f1
    double slope_f45[2] = {0.0, 0.0};    // of f4 and f5 by their exponents, divided by them
  };

  void correct_overcoordination(const ReaxTables &tables, const ReaxAtom &i, const ReaxAtom &j,
                                Correction &to)
  {
    const double l0 = tables.general[0], l1 = tables.general[1];
    const double valency[2] = {tables.elements[i.element].valency,
                               tables.elements[j.element].valency};
    const double decay1[2] = {i.decay1, j.decay1}, decay2[2] = {i.decay2, j.decay2};
    const double sum2 = decay2[0] + decay2[1];
    const double f2 = decay1[0] + decay1[1], f3 = -1.0 / l1 * std::log(0.5 * sum2);
    const double u[2] = {valency[0] + f2 + f3, valency[1] + f2 + f3};
    to.f1 = 0.5 * ((valency[0] + f2) / u[0] + (valency[1] + f2) / u[1]);
    // by f2: f3/u^2, by f3: -(valency+f2)/u^2
    const double by_f2 = 0.5 * f3 * (1.0 / (u[0] * u[0]) + 1.0 / (u[1] * u[1]));
    const double by_f3 =
        -0.5 * ((valency[0] + f2) / (u[0] * u[0]) + (valency[1] + f2) / (u[1] * u[1]));
    for (int end = 0; end < 2; end++)
      to.slope_f1[end] = (-by_f2 * l0 * decay1[end] + by_f3 * decay2[end] / sum2) / to.f1;
  }

  void correct_13(const ReaxTables::Pair &pair, double raw, const ReaxAtom &i, const ReaxAtom &j,
                  Correction &to)
  {
    const double boc[2] = {i.deltap_boc, j.deltap_boc};
    double f[2];
    for (int end = 0; end < 2; end++) {
      const double e = std::exp(-(pair.p_boc4 * raw * raw - boc[end]) * pair.p_boc3 + pair.p_boc5);
      f[end] = 1.0 / (1.0 + e);
      to.slope_f45[end] = -f[end] * e;
    }
    to.f45 = f[0] * f[1];
  }

  /** Orders and factors of the bond in one row; end: 0 for that of the correction's i. */
  void set_orders(const ReaxTables::Pair &pair, const Correction &by, int end, ReaxBond &bond)
  {
    const double a0 = by.f1 * by.f45;
    bond.a0 = a0;
    bond.c_pi = a0 * by.f1;
    const double p_boc3 = pair.has_13 ? pair.p_boc3 : 0.0, p_boc4 = pair.has_13 ? pair.p_boc4 : 0.0;
    bond.a1 = -2.0 * p_boc3 * p_boc4 * bond.raw * (by.slope_f45[0] + by.slope_f45[1]);
    bond.a2 = by.slope_f1[end] + p_boc3 * by.slope_f45[end];
    bond.a3 = bond.a2 + by.slope_f1[end];
    bond.bo = ReaxBond::without_tiny(bond.raw * a0);
  }

  void correct(const ReaxTables &tables, const ReaxAtom &i, const ReaxAtom &j, ReaxBond &ij,
               ReaxBond &ji)
  {
    const ReaxTables::Pair &pair = tables.pair(i.element, j.element);
    Correction by;
    if (pair.is_overcoordinated) correct_overcoordination(tables, i, j, by);
    if (pair.has_13) correct_13(pair, ij.raw, i, j, by);
    set_orders(pair, by, 0, ij);
    set_orders(pair, by, 1, ji);
  }

}    // namespace

/* ---------------------------------------------------------------------- */

void set_reaches(const ReaxTables &tables, ReaxTables::Pair &pair)
{
  const double end = tables.bond_cut;
  pair.pi_reach = reach_of(pair.has_pi, pair.p_bo3, pair.p_bo4, pair.r_p, end);
  pair.pipi_reach = reach_of(pair.has_pipi, pair.p_bo5, pair.p_bo6, pair.r_pp, end);
  pair.reach = end;
  if (!falls(pair.has_sigma, pair.p_bo1, pair.p_bo2, pair.r_s) ||
      !falls(pair.has_pi, pair.p_bo3, pair.p_bo4, pair.r_p) ||
      !falls(pair.has_pipi, pair.p_bo5, pair.p_bo6, pair.r_pp) || !(tables.bo_cut > 0.0) ||
      Orders(tables, pair, end).sum() >= tables.bo_cut)
    return;
  double inside = 0.0, outside = end;
  for (int k = 0; k < 60; k++) {
    const double middle = 0.5 * (inside + outside);
    (Orders(tables, pair, middle).sum() >= tables.bo_cut ? inside : outside) = middle;
  }
  pair.reach = std::min(end, outside + 1e-9);
}

/* ---------------------------------------------------------------------- */

int count_near(const ReaxSystem &system, int atom, const int *candidates, int n)
{
  const Center center(system, atom);
  int nnear = 0;
  for (int k = 0; k < n; k++) nnear += Offset(center, candidates[k]).is_near;
  return nnear;
}

/* ---------------------------------------------------------------------- */

int find_bonds(const ReaxSystem &system, int atom, const int *candidates, int n, ReaxBond *bonds)
{
  const ReaxTables &tables = *system.tables;
  const Center center(system, atom);
  int nbonds = 0;
  for (int k = 0; k < n; k++) {
    const int j = candidates[k];
    const Offset to(center, j);
    if (!to.is_near) continue;
    const double r = std::sqrt(to.rsq);
    const Orders orders(tables, to.pair, r);
    const double sum = orders.sum();
    if (!(sum >= tables.bo_cut)) continue;
    ReaxBond &bond = bonds[nbonds++];
    bond = ReaxBond();
    bond.neighbor = j;
    bond.row = bond.reverse = bond.torsion_chunk = -1;
    bond.element = system.element[j];
    bond.r = r;
    std::copy_n(to.d, 3, bond.d);
    bond.raw = sum - tables.bo_cut;
    bond.raw_pi = orders.pi.value;
    bond.raw_pipi = orders.pipi.value;
    bond.slope = orders.sigma.slope + orders.pi.slope + orders.pipi.slope;
    bond.slope_pi = orders.pi.slope;
    bond.slope_pipi = orders.pipi.slope;
  }
  return nbonds;
}

/* ---------------------------------------------------------------------- */

void sum_raw_orders(const ReaxSystem &system, BondRows &rows, int first, int last)
{
  const ReaxTables &tables = *system.tables;
  for (int row = first; row < last; row++) {
    ReaxAtom &atom = rows.atoms[row];
    if (atom.element < 0) continue;
    const ReaxTables::Element &element = tables.elements[atom.element];
    double sum = 0.0;
    for (int b = atom.first; b < atom.last; b++) sum += rows.bonds[b].raw;
    atom.deltap = sum - element.valency;
    atom.deltap_boc = sum - element.valency_val;
    atom.decay1 = std::exp(-tables.general[0] * atom.deltap);
    atom.decay2 = std::exp(-tables.general[1] * atom.deltap);
  }
}

/* ---------------------------------------------------------------------- */

void correct_orders(const ReaxSystem &system, BondRows &rows, int first, int last)
{
  for (int row = first; row < last; row++) {
    const ReaxAtom &atom = rows.atoms[row];
    for (int b = atom.first; b < atom.last; b++) {
      ReaxBond &bond = rows.bonds[b];
      if (bond.row > row)
        correct(*system.tables, atom, rows.atoms[bond.row], bond, rows.bonds[bond.reverse]);
    }
  }
}

/* ---------------------------------------------------------------------- */

void sum_orders(const ReaxSystem &system, BondRows &rows, int first, int last)
{
  const ReaxTables &tables = *system.tables;
  const double l15 = tables.general[15], l23 = tables.general[23], l27 = tables.general[27];
  for (int row = first; row < last; row++) {
    ReaxAtom &atom = rows.atoms[row];
    if (atom.element < 0) continue;
    const ReaxTables::Element &element = tables.elements[atom.element];
    double sum = 0.0;
    for (int b = atom.first; b < atom.last; b++) {
      ReaxBond &bond = rows.bonds[b];
      sum += bond.bo;
      if (!(bond.bo > tables.thb_cut)) continue;
      const double a = bond.bo - tables.thb_cut;
      bond.torsion_decay = std::exp(-l23 * a);
      bond.conjugation = std::exp(-l27 * (a - 1.5) * (a - 1.5));
    }
    atom.total = sum;
    atom.delta = sum - element.valency;
    atom.delta_boc = sum - element.valency_boc;
    atom.delta_val = sum - element.valency_val;
    const double delta_e = sum - element.valency_e;
    const double npairs = std::trunc(delta_e / 2.0);
    atom.vlpex = delta_e - 2.0 * npairs;
    const double peak = std::exp(-l15 * (2.0 + atom.vlpex) * (2.0 + atom.vlpex));
    atom.nlp = peak - npairs;
    atom.delta_lp = element.nlp_opt - atom.nlp;
    atom.slope_lp = 2.0 * l15 * peak * (2.0 + atom.vlpex);
    atom.delta_lp_light = element.is_heavy
        ? element.nlp_opt - 0.5 * (element.valency_e - element.valency)
        : atom.delta_lp;
  }
}

}    // namespace TOFU_NS
