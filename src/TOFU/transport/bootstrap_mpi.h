// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_TRANSPORT_BOOTSTRAP_MPI_H
#define TOFU_TRANSPORT_BOOTSTRAP_MPI_H

#include "bootstrap.h"

#include <memory>

namespace TOFU_NS {

/** Bootstrap over an MPI communicator.  Collective.

    \param comm        pointer to an MPI_Comm that outlives the bootstrap
    \param node_size   > 0: treat every node_size consecutive ranks as a node, to test the
                       off-node path on one machine; 0: ranks that share memory, by MPI */
std::unique_ptr<Bootstrap> make_mpi_bootstrap(const void *comm, int node_size);

}    // namespace TOFU_NS

#endif
