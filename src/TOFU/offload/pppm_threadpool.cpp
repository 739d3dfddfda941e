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

#include "pppm_threadpool.h"

#include "lammps/scoped_state.h"
#include "threadpool/pool/rank_pool.h"

#include "atom.h"
#include "comm.h"
#include "math_const.h"

#include <cstring>
#include <vector>

using namespace LAMMPS_NS;
using namespace MathConst;

/* ----------------------------------------------------------------------
   an input for pppm has to give the results of pppm
------------------------------------------------------------------------- */

std::string PPPMThreadpool::why_plain() const
{
  if (slabflag == 1 && differentiation_flag == 1)
    return "with slab and diff ad its forces along z are others";
  return "";
}

/* ---------------------------------------------------------------------- */

void PPPMThreadpool::tell(const std::string &reason)
{
  const std::string name = own_name();
  if (reason != told && comm->me == 0 && !reason.empty())
    utils::logmesg(lmp, "TOFU threadpool: kspace_style {} is LAMMPS' own, not pppm/offload: {}\n",
                   name.substr(0, name.rfind('/')), reason);
  told = reason;
}

/* ----------------------------------------------------------------------
   a transform that is chosen by its time may be another one in the next run, with
   other last digits
------------------------------------------------------------------------- */

void PPPMThreadpool::choose_fft()
{
  if (fft_given) return;
  std::string method = RankPool::of(lmp)->long_range().fft;
  if (method.empty()) method = comm->nprocs == 1 ? "replicated" : "pencil";
  if (method == chosen_fft) return;
  chosen_fft = method;
  char keyword[] = "fft";
  char *words[] = {keyword, &method[0]};
  PPPMOffload::modify_param(2, words);
}

/* ---------------------------------------------------------------------- */

int PPPMThreadpool::modify_param(int narg, char **arg)
{
  if (strcmp(arg[0], "fft") == 0) fft_given = true;
  return PPPMOffload::modify_param(narg, arg);
}

/* ---------------------------------------------------------------------- */

bool PPPMThreadpool::overlap_wanted() const
{
  return RankPool::of(lmp)->long_range().overlap;
}

/* ---------------------------------------------------------------------- */

void PPPMThreadpool::init()
{
  const std::string reason = why_plain();
  tell(reason);
  if (!plain && !reason.empty()) leave_offload();
  plain = !reason.empty();
  if (plain) {
    init_plain();
  } else {
    choose_fft();
    PPPMOffload::init();
  }
}

/* ---------------------------------------------------------------------- */

void PPPMThreadpool::init_plain()
{
  plain_fele = serve_fix_dplr(own_name());
  if (plain_fele) check_run_with_fix_dplr();
  PPPMEither::init();
}

/* ----------------------------------------------------------------------
   PPPM adds to the forces of atoms, in whose place it gets other ones here
------------------------------------------------------------------------- */

void PPPMThreadpool::compute_fele(int eflag, int vflag)
{
  fele.assign(3 * static_cast<std::size_t>(atom->nlocal), 0.0);
  {
    const ScopedForceArray own(atom, fele);
    PPPM::compute(eflag, vflag);
  }
  remove_self_energies();
}

/* ----------------------------------------------------------------------
   and those of a uniform charge that neutralizes the system: models for fix dplr
   are trained without both
------------------------------------------------------------------------- */

void PPPMThreadpool::remove_self_energies()
{
  const double qscale = qqrd2e * scale, *const q = atom->q;
  const double self = g_ewald / MY_PIS, uniform = MY_PI2 * qsum / (g_ewald * g_ewald * volume);
  if (eflag_global) energy += qscale * (self * qsqsum + uniform * qsum);
  for (int i = 0; eflag_atom && i < atom->nlocal; i++)
    eatom[i] += qscale * q[i] * (self * q[i] + uniform);
}

/* ---------------------------------------------------------------------- */

void PPPMThreadpool::setup()
{
  plain ? PPPM::setup() : PPPMOffload::setup();
}

void PPPMThreadpool::reset_grid()
{
  plain ? PPPM::reset_grid() : PPPMOffload::reset_grid();
}

void PPPMThreadpool::compute(int eflag, int vflag)
{
  if (plain && plain_fele)
    compute_fele(eflag, vflag);
  else
    plain ? PPPM::compute(eflag, vflag) : PPPMOffload::compute(eflag, vflag);
}

void PPPMThreadpool::compute_group_group(int groupbit_a, int groupbit_b, int aa_flag)
{
  plain ? PPPM::compute_group_group(groupbit_a, groupbit_b, aa_flag)
        : PPPMOffload::compute_group_group(groupbit_a, groupbit_b, aa_flag);
}

int PPPMThreadpool::timing_1d(int n, double &time)
{
  return plain ? PPPM::timing_1d(n, time) : PPPMOffload::timing_1d(n, time);
}

int PPPMThreadpool::timing_3d(int n, double &time)
{
  return plain ? PPPM::timing_3d(n, time) : PPPMOffload::timing_3d(n, time);
}

double PPPMThreadpool::memory_usage()
{
  return plain ? PPPM::memory_usage() : PPPMOffload::memory_usage();
}

void PPPMThreadpool::allocate()
{
  plain ? allocate_plain() : PPPMOffload::allocate();
}

/* ----------------------------------------------------------------------
   PPPM has room for charges beside atoms, those of water with four points
------------------------------------------------------------------------- */

void PPPMThreadpool::allocate_plain()
{
  const ScopedChargeDistance further(qdist, room_for_centers());
  PPPM::allocate();
}

void PPPMThreadpool::compute_gf_ik()
{
  plain ? PPPM::compute_gf_ik() : PPPMOffload::compute_gf_ik();
}

void PPPMThreadpool::compute_gf_ad()
{
  plain ? PPPM::compute_gf_ad() : PPPMOffload::compute_gf_ad();
}

/* ----------------------------------------------------------------------
   fix KSPACE_OVERLAP of an earlier run may still be there
------------------------------------------------------------------------- */

void PPPMThreadpool::prepare()
{
  if (!plain) PPPMOffload::prepare();
}

void PPPMThreadpool::start(int vflag)
{
  if (!plain) PPPMOffload::start(vflag);
}

void PPPMThreadpool::end()
{
  if (!plain) PPPMOffload::end();
}

void PPPMThreadpool::print_statistics()
{
  if (!plain) PPPMOffload::print_statistics();
}
