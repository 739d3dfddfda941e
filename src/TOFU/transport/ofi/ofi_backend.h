// SPDX-License-Identifier: GPL-2.0-only
//
// Backend over libfabric.  RMA writes with remote completion data between reliable-datagram
// endpoints, over any provider that has both.
//
// In a build without libfabric it fails with a message.  This file does not include libfabric's
// headers.

#ifndef TOFU_TRANSPORT_OFI_BACKEND_H
#define TOFU_TRANSPORT_OFI_BACKEND_H

#include "ofi_options.h"
#include "transport/backend.h"

namespace TOFU_NS {

constexpr std::size_t OFI_ADDRESS_BYTES = sizeof(OfiAddress);

std::unique_ptr<Backend> make_ofi_backend(const BackendResources &resources);

}    // namespace TOFU_NS

#endif
