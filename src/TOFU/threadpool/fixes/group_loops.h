// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Loops over the owned atoms of a group, and of a region, on the parts of the pool:
   map() changes each atom on its own, sum() adds numbers of atoms, with the same bits
   for any number of parts.  A style that is one of these is a few lines of a table.
------------------------------------------------------------------------- */

#ifndef LMP_GROUP_LOOPS_H
#define LMP_GROUP_LOOPS_H

#include "threadpool/pool/fix_on_pool.h"

#include "pointers.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace LAMMPS_NS {

class Region;

/** An array [natoms][3] of Atom, by its first number; empty if LAMMPS has no such array, or no
    atom. */
class AtomRows {
 public:
  AtomRows() = default;
  explicit AtomRows(double **rows) : first(rows ? rows[0] : nullptr) {}
  double *operator[](int i) const { return first + 3 * static_cast<std::size_t>(i); }
  explicit operator bool() const { return first; }

 private:
  double *first = nullptr;
};

/** Positions of owned atoms, with the boxes that they have crossed, as Domain::unmap() has them. */
class UnwrappedPositions {
 public:
  explicit UnwrappedPositions(LAMMPS *);

  std::array<double, 3> operator[](int i) const
  {
    const int xbox = (image[i] & IMGMASK) - IMGMAX, ybox = (image[i] >> IMGBITS & IMGMASK) - IMGMAX,
              zbox = (image[i] >> IMG2BITS) - IMGMAX;
    const double *const at = x[i];
    return {at[0] + h[0] * xbox + h[5] * ybox + h[4] * zbox, at[1] + h[1] * ybox + h[3] * zbox,
            at[2] + h[2] * zbox};
  }

 private:
  AtomRows x;
  const imageint *image;
  double h[6];
};

/** Masses of owned atoms. */
class MassOf {
 public:
  explicit MassOf(const Atom *);
  double operator[](int i) const { return rmass ? rmass[i] : mass[type[i]]; }

 private:
  const double *rmass, *mass;
  const int *type;
};

/** The loops.  Work is copied for each range of atoms: what it has captured by value is not
    changed by stores to arrays of atoms, and stays in registers. */
class GroupLoops {
 public:
  /** \param region   whose atoms alone are meant, after its prematch(); nullptr: all */
  GroupLoops(LAMMPS *, RankPool *, int groupbit, Region *only = nullptr);

  /** work(i) for each atom. */
  template <class Work> void map(const Work &work) const
  {
    for_atoms(threadpool, natoms, [&](int first, int last) { each(first, last, Work(work)); });
  }

  /** work(i, sums) for each atom adds its N numbers.

      \return   of this rank */
  template <int N, class Work> std::array<double, N> sum(const Work &work) const
  {
    return sum_over_atoms<N>(threadpool, natoms, [&](int first, int last) {
      std::array<double, N> some{};
      each(first, last, [own = Work(work), &some](int i) { own(i, some); });
      return some;
    });
  }

 private:
  RankPool *threadpool;
  int natoms, groupbit;
  const int *mask;
  AtomRows x;
  Region *region;

  bool is_in_region(const double *) const;

  template <class Work> void each(int first, int last, const Work &work) const
  {
    const int *const groups = mask, bit = groupbit;
    if (region) {
      for (int i = first; i < last; i++)
        if ((groups[i] & bit) && is_in_region(x[i])) work(i);
      return;
    }
    for (int begin = first; begin < last; begin += ATOMS_OF_A_SUM) {
      const int end = std::min(begin + ATOMS_OF_A_SUM, last);
      int outside = 0;
      for (int i = begin; i < end; i++) outside |= ~groups[i] & bit;
      if (!outside) {
        for (int i = begin; i < end; i++) work(i);
        continue;
      }
      for (int i = begin; i < end; i++)
        if (groups[i] & bit) work(i);
    }
  }
};

/** Stock: a compute without the suffix, with these loops. */
template <class Stock> class GroupComputeOnPool : public ComputeOnPool<Stock> {
 public:
  using ComputeOnPool<Stock>::ComputeOnPool;

 protected:
  /** There is a pool since init(). */
  RankPool *threadpool() const { return RankPool::of(this->lmp); }
  GroupLoops loops() const { return {this->lmp, threadpool(), this->groupbit}; }
};

}    // namespace LAMMPS_NS

#endif
