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

#include "atom.h"
#include "compute.h"
#include "force.h"
#include "modify.h"
#include "neighbor.h"
#include "pair.h"
#include "utils.h"

#include "kernels/bonds.h"
#include "kernels/dihedrals.h"

#include <algorithm>
#include <vector>

namespace LAMMPS_NS {

/** A CHARMM dihedral style on the pool: Base, whose first and last atoms have weighted pair forces,
    with another compute(). */
template <class Base> class CharmmDihedralStyle : public BondedStyle<Base, 4> {
 public:
  CharmmDihedralStyle(class LAMMPS *lmp) : BondedStyle<Base, 4>(lmp), pairs_on_pool(lmp, 2) {}

  void init_style() override
  {
    BondedStyle<Base, 4>::init_style();
    pairs_on_pool.init();
    pair_weights.clear();
    pairs_are_tallied = false;
    for (const Compute *compute : this->modify->get_compute_list())
      if (utils::strmatch(compute->style, "/tally$")) pairs_are_tallied = true;
  }

  void compute(int eflag, int vflag) override
  {
    if (this->weightflag && pairs_are_tallied)
      Base::compute(eflag, vflag);
    else
      BondedStyle<Base, 4>::compute(eflag, vflag);
  }

  double memory_usage() override
  {
    return BondedStyle<Base, 4>::memory_usage() + pairs_on_pool.memory_usage() +
        static_cast<double>(pairs.capacity() * sizeof(int));
  }

 protected:
  void compute_on_pool() override
  {
    using namespace TOFU_NS;
    const BondedCoefficients coefficients =
        this->fill_coefficients(this->atom->ndihedraltypes, [&](int type, double *to) {
          to[0] = this->k[type];
          to[1] = this->multiplicity[type];
          to[2] = this->cos_shift[type];
          to[3] = this->sin_shift[type];
        });
    this->compute_list(
        [&](const BondedJob &job, PairTally &tally) { dihedral_cosine(coefficients, job, tally); });
    this->for_remarkable(
        [&](const int *atoms) { this->problem(FLERR, atoms[0], atoms[1], atoms[2], atoms[3]); });

    if (!this->weightflag) return;
    collect_pairs();
    compute_pairs();
  }

  /** Set what differs from DihedralCharmm. */
  virtual void shift_pairs(TOFU_NS::OneFourTables &) const {}

 private:
  BondedOnPool pairs_on_pool;          // of the first and last atoms of dihedrals
  std::vector<int> pairs;              // [..][3] those atoms, and type of the dihedral
  std::vector<double> pair_weights;    // [ntypes+1] when they were collected
  bool pairs_are_tallied = false;      // by a compute, one by one

  void collect_pairs()
  {
    const double *const weight = this->weight;
    const std::vector<double> now(weight, weight + this->atom->ndihedraltypes + 1);
    if (!this->dealt_anew && std::equal(now.begin() + 1, now.end(), pair_weights.begin() + 1))
      return;
    pair_weights = now;
    pairs.clear();
    for (int n = 0; n < this->neighbor->ndihedrallist; n++) {
      const int *const one = this->neighbor->dihedrallist[n];
      if (weight[one[4]] > 0.0) pairs.insert(pairs.end(), {one[0], one[3], one[4]});
    }
    pairs_on_pool.forget();
  }

  /** Energy and virial are those of the pair style, but newton is that of bonds.  A virial that the
      pair style takes from the sum of all forces has been computed before these are there. */
  void compute_pairs()
  {
    using namespace TOFU_NS;
    Pair *const pair = this->force->pair;
    if (this->vflag_global == VIRIAL_FDOTR) pair->vflag_either = pair->vflag_global = 1;

    const BondedCoefficients coefficients = this->fill_coefficients(
        this->atom->ndihedraltypes, [&](int type, double *to) { to[0] = this->weight[type]; });
    OneFourTables tables{this->atom->q, this->atom->type, this->lj14_1,        this->lj14_2,
                         this->lj14_3,  this->lj14_4,     this->force->qqrd2e, this->implicit != 0};
    shift_pairs(tables);
    BondedOnPool::Wanted wanted;
    if (this->evflag) {
      wanted.tallies = pair->eflag_either || pair->vflag_either;
      if (pair->eflag_either && pair->eflag_atom) wanted.eatom = pair->eatom;
      if (pair->vflag_either && pair->vflag_atom) wanted.vatom = pair->vatom;
    }

    pairs_on_pool.deal({pairs.data(), static_cast<int>(pairs.size() / 3)});
    const PairTally sum =
        pairs_on_pool.compute(wanted, [&](const BondedJob &job, PairTally &tally) {
          one_four_pairs(tables, coefficients, job, tally);
        });
    if (!this->evflag) return;
    if (pair->eflag_either && pair->eflag_global) {
      pair->eng_vdwl += sum.evdwl;
      pair->eng_coul += sum.ecoul;
    }
    if (pair->vflag_either && pair->vflag_global)
      for (int i = 0; i < 6; i++) pair->virial[i] += sum.virial[i];
  }
};

}    // namespace LAMMPS_NS

#endif
