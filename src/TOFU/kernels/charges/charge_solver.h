// SPDX-License-Identifier: GPL-2.0-only
//
// ChargeSolver: charges q that minimize q H q/2 - b q, with their sum given, by conjugate gradients
// with one reduction over ranks per iteration.
//
// The sum is kept by the preconditioner: with w = M 1 and a = (1, M r)/(1, w) the direction is
// M r - a w, the constant a is taken out of the residual, and the sum of all a is the chemical
// potential mu: H q = b + mu in the end.  The products with H are those of M r, and of w, one more
// for each solution, which shares the first pass over the matrix; so all numbers of an iteration
// are sums of the same reduction, as in A. T. Chronopoulos and C. W. Gear, J. Comput. Appl. Math.
// 25, 153 (1989).  The norm of the next residual follows from these numbers, too, and no pass is
// made to find out that none was needed.
//
// The matrix, the preconditioner and the messages belong to the caller.

#ifndef TOFU_KERNELS_CHARGE_SOLVER_H
#define TOFU_KERNELS_CHARGE_SOLVER_H

#include "base/parts.h"

#include <functional>
#include <vector>

namespace TOFU_NS {

/** A system of equations.  Vectors have a number for each owned atom, [nlocal], and those that
    forward() gets one for each column of the matrix, [ncolumns]. */
struct ChargeSystem {
  int nlocal, ncolumns;
  const double *right;               // [nlocal] b; 0 of atoms without a charge
  const double *inverse_diagonal;    // [nlocal] weights of the norm; 0 of atoms without a charge
  double total;                      // wanted sum of all charges

  /** Begin a product, before its rows are asked for by several threads. */
  std::function<void(const double *x)> begin_product;
  std::function<void(const double *x1, const double *x2)> begin_two_products;

  /** Rows [first, last) of H x. */
  std::function<void(int first, int last, const double *x, double *y)> multiply;

  /** Of two vectors. */
  std::function<void(int first, int last, const double *x1, const double *x2, double *y1,
                     double *y2)>
      multiply_two;

  /** z = M r; 0 of atoms without a charge.  r is 0 at ghosts, and may be changed there. */
  std::function<void(double *r, double *z)> precondition;

  /** Set the numbers of columns that other ranks own. */
  std::function<void(double *x)> forward;

  /** Add numbers over ranks. */
  std::function<void(double *sums, int n)> add_over_ranks;
};

class ChargeSolver {
 public:
  enum class End {
    CONVERGED,
    EXHAUSTED,      // after the largest number of passes; charges are the best so far
    NOT_DEFINITE    // p H p <= 0 for some direction; charges are undefined
  };
  struct Limits {
    double tolerance;    // of the norm of the residual, sqrt(sum of r^2/H_ii)/|b|
    int most_passes;
  };
  struct Outcome {
    End end = End::CONVERGED;
    int npasses = 0;          // over the matrix
    int nreductions = 0;      // over ranks
    double residual = 0.0;    // relative norm, as in Limits
  };

  /** Compute w = M 1.  To be called when M is another one.

      \param ones   [nlocal] 1, or 0 of atoms without a charge */
  void set_preconditioner(const ChargeSystem &, const std::vector<double> &ones);

  /** Solve.

      \param q       [ncolumns] start, becomes the solution, also of columns that other ranks own
      \param more    [nmore] further numbers that the first reduction adds over ranks; at most MORE
      */
  Outcome solve(const ChargeSystem &, const Limits &, double *q, double *more, int nmore,
                const Parts &);

  static constexpr int MORE = 4;

  /** The chemical potential mu of the last solution. */
  double potential() const { return -level_; }

  /** Forget the potential, from which the next solution would start. */
  void forget() { has_level_ = false; }

  double nbytes() const;

 private:
  double level_ = 0.0;    // constant part of b - H q, which is not in r
  bool has_level_ = false;
  std::vector<double> r_, z_, w_, p_;    // [ncolumns], p: direction
  std::vector<double> hz_, h_, s_;       // [nlocal] H z, H w, H p
  std::vector<double> of_block_;

  template <int N, class Work>
  void add_blocks(const ChargeSystem &, const Parts &, double *sums, const Work &);
  void start(const ChargeSystem &, const double *q, const Parts &);
  Outcome not_definite(Outcome);
};

}    // namespace TOFU_NS

#endif
