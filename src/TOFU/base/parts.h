// SPDX-License-Identifier: GPL-2.0-only
//
// Parts of work that may run at the same time; the caller chooses the threads that run them.

#ifndef TOFU_BASE_PARTS_H
#define TOFU_BASE_PARTS_H

#include "share.h"

#include <functional>
#include <utility>

namespace TOFU_NS {

class Parts {
 public:
  using Work = std::function<void(int part)>;

  /** One, by the caller. */
  Parts() = default;

  /** \param n     how many
      \param run   calls work(part) for the parts 0 to n-1 and returns when all are done */
  Parts(int n, std::function<void(int n, const Work &work)> run) : n_(n), run_(std::move(run)) {}

  int n() const { return n_; }

  /** As many parts, or fewer where each part would have less work than `least`. */
  Parts for_work(int work, int least) const
  {
    Parts fewer = *this;
    if (work < least * n_) fewer.n_ = work < least ? 1 : work / least;
    return fewer;
  }

  /** work(part) for all parts; nothing is allocated, since this is part of a step. */
  template <class PartWork> void run(PartWork &&work) const
  {
    if (n_ == 1)
      work(0);
    else
      run_(n_, std::ref(work));
  }

  /** work(part, first, last) for each part's share of the numbers 0 to n-1. */
  template <class ShareWork> void share(int n, ShareWork &&work) const
  {
    run([&](int part) {
      work(part, begin_of_share(part, n_, n), begin_of_share(part + 1, n_, n));
    });
  }

 private:
  int n_ = 1;
  std::function<void(int, const Work &)> run_;
};

}    // namespace TOFU_NS

#endif
