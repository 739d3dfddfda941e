// SPDX-License-Identifier: GPL-2.0-only
//
// Backend over uTofu, the interface to the Tofu interconnect D: puts with remote notice between
// virtual queues, on as many network interfaces as there are endpoints.
//
// It exists only in a TOFU that was built with the vendor's library (TOFU_UTOFU).

#ifndef TOFU_TRANSPORT_UTOFU_BACKEND_H
#define TOFU_TRANSPORT_UTOFU_BACKEND_H

#include "transport/backend.h"
#include "utofu_address.h"

namespace TOFU_NS {

constexpr std::size_t UTOFU_ADDRESS_BYTES = sizeof(UtofuAddress);

std::unique_ptr<Backend> make_utofu_backend(const BackendResources &resources);

}    // namespace TOFU_NS

#endif
