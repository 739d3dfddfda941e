// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// exchange(): atoms that have left this rank's sub-box go to the rank that owns their place, which
// need not be adjacent.  An atom that has moved beyond the adjacent sub-boxes is kept, whereas
// comm_style brick loses it.

#ifndef TOFU_ATOM_EXCHANGE_H
#define TOFU_ATOM_EXCHANGE_H

#include "halo/messages/atom_migration.h"
#include "halo/messages/packed_exchange.h"
#include "pointers.h"

#include "base/parts.h"

#include <functional>

namespace TOFU_NS {

class PeerLinks;
class SubBoxes;

class AtomExchange : protected LAMMPS_NS::Pointers {
 public:
  /** All must outlive this object. */
  AtomExchange(LAMMPS_NS::LAMMPS *lmp, const SubBoxes &boxes, PeerLinks &links,
               PackingBuffer &buffer, std::function<Parts()> parts);

  /** Promise that the next move() finds no atom of a rank without a link, so that it needs no
      reduction.  To be called by all ranks. */
  void expect_near_atoms() { all_are_near = true; }

  /** Clear the map and forget ghosts.  To be called first. */
  void begin();

  /** Atoms travel straight to their owners.  An atom that is in no sub-box is lost; thermo output
      reports it.  For triclinic, atoms must be in lamda coords.

      \param all_are_linked   each rank has links to all others
      \param most            largest # of values of an atom, Comm::bufextra */
  void move(bool all_are_linked, int most);

  /** Bring atoms to their owners that CommBrick::exchange() would lose, as it passes them on to
      adjacent ranks alone.  To be called before it. */
  void move_far_atoms();

  void begin_run() { of_run = Counts(); }

  struct Counts {                         // since begin_run()
    LAMMPS_NS::bigint nreductions = 0;    // over ranks, whether an atom goes where no link leads
    LAMMPS_NS::bigint nirregular = 0;     // exchanges by LAMMPS' irregular communication
  };
  const Counts &counts() const { return of_run; }
  double nbytes() const { return migration.nbytes(); }

 private:
  const SubBoxes &boxes;
  PeerLinks &links;
  PackingBuffer &buffer;
  const std::function<Parts()> parts_of_rank;
  AtomMigration migration;
  bool all_are_near = false;
  Counts of_run;

  void find_destinations();
  bool any_rank_has(bool here);
  void move_irregularly();
  void check_links() const;
};

}    // namespace TOFU_NS

#endif
