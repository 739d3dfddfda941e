// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_BONDED_STYLE_H
#define LMP_BONDED_STYLE_H

#include "bonded_on_pool.h"

#include <algorithm>
#include <array>
#include <vector>

namespace LAMMPS_NS {

/** A bond, angle, dihedral or improper style on the pool: Base with another compute().  A style
    derives from it, and says what the coefficients are and which kernel has them.

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
  using BondedJob = TOFU_NS::BondedJob;
  using PairTally = TOFU_NS::PairTally;
  using Coefficients = TOFU_NS::BondedCoefficients;
  using Row = std::array<double, Coefficients::N>;

  BondedOnPool on_pool;
  bool dealt_anew = false;    // the list may be another one than at the last compute()

  /** The coefficients of a type, in the order that the kernel has them.  In each step, since a fix
      may change them at any. */
  virtual Row row(int) const { return {}; }

  /** Fill what the kernel has besides: other_table, and tables of the style. */
  virtual void fill_tables() {}

  /** Compute the interactions of a part. */
  virtual void kernel(const Coefficients &, const BondedJob &, PairTally &) = 0;

  /** Warn of an interaction that the kernel has entered in BondedJob::flagged; for dihedrals and
      impropers as LAMMPS does.

      \param atoms   [NATOMS], and the type */
  virtual void warn(const int *atoms)
  {
    if constexpr (NATOMS == 4) this->problem(FLERR, atoms[0], atoms[1], atoms[2], atoms[3]);
  }

  /** Of LAMMPS' arrays of coefficients. */
  int ntypes() const { return on_pool.ntypes_of(this); }

  /** [ntypes+1][ncoefficients] of another table than that of row(), until this is called again.

      \param fill   fill(type, to) sets those of each type that this style has, all 0 at first */
  template <class Fill> const double *fill_table(int ncoefficients, Fill fill)
  {
    return fill_rows(other_table, ncoefficients, fill);
  }

  /** Compute all of compute() but for stresses about centroids. */
  virtual void compute_on_pool()
  {
    const Coefficients all = fill_coefficients([this](int type) { return row(type); });
    fill_tables();
    add(on_pool.compute(wanted(),
                        [&](const BondedJob &job, PairTally &tally) { kernel(all, job, tally); }));
    const int *const rows = on_pool.list_for(this).rows;
    for (int n : on_pool.flagged()) warn(rows + static_cast<std::size_t>(n) * (NATOMS + 1));
  }

  /** \param of_type   of_type(type) returns the Row of a type */
  template <class OfType> Coefficients fill_coefficients(OfType of_type)
  {
    return {fill_rows(table, Coefficients::N, [&](int type, double *to) {
      const Row coefficients = of_type(type);
      std::copy(coefficients.begin(), coefficients.end(), to);
    })};
  }

  BondedOnPool::Wanted wanted() const
  {
    return {this->eflag_either || this->vflag_either, this->eflag_atom ? this->eatom : nullptr,
            this->vflag_atom ? this->vatom : nullptr};
  }

  void add(const PairTally &sum)
  {
    if (this->eflag_global) this->energy += sum.evdwl;
    if (this->vflag_global)
      for (int i = 0; i < 6; i++) this->virial[i] += sum.virial[i];
  }

 private:
  std::vector<double> table, other_table;

  template <class Fill>
  const double *fill_rows(std::vector<double> &rows, int ncoefficients, Fill fill)
  {
    rows.assign(static_cast<std::size_t>(ntypes() + 1) * ncoefficients, 0.0);
    for (int type = 1; type <= ntypes(); type++)
      if (this->setflag[type]) fill(type, &rows[static_cast<std::size_t>(type) * ncoefficients]);
    return rows.data();
  }
};

}    // namespace LAMMPS_NS

#endif
