// SPDX-License-Identifier: GPL-2.0-only
//
// Shielded charges in a periodic box, as the ranks of a run have them, and their matrix in long
// double.

#ifndef TOFU_TEST_CHARGE_DOMAIN_H
#define TOFU_TEST_CHARGE_DOMAIN_H

#include "unit/testing.h"

#include "kernels/charges/charge_rows.h"
#include "kernels/charges/factored_inverse.h"

namespace TOFU_TEST {

/** Two kinds of atoms, displaced from the points of a cubic lattice. */
struct ChargeBox {
  double edge;
  int natoms;
  std::vector<double> x;    // [natoms][3]
  std::vector<double> chi, eta, gamma;
  TOFU_NS::ShieldedCoulomb coulomb{};

  ChargeBox(int nedge, double spacing, double cutoff, int seed = 1) :
      edge(nedge * spacing), natoms(nedge * nedge * nedge)
  {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> moved(-0.15 * spacing, 0.15 * spacing);
    for (int i = 0; i < natoms; i++) {
      const int at[3] = {i % nedge, i / nedge % nedge, i / nedge / nedge};
      for (int k = 0; k < 3; k++) x.push_back((at[k] + 0.5) * spacing + moved(random));
      const bool heavy = i % 3 == 0;
      chi.push_back(heavy ? 8.5 : 5.3);
      eta.push_back(heavy ? 16.6 : 19.8);
      gamma.push_back(heavy ? 1.05 : 0.82);
    }
    const double d7 = std::pow(cutoff, 7);
    coulomb.cutoff = cutoff;
    coulomb.taper[0] = 1.0;
    coulomb.taper[4] = -35.0 * std::pow(cutoff, 3) / d7;
    coulomb.taper[5] = 84.0 * cutoff * cutoff / d7;
    coulomb.taper[6] = -70.0 * cutoff / d7;
    coulomb.taper[7] = 20.0 / d7;
  }

  long double coupling(int i, int j, const double *xi, const double *xj) const
  {
    long double rsq = 0.0L;
    for (int k = 0; k < 3; k++)
      rsq += ((long double) xi[k] - xj[k]) * ((long double) xi[k] - xj[k]);
    const long double r = std::sqrt(rsq);
    if (r > coulomb.cutoff) return 0.0L;
    long double t = 0.0L;
    for (int k = 7; k >= 0; k--) t = t * r + coulomb.taper[k];
    const long double shield = std::pow((long double) gamma[i] * gamma[j], -1.5L);
    return 14.4L * t / std::cbrt(r * rsq + shield);
  }

  /** [natoms][natoms] with all images. */
  std::vector<long double> matrix() const
  {
    const int nimages = static_cast<int>(std::ceil(coulomb.cutoff / edge));
    std::vector<long double> h(static_cast<std::size_t>(natoms) * natoms, 0.0L);
    for (int i = 0; i < natoms; i++)
      for (int j = 0; j < natoms; j++)
        for (int a = -nimages; a <= nimages; a++)
          for (int b = -nimages; b <= nimages; b++)
            for (int c = -nimages; c <= nimages; c++) {
              if (i == j && a == 0 && b == 0 && c == 0) {
                h[i * natoms + j] += eta[i];
                continue;
              }
              const double xj[3] = {x[3 * j] + a * edge, x[3 * j + 1] + b * edge,
                                    x[3 * j + 2] + c * edge};
              h[i * natoms + j] += coupling(i, j, &x[3 * i], xj);
            }
    return h;
  }
};

/** A slab of a box from lo to hi along x, with ghosts and a neighbor list. */
struct ChargeDomain {
  int nlocal = 0, nall = 0;
  std::vector<int> atom;    // [nall] of the box
  std::vector<double> x, rows, diagonal;
  std::vector<std::int64_t> tags;
  std::vector<char> has_charge;
  std::vector<int> column, ilist, numneigh;
  std::vector<std::vector<int>> neighbors;
  std::vector<int *> firstneigh;
  TOFU_NS::ChargeList::Pairs pairs;

  ChargeDomain(const ChargeBox &box, double lo, double hi, double shell,
               TOFU_NS::ChargeList::Pairs pairs_in = TOFU_NS::ChargeList::Pairs::ONCE,
               double skin = 0.7, const std::vector<int> &without = {}) :
      pairs(pairs_in)
  {
    std::map<int, int> owned;
    for (int i = 0; i < box.natoms; i++)
      if (box.x[3 * i] >= lo && box.x[3 * i] < hi) {
        owned[i] = static_cast<int>(atom.size());
        add(box, i, 0, 0, 0);
      }
    nlocal = static_cast<int>(atom.size());
    const int n = static_cast<int>(std::ceil(shell / box.edge));
    for (int a = -n; a <= n; a++)
      for (int b = -n; b <= n; b++)
        for (int c = -n; c <= n; c++)
          for (int i = 0; i < box.natoms; i++) {
            const double at[3] = {box.x[3 * i] + a * box.edge, box.x[3 * i + 1] + b * box.edge,
                                  box.x[3 * i + 2] + c * box.edge};
            const bool is_owned = a == 0 && b == 0 && c == 0 && owned.count(i);
            if (is_owned || at[0] < lo - shell || at[0] > hi + shell) continue;
            if (at[1] < -shell || at[1] > box.edge + shell) continue;
            if (at[2] < -shell || at[2] > box.edge + shell) continue;
            add(box, i, a, b, c);
          }
    nall = static_cast<int>(atom.size());
    for (int i = 0; i < nall; i++) {
      has_charge.push_back(std::count(without.begin(), without.end(), atom[i]) == 0);
      column.push_back(owned.count(atom[i]) ? owned[atom[i]] : i);
    }
    for (int k = 0; k < 3; k++) rows.push_back(1e10);
    rows.push_back(1.0);

    const double reach = box.coulomb.cutoff + skin;
    neighbors.resize(nlocal);
    for (int i = 0; i < nlocal; i++) {
      for (int j = 0; j < nall; j++) {
        if (j == i || (pairs == TOFU_NS::ChargeList::Pairs::ONCE && j < i)) continue;
        double rsq = 0.0;
        for (int k = 0; k < 3; k++) rsq += std::pow(x[3 * i + k] - x[3 * j + k], 2);
        if (rsq < reach * reach) neighbors[i].push_back(j | (j % 4) << 29);    // as special bonds
      }
      ilist.push_back(i);
      numneigh.push_back(static_cast<int>(neighbors[i].size()));
      firstneigh.push_back(neighbors[i].data());
    }
  }

  TOFU_NS::ChargeColumns columns() const
  {
    return {nlocal, nall, has_charge.data(), column.data()};
  }

  TOFU_NS::ChargeList list() const
  {
    return {nlocal, ilist.data(), numneigh.data(), firstneigh.data(), 0x1FFFFFFF, pairs};
  }

  TOFU_NS::FactoredInverse::Atoms near() const
  {
    return {columns(), x.data(), rows.data(), diagonal.data(), tags.data()};
  }

  /** Values of atoms of the box for the columns. */
  std::vector<double> of_columns(const std::vector<double> &values) const
  {
    std::vector<double> found(nall);
    for (int i = 0; i < nall; i++) found[i] = has_charge[i] ? values[atom[i]] : 0.0;
    return found;
  }

 private:
  void add(const ChargeBox &box, int i, int a, int b, int c)
  {
    atom.push_back(i);
    const double at[3] = {box.x[3 * i] + a * box.edge, box.x[3 * i + 1] + b * box.edge,
                          box.x[3 * i + 2] + c * box.edge};
    x.insert(x.end(), at, at + 3);
    rows.insert(rows.end(), at, at + 3);
    rows.push_back(TOFU_NS::ShieldedCoulomb::shield(box.gamma[i]));
    diagonal.push_back(box.eta[i]);
    tags.push_back((std::int64_t{i} * 7919 + 13) % 104729);    // not in the order of atoms
  }
};

/** Parts that run one after the other, the last one first. */
inline TOFU_NS::Parts parts_in_turn(int n)
{
  if (n == 1) return {};
  return {n, [](int nparts, const TOFU_NS::Parts::Work &work) {
            for (int part = nparts - 1; part >= 0; part--) work(part);
          }};
}

inline std::vector<double> random_numbers(int n, int seed)
{
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> found(n);
  for (double &number : found) number = uniform(random);
  return found;
}

/** Solution of a x = b by elimination, with the largest pivot of each column. */
inline std::vector<long double> solve_dense(std::vector<long double> a, std::vector<long double> b)
{
  const int n = static_cast<int>(b.size());
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (std::abs(a[i * n + k]) > std::abs(a[best * n + k])) best = i;
    for (int j = 0; j < n; j++) std::swap(a[k * n + j], a[best * n + j]);
    std::swap(b[k], b[best]);
    for (int i = k + 1; i < n; i++) {
      const long double factor = a[i * n + k] / a[k * n + k];
      for (int j = k; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) b[k] -= a[k * n + j] * b[j];
    b[k] /= a[k * n + k];
  }
  return b;
}

}    // namespace TOFU_TEST

#endif
