// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/long/tip4p/long/threadpool,PairLJLongTIP4PLongThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_LONG_TIP4P_LONG_THREADPOOL_H
#define LMP_PAIR_LJ_LONG_TIP4P_LONG_THREADPOOL_H

#include "pair_lj_long_tip4p_long.h"

#include "threadpool/pair/tip4p_terms_style.h"

namespace LAMMPS_NS {

class PairLJLongTIP4PLongThreadpool : public Tip4pTermsStyle<PairLJLongTIP4PLong> {
 public:
  using Tip4pTermsStyle::Tip4pTermsStyle;

  void compute(int eflag, int vflag) override
  {
    const Kernel lj = ewald_order & 1 << 6 ? lj_with_dispersion() : lj_forces();
    if (ewald_order & 1 << 1)
      compute_long(eflag, vflag, lj);
    else
      compute_charges(
          eflag, vflag, [](auto &&...) {}, lj);
  }

 private:
  Kernel lj_with_dispersion()
  {
    const PairTerms terms =
        terms_on_pool.with_long_ranges(this, ShortRange::LJ_12_6, 1 << 6, g_ewald, cut_coulsq,
                                       g_ewald_6, cut_lj_global * cut_lj_global);
    return lj_terms(terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.cutoffs(cut_ljsq[i][j], 0.0);
      c.lj(lj1[i][j], lj2[i][j], 0.0);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
