/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_CHARMM_DIHEDRAL_STYLE_H
#define LMP_CHARMM_DIHEDRAL_STYLE_H

#include "bonded_style.h"
#include "one_four_on_pool.h"

#include "atom.h"

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
  void compute_on_pool() override
  {
    using namespace TOFU_NS;
    const int ntypes = this->atom->ndihedraltypes;
    const BondedCoefficients coefficients =
        this->fill_coefficients(ntypes, [&](int type, double *to) {
          to[0] = this->k[type];
          to[1] = this->multiplicity[type];
          to[2] = this->cos_shift[type];
          to[3] = this->sin_shift[type];
        });
    this->compute_list(
        [&](const BondedJob &job, PairTally &tally) { dihedral_cosine(coefficients, job, tally); });
    this->for_remarkable(
        [&](const int *atoms) { this->problem(FLERR, atoms[0], atoms[1], atoms[2], atoms[3]); });
    if (this->weightflag) compute_pairs(ntypes);
  }

  /** Set what differs from DihedralCharmm. */
  virtual void shift_pairs(TOFU_NS::OneFourTables &) const {}

 private:
  OneFourOnPool pairs;

  void compute_pairs(int ntypes)
  {
    TOFU_NS::OneFourTables tables;
    tables.lj1 = this->lj14_1;
    tables.lj2 = this->lj14_2;
    tables.lj3 = this->lj14_3;
    tables.lj4 = this->lj14_4;
    tables.implicit = this->implicit != 0;
    shift_pairs(tables);
    pairs.collect(this->weight, this->dealt_anew);
    pairs.compute(
        this->evflag, this->vflag_global, tables,
        this->fill_coefficients(ntypes, [&](int type, double *to) { to[0] = this->weight[type]; }));
  }
};

}    // namespace LAMMPS_NS

#endif
