// SPDX-License-Identifier: GPL-2.0-only
//
// Channel over non-blocking MPI: works wherever MPI does, and is the reference for the others.
//
// Every slot of the receiver is a receive that is posted before the sender has credit for it, so
// no message is ever unexpected.  mpi.h stays out of this header.

#ifndef TOFU_TRANSPORT_CHANNEL_MPI_H
#define TOFU_TRANSPORT_CHANNEL_MPI_H

#include "channel.h"

#include <memory>

namespace TOFU_NS {

/** Owns the duplicate of the communicator that all MPI channels of one transport share. */
class MpiBackend {
 public:
  /** Args:
        comm   pointer to an MPI_Comm; collective over it */
  explicit MpiBackend(const void *comm);
  ~MpiBackend();
  MpiBackend(const MpiBackend &) = delete;
  MpiBackend &operator=(const MpiBackend &) = delete;

  /** Args:
        peer            rank in the communicator
        send_capacity   payload bytes per slot to the peer
        recv_capacity   payload bytes per slot from the peer */
  std::unique_ptr<Channel> make_channel(int peer, int nslots, std::size_t send_capacity,
                                        std::size_t recv_capacity);

 private:
  struct Communicator;
  std::shared_ptr<Communicator> comm_;
};

}    // namespace TOFU_NS

#endif
