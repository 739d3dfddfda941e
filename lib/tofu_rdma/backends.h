// SPDX-License-Identifier: GPL-2.0-only
//
// Names of backends for callers of the library: those of the transport's table, and "ofi:" with a
// provider of libfabric.

#ifndef TOFU_RDMA_BACKENDS_H
#define TOFU_RDMA_BACKENDS_H

#include "transport/transport.h"

#include <string>
#include <vector>

namespace TOFU_RDMA {

/** All names, in the order of the table; lives as long as the program. */
inline const std::vector<std::string> &backend_names()
{
  static const std::vector<std::string> names = []() {
    std::vector<std::string> all;
    for (const std::string &name : TOFU_NS::backend_choices()) {
      all.push_back(name);
      if (name == "ofi") all.insert(all.end(), {"ofi:tcp", "ofi:shm"});
    }
    return all;
  }();
  return names;
}

/** Put the choice into the options.

    \param name      one of backend_names()
    \param options   gets backend and provider */
inline void choose_backend(const std::string &name, TOFU_NS::TransportOptions &options)
{
  const std::size_t colon = name.find(':');
  options.backend = name.substr(0, colon);
  if (colon != std::string::npos) options.provider = name.substr(colon + 1);
}

}    // namespace TOFU_RDMA

#endif
