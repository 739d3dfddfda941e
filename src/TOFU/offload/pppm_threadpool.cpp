// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pppm_threadpool.h"

#include "threadpool/pool/rank_pool.h"

#include "comm.h"
#include "error.h"
#include "modify.h"

#include <cstring>

using namespace LAMMPS_NS;

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

void PPPMThreadpool::init()
{
  const std::string reason = why_plain(), name = own_name();
  if (reason != logged_reason && comm->me == 0 && !reason.empty())
    utils::logmesg(lmp, "TOFU threadpool: kspace_style {} is LAMMPS' own, not pppm/offload: {}\n",
                   name.substr(0, name.rfind('/')), reason);
  logged_reason = reason;
  if (reason.empty()) choose_fft();
  PPPMOffload::init();
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
  return RankPool::of(lmp)->long_range().overlap != RankPool::LongRange::NO;
}

/* ---------------------------------------------------------------------- */

bool PPPMThreadpool::overlap_without_gain() const
{
  return PPPMOffload::overlap_without_gain() ||
      RankPool::of(lmp)->long_range().overlap == RankPool::LongRange::ALWAYS;
}

/* ---------------------------------------------------------------------- */

void PPPMDPLRThreadpool::init()
{
  if (modify->get_fix_by_style("^dplr").empty())
    error->all(FLERR,
               "Kspace style pppm/dplr is for runs with fix dplr, which takes its forces to atoms: "
               "use that fix, or kspace_style pppm");
  PPPMThreadpool::init();
}
