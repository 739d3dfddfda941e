// SPDX-License-Identifier: GPL-2.0-only
//
// AtomMigration: atoms that change owner travel straight to the rank whose sub-box they are in.
//
//   find()    destination of each atom
//   pack()    take those that leave out of the arrays
//   swap()    one message to and from each peer

#ifndef TOFU_HALO_ATOM_MIGRATION_H
#define TOFU_HALO_ATOM_MIGRATION_H

#include "base/parts.h"
#include "transport/transport.h"

#include <cstddef>
#include <vector>

namespace TOFU_NS {

class AtomMigration {
 public:
  static constexpr int NO_RANK = -1;    // destination of an atom that is in no sub-box

  /** Bounds of this rank's sub-box, an atom on the lower one is inside. */
  struct Bounds {
    const double *lo, *hi;    // [ndims]
    int ndims;
  };

  /** An atom with a coordinate that is not a number stays.

      \param me         this rank
      \param natoms     # of owned atoms
      \param x          [natoms][3]
      \param mine       in the units of x
      \param owner_of   rank = owner_of(x) of an atom outside, NO_RANK if none; called by several
                        threads
      \param parts      threads that share the atoms */
  template <class OwnerOf>
  void find(int me, int natoms, const double *x, const Bounds &mine, OwnerOf &&owner_of,
            const Parts &parts)
  {
    const Parts used = parts.for_work(natoms, FEWEST_ATOMS);
    destination_.resize(natoms);
    leaving_.resize(used.n());
    used.share(natoms, [&](int part, int first, int last) {
      std::vector<int> &leaving = leaving_[part];
      leaving.clear();
      for (int i = first; i < last; i++) {
        const double *const at = x + 3 * static_cast<std::size_t>(i);
        bool leaves = false;
        for (int dim = 0; dim < mine.ndims; dim++)
          leaves = leaves || at[dim] < mine.lo[dim] || at[dim] >= mine.hi[dim];
        destination_[i] = leaves ? owner_of(at) : me;
        if (destination_[i] != me) leaving.push_back(i);
      }
    });
  }

  const std::vector<int> &destinations() const { return destination_; }    // [natoms]

  /** The first destination that this rank has no link to, NO_RANK if there is none. */
  int unlinked_destination(const Transport &) const;

  /** Take atoms that leave out of the arrays: the last atom takes the place of one that leaves, and
      may leave as well.  Atoms of no rank are lost.  All destinations must be linked.

      \param me          this rank
      \param natoms      # of owned atoms
      \param transport   links to all destinations
      \param pack        pack(i, values): append the values of an atom
      \param copy        copy(from, to) an atom
      \return            # of atoms that stay */
  template <class Pack, class Copy>
  int pack(int me, int natoms, const Transport &transport, Pack &&pack, Copy &&copy)
  {
    outgoing_.resize(transport.npeers());
    for (std::vector<double> &values : outgoing_) values.clear();
    for (const std::vector<int> &leaving : leaving_)
      for (const int i : leaving)
        while (i < natoms && destination_[i] != me) {
          if (destination_[i] != NO_RANK) pack(i, outgoing_[transport.find(destination_[i])]);
          natoms--;
          copy(natoms, i);
          destination_[i] = destination_[natoms];
        }
    return natoms;
  }

  /** Every peer gets one message, of no atoms as well.  Arrivals are unpacked by rank, so that the
      order of atoms does not depend on timing.

      \param transport   that of pack()
      \param unpack      n = unpack(values) of one atom */
  template <class Unpack> void swap(Transport &transport, Unpack &&unpack)
  {
    send(transport);
    for (int k = 0; k < transport.npeers(); k++) {
      const Message &message = transport.wait(k, MessageKind::EXCHANGE);
      const auto values = const_cast<double *>(reinterpret_cast<const double *>(message.data));
      const std::size_t nvalues = message.nbytes / sizeof(double);
      for (std::size_t n = 0; n < nvalues;) n += unpack(values + n);
      transport.link(k).release();
    }
    transport.settle(Transport::ALL_LANES);
  }

  double nbytes() const;

 private:
  static constexpr int FEWEST_ATOMS = 1000;    // of a part, which are worth a fork

  std::vector<int> destination_;                 // [natoms] rank, or NO_RANK
  std::vector<std::vector<int>> leaving_;        // [parts] atoms of other ranks, ascending
  std::vector<std::vector<double>> outgoing_;    // [npeers] values of atoms

  void send(Transport &) const;
};

}    // namespace TOFU_NS

#endif
