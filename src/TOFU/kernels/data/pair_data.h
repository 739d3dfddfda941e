// SPDX-License-Identifier: GPL-2.0-only
//
// Data that the pair kernels read and write.  Units are those of the run.

#ifndef TOFU_KERNELS_PAIR_DATA_H
#define TOFU_KERNELS_PAIR_DATA_H

#include <cstdint>

namespace TOFU_NS {

constexpr int SPECIAL_SHIFT =
    30;    // of an entry in a row: above it the kind of bond, below it the atom
constexpr std::uint32_t NEIGHBOR_MASK = (1u << 29) - 1;

constexpr int ROW_PADDING = 8;            // entries that may be read behind the last one of a row
constexpr int SINGLE_ROW_PADDING = 16;    // of kernels in single precision

/** A neighbor list for kernels.  A row holds first the atoms with a special bond to its owner, then
    the others, then at least ROW_PADDING entries that name an atom far away from all others. */
struct PairRows {
  int nrows = 0;
  const int *atoms = nullptr;           // [nrows] owner of each row
  const int *const *first = nullptr;    // [natoms] begin of the row of each atom
  const int *nneighbors = nullptr;      // [natoms] entries in the row
  const int *nspecial = nullptr;        // [natoms] those with a special bond
};

/** Atoms as kernels read them.  The last one is far away and has no charge; its force is not used.
    */
struct PairAtoms {
  const double *rows = nullptr;          // [natoms+1][4] x, y, z, charge or another value
  const std::int32_t *type = nullptr;    // [natoms+1]
  const float *singles = nullptr;        // rows relative to the center of the sub-box, in place of
                                         // `rows` for pairs in single precision
  const double *near_rows = nullptr;     // rows in double precision for the test whether a pair is
                                         // near, in kernels that prune first
};

/** Coefficients of all pairs of types, for kernels with one precision or the other. */
struct PairTable {
  const double *doubles = nullptr;    // [ntypes+1][ntypes+1][n]
  const float *singles =
      nullptr;    // the coefficients in single precision, with PairAtoms::singles

  const double *as(double) const { return doubles; }
  const float *as(float) const { return singles; }
};

/** Destinations of forces.  A row of a full list changes the force of its owner only, so that
    threads may compute different rows at the same time.  A row of a half list also changes the
    forces of its neighbors, by one thread. */
struct PairForces {
  double *f = nullptr;       // [natoms][3] forces on owners of rows, added to
  double *rows = nullptr;    // [natoms+1][4] half lists: forces on neighbors, added to
};

/** Energy and virial of a range of rows, added to. */
struct PairTally {
  double evdwl = 0.0, ecoul = 0.0;
  double virial[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};    // xx, yy, zz, xy, xz, yz
  double *eatom = nullptr;                              // [natoms] if wanted
  double (*vatom)[6] = nullptr;                         // [natoms] if wanted

  void add(const PairTally &other)
  {
    evdwl += other.evdwl;
    ecoul += other.ecoul;
    for (int i = 0; i < 6; i++) virial[i] += other.virial[i];
  }
};

/** Results that are wanted in addition to forces. */
enum class Tallies {
  NONE,
  VIRIAL,
  ALL    // energy and virial, also by atom where PairTally says so
};

/** Kinds of lists: their pairs, and the atoms that get the force. */
enum class ListKind {
  FULL,            // each pair twice; only the owner of the row gets a force
  HALF,            // each pair once; ghosts get forces
  HALF_NO_GHOST    // as HALF, but ghosts get none: both ranks have such a pair
};

struct PairJob {
  ListKind kind = ListKind::FULL;
  int nlocal = 0;
  PairRows list;
  PairAtoms atoms;
  PairForces forces;
  const double *special_lj = nullptr, *special_coul = nullptr;    // [4] factors by kind of bond
  Tallies tallies = Tallies::NONE;
};

}    // namespace TOFU_NS

#endif
