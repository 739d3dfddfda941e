// SPDX-License-Identifier: GPL-2.0-only
//
// FaultyLibfabric: a libfabric with faults, for the transports that are made on this thread.

#ifndef TOFU_TEST_FAULTY_LIBFABRIC_H
#define TOFU_TEST_FAULTY_LIBFABRIC_H

#include <chrono>
#include <cstdint>
#include <memory>

namespace TOFU_TEST {

/** Faults to be injected; none by default.  Counts are those of one rank, or of one endpoint for
    writes and completions. */
struct OfiFaults {
  int refuse_registration = 0;    // the k-th registration fails, counted from 1
  unsigned busy_writes = 0;       // so many of every 8 attempts to write find the queue full
  std::chrono::milliseconds full_for{0};    // after the first completed write the queue is full
  std::uint64_t scramble = 0;    // seed: completions are reported late and in any order; 0 = off
  int lose_completion = 0;       // the k-th own write is not reported, counted from 1
  int lose_message = 0;          // the k-th message of a peer is not reported, counted from 1

  // other ways in which a provider may report completions

  bool own_with_data_flag = false;       // own writes with FI_REMOTE_CQ_DATA
  bool own_without_write = false;        // and without FI_WRITE
  bool notices_without_write = false;    // of peers without FI_REMOTE_WRITE
  bool notices_with_context = false;     // of peers with a context of no request

  bool any() const
  {
    return refuse_registration || busy_writes || full_for.count() || scramble || lose_completion ||
        lose_message || own_with_data_flag || own_without_write || notices_without_write ||
        notices_with_context;
  }
};

/** While an object with faults exists, libfabric's fi_fabric(), called on the thread that made the
    object, returns a fabric whose tables of functions are replaced, and so are those of all that is
    made from it: registrations, writes and reads of completions go through functions that inject
    the faults.  The object must outlive the transports.  Programs need `-Wl,--wrap=fi_fabric`,
    which the target tofu_faulty_libfabric has.  Without libfabric it does nothing. */
class FaultyLibfabric {
 public:
  explicit FaultyLibfabric(const OfiFaults &faults);
  ~FaultyLibfabric();
  FaultyLibfabric(const FaultyLibfabric &) = delete;
  FaultyLibfabric &operator=(const FaultyLibfabric &) = delete;

  struct Tables;    // of functions

 private:
  const std::unique_ptr<Tables> tables_;
};

}    // namespace TOFU_TEST

#endif
