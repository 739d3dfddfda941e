// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_MIN_ON_POOL_H
#define LMP_MIN_ON_POOL_H

#include "min.h"

#include "threadpool/pool/fix_on_pool.h"
#include "threadpool/step/neighbor_check.h"

#include <array>
#include <cstddef>
#include <vector>

namespace LAMMPS_NS {

/** Vectors over the coordinates of owned atoms, or over extra per-atom variables
    (Min::request()). */
struct MinVectors {
  int size;              // numbers of an atom, 3 of coordinates
  double most;           // that a number may change by along a line
  double *x, *f;         // [natoms][size] places and forces
  double *x0, *g, *h;    // of a line: its begin, forces before, its direction

  MinVectors from(int atom) const
  {
    const std::size_t k = static_cast<std::size_t>(size) * atom;
    return {size, most, x + k, f + k, x0 ? x0 + k : x0, g ? g + k : g, h ? h + k : h};
  }
};

/** Common part of minimizers with the suffix: energies and forces as in Min::energy_force(), with
    neighbor checks, cleared forces and norms by the pool. */
class MinOnPool : public Min {
 public:
  using Min::Min;
  void init() override;
  void setup(int) override;
  void setup_minimal(int) override;
  void reset_vectors() override;
  void force_clear() override;
  double fnorm_sqr() override;
  double fnorm_inf() override;
  double fnorm_max() override;

 protected:
  RankPool *threadpool = nullptr;
  std::vector<MinVectors> vectors;    // those of coordinates first

  double energy_force(int resetflag) override;

  /** The next iteration begins.

      \return   false: no, since the time of timer timeout is over */
  bool begin_iteration();

  /** Whether the last iteration has changed the energy by less than the tolerance. */
  bool energy_stays() const;

  /** Whether the norm of forces is less than the tolerance; to be called in each iteration.
      Collective. */
  bool forces_are_small();

  /** What is due at the end of an iteration. */
  void write_output();

  /** Sums over all ranks of what work(vectors, n) returns, N numbers, for some atoms: vectors begin
      at the first of them, and n numbers of each vector are theirs.  Collective. */
  template <int N, class Work> std::array<double, N> sum_over_vectors(const Work &work)
  {
    std::array<double, N> sums{};
    for (const MinVectors &kind : vectors) {
      const auto some = sum_over_atoms<N>(threadpool, natoms(), [&](int first, int last) {
        return work(kind.from(first), kind.size * (last - first));
      });
      for (int k = 0; k < N; k++) sums[k] += some[k];
    }
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), N, MPI_DOUBLE, MPI_SUM, world);
    return sums;
  }

  /** Product of the forces on atoms and another vector, with that of the forces on the box.
      Collective.

      \param of_box   [nextra_global] numbers of the box */
  double forces_times(double *MinVectors::*vector, const double *of_box);

  /** work(vectors, n) for the atoms of each part, without sums. */
  template <class Work> void for_vectors(const Work &work)
  {
    for (const MinVectors &kind : vectors)
      for_atoms(threadpool, natoms(),
                [&](int first, int last) { work(kind.from(first), kind.size * (last - first)); });
  }

  int natoms() const;

 private:
  NeighborCheck check{lmp};

  bool move_ghosts_or_rebuild();
  void compute_forces();
  double potential_energy();
  template <class Largest> double largest_over_ranks(const Largest &, int step);
};

}    // namespace LAMMPS_NS

#endif
