// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   bond_style quartic on the pool.  Bonds longer than rc break, one after the
   other.  The pair style computes bonded atoms like others, so that its forces
   between them are taken off: by Pair::single(), which parts call at the same
   time.
------------------------------------------------------------------------- */

#ifdef BOND_CLASS
// clang-format off
BondStyle(quartic/threadpool,BondQuarticThreadpool);
// clang-format on
#else

#ifndef LMP_BOND_QUARTIC_THREADPOOL_H
#define LMP_BOND_QUARTIC_THREADPOOL_H

#include "bond_quartic.h"

#include "threadpool/bonded/bonded_style.h"
#include "threadpool/bonded/tallies_of_pair.h"
#include "threadpool/pool/work_on_pool.h"

namespace LAMMPS_NS {

class BondQuarticThreadpool : public BondedStyle<BondQuartic, 2>, public WorkOnPool {
 public:
  BondQuarticThreadpool(class LAMMPS *);
  void init_style() override;
  void compute(int, int) override;
  std::string left_to_lammps() const override;

 protected:
  Row row(int) const override;
  void fill_tables() override;
  void kernel(const Coefficients &, const BondedJob &, PairTally &) override;
  void warn(const int *) override;
  void compute_on_pool() override;

 private:
  TalliesOfPair tallies;
  const double *energy_of_type = nullptr;    // [nbondtypes+1] u0

  void take_off_pairs();
};

}    // namespace LAMMPS_NS

#endif
#endif
