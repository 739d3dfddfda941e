// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef TOFU_CLEAR_MAP_H
#define TOFU_CLEAR_MAP_H

#include "base/parts.h"

namespace LAMMPS_NS {
class Atom;
}

namespace TOFU_NS {

/** Take all atoms out of the map from IDs to indices, if there is one. */
void clear_map(LAMMPS_NS::Atom *, const Parts &);

}    // namespace TOFU_NS

#endif
