// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// The keywords place and map, which choose how ranks are placed; package tofu, package threadpool
// and comm_style p2p/rdma have them.

#ifndef TOFU_PLACE_SETTINGS_H
#define TOFU_PLACE_SETTINGS_H

#include <string>

namespace LAMMPS_NS {
class LAMMPS;
}

namespace TOFU_NS {

class Keywords;

struct PlaceSettings {
  std::string source;    // "no", "auto" or a file about the network; empty: not given
  std::string map;       // file to write the placement to; empty: none

  /** Add the two keywords to a table; their values go to members of this object. */
  void list_in(Keywords &keywords);

  /** error->all() if the file cannot be read.  Collective.

      \param command   for the message, e.g. "package tofu" */
  void check(LAMMPS_NS::LAMMPS *lmp, const char *command) const;

  bool given() const { return !source.empty(); }
  bool on() const { return given() && source != "no"; }
  bool has_file() const { return on() && source != "auto"; }
};

}    // namespace TOFU_NS

#endif
