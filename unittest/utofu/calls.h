// SPDX-License-Identifier: GPL-2.0-only
//
// What all calls of uTofu have in common.

#ifndef TOFU_EMULATOR_CALLS_H
#define TOFU_EMULATOR_CALLS_H

#include "process.h"

namespace TOFU_EMULATOR {

/** Remember a code for utofu_get_last_error(), and return it. */
int result(int code);

bool is_vcq_id(std::uint64_t id);

/** In one of these, a queue is used that a program may not use in another thread at the same time:
    neither it nor another one of the same queue of the hardware. */
class Use {
 public:
  explicit Use(const Vcq &vcq) : vcq_(vcq)
  {
    if (!vcq.thread_safe && vcq.cq->busy++ != 0)
      end_process("TOQ Direct Descriptor Exception on TNI " + std::to_string(vcq.cq->tni) + " CQ " +
                  std::to_string(vcq.cq->number) +
                  ": two threads use queues that are not thread-safe");
  }
  ~Use()
  {
    if (!vcq_.thread_safe) vcq_.cq->busy--;
  }
  Use(const Use &) = delete;
  Use &operator=(const Use &) = delete;

 private:
  const Vcq &vcq_;
};

}    // namespace TOFU_EMULATOR

#endif
