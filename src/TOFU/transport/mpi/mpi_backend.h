// SPDX-License-Identifier: GPL-2.0-only
//
// Backend over non-blocking MPI: works wherever MPI does, and is the reference for the others.
//
// Each slot of the receiver is a receive that is posted before the sender has credit for the slot,
// so that no message is unexpected.  This header does not include mpi.h.

#ifndef TOFU_TRANSPORT_MPI_BACKEND_H
#define TOFU_TRANSPORT_MPI_BACKEND_H

#include "transport/backend.h"

namespace TOFU_NS {

/** A backend whose channels share a duplicate of the communicator of the resources. */
std::unique_ptr<Backend> make_mpi_backend(const BackendResources &resources);

}    // namespace TOFU_NS

#endif
