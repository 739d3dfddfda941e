/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_BONDED_STYLE_H
#define LMP_BONDED_STYLE_H

#include "bonded_on_pool.h"

#include <vector>

namespace LAMMPS_NS {

/** A bond, angle, dihedral or improper style on the pool: Base with another compute().

    \param NATOMS   of an interaction */
template <class Base, int NATOMS> class BondedStyle : public Base {
 public:
  BondedStyle(class LAMMPS *lmp) : Base(lmp), on_pool(lmp, NATOMS) {}

  void init_style() override
  {
    Base::init_style();
    on_pool.init();
  }

  /** Stresses about centroids are left to Base; those of bonds are the ordinary ones. */
  void compute(int eflag, int vflag) override
  {
    if (NATOMS > 2 && BondedOnPool::is_centroid(vflag)) return Base::compute(eflag, vflag);
    this->ev_init(eflag, vflag);
    dealt_anew = on_pool.deal(on_pool.list_for(this));
    compute_on_pool();
  }

  double memory_usage() override { return Base::memory_usage() + on_pool.memory_usage(); }

 protected:
  BondedOnPool on_pool;
  bool dealt_anew = false;    // the list may be another one than at the last compute()

  /** Fill the coefficients, and call compute_list(). */
  virtual void compute_on_pool() = 0;

  /** fill(type, c) sets the coefficients of each type that this style has, all 0 at first.  At each
      step, since a fix may change them at any. */
  template <class Fill> TOFU_NS::BondedCoefficients fill_coefficients(int ntypes, Fill fill)
  {
    return {fill_rows(table, ntypes, TOFU_NS::BondedCoefficients::N, fill)};
  }

  /** For kernels whose coefficients are in other tables. */
  TOFU_NS::BondedCoefficients no_coefficients(int ntypes)
  {
    return fill_coefficients(ntypes, [](int, double *) {});
  }

  /** The same for a table with another number of coefficients: [ntypes+1][ncoefficients]. */
  template <class Fill> const double *fill_table(int ntypes, int ncoefficients, Fill fill)
  {
    return fill_rows(other_table, ntypes, ncoefficients, fill);
  }

  /** Let the kernel compute all interactions of the list. */
  template <class Kernel> void compute_list(Kernel &&kernel)
  {
    const TOFU_NS::PairTally sum = on_pool.compute({this->eflag_either || this->vflag_either,
                                                    this->eflag_atom ? this->eatom : nullptr,
                                                    this->vflag_atom ? this->vatom : nullptr},
                                                   kernel);
    if (this->eflag_global) this->energy += sum.evdwl;
    if (this->vflag_global)
      for (int i = 0; i < 6; i++) this->virial[i] += sum.virial[i];
  }

  /** call(atoms) for each interaction that the kernel has called remarkable. */
  template <class Call> void for_remarkable(Call &&call) const
  {
    const int *const rows = on_pool.list_for(this).rows;
    for (int n : on_pool.remarkable()) call(rows + static_cast<std::size_t>(n) * (NATOMS + 1));
  }

 private:
  std::vector<double> table, other_table;

  template <class Fill>
  const double *fill_rows(std::vector<double> &rows, int ntypes, int ncoefficients, Fill fill)
  {
    rows.assign(static_cast<std::size_t>(ntypes + 1) * ncoefficients, 0.0);
    for (int type = 1; type <= ntypes; type++)
      if (this->setflag[type]) fill(type, &rows[static_cast<std::size_t>(type) * ncoefficients]);
    return rows.data();
  }
};

}    // namespace LAMMPS_NS

#endif
