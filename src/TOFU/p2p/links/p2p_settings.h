// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// The keywords of comm_style p2p/rdma, however they were given.

#ifndef TOFU_P2P_SETTINGS_H
#define TOFU_P2P_SETTINGS_H

#include "p2p/places/place_settings.h"
#include "transport/transport.h"

namespace LAMMPS_NS {
class LAMMPS;
}

namespace TOFU_NS {

class Keywords;

enum class Pattern { AUTO, DIRECT, STAGED };
enum class Layout { AUTO, BRICK, TILED };    // what the balance commands may make
enum class Shell { AUTO, HALF, FULL };       // directions that ghosts come from

struct P2PSettings {
  TransportOptions transport;
  Layout layout = Layout::AUTO;    // as that of the style before
  Pattern pattern = Pattern::AUTO;
  Shell shell = Shell::AUTO;
  bool brick_order = false;       // owned atoms are in the order of comm_style brick
  bool landing = true;            // off node, positions land in x and forces leave from f
  int nendpoints = 1;             // network endpoints per rank
  int nthreads = 1;               // threads that drive them, this one included
  bool all_statistics = false;    // after a run, not only those that a user can act on
  bool by_default = false;        // chosen by the suffix, not by name
  PlaceSettings place;            // not given: those of the style before
  int node_size = 0;    // TOFU_NODE_SIZE: so many ranks are taken for a node; 0 = as MPI says

  /** An error if order brick is given with layout tiled. */
  void check_order(LAMMPS_NS::LAMMPS *lmp, const char *command) const;

  /** From the arguments behind "p2p_rdma" and the environment; error->all() on anything wrong.

      \param command   for messages, e.g. "comm_style p2p/rdma" */
  static P2PSettings parse(LAMMPS_NS::LAMMPS *lmp, const char *command, int narg, char **arg);

  /** All keywords and their values. */
  std::string text(LAMMPS_NS::LAMMPS *lmp) const;

 private:
  void list_in(Keywords &keywords);
};

}    // namespace TOFU_NS

#endif
