// SPDX-License-Identifier: GPL-2.0-only
//
// Data of the kernels of potentials whose energy is a sum over atoms and their near neighbors: each
// part takes some of the atoms as centers, and computes forces on them and on their neighbors.
//
// A part changes its own atoms only, and appends forces on other atoms to an outbox.  When all
// outboxes are complete, each part adds the forces on its atoms from them in the order of parts, so
// that results do not depend on timing.

#ifndef TOFU_KERNELS_CENTER_DATA_H
#define TOFU_KERNELS_CENTER_DATA_H

#include "base/aligned_array.h"
#include "kernels/data/pair_data.h"

#include <algorithm>
#include <vector>

namespace TOFU_NS {

/** Assignment of atoms to the parts that change them: a range of owned atoms and one of ghosts. */
struct AtomOwners {
  std::vector<int> owned, ghosts;    // [nparts+1] where the shares begin

  int nparts() const { return static_cast<int>(owned.size()) - 1; }
  int part_of(int atom) const
  {
    const std::vector<int> &begins = atom < owned.back() ? owned : ghosts;
    return static_cast<int>(std::upper_bound(begins.begin(), begins.end(), atom) - begins.begin()) -
        1;
  }
};

/** Destinations of the forces of one part, and of its contributions to energies and virials of
    single atoms. */
struct CenterForces {
  static constexpr int NTALLIES = 7;    // energy, virial xx, yy, zz, xy, xz, yz
  static constexpr int TALLY_STRIDE = 8;

  struct Sent {
    double gradient[3];
    int atom;
  };
  struct SentTally {
    double values[NTALLIES];
    int atom;
  };

  double *rows = nullptr;     // [natoms+1][4] forces on the part's atoms, added to
  int first = 0, last = 0;    // atoms [first, last) are changed at once; of one part, all
  const AtomOwners *owners = nullptr;
  std::vector<std::vector<Sent>> *outbox = nullptr;    // [nparts] for the atoms of each
  int part = 0;                                        // number of the part
  double *tallies = nullptr;    // [natoms+1][TALLY_STRIDE] if wanted, as rows
  std::vector<std::vector<SentTally>> *tally_outbox = nullptr;    // [nparts] as outbox

  void subtract(int atom, double x, double y, double z) const
  {
    if (first <= atom && atom < last) {
      double *const row = rows + 4 * static_cast<std::size_t>(atom);
      row[0] -= x;
      row[1] -= y;
      row[2] -= z;
    } else {
      (*outbox)[owners->part_of(atom)].push_back({{x, y, z}, atom});
    }
  }

  /** \param values   [NTALLIES] */
  void add_tally(int atom, const double *values) const
  {
    if (first <= atom && atom < last) {
      double *const row = tallies + TALLY_STRIDE * static_cast<std::size_t>(atom);
      for (int n = 0; n < NTALLIES; n++) row[n] += values[n];
    } else {
      SentTally sent;
      std::copy_n(values, NTALLIES, sent.values);
      sent.atom = atom;
      (*tally_outbox)[owners->part_of(atom)].push_back(sent);
    }
  }
};

/** Memory of one part, kept from step to step; in cache lines of its own. */
struct alignas(64) CenterWorkspace {
  AlignedArray<int> found;    // neighbors of some centers, one center after the other
  AlignedArray<int>
      neighbors;    // [most neighbors][lanes] of as many centers as a vector has lanes
  AlignedArray<double> fields;    // values of a potential for each neighbor
  AlignedArray<double> triples;
  AlignedArray<double> tallies;    // shares of neighbors in energies and virials
  std::vector<int> places;         // to sort centers

  double nbytes() const
  {
    return static_cast<double>(found.nbytes() + neighbors.nbytes() + fields.nbytes() +
                               triples.nbytes() + tallies.nbytes() +
                               places.capacity() * sizeof(int));
  }
};

/** The centers of rows [first, last), for a kernel. */
struct CenterJob {
  const PairJob &pairs;    // atoms, and rows of near neighbors
  const CenterForces &forces;
  CenterWorkspace &memory;
  int first, last;
  PairTally &tally;
};

}    // namespace TOFU_NS

#endif
