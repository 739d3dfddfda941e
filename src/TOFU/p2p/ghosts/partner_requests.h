// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// The partners that this rank needs ghosts of with the half shell: atoms in bonds, angles,
// dihedrals, impropers and SHAKE clusters that its owned atoms store; and what other ranks request
// of it.  Ghosts of partners are behind those of the pattern: they are in the map, and in no
// neighbor list, since other ranks have the pairs with them.

#ifndef TOFU_PARTNER_REQUESTS_H
#define TOFU_PARTNER_REQUESTS_H

#include "base/parts.h"
#include "halo/partner_borders.h"
#include "pointers.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace LAMMPS_NS {
class Fix;
}

namespace TOFU_NS {

class Link;

class PartnerRequests : protected LAMMPS_NS::Pointers {
 public:
  explicit PartnerRequests(LAMMPS_NS::LAMMPS *lmp) : Pointers(lmp) {}

  /** Find partners of owned atoms, which are in the map until end().  For triclinic, atoms
      must be in lamda coords.  Parts share the atoms; what they find does not depend on them. */
  void begin(const Parts &);

  /** Append the IDs of partners that other ranks own to a message, or read those that a rank has
      appended.

      \param cursor   at the IDs; behind them afterwards */
  void put(Link &link) const;
  void get(int rank, const std::byte *&cursor);

  /** All requests have been read: owned atoms leave the map. */
  void end(const Parts &);

  /** The owned atoms that each upward swap of a plan sends.

      \param cut   [3] ghost cut-off per dimension */
  void build(const HaloPlan &plan, const double *cut, SendLists &lists) const;

 private:
  PartnerBorders borders;
  std::vector<std::int64_t> wanted;             // IDs of partners of other ranks, ascending
  double near_distsq = 0.0;                     // up to which an owned partner is its nearest image
  std::vector<LAMMPS_NS::Fix *> constraints;    // fix shake and rattle

  /** Of some owned atoms. */
  struct Found {
    std::vector<std::int64_t> wanted;    // IDs of partners of other ranks
    std::vector<int> imaged;             // owned partners of which an image may be nearer
  };

  void find_constraints();
  Found find(int first, int last) const;
  void want(int i, LAMMPS_NS::tagint id, Found &) const;
  void want_clusters(int first, int last, Found &) const;
  double distance_sq(int i, int j) const;
  bool has_place_in_map(LAMMPS_NS::tagint id) const;
};

}    // namespace TOFU_NS

#endif
