// SPDX-License-Identifier: GPL-2.0-only
//
// AtomColumns: atoms sorted into columns, and each column by height; clusters are groups of
// consecutive atoms of a column.

#ifndef TOFU_KERNELS_ATOM_COLUMNS_H
#define TOFU_KERNELS_ATOM_COLUMNS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace TOFU_NS {

class AtomColumns {
 public:
  static constexpr int NO_ATOM = -1;

  /** Sort atoms and append their clusters.  A cluster ends where the next atom of a column is far
      away.

      \param x          [..][4] positions of atoms; atoms with one that is not finite are in the
                        first column, at 0
      \param side       approximate width of a column; columns are wider where most would be empty
      \param width      atoms of a cluster
      \param clusters   [..][width] gets atoms, and NO_ATOM in places without one */
  void sort(const std::vector<int> &atoms, const float *x, float side, int width,
            std::vector<std::int32_t> &clusters);

  /** # of columns along x or y. */
  int n(int dim) const { return n_[dim]; }

  /** Number of the column along x or y that contains a coordinate, or is nearest to it. */
  int along(int dim, float x) const
  {
    const float place = (x - lo_[dim]) * inverse_[dim];
    if (!(place > 0.0F)) return 0;
    return place < static_cast<float>(n_[dim]) ? static_cast<int>(place) : n_[dim] - 1;
  }

  /** Lower bound of a column along x or y. */
  float begin(int dim, int column) const
  {
    return lo_[dim] + side_[dim] * static_cast<float>(column);
  }

  /** [n(0)*n(1)+1] first cluster of each column, x running first. */
  const int *first_clusters() const { return first_.data(); }

  double nbytes() const
  {
    return static_cast<double>((column_.capacity() + start_.capacity() + first_.capacity()) *
                                   sizeof(int) +
                               heights_.capacity() * sizeof(Height));
  }

 private:
  struct Height {
    float z;
    int atom;
  };

  int n_[2] = {1, 1};
  float lo_[2] = {0.0F, 0.0F}, side_[2] = {0.0F, 0.0F}, inverse_[2] = {0.0F, 0.0F};
  std::vector<int> column_, start_, first_;
  std::vector<Height> heights_;

  void size_columns(const std::vector<int> &atoms, const float *x, float side);
  void place_atoms(const std::vector<int> &atoms, const float *x);
};

}    // namespace TOFU_NS

#endif
