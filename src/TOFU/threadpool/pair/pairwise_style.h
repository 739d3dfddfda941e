// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_PAIRWISE_STYLE_H
#define LMP_PAIRWISE_STYLE_H

#include "pair_on_pool.h"
#include "threadpool/pool/work_on_pool.h"

#include "error.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace LAMMPS_NS {

/** A pairwise additive potential on the pool: Base with another compute().

    A style derives from it, fills the coefficients of a pair of types, and calls its kernel in
    compute().  They are filled anew whenever LAMMPS may have changed them.

    \param LIST        neighbor list that the potential is fastest with on one thread
    \param PRECISION   that of the kernel */
template <class Base, PairOnPool::Preferred LIST,
          PairOnPool::Precision PRECISION = PairOnPool::Precision::AS_SET>
class PairwiseStyle : public Base, public WorkOnPool {
 public:
  PairwiseStyle(class LAMMPS *lmp) : Base(lmp), on_pool(lmp)
  {
    // pair hybrid must know this; else see adjust_request()
    this->no_virial_fdotr_compute = LIST != PairOnPool::Preferred::HALF;
  }

  void init_style() override
  {
    Base::init_style();
    on_pool.adjust_request(this, LIST, PRECISION);
    stale = true;
    used.assign(table_size(), 0);
  }

  double init_one(int i, int j) override
  {
    stale = true;
    used.resize(table_size(), 0);
    used[place_of(i, j)] = used[place_of(j, i)] = 1;
    return Base::init_one(i, j);
  }

  double memory_usage() override { return Base::memory_usage() + on_pool.memory_usage(); }

  void add_tally_callback(class Compute *) override { PairOnPool::refuse_tally(this->lmp); }

  bool in_single_precision() const override { return on_pool.single_precision(); }

 protected:
  PairOnPool on_pool;
  double largest_cutsq = 0.0;    // of all pairs of types

  /** Let the kernel compute all rows; see PairOnPool::compute(). */
  template <class Kernel> void compute_rows(Kernel &&kernel)
  {
    on_pool.compute(this, kernel);
    add_virial();
  }

  /** The virial from forces and positions of all atoms, if that is how this step has it. */
  void add_virial()
  {
    if (this->vflag_fdotr && !on_pool.add_virial(this)) this->virial_fdotr_compute();
    this->vflag_fdotr = 0;
  }

  /** Of all pairs of types, [ntypes+1][ntypes+1][n]. */
  TOFU_NS::PairTable coefficients() const { return {doubles.data(), singles.data()}; }

  /** fill(i, j, c) sets the n coefficients of each pair of types, all 0 at first.  The first is the
      square of the cut-off; Pair::cutforce does not have it in a hybrid style.

      Pairs of types that belong to other sub-styles of a hybrid one stay 0: theirs are not set,
      and kernels look at what is behind the end of a row, which has a type as well. */
  template <class Fill> void fill_coefficients(int n, Fill fill)
  {
    if (!stale) return;
    stale = false;
    const int ntypes = on_pool.ntypes();
    doubles.assign(table_size() * n, 0.0);
    largest_cutsq = 0.0;
    for (int i = 1; i <= ntypes; i++)
      for (int j = 1; j <= ntypes; j++) {
        if (!used[place_of(i, j)]) continue;
        double *const c = &doubles[place_of(i, j) * n];
        fill(i, j, c);
        largest_cutsq = std::max(largest_cutsq, c[0]);
      }
    singles.assign(doubles.begin(), doubles.end());
    for (std::size_t k = 0; k < singles.size(); k++)
      if (on_pool.single_precision() && doubles[k] != 0.0 && !std::isnormal(singles[k]))
        this->error->all(FLERR,
                         "package threadpool precision mixed: coefficient {} of the pair style is "
                         "beyond single precision; use precision double",
                         doubles[k]);
  }

 private:
  bool stale = true;
  std::vector<char> used;    // [ntypes+1][ntypes+1] whether LAMMPS has set what belongs to the pair
  std::vector<double> doubles;
  std::vector<float> singles;

  std::size_t place_of(int i, int j) const
  {
    return static_cast<std::size_t>(i) * (on_pool.ntypes() + 1) + j;
  }
  std::size_t table_size() const { return place_of(on_pool.ntypes() + 1, 0); }
};

}    // namespace LAMMPS_NS

#endif
