// SPDX-License-Identifier: GPL-2.0-only
//
// CellGrid: atoms sorted into cells, so that the candidates for neighbors of an atom are in a few
// contiguous ranges.
//
// Cells are consecutive along x, so that the candidates of an atom are runs of cells: 25 runs of 5
// cells of half a cut-off, or 9 runs of 3 cells of a cut-off, whichever fills the vectors better.
// Positions are in single precision relative to the corner of the grid.  Where that does not
// suffice to decide whether a pair is within the cut-off, a flag is set.

#ifndef TOFU_KERNELS_CELL_GRID_H
#define TOFU_KERNELS_CELL_GRID_H

#include "base/parts.h"

#include <array>
#include <climits>
#include <cstddef>
#include <vector>

namespace TOFU_NS {

class CellGrid {
 public:
  static constexpr int PADDING = 64;    // values behind the last that a kernel may read or write

  struct Atoms {
    const double *x = nullptr;    // [natoms][3] distance
    int natoms = 0;
    const char *high = nullptr;    // [natoms] 1: the atom is treated as if its index were higher
                                   // than all others; nullptr: none
    const int *names = nullptr;    // [natoms] unique numbers, for results; nullptr: indices
    int first_ghost = INT_MAX;     // index; see neighbors()
  };

  /** Conditions that single precision cannot decide for some of the atoms found. */
  struct Doubts {
    bool distance;    // atoms may be beyond the cut-off
    bool height;      // ghosts may be below the atom
  };

  /** Sort atoms.

      \param cutoff   largest cut-off of neighbors()
      \param parts    that share the work; results do not depend on them */
  void sort(const Atoms &, double cutoff, const Parts &parts = Parts());

  /** Find all atoms within a distance of one atom, in the order of cells.

      \param i          atom
      \param cutoff     distance, at most that of sort()
      \param upper      only those with a higher index than i; from first_ghost on those that are
                        not lower in z, or may be, see Doubts.  i is not one of the high ones then,
                        and atoms have no names
      \param found      enlarged if necessary
      \return   # of atoms, whose indices or names are at the begin of found. */
  int neighbors(int i, double cutoff, bool upper, std::vector<int> &found, Doubts &doubts) const;

  double nbytes() const;

  // for the kernel

  struct Run {
    int begin, end;    // in the order of cells
    int highest;       // of order() of its atoms; 0 unless `upper`
  };
  struct Wanted {
    float point[3];     // relative to the grid
    float limits[2];    // squares of the distances up to which all are near, and from which none is
    float same_height;    // largest difference of z that may be from rounding
    int self;             // name of the atom at the point, which is left out
    int first_ghost;
    bool upper;    // see neighbors()
  };
  const float *x() const { return sorted_[0].data(); }
  const float *y() const { return sorted_[1].data(); }
  const float *z() const { return sorted_[2].data(); }
  const int *index() const { return index_.data(); }
  const int *order() const { return order_.empty() ? index() : order_.data(); }    // for `upper`

 private:
  static constexpr int MOST_REACH = 3;

  int reach_ = 1;    // cells that a cut-off extends over
  int first_ghost_ = INT_MAX;
  double lo_[3] = {0.0, 0.0, 0.0}, inverse_[3] = {0.0, 0.0, 0.0};
  double side_[3] = {0.0, 0.0, 0.0};
  int ncells_[3] = {0, 0, 0};
  double error_ = 0.0;               // of a distance in single precision
  std::vector<int> cell_, start_;    // [natoms] cell of each atom, [cells+1] its first atom
  std::vector<std::vector<int>>
      next_;    // [nparts][cells] # of atoms of a part, then where its next one goes
  std::vector<std::vector<int>>
      sums_;    // [nparts][nparts] of a part's numbers over the cells of parts
  std::vector<int> index_, place_;    // [natoms] atoms in the order of cells, by name, and back
  std::vector<int> order_;            // [natoms] index, or INT_MAX of those that count as high
  std::vector<int> highest_;          // [cells] of order() in the run around a cell
  std::vector<float> sorted_[3];      // [natoms] coordinates in that order

  struct Bounds {
    std::array<double, 3> lo, hi;
  };
  static Bounds bounds_of(const double *x, int natoms);
  static Bounds find_bounds(const Atoms &, const Parts &);
  void size_cells(const Bounds &, int natoms, double cutoff);
  void count_atoms(const Atoms &, const Parts &);
  static std::vector<int> sums_of_ranges(const std::vector<int> &counts, int nparts);
  void find_starts(const Parts &);
  void place_atoms(const Atoms &, const Parts &);
  void find_highest(bool some_high, const Parts &);
  int highest_of_cell(int cell, bool some_high) const;
  static int best_reach(double atoms_in_cutoff_cubed);
  int cell_along(int dim, double x) const;
  void find_gaps(int dim, float x, int lo, int hi, float *gapsq) const;
  template <bool UPPER>
  int find_runs(const int *at, const float *point, float reachsq, int i, Run *runs,
                std::size_t &room) const;
};

}    // namespace TOFU_NS

#endif
