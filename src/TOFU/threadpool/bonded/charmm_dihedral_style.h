// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_CHARMM_DIHEDRAL_STYLE_H
#define LMP_CHARMM_DIHEDRAL_STYLE_H

#include "bonded_style.h"
#include "one_four_on_pool.h"

#include "kernels/bonded/dihedrals.h"

namespace LAMMPS_NS {

/** A CHARMM dihedral style on the pool: Base, whose first and last atoms have weighted pair forces,
    with another compute(). */
template <class Base> class CharmmDihedralStyle : public BondedStyle<Base, 4> {
 public:
  CharmmDihedralStyle(class LAMMPS *lmp) : BondedStyle<Base, 4>(lmp), pairs(lmp) {}

  void init_style() override
  {
    BondedStyle<Base, 4>::init_style();
    pairs.init();
  }

  void compute(int eflag, int vflag) override
  {
    if (this->weightflag && pairs.are_tallied())
      Base::compute(eflag, vflag);
    else
      BondedStyle<Base, 4>::compute(eflag, vflag);
  }

  double memory_usage() override
  {
    return BondedStyle<Base, 4>::memory_usage() + pairs.memory_usage();
  }

 protected:
  using Parent = BondedStyle<Base, 4>;
  using typename Parent::BondedJob;
  using typename Parent::Coefficients;
  using typename Parent::PairTally;
  using typename Parent::Row;

  Row row(int type) const override
  {
    return {this->k[type], static_cast<double>(this->multiplicity[type]), this->cos_shift[type],
            this->sin_shift[type]};
  }

  void kernel(const Coefficients &all, const BondedJob &job, PairTally &tally) override
  {
    TOFU_NS::dihedral_cosine(all, job, tally);
  }

  void compute_on_pool() override
  {
    Parent::compute_on_pool();
    if (this->weightflag) compute_pairs();
  }

  /** Set what differs from DihedralCharmm. */
  virtual void shift_pairs(TOFU_NS::OneFourTables &) const {}

 private:
  OneFourOnPool pairs;

  void compute_pairs()
  {
    TOFU_NS::OneFourTables tables;
    tables.lj1 = this->lj14_1;
    tables.lj2 = this->lj14_2;
    tables.lj3 = this->lj14_3;
    tables.lj4 = this->lj14_4;
    tables.implicit = this->implicit != 0;
    shift_pairs(tables);
    pairs.collect(this->weight, this->dealt_anew);
    pairs.compute(this->evflag, this->vflag_global, tables,
                  this->fill_coefficients([this](int type) { return Row{this->weight[type]}; }));
  }
};

}    // namespace LAMMPS_NS

#endif
