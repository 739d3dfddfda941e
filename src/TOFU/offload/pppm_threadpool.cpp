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

#include "threadpool/rank_pool.h"

#include "comm.h"
#include "domain.h"

#include <cstring>

using namespace LAMMPS_NS;

/* ----------------------------------------------------------------------
   kspace styles exist before the box does, so any box must be allowed here
------------------------------------------------------------------------- */

PPPMThreadpool::PPPMThreadpool(LAMMPS *lmp) : PPPMOffload(lmp)
{
  triclinic_support = 1;
}

/* ----------------------------------------------------------------------
   an input for pppm has to give the results of pppm
------------------------------------------------------------------------- */

std::string PPPMThreadpool::why_plain() const
{
  if (domain->triclinic) return "the box is triclinic";
  if (slabflag == 1 && differentiation_flag == 1)
    return "with slab and diff ad its forces along z are others";
  return "";
}

/* ---------------------------------------------------------------------- */

void PPPMThreadpool::tell(const std::string &reason)
{
  if (reason != told && comm->me == 0 && !reason.empty())
    utils::logmesg(lmp, "TOFU threadpool: kspace_style pppm is LAMMPS' own, not pppm/offload: {}\n",
                   reason);
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
    PPPM::init();
  } else {
    choose_fft();
    PPPMOffload::init();
  }
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
  plain ? PPPM::allocate() : PPPMOffload::allocate();
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
