// SPDX-License-Identifier: GPL-2.0-only
//
// Stand-in for the MPI backend where there is no MPI.

#include "transport/mpi/mpi_backend.h"

namespace TOFU_NS {

std::unique_ptr<Backend> make_mpi_backend(const BackendResources &)
{
  return nullptr;
}

}    // namespace TOFU_NS
