// SPDX-License-Identifier: GPL-2.0-only
//
// Duplicate of an MPI communicator, which keeps messages apart from those of its owner.

#ifndef TOFU_TRANSPORT_COMMUNICATOR_H
#define TOFU_TRANSPORT_COMMUNICATOR_H

#include <mpi.h>

namespace TOFU_NS {

class MpiCommunicator {
 public:
  /** Collective over `parent`. */
  explicit MpiCommunicator(MPI_Comm parent) : status_(MPI_Comm_dup(parent, &comm_)) {}

  ~MpiCommunicator()
  {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (!finalized && status_ == MPI_SUCCESS) MPI_Comm_free(&comm_);
  }

  MpiCommunicator(const MpiCommunicator &) = delete;
  MpiCommunicator &operator=(const MpiCommunicator &) = delete;

  int status() const { return status_; }    // of MPI_Comm_dup()
  const MPI_Comm &get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;    // set by the duplication
  const int status_;
};

}    // namespace TOFU_NS

#endif
