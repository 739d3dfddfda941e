// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_KERNEL_STYLE_H
#define LMP_KERNEL_STYLE_H

#include "pairwise_style.h"

#include <algorithm>
#include <array>
#include <type_traits>

namespace LAMMPS_NS {

using PreferredList = PairOnPool::Preferred;

/** Charges of atoms, and the factor of their products in the units of the run. */
struct ChargesOfRun {
  const double *q;    // [nlocal+nghost]
  double qqrd2e;
};

ChargesOfRun charges_of(class LAMMPS *);

/** A pairwise additive potential with a kernel of its own: Base with another compute().  A style
    derives from it, and says what the coefficients are and which kernel has them.

    \param Coefficients   what the kernel takes: LJCutCoefficients and its like; with charges if
                          they have qqrd2e
    \param LIST           as of PairwiseStyle */
template <class Base, class Coefficients, PreferredList LIST = PreferredList::HALF>
class KernelStyle : public PairwiseStyle<Base, LIST> {
 public:
  using PairwiseStyle<Base, LIST>::PairwiseStyle;

  void compute(int eflag, int vflag) override
  {
    this->ev_init(eflag, vflag);
    const Coefficients all = all_coefficients();
    this->on_pool.gather(this->list, charges, all.ntypes > 1);
    this->compute_rows([&](const PairJob &job, int first, int last, PairTally &tally) {
      kernel(all, job, first, last, tally);
    });
  }

 protected:
  using PairJob = TOFU_NS::PairJob;
  using PairTally = TOFU_NS::PairTally;
  using All = Coefficients;
  using Row = std::array<double, Coefficients::NCOEFFICIENTS>;

  const double *charges = nullptr;    // [nlocal+nghost] in this step, if the kernel has charges

  /** The coefficients of a pair of types, in the order that the kernel has them. */
  virtual Row row(int i, int j) const = 0;

  /** Compute the rows from first up to, not including, last. */
  virtual void kernel(const All &, const PairJob &, int first, int last, PairTally &) const = 0;

  Coefficients all_coefficients()
  {
    this->fill_coefficients(Coefficients::NCOEFFICIENTS, [this](int i, int j, double *to) {
      const Row of_types = row(i, j);
      std::copy(of_types.begin(), of_types.end(), to);
    });
    Coefficients all;
    all.ntypes = this->on_pool.ntypes();
    all.table = this->coefficients();
    if constexpr (has_charges<Coefficients>::value) {
      const ChargesOfRun of_run = charges_of(this->lmp);
      charges = of_run.q;
      all.qqrd2e = of_run.qqrd2e;
      all.largest_cutsq = this->largest_cutsq;
    }
    return all;
  }

 private:
  template <class Any, class = void> struct has_charges : std::false_type {
  };
  template <class Any>
  struct has_charges<Any, std::void_t<decltype(Any::qqrd2e)>> : std::true_type {
  };
};

}    // namespace LAMMPS_NS

#endif
