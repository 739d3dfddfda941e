// SPDX-License-Identifier: GPL-2.0-only
//
// Forces, energies and virials of atoms to which the parts of a pair style add: each part adds to
// arrays of its own, which are added to those of all atoms when all parts have ended.

#ifndef TOFU_POOL_PART_FORCES_H
#define TOFU_POOL_PART_FORCES_H

#include "base/parts.h"
#include "base/sum_array.h"
#include "part_sums.h"

#include <algorithm>
#include <cstddef>

namespace TOFU_NS {

class PartForces {
 public:
  static constexpr int FORCE = 4, VIRIAL = 6;    // numbers of an atom

  /** Before parts take arrays. */
  void resize(int nparts)
  {
    for (PartSums *sums : {&forces_, &energies_, &virials_}) sums->resize(nparts);
  }

  /** Arrays of a part, [natoms of the reach], 0 in the blocks that it reaches.  By the thread that
      has the part. */
  double *take_forces(const PartReach &reach, int part) { return forces_.take(reach, part); }
  double *take_energies(const PartReach &reach, int part) { return energies_.take(reach, part); }
  double (*take_virials(const PartReach &reach, int part))[VIRIAL]
  {
    return reinterpret_cast<double(*)[VIRIAL]>(virials_.take(reach, part));
  }

  /** Memory for other sums of one number an atom, between resize() and add(). */
  PartSums &numbers() { return energies_; }

  /** What arrays of all atoms get; of energies and virials if they are wanted. */
  struct Targets {
    double **f = nullptr;                   // [natoms][3]
    double *energies = nullptr;             // [natoms]
    double (*virials)[VIRIAL] = nullptr;    // [natoms]
  };

  /** Add what parts have taken and changed, by the parts.

      \param parts     of the pool
      \param reach     blocks of atoms that each part has taken
      \param nforces   atoms that get forces
      \param natoms    atoms that get energies and virials
      \param to        arrays of all atoms */
  void add(const Parts &parts, const PartReach &reach, int nforces, int natoms, const Targets &to)
  {
    add_up(parts, reach, forces_, nforces, [&](int i, const double *force) {
      for (int dim = 0; dim < 3; dim++) to.f[i][dim] += force[dim];
    });
    if (to.energies)
      add_up(parts, reach, energies_, natoms,
             [&](int i, const double *energy) { to.energies[i] += *energy; });
    if (to.virials)
      add_up(parts, reach, virials_, natoms, [&](int i, const double *virial) {
        for (int c = 0; c < VIRIAL; c++) to.virials[i][c] += virial[c];
      });
  }

  /** Sums of parts, in the order of parts, each share of blocks by a part.

      \param parts    of the pool
      \param reach    blocks of atoms that each part has taken
      \param sums     of the parts; cleared
      \param natoms   atoms that get them
      \param add      called with an atom below natoms and its sums */
  template <class Add>
  static void add_up(const Parts &parts, const PartReach &reach, PartSums &sums, int natoms,
                     Add &&add)
  {
    parts.run([&](int part) {
      sums.add_up(reach, reach.begin_of_share(part), reach.begin_of_share(part + 1), natoms, add);
    });
    sums.give_back();
  }

  /** Forces of one part alone, [natoms][FORCE], all 0. */
  double *take_forces_of_one(int natoms)
  {
    return one_.take(FORCE * static_cast<std::size_t>(natoms));
  }

  /** Add them to the first nforces of the natoms atoms. */
  void add_forces_of_one(int nforces, int natoms, double **f)
  {
    double *const row = one_.data();
    for (int i = 0; i < nforces; i++) {
      double *const force = row + FORCE * static_cast<std::size_t>(i);
      for (int dim = 0; dim < 3; dim++) f[i][dim] += force[dim];
      std::fill_n(force, FORCE, 0.0);
    }
    std::fill(row + FORCE * static_cast<std::size_t>(nforces),
              row + FORCE * static_cast<std::size_t>(natoms), 0.0);
    one_.give_back();
  }

  double nbytes() const
  {
    return forces_.memory_usage() + energies_.memory_usage() + virials_.memory_usage() +
        static_cast<double>(one_.nbytes());
  }

 private:
  PartSums forces_{FORCE}, energies_{1}, virials_{VIRIAL};
  SumArray one_;
};

}    // namespace TOFU_NS

#endif
