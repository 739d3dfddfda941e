// SPDX-License-Identifier: GPL-2.0-only
//
// Assignment of neighbors to the endpoints that serve them.  SC'23 paper, Fig. 10: neighbors are
// assigned to the threads that drive the network by message size and number of hops; here, the
// longest first.

#ifndef TOFU_TRANSPORT_DEAL_H
#define TOFU_TRANSPORT_DEAL_H

#include <vector>

namespace TOFU_NS {

/** Longest processing time first: the costliest remaining item goes to the endpoint with the least
    load, the lower one of equals.  No endpoint gets more than 4/3 - 1/(3 nhands) times the
    largest load of the best assignment (R. L. Graham, SIAM J. Appl. Math. 17, 416, 1969).

    \param costs    [n] any unit, none negative
    \param nhands   # of endpoints, at least 1
    \return   [n] endpoint of each item, 0 ... nhands-1 */
std::vector<int> deal(const std::vector<double> &costs, int nhands);

/** Cost of a message, in bytes: a hop counts as many as a link moves in the 0.1 us that a hop is
    assumed to take, at the 6.8 GB/s of a Tofu-D link (SC'23 paper, Fig. 2). */
double message_cost(double nbytes, int nhops);

}    // namespace TOFU_NS

#endif
