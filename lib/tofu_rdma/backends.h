// SPDX-License-Identifier: GPL-2.0-only
//
// The one table of backends that callers can name.  A new backend of the transport is a new row.

#ifndef TOFU_RDMA_BACKENDS_H
#define TOFU_RDMA_BACKENDS_H

#include "transport/transport.h"

namespace TOFU_RDMA {

struct Backend {
  const char *name;
  void (*choose)(TOFU_NS::TransportOptions &options);
};

inline constexpr Backend BACKENDS[] = {
    {"auto",
     [](TOFU_NS::TransportOptions &o) {
       o.backend = TOFU_NS::BackendChoice::AUTO;
     }},
    {"shm",
     [](TOFU_NS::TransportOptions &o) {
       o.backend = TOFU_NS::BackendChoice::SHM;
     }},
    {"ofi",
     [](TOFU_NS::TransportOptions &o) {
       o.backend = TOFU_NS::BackendChoice::OFI;
     }},
    {"ofi:tcp",
     [](TOFU_NS::TransportOptions &o) {
       o.backend = TOFU_NS::BackendChoice::OFI;
       o.provider = "tcp";
     }},
    {"ofi:shm",
     [](TOFU_NS::TransportOptions &o) {
       o.backend = TOFU_NS::BackendChoice::OFI;
       o.provider = "shm";
     }},
    {"mpi",
     [](TOFU_NS::TransportOptions &o) {
       o.backend = TOFU_NS::BackendChoice::MPI;
     }},
};

}    // namespace TOFU_RDMA

#endif
