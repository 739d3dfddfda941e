/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

/* ----------------------------------------------------------------------
   Contributing authors: the TOFU developers
------------------------------------------------------------------------- */

#ifdef PAIR_CLASS
// clang-format off
PairStyle(coul/cut/threadpool,PairCoulCutThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_COUL_CUT_THREADPOOL_H
#define LMP_PAIR_COUL_CUT_THREADPOOL_H

#include "pair_coul_cut.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairCoulCutThreadpool : public PairTermsStyle<PairCoulCut> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms;
    terms.coulomb = CoulombTerm::CUT;
    compute_terms(eflag, vflag, terms,
                  [&](int i, int j, PairTermsCoefficients &c) { c.charges(scale[i][j]); });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
