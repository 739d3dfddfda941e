// SPDX-License-Identifier: GPL-2.0-only
//
// LeastMovement: the least movement of work over the links of a ring up to a certain one, as a
// function of the flow over that link.  The function is convex and piecewise linear.  Only its
// domain and the places where its slope changes are stored ("slope trick"), so that each further
// link takes O(log n).

#ifndef TOFU_BALANCE_LEAST_MOVEMENT_H
#define TOFU_BALANCE_LEAST_MOVEMENT_H

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace TOFU_NS {

/** Places where a convex function changes its slope, on one side of its minimum; all kinks shift
    together.  They are a heap with the kink nearest to the minimum on top.

    \param Beyond   std::less below the minimum, std::greater above: farther away from it */
template <class Beyond> class Kinks {
 public:
  std::int64_t shift = 0;

  std::int64_t nearest() const { return heap_.front().flow + shift; }

  void push(std::int64_t flow, std::int64_t change = 1)
  {
    heap_.push_back({flow - shift, change});
    std::push_heap(heap_.begin(), heap_.end(), farther);
  }

  /** Insert a kink, remove the nearest one. */
  std::int64_t exchange(std::int64_t flow)
  {
    if (heap_.empty() || !Beyond()(flow, nearest())) return flow;
    push(flow);
    const std::int64_t taken = nearest();
    if (--heap_.front().change == 0) pop();
    return taken;
  }

  /** Reduce the domain of the function.  The slope at the near end remains.  Kinks beyond the far
      end are no longer needed; they are dropped when there are many of them. */
  void cut(std::int64_t near_end, std::int64_t far_end)
  {
    std::int64_t change = 0;
    for (; !heap_.empty() && Beyond()(near_end, nearest()); pop()) change += heap_.front().change;
    if (change) push(near_end, change);
    if (heap_.size() < many_) return;
    const auto is_far = [&](const Kink &kink) {
      return Beyond()(kink.flow + shift, far_end);
    };
    heap_.erase(std::remove_if(heap_.begin(), heap_.end(), is_far), heap_.end());
    std::make_heap(heap_.begin(), heap_.end(), farther);
    many_ = std::max(many_, 2 * heap_.size());
  }

 private:
  struct Kink {
    std::int64_t flow;      // place of the kink, less `shift`
    std::int64_t change;    // of the slope
  };
  std::vector<Kink> heap_;
  std::size_t many_ = 64;

  static bool farther(const Kink &a, const Kink &b) { return Beyond()(a.flow, b.flow); }

  void pop()
  {
    std::pop_heap(heap_.begin(), heap_.end(), farther);
    heap_.pop_back();
  }
};

class LeastMovement {
 public:
  struct Range {
    std::int64_t lo, hi;
  };

  /** Flows over the link before the first. */
  explicit LeastMovement(Range start) : domain_(start) {}

  /** Go to the next link, over a place.  The place keeps 0 ... capacity, so that the flow over its
      link is the sum of the flow that came and the work of the place, less 0 ... capacity.  The
      falling part of the function shifts by work - capacity, the rising part by work. */
  void pass(std::int64_t work, std::int64_t capacity, Range link)
  {
    below_.shift += work - capacity;
    above_.shift += work;
    domain_.lo = std::max(domain_.lo + work - capacity, link.lo);
    domain_.hi = std::min(domain_.hi + work, link.hi);
    below_.cut(domain_.hi, domain_.lo);
    above_.cut(domain_.lo, domain_.hi);
    add_distance();
  }

  /** Range of the possible flows. */
  Range domain() const { return domain_; }

  /** One of the flows with the least movement. */
  std::int64_t best() const
  {
    const std::int64_t lo = std::max(below_.nearest(), domain_.lo);
    const std::int64_t hi = std::min(above_.nearest(), domain_.hi);
    return std::clamp(std::int64_t{0}, lo, hi);
  }

 private:
  Range domain_;
  Kinks<std::less<std::int64_t>> below_;
  Kinks<std::greater<std::int64_t>> above_;

  /** Add |flow|: max(0,flow) and max(0,-flow), each of which moves a kink to the other side. */
  void add_distance()
  {
    const std::int64_t zero = std::clamp(std::int64_t{0}, domain_.lo, domain_.hi);
    above_.push(below_.exchange(zero));
    below_.push(above_.exchange(zero));
  }
};

}    // namespace TOFU_NS

#endif
