// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_TIP4P_TERMS_STYLE_H
#define LMP_TIP4P_TERMS_STYLE_H

#include "threadpool/pair/pair_terms_on_pool.h"
#include "tip4p_style.h"

#include "kernels/pair/pair_terms.h"

namespace LAMMPS_NS {

/** A pair style of TIP4P water with terms of kernels/pair/pair_terms_data.h: Base with another
    compute().  A style derives from it, and says what the terms and their coefficients are. */
template <class Base> class Tip4pTermsStyle : public Tip4pStyle<Base> {
 public:
  Tip4pTermsStyle(class LAMMPS *lmp) : Tip4pStyle<Base>(lmp), terms_on_pool(lmp) {}

  /** Charges of the terms are at sites, the rest at atoms. */
  void compute(int eflag, int vflag) override
  {
    const PairTerms all = terms();
    fill_terms();
    PairTerms part = all;
    part.only_charges = true;
    const Kernel charges = forces_of(part, this->cutoffs().atoms_cutsq);
    part = all;
    part.coulomb = CoulombTerm::NONE;
    Kernel lj;
    if (all.short_range != ShortRange::NONE) lj = forces_of(part, this->largest_cutsq);
    this->compute_charges(eflag, vflag, charges, lj);
  }

 protected:
  using typename Tip4pStyle<Base>::Kernel;
  using Coefficients = PairTermsCoefficients;

  PairTermsOnPool terms_on_pool;

  /** The terms in this step. */
  virtual PairTerms terms() = 0;

  /** Set the coefficients of a pair of types. */
  virtual void set_types(int i, int j, Coefficients &) = 0;

  /** Kernel of the terms without charges, for compute_long() and its like. */
  Kernel lj_terms()
  {
    fill_terms();
    return forces_of(terms(), this->largest_cutsq);
  }

 private:
  void fill_terms()
  {
    this->fill_coefficients(PairTerms::NCOEFFICIENTS, [this](int i, int j, double *to) {
      Coefficients c(to, this->cutsq[i][j]);
      set_types(i, j, c);
    });
  }

  /** \param cutsq   of the atoms of all pairs */
  Kernel forces_of(PairTerms terms, double cutsq) const
  {
    terms_on_pool.complete(terms);
    terms.table = this->coefficients();
    terms.largest_cutsq = cutsq;
    return [terms](auto &&...job) {
      TOFU_NS::pair_terms(terms, job...);
    };
  }
};

}    // namespace LAMMPS_NS

#endif
