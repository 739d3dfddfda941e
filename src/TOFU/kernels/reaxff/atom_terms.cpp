// SPDX-License-Identifier: GPL-2.0-only

#include "atom_terms.h"

#include <cmath>

namespace TOFU_NS {

namespace {

  class AtomTerms {
   public:
    AtomTerms(const ReaxSystem &system, BondRows &rows, ReaxTally &tally) :
        system_(system), tables_(*system.tables), l_(system.tables->general), rows_(rows),
        tally_(tally)
    {
    }

    void add(int row)
    {
      ReaxAtom &i = rows_.atoms[row];
      if (i.element < 0) return;
      for (int b = i.first; b < i.last; b++)
        if (system_.computes(i.atom, rows_.bonds[b].neighbor)) add_bond(i, rows_.bonds[b]);
      add_lone_pairs(i);
      if (l_[5] > 0.001 && tables_.elements[i.element].is_carbon) add_c2(i);
      add_coordination(i);
    }

   private:
    const ReaxSystem &system_;
    const ReaxTables &tables_;
    const double *const l_;
    BondRows &rows_;
    ReaxTally &tally_;

    void add_bond(ReaxAtom &i, ReaxBond &bond)
    {
      const ReaxTables::Pair &pair = tables_.pair(i.element, bond.element);
      const double bo_s = bond.bo_s();
      const double power = bo_s == 0.0 ? 0.0 : std::pow(bo_s, pair.p_be2);
      const double decay = std::exp(pair.p_be1 * (1.0 - power));
      const double by_sigma = -pair.De_s * decay * (1.0 - pair.p_be1 * pair.p_be2 * power);
      const double energy =
          -pair.De_s * bo_s * decay - pair.De_p * bond.bo_pi() - pair.De_pp * bond.bo_pipi();
      bond.c += by_sigma;
      bond.c_pi_bond -= by_sigma + pair.De_p;
      bond.c_pipi_bond -= by_sigma + pair.De_pp;
      tally(ReaxTally::BOND, energy, i.atom, bond.neighbor);
      if (bond.bo >= 1.0 && pair.has_triple) add_triple_bond(i, bond);
    }

    void add_triple_bond(ReaxAtom &i, ReaxBond &bond)
    {
      const ReaxAtom &j = rows_.atoms[bond.row];
      const double off = bond.bo - 2.5;
      const double peak = l_[10] * std::exp(-l_[7] * off * off);
      const double end_i = std::exp(-l_[3] * (i.total - bond.bo)),
                   end_j = std::exp(-l_[3] * (j.total - bond.bo)), ends = end_i + end_j;
      const double over = std::exp(l_[4] * (i.delta + j.delta)), damped = 1.0 / (1.0 + 25.0 * over);
      const double scale = peak * damped, by_over = 25.0 * l_[4] * over * damped * ends;
      bond.c += scale * ends * (l_[3] - 2.0 * l_[7] * off);
      i.c_delta -= scale * (l_[3] * end_i + by_over);
      bond.push_delta -= scale * (l_[3] * end_j + by_over);
      tally(ReaxTally::BOND, scale * ends, i.atom, bond.neighbor);
    }

    bool counts(const ReaxAtom &i) const { return i.last > i.first || tables_.lone_atoms_count; }

    void add_lone_pairs(ReaxAtom &i)
    {
      if (!counts(i)) return;
      const double p = tables_.elements[i.element].p_lp2;
      const double step = std::exp(-75.0 * i.delta_lp), f = 1.0 / (1.0 + step);
      i.c_delta += (p * f + 75.0 * p * i.delta_lp * step * f * f) * i.slope_lp;
      tally(ReaxTally::LONE_PAIR, p * i.delta_lp * f, i.atom);
    }

    void add_c2(ReaxAtom &i)
    {
      const double cubed = i.delta * i.delta * i.delta;
      for (int b = i.first; b < i.last; b++) {
        ReaxBond &bond = rows_.bonds[b];
        if (!tables_.elements[bond.element].is_carbon) continue;
        const double over = bond.bo - i.delta - 0.04 * cubed * i.delta - 3.0;
        if (!(over > 0.0)) continue;
        const double slope = 2.0 * l_[5] * over;
        bond.c += slope;
        i.c_delta += slope * (-1.0 - 0.16 * cubed);
        tally(ReaxTally::LONE_PAIR, l_[5] * over * over, i.atom, bond.neighbor);
      }
    }

    /** As in LAMMPS, the derivative by a heavy neighbor's lone pairs is that of a light one. */
    void add_coordination(ReaxAtom &i)
    {
      const ReaxTables::Element &element = tables_.elements[i.element];
      const double light = element.is_heavy ? 0.0 : 1.0;
      double sum1 = 0.0, sum2 = 0.0;
      for (int b = i.first; b < i.last; b++) {
        const ReaxBond &bond = rows_.bonds[b];
        const ReaxAtom &j = rows_.atoms[bond.row];
        const ReaxTables::Pair &pair = tables_.pair(i.element, bond.element);
        sum1 += pair.p_ovun1 * pair.De_s * bond.bo;
        sum2 += (j.delta - light * j.delta_lp_light) * (bond.bo_pi() + bond.bo_pipi());
      }
      const double p2 = element.p_ovun2, p5 = element.p_ovun5;
      const double lone = light * i.delta_lp_light;
      const double decay1 = l_[32] * std::exp(l_[31] * sum2), inverse1 = 1.0 / (1.0 + decay1);
      const double x = i.delta - lone * inverse1;
      const double decay2 = std::exp(p2 * x), inverse2 = 1.0 / (1.0 + decay2);
      const double inverse = 1.0 / (x + element.valency + 1e-8);
      const double over_by_sum1 = x * inverse * inverse2;
      const double energy_over = sum1 * over_by_sum1;
      const double over_by_x =
          sum1 * inverse * inverse2 * (1.0 - x * (inverse + p2 * decay2 * inverse2));

      const double decay_n = 1.0 / decay2, inverse_n = 1.0 / (1.0 + decay_n);
      const double decay6 = std::exp(l_[6] * x);
      const double decay8 = l_[8] * std::exp(l_[9] * sum2), inverse8 = 1.0 / (1.0 + decay8);
      const bool counted = counts(i);
      const double energy_under = counted ? -p5 * (1.0 - decay6) * inverse_n * inverse8 : 0.0;
      const double under_by_x =
          inverse_n * (p5 * l_[6] * decay6 * inverse8 + p2 * energy_under * decay_n);

      const double x_by_delta = 1.0 - light * i.slope_lp * inverse1;
      const double x_by_sum2 = lone * l_[31] * decay1 * inverse1 * inverse1;
      i.c_delta += over_by_x * x_by_delta;
      if (counted) i.c_delta += under_by_x * x_by_delta;
      const double by_sum2 =
          (over_by_x + under_by_x) * x_by_sum2 - energy_under * l_[9] * decay8 * inverse8;
      for (int b = i.first; b < i.last; b++) {
        ReaxBond &bond = rows_.bonds[b];
        const ReaxAtom &j = rows_.atoms[bond.row];
        const ReaxTables::Pair &pair = tables_.pair(i.element, bond.element);
        const double by_pi = by_sum2 * (j.delta - light * j.delta_lp_light);
        bond.c += over_by_sum1 * pair.p_ovun1 * pair.De_s;
        bond.c_pi_bond += by_pi;
        bond.c_pipi_bond += by_pi;
        bond.push_delta += by_sum2 * (1.0 - light * j.slope_lp) * (bond.bo_pi() + bond.bo_pipi());
      }
      tally(ReaxTally::OVER_UNDER, energy_over + energy_under, i.atom);
    }

    void tally(ReaxTally::Term term, double energy, int i)
    {
      tally_.energies[term] += energy;
      tally_.give(energy, i);
    }
    void tally(ReaxTally::Term term, double energy, int i, int j)
    {
      tally_.energies[term] += energy;
      tally_.share(energy, i, j);
    }
  };

}    // namespace

/* ---------------------------------------------------------------------- */

void atom_terms(const ReaxSystem &system, BondRows &rows, int first, int last, ReaxTally &tally)
{
  AtomTerms terms(system, rows, tally);
  for (int row = first; row < last; row++) terms.add(row);
}

}    // namespace TOFU_NS
