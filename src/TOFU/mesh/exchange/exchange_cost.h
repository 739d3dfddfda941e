// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_MESH_EXCHANGE_COST_H
#define TOFU_MESH_EXCHANGE_COST_H

#include "mesh_exchange.h"

namespace TOFU_NS {

// shared memory of a node, or a fast network: numbers of messages are compared with numbers of
// bytes, for which the order of magnitude is sufficient

constexpr double MICROSECONDS_OF_ROUND =
    1.0;    // until the last rank has arrived, and its message has reached all
constexpr double MICROSECONDS_OF_MESSAGE = 0.5;
constexpr double MICROSECONDS_OF_BYTE = 2e-4;    // packed, sent, unpacked

/** Estimated time of an exchange: that of the rank with the most work, among some of the ranks.
    The result is the same on all ranks.

    \param npoints,sources,targets   as for MeshExchange
    \param nbytes_of_point   of all fields together that travel at once
    \return   microseconds */
inline double exchange_cost(const std::array<int, 3> &npoints,
                            const std::vector<MeshLayout> &sources,
                            const std::vector<MeshLayout> &targets, std::size_t nbytes_of_point)
{
  constexpr std::size_t MOST_SAMPLED = 16;    // ranks; thousands would take too long
  const std::size_t step = (sources.size() + MOST_SAMPLED - 1) / MOST_SAMPLED;
  double most = 0.0;
  for (std::size_t rank = 0; rank < sources.size(); rank += step) {
    const MeshExchange exchange(static_cast<int>(rank), npoints, sources, targets);
    std::vector<std::size_t> nbytes(sources.size(), 0);
    exchange.add_traffic(nbytes_of_point, nbytes);
    double cost = 0.0;
    for (std::size_t length : nbytes)
      if (length) cost += MICROSECONDS_OF_MESSAGE + MICROSECONDS_OF_BYTE * length;
    most = std::max(most, cost);
  }
  return most > 0.0 ? MICROSECONDS_OF_ROUND + most : 0.0;
}

}    // namespace TOFU_NS

#endif
