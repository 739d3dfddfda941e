// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// What the user gets at the end of a run: which messages have been exchanged, and how long it took.

#ifndef TOFU_P2P_STATISTICS_H
#define TOFU_P2P_STATISTICS_H

#include "pointers.h"

#include <string>

namespace TOFU_NS {

class AtomExchange;
class ExchangeCalls;
class GhostBorders;
class GhostUpdates;
class HaloPlan;
class PeerLinks;
struct P2PSettings;

class P2PStatistics : protected LAMMPS_NS::Pointers {
 public:
  /** Where the numbers are. */
  struct Sources {
    const P2PSettings &settings;
    const PeerLinks &links;
    const ExchangeCalls &calls;
    const AtomExchange &atoms;
    const GhostBorders &borders;
    const GhostUpdates &updates;
    const HaloPlan &plan;
  };

  P2PStatistics(LAMMPS_NS::LAMMPS *lmp, const Sources &sources);

  /** Add the fix that prints them, unless the user has removed it.  Not before there is a box, when
      no fix can be added. */
  void add_fix();

  /** Write to screen and log what has been exchanged since the last Comm::init().  Collective.

      \param half   ghosts came from half of the directions */
  void print(bool half) const;

 private:
  const Sources of;

  // lines of "name: average | maximum" over ranks; collective

  std::string brief() const;
  std::string all() const;
};

}    // namespace TOFU_NS

#endif
