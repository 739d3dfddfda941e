// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_BASE_UNSENT_FINDINGS_H
#define TOFU_BASE_UNSENT_FINDINGS_H

#include <algorithm>
#include <cstdint>

namespace TOFU_NS {

/** What a rank has found about its atoms in steps without a reduction, until the next reduction
    sends it: that neighbor lists were used for too long, or built too early. */
class UnsentFindings {
 public:
  using Step = std::int64_t;

  bool late_in_first_step = false;     // an atom had passed the limit in the first step that
                                       // neigh_modify allowed; at the last build
  bool predicted_too_early = false;    // no atom had, where one was to pass for certain

  /** An atom is beyond the limit in a step in which lists are not built; the first one counts. */
  void note_passed(Step step)
  {
    if (passed_at_ < 0) passed_at_ = step;
  }

  /** Whether an atom has been, with the present lists. */
  bool has_passed() const { return passed_at_ >= 0; }

  /** Steps for which lists have been used too long, up to a step; 0: none. */
  int late(Step now) const
  {
    return has_passed() ? std::max(late_before_, static_cast<int>(now - passed_at_)) : late_before_;
  }

  /** Lists are new. */
  void begin_lists(Step now)
  {
    late_before_ = late(now);
    passed_at_ = -1;
    in_reduction_ = false;
  }

  /** A reduction starts with what is known, to be read in a later step. */
  void start_sending() { in_reduction_ = has_passed(); }

  /** All ranks have read it. */
  void finish_sending()
  {
    if (in_reduction_) passed_at_ = -1;
    forget_sent();
  }

  /** The reduction was dropped. */
  void drop_sending() { in_reduction_ = false; }

  /** How late lists were has been sent. */
  void forget_late()
  {
    passed_at_ = -1;
    late_before_ = 0;
    late_in_first_step = false;
  }

  /** A reduction was started and read in this step. */
  void send_at_once()
  {
    passed_at_ = -1;
    forget_sent();
  }

 private:
  Step passed_at_ = -1;          // -1: no atom
  int late_before_ = 0;          // of earlier lists
  bool in_reduction_ = false;    // passed_at_ is

  void forget_sent()
  {
    late_before_ = 0;
    late_in_first_step = predicted_too_early = in_reduction_ = false;
  }
};

}    // namespace TOFU_NS

#endif
