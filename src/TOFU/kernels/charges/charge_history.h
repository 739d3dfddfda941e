// SPDX-License-Identifier: GPL-2.0-only
//
// Starts of iterations from the last solutions: polynomials in time, of the order whose guess was
// best the last time that was known.

#ifndef TOFU_KERNELS_CHARGE_HISTORY_H
#define TOFU_KERNELS_CHARGE_HISTORY_H

#include "base/parts.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace TOFU_NS {

class ChargeHistory {
 public:
  static constexpr int MOST = 4;    // last solutions that are used

  /** What n of the last solutions of an atom predict.

      \param old   [n] the latest first */
  static double guess(const double *old, int n)
  {
    switch (n) {
      case 0:
        return 0.0;
      case 1:
        return old[0];
      case 2:
        return 2.0 * old[0] - old[1];
      case 3:
        return 3.0 * (old[0] - old[1]) + old[2];
      default:
        return 4.0 * (old[0] + old[2]) - (6.0 * old[1] + old[3]);
    }
  }

  /** Forget all solutions. */
  void clear()
  {
    nsolutions_ = 0;
    nknown_ = 0;
  }

  /** A solution was added. */
  void add() { nsolutions_ = std::min(nsolutions_ + 1, MOST); }

  /** # of solutions that atoms have, unless they are newer. */
  int size() const { return nsolutions_; }

  /** # of solutions to guess from: the best by learn(), else one. */
  int best() const
  {
    if (nknown_ == 0) return std::min(nsolutions_, 1);
    const auto least = std::min_element(errors_.begin(), errors_.begin() + nknown_);
    return std::min(static_cast<int>(least - errors_.begin()) + 1, nsolutions_);
  }

  /** Set sums over all atoms of squares of errors.

      \param errors    [MOST] of guesses from 1 to MOST solutions
      \param nknown    # of them that are known */
  void learn(const double *errors, int nknown)
  {
    std::copy_n(errors, nknown, errors_.begin());
    nknown_ = nknown;
  }

 private:
  int nsolutions_ = 0, nknown_ = 0;
  std::array<double, MOST> errors_{};
};

/** Last solutions of ghosts, which a rank computes with those of its owned atoms: their starts need
    no message. */
class GhostHistory {
 public:
  /** Forget all solutions.

      \param atoms   that will have them */
  void begin(std::vector<int> atoms)
  {
    atoms_ = std::move(atoms);
    old_.assign(atoms_.size(), {});
    nsolutions_ = 0;
  }

  /** # of solutions that all of them have. */
  int size() const { return nsolutions_; }

  /** Set what n of the last solutions predict; n is at most size(). */
  void set_guesses(int n, double *q, const Parts &parts) const
  {
    parts.share(static_cast<int>(atoms_.size()), [&](int, int first, int last) {
      for (int k = first; k < last; k++) q[atoms_[k]] = ChargeHistory::guess(old_[k].data(), n);
    });
  }

  /** Add a solution. */
  void add(const double *q, const Parts &parts)
  {
    parts.share(static_cast<int>(atoms_.size()), [&](int, int first, int last) {
      for (int k = first; k < last; k++) {
        std::copy_backward(old_[k].begin(), old_[k].end() - 1, old_[k].end());
        old_[k][0] = q[atoms_[k]];
      }
    });
    nsolutions_ = std::min(nsolutions_ + 1, ChargeHistory::MOST);
  }

  double nbytes() const
  {
    return static_cast<double>(atoms_.capacity() * sizeof(int) + old_.capacity() * sizeof(old_[0]));
  }

 private:
  std::vector<int> atoms_;
  std::vector<std::array<double, ChargeHistory::MOST>> old_;    // the latest first
  int nsolutions_ = 0;
};

}    // namespace TOFU_NS

#endif
