/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_PAIR_TERMS_STYLE_H
#define LMP_PAIR_TERMS_STYLE_H

#include "pair_terms_on_pool.h"
#include "pairwise_style.h"

#include "kernels/pair/pair_terms.h"
#include "lammps/scoped_state.h"

namespace LAMMPS_NS {

/** A pair potential of the terms in kernels/pair/pair_terms_data.h: Base with another compute(), which
    says what the terms are, and calls compute_terms(). */
template <class Base>
class PairTermsStyle :
    public PairwiseStyle<Base, PairOnPool::Preferred::HALF, PairOnPool::Precision::DOUBLE> {
 public:
  PairTermsStyle(class LAMMPS *lmp) :
      PairwiseStyle<Base, PairOnPool::Preferred::HALF, PairOnPool::Precision::DOUBLE>(lmp),
      terms_on_pool(lmp)
  {
  }

 protected:
  PairTermsOnPool terms_on_pool;

  /** The whole of Pair::compute().

      \param fill   fill(i, j, c) sets the coefficients of a pair of types */
  template <class Fill>
  void compute_terms(int eflag, int vflag, const PairTerms &terms, Fill &&fill)
  {
    this->ev_init(eflag, vflag);
    gather_terms(terms, fill);
    add_terms(terms);
  }

  /** The same for multilevel summation, which may take the virial of charges from their energy:
      then their forces are added behind the virial of the others. */
  template <class Fill>
  void compute_multilevel_terms(int eflag, int vflag, const PairTerms &terms, Fill &&fill)
  {
    if (!terms_on_pool.has_scalar_virial(vflag)) {
      compute_terms(eflag, vflag, terms, fill);
      return;
    }
    constexpr int GLOBAL = 1;    // flag of energies that are wanted
    this->ev_init(eflag | GLOBAL, vflag);
    gather_terms(terms, fill);
    PairTerms part = terms;
    if (terms.short_range != ShortRange::NONE) {
      part.coulomb = CoulombTerm::NONE;
      add_terms(part);
    }
    part.coulomb = terms.coulomb;
    part.only_charges = true;
    this->vflag_fdotr = 0;
    {
      const ScopedVirialFlag none(this->vflag_global);
      add_terms(part);
    }
    terms_on_pool.add_scalar_virial(this->virial);
  }

  /** The same with self energies of damped charges. */
  template <class Fill>
  void compute_damped_terms(int eflag, int vflag, const PairTerms &terms, Fill &&fill)
  {
    this->ev_init(eflag, vflag);
    terms_on_pool.add_self_energies(this, this->list, terms.damped);
    gather_terms(terms, fill);
    add_terms(terms);
  }

 private:
  template <class Fill> void gather_terms(const PairTerms &terms, Fill &&fill)
  {
    this->fill_coefficients(PairTerms::NCOEFFICIENTS, [&](int i, int j, double *to) {
      PairTermsCoefficients c(to, this->cutsq[i][j]);
      fill(i, j, c);
    });
    const bool charged = terms.coulomb != CoulombTerm::NONE;
    this->on_pool.gather(this->list, charged ? terms_on_pool.charges() : nullptr,
                         this->on_pool.ntypes() > 1);
  }

  void add_terms(PairTerms terms)
  {
    terms_on_pool.complete(terms);
    terms.table = this->coefficients();
    terms.largest_cutsq = this->largest_cutsq;
    this->compute_rows(
        [&](const TOFU_NS::PairJob &job, int first, int last, TOFU_NS::PairTally &tally) {
          TOFU_NS::pair_terms(terms, job, first, last, tally);
        });
  }
};

}    // namespace LAMMPS_NS

#endif
