/* ----------------------------------------------------------------------
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

#include "pair_lj_spica_threadpool.h"

#include "lj_spica_common.h"

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

void PairLJSPICAThreadpool::compute(int eflag, int vflag)
{
  PairTerms terms;
  terms.short_range = ShortRange::SPICA;
  compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
    c.spica(lj1[i][j], lj2[i][j], LJSPICAParms::lj_pow1[lj_type[i][j]],
            LJSPICAParms::lj_pow2[lj_type[i][j]], offset[i][j]);
  });
}
