/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_TIP4P_TERMS_STYLE_H
#define LMP_TIP4P_TERMS_STYLE_H

#include "pair_terms_on_pool.h"
#include "tip4p_style.h"

#include "kernels/pair/pair_terms.h"

namespace LAMMPS_NS {

/** A pair style of TIP4P water with terms of kernels/pair/pair_terms_data.h: Base with another
    compute(), which says what the terms are. */
template <class Base> class Tip4pTermsStyle : public Tip4pStyle<Base> {
 public:
  Tip4pTermsStyle(class LAMMPS *lmp) : Tip4pStyle<Base>(lmp), terms_on_pool(lmp) {}

 protected:
  using typename Tip4pStyle<Base>::Kernel;
  PairTermsOnPool terms_on_pool;

  /** The whole of Pair::compute(): charges of the terms are at sites, the rest at atoms.

      \param fill   fill(i, j, c) sets the coefficients of a pair of types */
  template <class Fill>
  void compute_terms(int eflag, int vflag, const PairTerms &terms, Fill &&fill)
  {
    fill_terms(fill);
    PairTerms part = terms;
    part.only_charges = true;
    const Kernel charges = forces_of(part, this->cutoffs().atoms_cutsq);
    part = terms;
    part.coulomb = CoulombTerm::NONE;
    Kernel lj;
    if (terms.short_range != ShortRange::NONE) lj = forces_of(part, this->largest_cutsq);
    this->compute_charges(eflag, vflag, charges, lj);
  }

  /** Kernel of terms without charges, for compute_long() and its like. */
  template <class Fill> Kernel lj_terms(const PairTerms &terms, Fill &&fill)
  {
    fill_terms(fill);
    return forces_of(terms, this->largest_cutsq);
  }

 private:
  template <class Fill> void fill_terms(Fill &&fill)
  {
    this->fill_coefficients(PairTerms::NCOEFFICIENTS, [&](int i, int j, double *to) {
      PairTermsCoefficients c(to, this->cutsq[i][j]);
      fill(i, j, c);
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
