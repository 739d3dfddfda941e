// SPDX-License-Identifier: GPL-2.0-only
//
// The table of all backends.

#ifndef TOFU_TRANSPORT_BACKENDS_H
#define TOFU_TRANSPORT_BACKENDS_H

#include "backend.h"

namespace TOFU_NS {

/** All backends; those in front are tried first. */
const BackendTable &all_backends();

/** The values of TransportOptions::backend: "auto", then the names of a table, each once. */
std::vector<std::string> backend_choices(const BackendTable &table = all_backends());

}    // namespace TOFU_NS

#endif
