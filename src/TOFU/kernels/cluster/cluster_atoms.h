// SPDX-License-Identifier: GPL-2.0-only
//
// Atoms and their forces in the order of the clusters of a ClusterList, in single precision.

#ifndef TOFU_KERNELS_CLUSTER_ATOMS_H
#define TOFU_KERNELS_CLUSTER_ATOMS_H

#include "base/aligned_array.h"
#include "cluster_list.h"
#include "kernels/data/gathered_atoms.h"

#include <cstddef>
#include <cstdint>

namespace TOFU_NS {

/** Pairs of one atom with a cluster that are within the cut-off. */
struct NearCluster {
  std::int32_t cluster;
  std::uint32_t pairs;    // bits
};

class ClusterAtoms {
 public:
  static constexpr int NVALUES = 4, NFORCES = 3;    // of an atom

  /** Copy the atoms of a list, in single precision relative to the center, and set all forces to 0.
      Atoms whose position is not finite, and places without an atom, are set far away, so that they
      have no pairs.

      \param atoms   with the positions of ghosts in x
      \param nsums   sums of forces of an atom, 1 or 2 */
  void gather(const ClusterList &, const AtomsToGather &atoms, int nsums);

  /** Add the forces to those of the atoms.

      \param natoms   # of atoms that get forces
      \param f        [..][width]
      \param width    numbers of an atom, 3 or more */
  void add_forces(const ClusterList &, int natoms, double *f, int width) const;

  /** [nclusters][NVALUES][width] x, y, z, charge */
  const float *values() const { return values_.data(); }

  /** [nclusters][width] */
  const std::int32_t *types() const { return types_.data(); }

  int nsums() const { return nsums_; }

  /** [nclusters][NFORCES][nsums][width] */
  float *forces() { return forces_.data(); }

  /** Memory for the kernel, kept from step to step. */
  NearCluster *room_for_near(std::size_t n) { return near_.room(n); }

  double nbytes() const
  {
    return static_cast<double>(values_.nbytes() + types_.nbytes() + forces_.nbytes() +
                               near_.nbytes());
  }

 private:
  int nsums_ = 1;
  AlignedArray<float> values_, forces_;
  AlignedArray<std::int32_t> types_;
  AlignedArray<NearCluster> near_;
};

}    // namespace TOFU_NS

#endif
