// SPDX-License-Identifier: GPL-2.0-only
//
// Stands in for the MPI backend where there is no MPI; tests with ranks as threads never make one.

#include "transport/channel_mpi.h"

namespace TOFU_NS {

struct MpiBackend::Communicator {};

MpiBackend::~MpiBackend() = default;

std::unique_ptr<Channel> MpiBackend::make_channel(int, int, std::size_t, std::size_t)
{
  return nullptr;
}

}    // namespace TOFU_NS
