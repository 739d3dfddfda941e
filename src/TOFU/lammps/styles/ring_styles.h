// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// Check of styles: whether they stay right when rows of a neighbor list are computed by another
// rank than the owner's.

#ifndef TOFU_RING_STYLES_H
#define TOFU_RING_STYLES_H

#include <string>

namespace LAMMPS_NS {
class LAMMPS;
class Pair;
}    // namespace LAMMPS_NS

namespace TOFU_NS {

/** Pattern of the names of fix ring/balance. */
constexpr const char *RING_BALANCE = "^ring[_/]balance$";

/** ID of the fix that package threadpool adds; one of the input replaces it. */
constexpr const char *RING_OF_PACKAGE = "THREADPOOL_BALANCE";

/** Why this pair style cannot compute rows of ghosts, or owned atoms without a row; "" if it can.

    \param style   as LAMMPS knows it; hybrid styles know those of their parts without the
                   suffix */
std::string objection_to_rows_of_ghosts(const std::string &style, LAMMPS_NS::Pair *pair);

/** Why something else in the input cannot work; "" if all can. */
std::string objection_to_handing_over_rows(LAMMPS_NS::LAMMPS *);

/** Whether other code may read Neighbor's lists of pair styles without having asked for a list, so
    that they have to have all rows. */
bool others_read_lists(LAMMPS_NS::LAMMPS *);

}    // namespace TOFU_NS

#endif
