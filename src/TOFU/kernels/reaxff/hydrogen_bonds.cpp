// SPDX-License-Identifier: GPL-2.0-only

#include "hydrogen_bonds.h"

#include "bond_vectors.h"

#include <cmath>

namespace TOFU_NS {

namespace {

  constexpr double LEAST_ORDER = 0.01;    // of the bond X-H

  class HydrogenBonds {
   public:
    HydrogenBonds(const ReaxSystem &system, BondRows &rows, const HydrogenRows &hydrogens,
                  double *forces, ReaxTally &tally) :
        system_(system),
        tables_(*system.tables), rows_(rows), hydrogens_(hydrogens), forces_(forces), tally_(tally)
    {
    }

    void add(int row)
    {
      const int first = hydrogens_.first[row], last = hydrogens_.first[row + 1];
      if (first == last) return;
      ReaxAtom &h = rows_.atoms[row];
      donors_.clear();
      for (int b = h.first; b < h.last; b++)
        if (tables_.elements[rows_.bonds[b].element].p_hbond == 2 &&
            rows_.bonds[b].bo >= LEAST_ORDER)
          donors_.push_back({b, 0.0, 1.0});
      if (donors_.empty()) return;
      const double cutsq = tables_.hbond_cut * tables_.hbond_cut;
      const double *const xh = system_.x + 3 * static_cast<std::size_t>(h.atom);
      for (int e = first; e < last; e++) {
        const int z = hydrogens_.acceptors[e];
        const double *const xz = system_.x + 3 * static_cast<std::size_t>(z);
        const double d[3] = {xz[0] - xh[0], xz[1] - xh[1], xz[2] - xh[2]};
        const double rsq = dot(d, d);
        if (!(rsq <= cutsq)) continue;
        add_acceptor(h, z, d, std::sqrt(rsq), forces_ + 4 * static_cast<std::size_t>(z));
      }
    }

   private:
    const ReaxSystem &system_;
    const ReaxTables &tables_;
    BondRows &rows_;
    const HydrogenRows &hydrogens_;
    double *const forces_;
    ReaxTally &tally_;
    /** A bond X-H, and exp(-p_hb2 bo) of the last acceptor's p_hb2. */
    struct Donor {
      int bond;
      double p_hb2, decay;
    };
    std::vector<Donor> donors_;    // of an atom

    void add_acceptor(ReaxAtom &h, int z, const double *d, double r, double *force_on_z)
    {
      for (Donor &donor : donors_) {
        ReaxBond &bond = rows_.bonds[donor.bond];
        if (system_.tag[bond.neighbor] == system_.tag[z]) continue;
        const ReaxTables::HydrogenBond &set =
            tables_.hydrogen_bond(bond.element, h.element, system_.element[z]);
        if (set.r0 <= 0.0) continue;
        const Cosine cosine(bond.d, bond.r, d, r);
        const double half = 0.5 * (1.0 - cosine.value);    // sin^2 of half the angle
        if (donor.p_hb2 != set.p_hb2) {
          donor.p_hb2 = set.p_hb2;
          donor.decay = std::exp(-set.p_hb2 * bond.bo);
        }
        const double decay = donor.decay;
        const double near = std::exp(-set.p_hb3 * (set.r0 / r + r / set.r0 - 2.0));
        const double scale = set.p_hb1 * near, energy = scale * (1.0 - decay) * half * half;
        bond.c += scale * set.p_hb2 * decay * half * half;
        const double by_cosine = -scale * (1.0 - decay) * half;
        const double by_r = -set.p_hb3 * (1.0 / set.r0 - set.r0 / (r * r)) * energy / r;
        double force_x[3], force_z[3];
        for (int dim = 0; dim < 3; dim++) {
          force_x[dim] = -by_cosine * cosine.by_a[dim];
          force_z[dim] = -by_cosine * cosine.by_b[dim] - by_r * d[dim];
          bond.push[dim] += force_x[dim];
          force_on_z[dim] += force_z[dim];
          h.f[dim] -= force_x[dim] + force_z[dim];
        }
        tally(energy, h, bond, z, force_x, force_z, d);
      }
    }

    void tally(double energy, const ReaxAtom &h, const ReaxBond &bond, int z, const double *force_x,
               const double *force_z, const double *d)
    {
      tally_.energies[ReaxTally::HYDROGEN] += energy;
      const int atoms[3] = {bond.neighbor, h.atom, z};
      for (const int i : atoms) tally_.give(energy / 3.0, i);
      if (!tally_.wants_virial) return;
      double v[6] = {};
      ReaxTally::add_force(v, force_x, bond.d);
      ReaxTally::add_force(v, force_z, d);
      tally_.add_virial(v, atoms, 3);
    }
  };

}    // namespace

/* ---------------------------------------------------------------------- */

void hydrogen_bonds(const ReaxSystem &system, BondRows &rows, const HydrogenRows &hydrogens,
                    int first, int last, double *forces, ReaxTally &tally)
{
  HydrogenBonds terms(system, rows, hydrogens, forces, tally);
  for (int row = first; row < last; row++) terms.add(row);
}

}    // namespace TOFU_NS
