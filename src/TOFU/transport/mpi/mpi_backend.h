// SPDX-License-Identifier: GPL-2.0-only
//
// Backend over non-blocking MPI: works wherever MPI does, and is the reference for the others.
//
// Every slot of the receiver is a receive that is posted before the sender has credit for it, so
// no message is ever unexpected.  mpi.h stays out of this header.

#ifndef TOFU_TRANSPORT_MPI_BACKEND_H
#define TOFU_TRANSPORT_MPI_BACKEND_H

#include "transport/backend.h"

namespace TOFU_NS {

/** Its channels share a duplicate of the communicator of the resources. */
std::unique_ptr<Backend> make_mpi_backend(const BackendResources &resources);

}    // namespace TOFU_NS

#endif
