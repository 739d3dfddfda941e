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

#include "pair_deepmd_needs_suffix.h"

#include "error.h"

using namespace LAMMPS_NS;

PairDeepMDNeedsSuffix::PairDeepMDNeedsSuffix(LAMMPS *lmp) : Pair(lmp)
{
  error->all(FLERR,
             "Pair style deepmd is part of deepmd-kit, whose plug-in is not loaded. Use the suffix "
             "threadpool, with which TOFU computes it (-sf threadpool, or 'suffix threadpool'), or "
             "load that plug-in");
}
