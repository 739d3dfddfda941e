// SPDX-License-Identifier: GPL-2.0-only

#include "torsion_terms.h"

#include "bond_vectors.h"

#include <cmath>

namespace TOFU_NS {

namespace {

  constexpr double LEAST_SINE = 1e-10;

  /** The cosine of the angle i-j-k, where the bond ij ends. */
  struct Bend {
    Cosine cosine;
    double sine, tangent;    // the latter: cosine over sine

    Bend(const double *a, double length_a, const double *b, double length_b) :
        cosine(a, length_a, b, length_b)
    {
      const double exact = std::sqrt((1.0 - cosine.value) * (1.0 + cosine.value));
      sine = exact;
      tangent = cosine.value / std::max(exact, LEAST_SINE);
    }
  };

  /** Cosine of the dihedral angle of p, q and s: from j to i, from j to k, from k to l. */
  struct Dihedral {
    double value, by_p[3], by_q[3], by_s[3];

    Dihedral(const double *p, const double *q, const double *s, double least_u, double least_v)
    {
      double u[3], v[3];
      cross(p, q, u);
      cross(s, q, v);
      const double inverse_u = 1.0 / std::max(std::sqrt(dot(u, u)), least_u),
                   inverse_v = 1.0 / std::max(std::sqrt(dot(v, v)), least_v);
      for (int dim = 0; dim < 3; dim++) {
        u[dim] *= inverse_u;
        v[dim] *= inverse_v;
      }
      value = std::max(-1.0, std::min(1.0, dot(u, v)));
      double by_u[3], by_v[3], other[3];
      for (int dim = 0; dim < 3; dim++) {
        by_u[dim] = (v[dim] - value * u[dim]) * inverse_u;
        by_v[dim] = (u[dim] - value * v[dim]) * inverse_v;
      }
      cross(q, by_u, by_p);
      cross(q, by_v, by_s);
      cross(by_u, p, by_q);
      cross(by_v, s, other);
      add_scaled(by_q, 1.0, other);
    }
  };

  class TorsionTerms {
   public:
    TorsionTerms(const ReaxSystem &system, BondRows &rows, int chunk, ReaxTally &tally) :
        system_(system), tables_(*system.tables), l_(system.tables->general), rows_(rows),
        chunk_(chunk), pushes_(rows.torsion_pushes[chunk]), tally_(tally)
    {
    }

    void add(int row)
    {
      ReaxAtom &j = rows_.atoms[row];
      if (j.element < 0 || j.last - j.first < 2) return;
      for (int b = j.first; b < j.last; b++) {
        ReaxBond &jk = rows_.bonds[b];
        if (!(jk.bo > tables_.thb_cut)) continue;
        if (!tables_.pair(j.element, jk.element).any_torsion) continue;
        if (system_.computes(j.atom, jk.neighbor)) add_axis(j, b, jk);
      }
    }

   private:
    const ReaxSystem &system_;
    const ReaxTables &tables_;
    const double *const l_;
    BondRows &rows_;
    const int chunk_;
    std::vector<TorsionPush> &pushes_;
    ReaxTally &tally_;

    /** What torsions about an axis have in common. */
    struct Axis {
      double f11, f11_slope;
    };

    void add_axis(ReaxAtom &j, int b_jk, ReaxBond &jk)
    {
      const ReaxAtom &k = rows_.atoms[jk.row];
      bool begun = false;
      Axis axis{};
      for (int b = j.first; b < j.last; b++) {
        if (b == b_jk) continue;
        ReaxBond &ij = rows_.bonds[b];
        if (!(ij.bo > tables_.thb_cut)) continue;
        const double product = ij.bo * jk.bo;
        for (int m = k.first; m < k.last; m++) {
          const ReaxBond &kl = rows_.bonds[m];
          if (!(kl.bo > tables_.thb_cut) || !(product * kl.bo > tables_.thb_cut)) continue;
          if (kl.neighbor == j.atom || kl.neighbor == ij.neighbor) continue;
          const ReaxTables::Torsion &set =
              tables_.torsion(ij.element, j.element, k.element, kl.element);
          if (!set.any) continue;
          if (!begun) {
            begun = true;
            axis = begin(j, k);
            jk.torsion_chunk = chunk_;
            jk.torsion_begin = static_cast<int>(pushes_.size());
            pushes_.resize(pushes_.size() + (k.last - k.first), TorsionPush());
          }
          add_torsion(j, k, axis, set, ij, jk, kl, pushes_[jk.torsion_begin + m - k.first]);
        }
      }
    }

    Axis begin(const ReaxAtom &j, const ReaxAtom &k) const
    {
      const double sum = j.delta_boc + k.delta_boc;
      const double decay3 = std::exp(-l_[24] * sum), decay4 = std::exp(l_[25] * sum);
      const double inverse = 1.0 / (1.0 + decay3 + decay4);
      Axis axis;
      axis.f11 = (2.0 + decay3) * inverse;
      axis.f11_slope =
          (-l_[24] * decay3 + (l_[24] * decay3 - l_[25] * decay4) * axis.f11) * inverse;
      return axis;
    }

    void add_torsion(ReaxAtom &j, const ReaxAtom &k, const Axis &axis,
                     const ReaxTables::Torsion &set, ReaxBond &ij, ReaxBond &jk, const ReaxBond &kl,
                     TorsionPush &push)
    {
      const double back[3] = {-jk.d[0], -jk.d[1], -jk.d[2]};
      const Bend at_j(ij.d, ij.r, jk.d, jk.r), at_k(back, jk.r, kl.d, kl.r);
      const Dihedral dihedral(ij.d, jk.d, kl.d, LEAST_SINE * ij.r * jk.r, LEAST_SINE * kl.r * jk.r);
      const double c = dihedral.value, cc = c * c;
      const double sines = at_j.sine * at_k.sine;

      // torsion

      const double off = 2.0 - jk.bo_pi() - axis.f11;
      const double peak = set.V2 * std::exp(set.p_tor1 * off * off);
      const double rise[3] = {1.0 - ij.torsion_decay, 1.0 - jk.torsion_decay,
                              1.0 - kl.torsion_decay};
      const double f10 = rise[0] * rise[1] * rise[2];
      const double waves = 0.5 * set.V1 * (1.0 + c) + peak * (1.0 - cc) +
          0.5 * set.V3 * (1.0 + c * (4.0 * cc - 3.0));
      const double torsion = f10 * sines * waves;
      const double by_pi = -2.0 * f10 * set.p_tor1 * peak * off * (1.0 - cc) * sines;
      const double by_f10 = l_[23] * sines * waves;

      // conjugation

      const double peaks = set.p_cot1 * ij.conjugation * jk.conjugation * kl.conjugation;
      const double conjugation = peaks * (1.0 + (cc - 1.0) * sines);
      const double by_a = -2.0 * l_[27] * conjugation, shift = tables_.thb_cut + 1.5;

      jk.c_pi_bond += by_pi;
      j.c_delta += by_pi * axis.f11_slope;
      jk.push_delta += by_pi * axis.f11_slope;
      ij.c += by_f10 * ij.torsion_decay * rise[1] * rise[2] + by_a * (ij.bo - shift);
      jk.c += by_f10 * rise[0] * jk.torsion_decay * rise[2] + by_a * (jk.bo - shift);
      push.c += by_f10 * rise[0] * rise[1] * kl.torsion_decay + by_a * (kl.bo - shift);

      // derivatives by the cosines of both angles and of the dihedral

      const double by_sines = f10 * waves + peaks * (cc - 1.0);
      const double by_j = -by_sines * at_k.sine * at_j.tangent,
                   by_k = -by_sines * at_j.sine * at_k.tangent;
      const double by_c = sines *
          (f10 * (0.5 * set.V1 - 2.0 * peak * c + 1.5 * set.V3 * (4.0 * cc - 1.0)) +
           2.0 * peaks * c);
      double force_i[3], force_k[3], force_l[3];
      for (int dim = 0; dim < 3; dim++) {
        const double by_p = by_j * at_j.cosine.by_a[dim] + by_c * dihedral.by_p[dim];
        const double by_q =
            by_j * at_j.cosine.by_b[dim] - by_k * at_k.cosine.by_a[dim] + by_c * dihedral.by_q[dim];
        const double by_s = by_k * at_k.cosine.by_b[dim] + by_c * dihedral.by_s[dim];
        force_i[dim] = -by_p;
        force_k[dim] = by_s - by_q;
        force_l[dim] = -by_s;
        ij.push[dim] += force_i[dim];
        jk.push[dim] += force_k[dim];
        push.f[dim] += force_l[dim];
        j.f[dim] += by_p + by_q;
      }

      tally_.energies[ReaxTally::TORSION] += torsion;
      tally_.energies[ReaxTally::CONJUGATION] += conjugation;
      tally_.share(torsion + conjugation, j.atom, k.atom);
      if (!tally_.wants_virial) return;
      double to_l[3], v[6] = {};
      for (int dim = 0; dim < 3; dim++) to_l[dim] = jk.d[dim] + kl.d[dim];
      ReaxTally::add_force(v, force_i, ij.d);
      ReaxTally::add_force(v, force_k, jk.d);
      ReaxTally::add_force(v, force_l, to_l);
      const int atoms[4] = {ij.neighbor, j.atom, k.atom, kl.neighbor};
      tally_.add_virial(v, atoms, 4);
    }
  };

}    // namespace

/* ---------------------------------------------------------------------- */

void torsion_terms(const ReaxSystem &system, BondRows &rows, int chunk, int first, int last,
                   ReaxTally &tally)
{
  rows.torsion_pushes[chunk].clear();
  TorsionTerms terms(system, rows, chunk, tally);
  for (int row = first; row < last; row++) terms.add(row);
}

}    // namespace TOFU_NS
