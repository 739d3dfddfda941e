// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pppm_either.h"

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

PPPMEither::PPPMEither(LAMMPS *lmp) : PPPMTIP4P(lmp)
{
  tip4pflag = 0;
}

/* ---------------------------------------------------------------------- */

void PPPMEither::init()
{
  tip4pflag ? PPPMTIP4P::init() : PPPM::init();
}

void PPPMEither::particle_map()
{
  tip4pflag ? PPPMTIP4P::particle_map() : PPPM::particle_map();
}

void PPPMEither::make_rho()
{
  tip4pflag ? PPPMTIP4P::make_rho() : PPPM::make_rho();
}

void PPPMEither::fieldforce_ik()
{
  tip4pflag ? PPPMTIP4P::fieldforce_ik() : PPPM::fieldforce_ik();
}

void PPPMEither::fieldforce_ad()
{
  tip4pflag ? PPPMTIP4P::fieldforce_ad() : PPPM::fieldforce_ad();
}

void PPPMEither::fieldforce_peratom()
{
  tip4pflag ? PPPMTIP4P::fieldforce_peratom() : PPPM::fieldforce_peratom();
}

void PPPMEither::slabcorr()
{
  tip4pflag ? PPPMTIP4P::slabcorr() : PPPM::slabcorr();
}
