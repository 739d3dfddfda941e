// SPDX-License-Identifier: GPL-2.0-only

#include "ewald_sum.h"

#include <algorithm>
#include <cstdlib>

using namespace TOFU_NS;

namespace {

// work that is worth a part: modes or multiples of phases times groups of atoms
constexpr int LEAST_PHASES = 1000, LEAST_SUMS = 1000, LEAST_FIELDS = 500;

/** Items times groups of atoms, for Parts::for_work(). */
int work_of(std::size_t nitems, int ngroups)
{
  constexpr std::size_t ENOUGH = 100000000;    // for any number of parts
  return static_cast<int>(std::min(ENOUGH, nitems * ngroups));
}

/** Real and imaginary parts of the waves of a mode, at 4 signs: + +, - +, + -, - - of l and m. */
struct Waves {
  double re[4], im[4];
};

/** Sum over some atoms of a product of cosines and sines, and signs that it has in the waves.
    cos(x+y+z) is ccc - css - scs - ssc and sin(x+y+z) is scc + csc + ccs - sss. */
Waves waves_of(const double *sums)
{
  const double ccc = sums[0], ccs = sums[1], csc = sums[2], css = sums[3], scc = sums[4],
               scs = sums[5], ssc = sums[6], sss = sums[7];
  return {
      {ccc - css - ssc - scs, ccc + css + ssc - scs, ccc + css - ssc + scs, ccc - css + ssc + scs},
      {scc + csc + ccs - sss, scc - csc + ccs + sss, scc + csc - ccs + sss, scc - csc - ccs - sss}};
}

/** Coefficients of products in the sum over waves of weight times re * Re + im * Im. */
void set_coefficients(const Waves &waves, const double *weight, double *coeff)
{
  double re[4], im[4];
  for (int i = 0; i < 4; i++) {
    re[i] = weight[i] * waves.re[i];
    im[i] = weight[i] * waves.im[i];
  }
  coeff[0] = re[0] + re[1] + re[2] + re[3];
  coeff[1] = im[0] + im[1] - im[2] - im[3];
  coeff[2] = im[0] - im[1] + im[2] - im[3];
  coeff[3] = re[1] + re[2] - re[0] - re[3];
  coeff[4] = im[0] + im[1] + im[2] + im[3];
  coeff[5] = re[2] + re[3] - re[0] - re[1];
  coeff[6] = re[1] + re[3] - re[0] - re[2];
  coeff[7] = im[1] + im[2] - im[0] - im[3];
}

/** Number of waves with all signs, each of which has no opposite among them. */
int waves_of_mode(int k, int l, int m)
{
  const int nonzero = (k > 0) + (l > 0) + (m > 0);
  return nonzero == 3 ? 4 : nonzero == 2 ? 2 : nonzero;
}

}    // namespace

/* ---------------------------------------------------------------------- */

void EwaldSum::set_vectors(int n, const int *k, const int *l, const int *m)
{
  if (n == nvectors() && std::equal(k, k + n, k_.begin()) && std::equal(l, l + n, l_.begin()) &&
      std::equal(m, m + n, m_.begin()))
    return;
  k_.assign(k, k + n);
  l_.assign(l, l + n);
  m_.assign(m, m + n);
  make_rows();
  mark_nonzero();
}

/* ----------------------------------------------------------------------
   a row has the modes up to its last one that has a vector, also those between
   that have none
------------------------------------------------------------------------- */

void EwaldSum::make_rows()
{
  const int n = static_cast<int>(k_.size());
  int most[3] = {0, 0, 0};
  for (int i = 0; i < n; i++) {
    most[0] = std::max(most[0], k_[i]);
    most[1] = std::max(most[1], std::abs(l_[i]));
    most[2] = std::max(most[2], std::abs(m_[i]));
  }
  std::copy_n(most, 3, phases_.n);

  const auto row_of = [&](int i) {
    return static_cast<std::size_t>(k_[i]) * (most[1] + 1) + std::abs(l_[i]);
  };
  std::vector<int> last(static_cast<std::size_t>(most[0] + 1) * (most[1] + 1), -1),
      first(last.size(), 0);
  for (int i = 0; i < n; i++) last[row_of(i)] = std::max(last[row_of(i)], std::abs(m_[i]));
  rows_.clear();
  row_cost_.assign(1, 0.0);
  nmodes_ = 0;
  for (std::size_t row = 0; row < last.size(); row++) {
    if (last[row] < 0) continue;
    const int k = static_cast<int>(row) / (most[1] + 1), l = static_cast<int>(row) % (most[1] + 1);
    first[row] = static_cast<int>(nmodes_);
    rows_.push_back({k, l, last[row], first[row]});
    row_cost_.push_back(row_cost_.back() + (k ? 2 : 1) * (l ? 2 : 1) * (last[row] + 2));
    nmodes_ += last[row] + 1;
  }
  place_.resize(n);
  for (int i = 0; i < n; i++)
    place_[i] = 4 * (first[row_of(i)] + std::abs(m_[i])) + (l_[i] < 0) + 2 * (m_[i] < 0);
}

/* ----------------------------------------------------------------------
   sines of multiples 0 vanish, and what no vector has is not needed
------------------------------------------------------------------------- */

void EwaldSum::mark_nonzero()
{
  std::vector<int> nvectors_of_mode(nmodes_, 0);
  for (int place : place_) nvectors_of_mode[place / 4]++;
  whole_ = true;
  nonzero_.clear();
  for (const WaveRow &row : rows_)
    for (int m = 0; m <= row.last; m++) {
      const int mode = row.first + m, n = nvectors_of_mode[mode];
      if (n == 0) continue;
      if (n != waves_of_mode(row.k, row.l, m)) whole_ = false;
      const int products = (row.k ? 4 : 0) | (row.l ? 2 : 0) | (m ? 1 : 0);
      for (int j = 0; j < MODE_PRODUCTS; j++)
        if ((j & products) == j) nonzero_.push_back(MODE_PRODUCTS * mode + j);
    }
}

/* ---------------------------------------------------------------------- */

void EwaldSum::set_weights(const double *weight)
{
  weight_.assign(4 * nmodes_, 0.0);
  mode_weight_.assign(nmodes_, 0.0);
  for (int i = 0; i < nvectors(); i++) {
    weight_[place_[i]] = weight[i];
    mode_weight_[place_[i] / 4] += weight[i];
  }
  even_ = whole_;
  for (int i = 0; i < nvectors() && even_; i++) even_ = weight[i] == weight_[place_[i] & ~3];
}

/* ---------------------------------------------------------------------- */

void EwaldSum::set_atoms(int natoms, const double *x, const double (&unit)[3][3],
                         const Parts &parts)
{
  natoms_ = natoms;
  const std::size_t nfilled = static_cast<std::size_t>(ngroups()) * WAVE_GROUP;
  phases_.stride = nfilled + 8;
  const int nmultiples = phases_.n[0] + phases_.n[1] + phases_.n[2];
  double *table = tables_.room(2 * nmultiples * phases_.stride);
  for (int dim = 0; dim < 3; dim++) {
    phases_.table[dim] = table;
    table += 2 * phases_.n[dim] * phases_.stride;
  }
  parts.for_work(work_of(nmultiples, ngroups()), LEAST_PHASES)
      .share(ngroups(), [&](int, int first, int last) {
        fill_wave_phases(phases_, x, natoms, unit, first, last);
      });
}

/* ---------------------------------------------------------------------- */

int EwaldSum::begin_of_rows(int part, int nparts) const
{
  const double before = row_cost_.back() * part / nparts;
  return static_cast<int>(std::lower_bound(row_cost_.begin(), row_cost_.end(), before) -
                          row_cost_.begin());
}

/* ---------------------------------------------------------------------- */

void EwaldSum::sum_charges(const double *charge, const Parts &parts, double *sums)
{
  const int nfilled = ngroups() * WAVE_GROUP;
  double *const filled = charge_.room(nfilled);
  std::copy_n(charge, natoms_, filled);
  std::fill(filled + natoms_, filled + nfilled, 0.0);
  const Parts fewer = parts.for_work(work_of(nmodes_, ngroups()), LEAST_SUMS);
  fewer.run([&](int part) {
    const int first = begin_of_rows(part, fewer.n()), last = begin_of_rows(part + 1, fewer.n());
    sum_wave_rows(phases_, rows_.data() + first, last - first, filled, nfilled, sums);
  });
}

/* ---------------------------------------------------------------------- */

void EwaldSum::pack(const double *sums, double *message) const
{
  for (int place : nonzero_) *message++ = sums[place];
}

void EwaldSum::unpack(const double *message, double *sums) const
{
  for (int place : nonzero_) sums[place] = *message++;
}

/* ---------------------------------------------------------------------- */

void EwaldSum::structure_factors(const double *sums, double *factors) const
{
  int of_mode = -1;
  Waves waves = {};
  for (int place : place_) {
    const int mode = place / 4;
    if (mode != of_mode) waves = waves_of(sums + static_cast<std::size_t>(MODE_PRODUCTS) * mode);
    of_mode = mode;
    *factors++ = waves.re[place % 4];
    *factors++ = waves.im[place % 4];
  }
}

/* ----------------------------------------------------------------------
   weights that do not depend on signs leave only products with themselves
------------------------------------------------------------------------- */

void EwaldSum::set_sums(const double *sums)
{
  coeff_.resize(nsums());
  double *coeff = coeff_.data();
  for (std::size_t mode = 0; mode < nmodes_; mode++) {
    if (even_)
      for (int j = 0; j < MODE_PRODUCTS; j++) coeff[j] = mode_weight_[mode] * sums[j];
    else
      set_coefficients(waves_of(sums), &weight_[4 * mode], coeff);
    coeff += MODE_PRODUCTS;
    sums += MODE_PRODUCTS;
  }
}

/* ---------------------------------------------------------------------- */

void EwaldSum::potentials(const Parts &parts, double *potential) const
{
  parts.for_work(work_of(nmodes_, ngroups()), LEAST_FIELDS)
      .share(ngroups(), [&](int, int first, int last) {
        double sums[WAVE_GROUP];
        for (int group = first; group < last; group++) {
          add_waves(phases_, rows_.data(), nrows(), coeff_.data(), group, sums);
          const int begin = group * WAVE_GROUP;
          std::copy_n(sums, std::min(WAVE_GROUP, natoms_ - begin), potential + begin);
        }
      });
}

/* ---------------------------------------------------------------------- */

void EwaldSum::add_forces(const double *charge, const double (&unit)[3][3],
                          const double (&factor)[3], const Parts &parts, double *f) const
{
  parts.for_work(work_of(nmodes_, ngroups()), LEAST_FIELDS)
      .share(ngroups(), [&](int, int first, int last) {
        double slopes[3][WAVE_GROUP];
        for (int group = first; group < last; group++) {
          add_wave_slopes(phases_, rows_.data(), nrows(), coeff_.data(), group, slopes[0]);
          const int begin = group * WAVE_GROUP, n = std::min(WAVE_GROUP, natoms_ - begin);
          for (int i = 0; i < n; i++) {
            double *const of_atom = f + 3 * static_cast<std::size_t>(begin + i);
            const double twice = -2.0 * charge[begin + i];
            for (int dim = 0; dim < 3; dim++)
              of_atom[dim] += factor[dim] * twice *
                  (slopes[0][i] * unit[0][dim] + slopes[1][i] * unit[1][dim] +
                   slopes[2][i] * unit[2][dim]);
          }
        }
      });
}

/* ---------------------------------------------------------------------- */

double EwaldSum::nbytes() const
{
  const std::size_t ints = k_.size() * 4 + nonzero_.size() + 4 * rows_.size();
  const std::size_t doubles = weight_.size() + mode_weight_.size() + coeff_.size();
  return static_cast<double>(tables_.nbytes() + charge_.nbytes() + ints * sizeof(int) +
                             doubles * sizeof(double));
}
