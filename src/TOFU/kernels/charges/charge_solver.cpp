// SPDX-License-Identifier: GPL-2.0-only

#include "charge_solver.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

using namespace TOFU_NS;

namespace {

/** Rows of a block: the sums of blocks are added in their order, whichever part has made them. */
constexpr int BLOCK = 64;

/** Sums over atoms; D is the inverse of the diagonal of H, s the last direction times H. */
enum Sum {
  R_Z,
  ONE_Z,
  HZ_Z,
  HZ_W,
  R_D_R,
  R_D_HZ,
  R_D_S,
  R_D_H,
  D_R,
  HZ_D_HZ,
  HZ_D_S,
  HZ_D_H,
  D_HZ,
  EACH,    // # of those of each iteration
  H_W = EACH,
  ONE_W,
  H_D_H,
  D_H,
  ONE_D,
  B_B,
  ONE_Q,
  FIRST    // # of those of the first one
};

/** Rounding: relative errors of a sum. */
constexpr double ROUNDING = 1e-14;

/** work(first, last) for shares of atoms, cut where vectors of a loop begin: so the same
    instructions compute a number for any number of parts. */
template <class Work> void share_atoms(const Parts &parts, int natoms, const Work &work)
{
  parts.share((natoms + GRAIN - 1) / GRAIN, [&](int, int first, int last) {
    work(first * GRAIN, std::min(last * GRAIN, natoms));
  });
}

/** Products with D of vectors without their constant part: (x - x0) D (y - y0), with the constant
    x0 that makes the product of x with itself least. */
class Products {
 public:
  void begin(const double *sums)
  {
    one_d = sums[ONE_D];
    d_h = sums[D_H];
    h_h = product(sums[H_D_H], d_h, d_h);
  }

  void set(const double *sums)
  {
    const double d_r = sums[D_R];
    d_hz = sums[D_HZ];
    r_r = product(sums[R_D_R], d_r, d_r);
    r_hz = product(sums[R_D_HZ], d_r, d_hz);
    r_s = product(sums[R_D_S], d_r, d_s);
    r_h = product(sums[R_D_H], d_r, d_h);
    hz_hz = product(sums[HZ_D_HZ], d_hz, d_hz);
    hz_s = product(sums[HZ_D_S], d_hz, d_s);
    hz_h = product(sums[HZ_D_H], d_hz, d_h);
  }

  /** s becomes H z - a h + beta s. */
  void turn(double a, double beta)
  {
    r_s = r_hz - a * r_h + beta * r_s;
    s_s = hz_hz + a * a * h_h + beta * beta * s_s - 2.0 * a * hz_h + 2.0 * beta * hz_s -
        2.0 * a * beta * s_h;
    s_h = hz_h - a * h_h + beta * s_h;
    d_s = d_hz - a * d_h + beta * d_s;
  }

  /** Square of the norm of r, and of r - alpha s. */
  double of_residual() const { return r_r; }
  double after(double alpha) const { return r_r - 2.0 * alpha * r_s + alpha * alpha * s_s; }
  double of_h() const { return h_h; }

 private:
  double one_d = 0.0, d_h = 0.0, d_hz = 0.0, d_s = 0.0;
  double r_r = 0.0, r_hz = 0.0, r_s = 0.0, r_h = 0.0, hz_hz = 0.0, hz_s = 0.0, hz_h = 0.0;
  double s_s = 0.0, s_h = 0.0, h_h = 0.0;

  double product(double sum, double d_x, double d_y) const
  {
    return one_d > 0.0 ? sum - d_x * d_y / one_d : sum;
  }
};

}    // namespace

/* ----------------------------------------------------------------------
   sums of all atoms from work(first, last, sums), which adds those of a block
------------------------------------------------------------------------- */

template <int N, class Work>
void ChargeSolver::add_blocks(const ChargeSystem &system, const Parts &parts, double *sums,
                              const Work &work)
{
  const int nblocks = (system.nlocal + BLOCK - 1) / BLOCK;
  of_block_.resize(static_cast<std::size_t>(nblocks) * N);
  parts.share(nblocks, [&](int, int first, int last) {
    for (int block = first; block < last; block++) {
      double *const mine = &of_block_[static_cast<std::size_t>(block) * N];
      std::fill_n(mine, N, 0.0);
      work(block * BLOCK, std::min((block + 1) * BLOCK, system.nlocal), mine);
    }
  });
  std::fill_n(sums, N, 0.0);
  for (int block = 0; block < nblocks; block++)
    for (int k = 0; k < N; k++) sums[k] += of_block_[static_cast<std::size_t>(block) * N + k];
}

/* ---------------------------------------------------------------------- */

void ChargeSolver::set_preconditioner(const ChargeSystem &system, const std::vector<double> &ones)
{
  r_.assign(system.ncolumns, 0.0);
  w_.assign(system.ncolumns, 0.0);
  std::copy_n(ones.begin(), system.nlocal, r_.begin());
  system.precondition(r_.data(), w_.data());
  system.forward(w_.data());
}

/* ----------------------------------------------------------------------
   residual of the start, and h = H w
------------------------------------------------------------------------- */

void ChargeSolver::start(const ChargeSystem &system, const double *q, const Parts &parts)
{
  r_.assign(system.ncolumns, 0.0);
  z_.assign(system.ncolumns, 0.0);
  for (auto *vector : {&hz_, &h_}) vector->resize(system.nlocal);
  p_.assign(system.ncolumns, 0.0);
  s_.assign(system.nlocal, 0.0);
  if (!has_level_) level_ = 0.0;
  system.begin_two_products(q, w_.data());
  parts.share((system.nlocal + BLOCK - 1) / BLOCK, [&](int, int first, int last) {
    first *= BLOCK;
    last = std::min(last * BLOCK, system.nlocal);
    system.multiply_two(first, last, q, w_.data(), hz_.data(), h_.data());
    for (int i = first; i < last; i++) r_[i] = system.right[i] - hz_[i] - level_;
  });
}

/* ----------------------------------------------------------------------
   the potential may be infinite, too
------------------------------------------------------------------------- */

ChargeSolver::Outcome ChargeSolver::not_definite(Outcome outcome)
{
  outcome.end = End::NOT_DEFINITE;
  forget();
  return outcome;
}

/* ----------------------------------------------------------------------
   A direction is taken if the residual before it is above the tolerance.  Where the constant part
   of the residual is much larger than the rest, or the sum of the charges is not as wanted, both
   are corrected, and the first direction is chosen anew.
   Below the rounding of the right side there is nothing to gain.
------------------------------------------------------------------------- */

ChargeSolver::Outcome ChargeSolver::solve(const ChargeSystem &system, const Limits &limits,
                                          double *q, double *more, int nmore, const Parts &parts)
{
  constexpr double LARGE_CONSTANT = 100.0, SMALL_CORRECTION = 1e-6, BELOW_ROUNDING = 1e-34,
                   NEARLY_ROUNDING = 1e-22;
  constexpr int MOST_RESTARTS = 3, PATIENCE = 10;
  Outcome outcome;
  const int nlocal = system.nlocal;
  start(system, q, parts);
  outcome.npasses = 1;

  double sums[FIRST + MORE], of_first[FIRST];
  Products products;
  double gamma_old = 0.0, alpha_old = 0.0, w_s = 0.0, least = 0.0, excess = 0.0;
  bool has_direction = false;
  int nrestarts = 0, nworse = 0;
  const double *const w = w_.data(), *const h = h_.data();
  double *const r = r_.data(), *const z = z_.data(), *const hz = hz_.data(), *const p = p_.data(),
                *const s = s_.data();

  const auto correct = [&](double constant, double surplus) {
    share_atoms(parts, system.ncolumns, [&](int first, int last) {
      for (int i = first; i < last; i++) q[i] -= surplus * w[i];
      for (int i = first; i < std::min(last, nlocal); i++) r[i] += surplus * h[i] - constant;
    });
    level_ += constant;
    excess = 0.0;
  };

  for (bool is_first = true;; is_first = false) {
    system.precondition(r, z);
    system.forward(z);
    system.begin_product(z);
    outcome.npasses++;
    const auto add = [&](int first, int last, double *sum) {
      const double *const d = system.inverse_diagonal;
      system.multiply(first, last, z, hz);
      for (int i = first; i < last; i++) {
        sum[R_Z] += r[i] * z[i];
        sum[ONE_Z] += z[i];
        sum[HZ_Z] += hz[i] * z[i];
        sum[HZ_W] += hz[i] * w[i];
        const double dr = d[i] * r[i], dhz = d[i] * hz[i];
        sum[R_D_R] += dr * r[i];
        sum[R_D_HZ] += dr * hz[i];
        sum[R_D_S] += dr * s[i];
        sum[R_D_H] += dr * h[i];
        sum[D_R] += dr;
        sum[HZ_D_HZ] += dhz * hz[i];
        sum[HZ_D_S] += dhz * s[i];
        sum[HZ_D_H] += dhz * h[i];
        sum[D_HZ] += dhz;
      }
    };
    if (is_first) {
      add_blocks<FIRST>(system, parts, sums, [&](int first, int last, double *sum) {
        const double *const d = system.inverse_diagonal;
        add(first, last, sum);
        for (int i = first; i < last; i++) {
          sum[H_W] += h[i] * w[i];
          sum[ONE_W] += w[i];
          sum[H_D_H] += h[i] * d[i] * h[i];
          sum[D_H] += d[i] * h[i];
          sum[ONE_D] += d[i];
          sum[B_B] += system.right[i] * system.right[i];
          sum[ONE_Q] += q[i];
        }
      });
      std::copy_n(more, nmore, sums + FIRST);
      system.add_over_ranks(sums, FIRST + nmore);
      std::copy_n(sums + FIRST, nmore, more);
      std::copy_n(sums, FIRST, of_first);
      products.begin(sums);
    } else {
      add_blocks<EACH>(system, parts, sums, add);
      system.add_over_ranks(sums, EACH);
    }
    outcome.nreductions++;
    products.set(sums);

    const double h_w = of_first[H_W], one_w = of_first[ONE_W], b_b = of_first[B_B];
    const double wanted = limits.tolerance * limits.tolerance * b_b;
    if (!(one_w > 0.0)) {    // no atom has a charge, or numbers are not finite
      if (one_w == 0.0) return outcome;
      return not_definite(outcome);
    }
    const double a = sums[ONE_Z] / one_w;
    const double constant_part = a * sums[ONE_Z];
    const double gamma = sums[R_Z] - constant_part;
    const double norm = products.of_residual();
    if (!std::isfinite(norm)) return not_definite(outcome);
    if (b_b == 0.0 && system.total == 0.0) {    // no potential: no charges
      std::fill_n(q, system.ncolumns, 0.0);
      forget();
      return outcome;
    }
    if (is_first) excess = (of_first[ONE_Q] - system.total) / one_w;
    outcome.residual = b_b > 0.0 ? std::sqrt(std::max(norm, 0.0) / b_b) : 0.0;

    const bool far_off =
        constant_part > LARGE_CONSTANT * std::abs(gamma) && constant_part > BELOW_ROUNDING * b_b;
    const bool wrong_sum =
        excess * excess * products.of_h() > SMALL_CORRECTION * std::max(wanted, ROUNDING * norm);
    const bool no_level = is_first && !has_level_;
    if ((wrong_sum || no_level || (far_off && norm > wanted)) && nrestarts < MOST_RESTARTS) {
      nrestarts++;
      has_level_ = true;
      correct(a + excess * h_w / one_w, excess);
      has_direction = false;
      if (outcome.npasses < limits.most_passes) continue;
      outcome.end = End::EXHAUSTED;
      return outcome;
    }

    if (norm <= wanted || norm <= BELOW_ROUNDING * b_b || !(gamma > 0.0)) {
      if (std::isnan(gamma)) return not_definite(outcome);
      correct(a, excess);
      return outcome;
    }
    if (!has_direction || norm < 0.9 * least) {
      least = norm;
      nworse = 0;
    } else if (++nworse >= PATIENCE && norm < NEARLY_ROUNDING * b_b) {
      return outcome;
    }

    const double delta = sums[HZ_Z] - 2.0 * a * sums[HZ_W] + a * a * h_w;
    const double beta = has_direction ? gamma / gamma_old : 0.0;
    const double p_h_p = has_direction ? delta - beta * gamma / alpha_old : delta;
    if (!(p_h_p > 0.0)) return norm > NEARLY_ROUNDING * b_b ? not_definite(outcome) : outcome;
    const double alpha = gamma / p_h_p;
    products.turn(a, beta);
    w_s = sums[HZ_W] - a * h_w + beta * w_s;
    const double surplus = excess;
    share_atoms(parts, system.ncolumns, [&](int first, int last) {
      for (int i = first; i < last; i++) {
        p[i] = z[i] - a * w[i] + beta * p[i];
        q[i] += alpha * p[i] - surplus * w[i];
      }
      for (int i = first; i < std::min(last, nlocal); i++) {
        s[i] = hz[i] - a * h[i] + beta * s[i];
        r[i] -= a + alpha * s[i] - surplus * h[i];
      }
    });
    level_ += a;
    excess = 0.0;
    has_direction = true;
    gamma_old = gamma;
    alpha_old = alpha;

    const double next = products.after(alpha);
    if (next + ROUNDING * norm <= wanted) {
      level_ -= alpha * w_s / one_w;    // the constant part that is left
      outcome.residual = std::sqrt(std::max(next, 0.0) / b_b);
      return outcome;
    }
    if (outcome.npasses >= limits.most_passes) {
      outcome.residual = b_b > 0.0 ? std::sqrt(std::max(next, 0.0) / b_b) : 0.0;
      outcome.end = End::EXHAUSTED;
      return outcome;
    }
  }
}

/* ---------------------------------------------------------------------- */

double ChargeSolver::nbytes() const
{
  std::size_t n = of_block_.capacity();
  for (const auto *vector : {&r_, &z_, &w_, &hz_, &h_, &p_, &s_}) n += vector->capacity();
  return static_cast<double>(n * sizeof(double));
}
