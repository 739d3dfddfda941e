// SPDX-License-Identifier: GPL-2.0-only
//
// Constraint forces of clusters of atoms as in fix shake: forces along the bonds of a cluster with
// which the bonds have their lengths at the end of the step.  Units are those of the run.

#ifndef TOFU_KERNELS_SHAKE_CLUSTERS_H
#define TOFU_KERNELS_SHAKE_CLUSTERS_H

#include <cstddef>
#include <vector>

namespace TOFU_NS {

/** Two atoms; a central one with two or three others; three atoms with all three distances. */
enum class ClusterShape { BOND, TWO_BONDS, THREE_BONDS, TRIANGLE };

/** The clusters of one shape as a structure of arrays: a column for each value of a
    cluster.  Columns are padded to whole vectors with the last cluster. */
class ClusterColumns {
 public:
  static constexpr int BLOCK = 8;    // clusters of the widest vector
  static constexpr int MOST_ATOMS = 4, MOST_LENGTHS = 3;

  explicit ClusterColumns(ClusterShape shape) : shape_(shape) {}

  ClusterShape shape() const { return shape_; }
  int natoms() const;      // of one cluster
  int nlengths() const;    // likewise
  int size() const { return n_; }
  int nblocks() const { return (n_ + BLOCK - 1) / BLOCK; }

  void clear() { n_ = 0; }

  /** \param atoms   [natoms()] the central one first; the constrained distances are, in this order,
                     those of the first atom from the others and, in a triangle, between these */
  void add(const int *atoms);

  /** To be called after the last add(): makes the columns. */
  void finish();

  /** Atom number a of a cluster. */
  int atom(int cluster, int a) const { return added_[MOST_ATOMS * cluster + a]; }

  /** Set the values of a cluster, at any time after finish().

      \param inverse_mass    [natoms()] of the cluster's atoms
      \param length          [nlengths()] constrained distances
      \param share           owned atoms of the cluster divided by all of them */
  void set(int cluster, const double *inverse_mass, const double *length, double share);

  std::size_t memory_usage() const;    // bytes

  const int *atoms(int a) const { return atoms_.data() + a * stride(); }
  const double *inverse_mass(int a) const { return numbers_.data() + a * stride(); }
  const double *length_squared(int c) const
  {
    return numbers_.data() + (MOST_ATOMS + c) * stride();
  }
  const double *share() const { return numbers_.data() + (MOST_ATOMS + MOST_LENGTHS) * stride(); }

 private:
  ClusterShape shape_;
  int n_ = 0;
  std::vector<int> added_;         // [n][MOST_ATOMS]
  std::vector<int> atoms_;         // [natoms][stride]
  std::vector<double> numbers_;    // [MOST_ATOMS + MOST_LENGTHS + 1][stride]

  std::size_t stride() const { return static_cast<std::size_t>(nblocks()) * BLOCK; }
};

/** Data of a step for all clusters. */
struct ClusterStep {
  const double *x = nullptr;        // [natoms][3]
  const double *moved = nullptr;    // [natoms][3] x at the end of the step without constraints
  double *f = nullptr;              // [natoms][3], of owned atoms changed
  int nlocal = 0;                   // owned atoms
  double force_to_shift = 1.0;      // displacement in this step times mass, by force
  double tolerance = 0.0;           // of the multipliers, force by distance times force_to_shift
  int most_iterations = 0;
  bool tallied = false;            // the virial is wanted
  double (*vatom)[6] = nullptr;    // [natoms] virial of each atom, or nullptr
};

struct ClusterSums {
  double virial[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  int nunsolvable = 0;    // clusters whose linear equations have no solution
  int nnegative = 0;      // bonds whose equation has no real solution; the nearest one is taken
};

/** Add the constraint forces of clusters to their owned atoms.  Two clusters never have the same
    owned atom, so that parts may do this at the same time.

    \param first   block of clusters
    \param last    the one behind the last block
    \param sums    [in, out] */
void constrain_clusters(const ClusterColumns &, const ClusterStep &, int first, int last,
                        ClusterSums &sums);

}    // namespace TOFU_NS

#endif
