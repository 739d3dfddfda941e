// SPDX-License-Identifier: GPL-2.0-only

#include "angle_terms.h"

#include "bond_vectors.h"

#include <cmath>
#include <vector>

namespace TOFU_NS {

namespace {

  double squared(double x)
  {
    return x * x;
  }

  double radians(double degrees)
  {
    return degrees * ReaxTables::PI / 180.0;
  }

  /** What all angles around an atom have in common. */
  struct Center {
    double sbo_by_bo = 0.0;    // derivative of the sum of pi orders by an order, without bo^7
    double sbo_by_delta = 0.0;
    double by_sbo = 0.0;     // slope of the second sum by the first
    double opening = 0.0;    // exp(-l17 (2 - SBO2))
    double decay6 = 0.0;
    double p_val7 = 0.0, f8 = 0.0, f8_slope = 0.0;    // of the last set
    bool has_f8 = false;
    double penalty = 0.0, penalty_slope = 0.0;    // f9 and its slope
    double coalition = 0.0, coalition_slope = 0.0;
    double sum_by_sbo = 0.0;    // of energies
  };

  /** An end of an angle; what depends on a set is that of the last one. */
  struct Side {
    double a;    // order above thb_cut
    double p_val4 = 0.0, f7 = 0.0, f7_slope = 0.0;
    double penalty = 0.0;      // exp(-l19 (a-2)^2)
    double coalition = 0.0;    // exp(-l38 (S-a)^2 - l30 (a-1.5)^2)
    double others = 0.0;       // S - a
    bool has_f7 = false, has_penalty = false, has_coalition = false;
  };

  class AngleTerms {
   public:
    AngleTerms(const ReaxSystem &system, BondRows &rows, ReaxTally &tally) :
        tables_(*system.tables), l_(system.tables->general), rows_(rows), tally_(tally)
    {
    }

    void add(int row)
    {
      ReaxAtom &j = rows_.atoms[row];
      if (j.element < 0 || j.last - j.first < 2) return;
      Center center;
      bool begun = false;
      sides_.clear();
      for (int b = j.first; b < j.last; b++)
        sides_.push_back(Side{rows_.bonds[b].bo - tables_.thb_cut});
      for (int bi = j.first; bi < j.last; bi++) {
        if (!(rows_.bonds[bi].bo > tables_.thb_cut)) continue;
        for (int bk = bi + 1; bk < j.last; bk++) {
          ReaxBond &ij = rows_.bonds[bi], &jk = rows_.bonds[bk];
          if (!(jk.bo > tables_.thb_cut) || !(ij.bo * jk.bo > tables_.thb_cutsq)) continue;
          const ReaxTables::Angle &angle = tables_.angle(ij.element, j.element, jk.element);
          if (angle.n == 0) continue;
          if (!begun) begin(j, center);
          begun = true;
          add_angle(j, center, angle, ij, jk, sides_[bi - j.first], sides_[bk - j.first]);
        }
      }
      if (begun) end(j, center);
    }

   private:
    const ReaxTables &tables_;
    const double *const l_;
    BondRows &rows_;
    ReaxTally &tally_;
    std::vector<Side> sides_;    // of the bonds of an atom

    void begin(const ReaxAtom &j, Center &center) const
    {
      double pi = 0.0, powers = 0.0;
      for (int b = j.first; b < j.last; b++) {
        const ReaxBond &bond = rows_.bonds[b];
        pi += bond.bo_pi() + bond.bo_pipi();
        powers += squared(squared(squared(bond.bo)));
      }
      const double product = std::exp(-powers);
      const double lone = j.vlpex >= 0.0 ? 0.0 : j.nlp;
      const double lone_slope = j.vlpex >= 0.0 ? 0.0 : j.slope_lp;
      const double sbo = pi - (1.0 - product) * (j.delta_boc + l_[33] * lone);
      center.sbo_by_bo = -8.0 * product * (j.delta_boc + l_[33] * lone);
      center.sbo_by_delta = (product - 1.0) * (1.0 - l_[33] * lone_slope);
      double sbo2 = sbo >= 2.0 ? 2.0 : 0.0;
      if (sbo > 0.0 && sbo <= 1.0) {
        sbo2 = std::pow(sbo, l_[16]);
        center.by_sbo = l_[16] * sbo2 / sbo;
      } else if (sbo > 1.0 && sbo < 2.0) {
        const double power = std::pow(2.0 - sbo, l_[16]);
        sbo2 = 2.0 - power;
        center.by_sbo = l_[16] * power / (2.0 - sbo);
      }
      center.opening = std::exp(-l_[17] * (2.0 - sbo2));
      center.decay6 = std::exp(l_[14] * j.delta_boc);

      const double pen3 = std::exp(-l_[20] * j.delta), pen4 = std::exp(l_[21] * j.delta);
      const double below = 1.0 + pen3 + pen4;
      center.penalty = (2.0 + pen3) / below;
      center.penalty_slope =
          (-l_[20] * pen3 * below - (2.0 + pen3) * (-l_[20] * pen3 + l_[21] * pen4)) /
          squared(below);
      const double coa = std::exp(l_[2] * j.delta_val);
      center.coalition = 1.0 / (1.0 + coa);
      center.coalition_slope = -l_[2] * coa * center.coalition;    // of the logarithm
    }

    void end(ReaxAtom &j, const Center &center) const
    {
      j.c_delta += center.sum_by_sbo * center.sbo_by_delta;
      const double by_bo = center.sum_by_sbo * center.sbo_by_bo;
      for (int b = j.first; b < j.last; b++) {
        ReaxBond &bond = rows_.bonds[b];
        const double cubed = bond.bo * bond.bo * bond.bo;
        bond.c += by_bo * cubed * cubed * bond.bo;
        bond.c_pi_bond += center.sum_by_sbo;
        bond.c_pipi_bond += center.sum_by_sbo;
      }
    }

    void need_penalty(Side &side) const
    {
      if (side.has_penalty) return;
      side.has_penalty = true;
      side.penalty = std::exp(-l_[19] * squared(side.a - 2.0));
    }

    void need_coalition(const ReaxBond &bond, Side &side) const
    {
      if (side.has_coalition) return;
      side.has_coalition = true;
      side.others = rows_.atoms[bond.row].total - side.a;
      side.coalition = std::exp(-l_[38] * squared(side.others) - l_[30] * squared(side.a - 1.5));
    }

    void add_angle(ReaxAtom &j, Center &center, const ReaxTables::Angle &angle, ReaxBond &ij,
                   ReaxBond &jk, Side &side_i, Side &side_k)
    {
      const Cosine cosine(ij.d, ij.r, jk.d, jk.r);
      const double theta = std::acos(cosine.value);
      const double sine = std::max(1e-5, std::sqrt((1.0 - cosine.value) * (1.0 + cosine.value)));
      double by_cosine = 0.0, energy = 0.0;
      for (int n = 0; n < angle.n; n++) {
        const ReaxTables::AngleSet &set = angle.sets[n];
        double by_theta = 0.0;
        energy += bend(j, center, set, ij, jk, side_i, side_k, theta, by_theta);
        by_cosine -= by_theta / sine;
        if (set.p_pen1 != 0.0) energy += penalty(j, center, set, ij, jk, side_i, side_k);
        if (set.p_coa1 != 0.0) energy += coalition(j, center, set, ij, jk, side_i, side_k);
      }
      double force_i[3], force_k[3];
      for (int dim = 0; dim < 3; dim++) {
        force_i[dim] = -by_cosine * cosine.by_a[dim];
        force_k[dim] = -by_cosine * cosine.by_b[dim];
        ij.push[dim] += force_i[dim];
        jk.push[dim] += force_k[dim];
        j.f[dim] -= force_i[dim] + force_k[dim];
      }
      tally_.give(energy, j.atom);
      if (!tally_.wants_virial) return;
      double v[6] = {};
      ReaxTally::add_force(v, force_i, ij.d);
      ReaxTally::add_force(v, force_k, jk.d);
      const int atoms[3] = {ij.neighbor, j.atom, jk.neighbor};
      tally_.add_virial(v, atoms, 3);
    }

    void need_f7(const ReaxAtom &j, const ReaxTables::AngleSet &set, Side &side) const
    {
      if (side.has_f7 && side.p_val4 == set.p_val4) return;
      side.has_f7 = true;
      side.p_val4 = set.p_val4;
      const double power = tables_.elements[j.element].p_val3 * std::pow(side.a, set.p_val4);
      const double decay = std::exp(-power);
      side.f7 = 1.0 - decay;
      side.f7_slope = set.p_val4 * power / side.a * decay;
    }

    void need_f8(const ReaxAtom &j, const ReaxTables::AngleSet &set, Center &center) const
    {
      if (center.has_f8 && center.p_val7 == set.p_val7) return;
      center.has_f8 = true;
      center.p_val7 = set.p_val7;
      const double p_val5 = tables_.elements[j.element].p_val5, decay6 = center.decay6;
      const double decay7 = std::exp(-set.p_val7 * j.delta_boc), above = 2.0 + decay6,
                   below = 1.0 + decay6 + decay7;
      center.f8 = p_val5 - (p_val5 - 1.0) * above / below;
      center.f8_slope = (1.0 - p_val5) / squared(below) *
          (l_[14] * decay6 * below - above * (l_[14] * decay6 - set.p_val7 * decay7));
    }

    double bend(ReaxAtom &j, Center &center, const ReaxTables::AngleSet &set, ReaxBond &ij,
                ReaxBond &jk, Side &side_i, Side &side_k, double theta, double &by_theta)
    {
      need_f7(j, set, side_i);
      need_f7(j, set, side_k);
      need_f8(j, set, center);
      const double f7_i = side_i.f7, f7_k = side_k.f7, f8 = center.f8;

      const double theta0 = radians(180.0 - set.theta_00 * (1.0 - center.opening));
      const double off = theta0 - theta, well = std::exp(-set.p_val2 * squared(off));
      const double bending = set.p_val1 >= 0.0 ? set.p_val1 * (1.0 - well) : -set.p_val1 * well;

      const double f7 = f7_i * f7_k, energy = f7 * f8 * bending;
      ij.c += side_i.f7_slope * f7_k * f8 * bending;
      jk.c += side_k.f7_slope * f7_i * f8 * bending;
      j.c_delta += center.f8_slope * f7 * bending;
      by_theta = -2.0 * set.p_val1 * set.p_val2 * f7 * f8 * well * off;
      center.sum_by_sbo -=
          by_theta * l_[17] * radians(set.theta_00) * center.opening * center.by_sbo;
      tally_.energies[ReaxTally::ANGLE] += energy;
      return energy;
    }

    double penalty(ReaxAtom &j, const Center &center, const ReaxTables::AngleSet &set, ReaxBond &ij,
                   ReaxBond &jk, Side &side_i, Side &side_k)
    {
      need_penalty(side_i);
      need_penalty(side_k);
      const double ends = set.p_pen1 * side_i.penalty * side_k.penalty,
                   energy = center.penalty * ends;
      j.c_delta += center.penalty_slope * ends;
      ij.c -= 2.0 * l_[19] * energy * (side_i.a - 2.0);
      jk.c -= 2.0 * l_[19] * energy * (side_k.a - 2.0);
      tally_.energies[ReaxTally::PENALTY] += energy;
      return energy;
    }

    double coalition(ReaxAtom &j, const Center &center, const ReaxTables::AngleSet &set,
                     ReaxBond &ij, ReaxBond &jk, Side &side_i, Side &side_k)
    {
      need_coalition(ij, side_i);
      need_coalition(jk, side_k);
      const double energy = set.p_coa1 * center.coalition * side_i.coalition * side_k.coalition;
      const double by_others_i = -2.0 * l_[38] * side_i.others * energy,
                   by_others_k = -2.0 * l_[38] * side_k.others * energy;
      ij.c += -2.0 * l_[30] * (side_i.a - 1.5) * energy - by_others_i;
      jk.c += -2.0 * l_[30] * (side_k.a - 1.5) * energy - by_others_k;
      j.c_delta += center.coalition_slope * energy;
      ij.push_delta += by_others_i;
      jk.push_delta += by_others_k;
      tally_.energies[ReaxTally::COALITION] += energy;
      return energy;
    }
  };

}    // namespace

/* ---------------------------------------------------------------------- */

void angle_terms(const ReaxSystem &system, BondRows &rows, int first, int last, ReaxTally &tally)
{
  AngleTerms terms(system, rows, tally);
  for (int row = first; row < last; row++) terms.add(row);
}

}    // namespace TOFU_NS
