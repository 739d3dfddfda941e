// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// borders(): which atoms each swap sends, the messages that bring them, and the ghosts made of
// them.  With the half shell of molecules there are two rounds of messages: the first brings ghosts
// down and requests for bonded partners, the second brings these up.

#ifndef TOFU_GHOST_BORDERS_H
#define TOFU_GHOST_BORDERS_H

#include "comm_sizes.h"
#include "halo/border_bins.h"
#include "halo/messages/packed_exchange.h"
#include "halo/staged_borders.h"
#include "halo/tile_borders.h"
#include "partner_requests.h"
#include "pointers.h"

#include "base/parts.h"

#include <functional>
#include <vector>

namespace TOFU_NS {

class SubBoxes;

class GhostBorders : protected LAMMPS_NS::Pointers {
 public:
  using PartsOfRank = std::function<Parts()>;
  using SlabOf = std::function<StagedBorders::Slab(int swap)>;

  /** All must outlive this object. */
  GhostBorders(LAMMPS_NS::LAMMPS *lmp, const SubBoxes &boxes, const CommSizes &sizes,
               PackedExchange &packed, HaloExchange &halo, PartsOfRank parts);

  /** To be called when there is a new plan: are_made() is false until make().

      \param cut_in   [nkinds][3] ghost cut-off of each kind of atom */
  void begin_plan(std::vector<double> cut_in);

  /** Make ghosts by the plan of the HaloExchange.  For triclinic, atoms must be in lamda coords.

      \param of_a_group   only the first Atom::nfirst atoms, those of the group, become ghosts
      \param slab_of      bounds of the atoms that a swap of the staged pattern sends */
  void make(bool of_a_group, const SlabOf &slab_of);

  /** Whether ghosts have been made by the present plan. */
  bool are_made() const { return made; }

  /** # of ghosts of the last make(), without bonded partners and those appended since. */
  int nghost() const;

  /** # of ghosts of bonded partners, which are behind them. */
  int npartners() const { return nghost_of_partners; }

  /** An error unless as many ghosts have been made as atoms have been sent, over all ranks.
      Collective. */
  void check() const;

  double nbytes() const { return bins.nbytes(); }

 private:
  struct Incoming {    // of a swap
    int natoms;
    const double *values;    // in a slot, until the end of the stage; nullptr: of this rank itself
  };

  const SubBoxes &boxes;
  const CommSizes &sizes;
  PackedExchange &packed;
  HaloExchange &halo;
  const PartsOfRank parts_of_rank;
  std::vector<double> cut;
  BorderBins bins;
  TileBorders of_tiles;
  StagedBorders staged;
  PartnerRequests partners;
  std::vector<Incoming> incoming;    // [nswaps]
  bool made = false;
  bool with_partners = false;                      // bonded partners are requested and sent
  std::vector<char> first_sent, first_received;    // [nswaps] 1: the first swap of its peer
  int nghost_of_pattern = 0, nghost_of_partners = 0;

  const int *kinds_of_atoms() const;
  void list_atoms(bool of_a_group);
  void list_atoms_of_stage(int stage, bool of_a_group, const SlabOf &slab_of);
  void exchange(const HaloStage &stage);
  void put(HaloSwap &swap, int natoms, int *atoms, Link &link);
  static Incoming get(const std::byte *&cursor);
  int pack(HaloSwap &swap, int natoms, int *atoms, double *values);
  void unpack(int first, int n, const double *packed_values);
  void unpack_stage(const HaloStage &stage);
  void copy_own(const HaloStage &stage);
  void mark_first_swaps(const HaloStage &stage);
  void exchange_partners();
  void append_partners(SendLists &lists);
  void finish();
};

}    // namespace TOFU_NS

#endif
