// SPDX-License-Identifier: GPL-2.0-only
//
// PartnerMessages: messages of bytes between partners, which travel while ranks compute.

#ifndef TOFU_HALO_PARTNER_MESSAGES_H
#define TOFU_HALO_PARTNER_MESSAGES_H

#include "transport/transport.h"

#include <map>
#include <vector>

namespace TOFU_NS {

class PartnerMessages {
 public:
  using Messages = std::map<int, std::vector<char>>;    // by rank

  /** Forget messages that have not been received. */
  void clear();

  /** Whether messages of send() have not been received. */
  bool are_under_way() const { return expected_ != nullptr; }

  /** Send one message to each rank of `out`, of no bytes as well; one comes from each rank of `in`.
      No other message of these links may be sent before receive().  Both maps must live until
      then.  A message that has to wait for credit is kept until receive(): before that its receiver
      may be in a collective call of MPI. */
  void send(Transport &, const Messages &out, Messages &in);

  /** Fill `in` of the last send(); does nothing if it is filled. */
  void receive(Transport &);

 private:
  Messages *expected_ = nullptr;
  std::map<int, const std::vector<char> *> unsent_;    // by rank
};

}    // namespace TOFU_NS

#endif
