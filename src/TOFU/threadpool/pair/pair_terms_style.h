// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_PAIR_TERMS_STYLE_H
#define LMP_PAIR_TERMS_STYLE_H

#include "pair_terms_on_pool.h"
#include "pairwise_style.h"

#include "kernels/pair/pair_terms.h"
#include "lammps/scoped_state.h"

namespace LAMMPS_NS {

/** A pair potential of the terms in kernels/pair/pair_terms_data.h: Base with another compute().
    A style derives from it, and says what the terms and their coefficients are. */
template <class Base>
class PairTermsStyle :
    public PairwiseStyle<Base, PairOnPool::Preferred::HALF, PairOnPool::Precision::DOUBLE> {
 public:
  PairTermsStyle(class LAMMPS *lmp) :
      PairwiseStyle<Base, PairOnPool::Preferred::HALF, PairOnPool::Precision::DOUBLE>(lmp),
      terms_on_pool(lmp)
  {
  }

  void compute(int eflag, int vflag) override
  {
    this->ev_init(eflag, vflag);
    const PairTerms all = terms();
    gather_terms(all);
    add_terms(all);
  }

 protected:
  using Coefficients = PairTermsCoefficients;

  PairTermsOnPool terms_on_pool;

  /** The terms in this step. */
  virtual PairTerms terms() = 0;

  /** Set the coefficients of a pair of types; a lone Coulomb term needs none. */
  virtual void set_types(int, int, Coefficients &) {}

  // as in PairTermsOnPool, with the constants of Base

  PairTerms with_long_range(ShortRange short_range)
  {
    return terms_on_pool.with_long_range(this, short_range, this->g_ewald, this->cut_coulsq);
  }
  PairTerms with_core_shell_long_range(ShortRange short_range)
  {
    return terms_on_pool.with_core_shell_long_range(this, short_range, this->g_ewald,
                                                    this->cut_coulsq);
  }
  PairTerms with_soft_long_range(ShortRange short_range) const
  {
    return terms_on_pool.with_soft_long_range(short_range, this->g_ewald, this->cut_coulsq);
  }
  PairTerms with_multilevel_sum(ShortRange short_range, bool has_table)
  {
    return terms_on_pool.with_multilevel_sum(this, short_range, this->cut_coul, has_table);
  }
  PairTerms with_shifted_forces(ShortRange short_range) const
  {
    return terms_on_pool.with_shifted_forces(short_range, this->cut_coul, this->alpha,
                                             this->e_shift, this->f_shift);
  }
  PairTerms with_wolf_sum(ShortRange short_range) const
  {
    return terms_on_pool.with_wolf_sum(short_range, this->cut_coul, this->alf);
  }

  void gather_terms(const PairTerms &terms)
  {
    this->fill_coefficients(PairTerms::NCOEFFICIENTS, [this](int i, int j, double *to) {
      Coefficients c(to, this->cutsq[i][j]);
      set_types(i, j, c);
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

/** The same with self energies of damped charges. */
template <class Base> class DampedTermsStyle : public PairTermsStyle<Base> {
 public:
  using PairTermsStyle<Base>::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    this->ev_init(eflag, vflag);
    const PairTerms all = this->terms();
    this->terms_on_pool.add_self_energies(this, this->list, all.damped);
    this->gather_terms(all);
    this->add_terms(all);
  }
};

/** The same with multilevel summation, which may take the virial of charges from their energy:
    then their forces are added behind the virial of the others. */
template <class Base> class MultilevelTermsStyle : public PairTermsStyle<Base> {
 public:
  using PairTermsStyle<Base>::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    if (!this->terms_on_pool.has_scalar_virial(vflag)) {
      PairTermsStyle<Base>::compute(eflag, vflag);
      return;
    }
    constexpr int GLOBAL = 1;    // flag of energies that are wanted
    this->ev_init(eflag | GLOBAL, vflag);
    const PairTerms all = this->terms();
    this->gather_terms(all);
    PairTerms part = all;
    if (all.short_range != ShortRange::NONE) {
      part.coulomb = CoulombTerm::NONE;
      this->add_terms(part);
    }
    part.coulomb = all.coulomb;
    part.only_charges = true;
    this->vflag_fdotr = 0;
    {
      const ScopedVirialFlag none(this->vflag_global);
      this->add_terms(part);
    }
    this->terms_on_pool.add_scalar_virial(this->virial);
  }
};

}    // namespace LAMMPS_NS

#endif
