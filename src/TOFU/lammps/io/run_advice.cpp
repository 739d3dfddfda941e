// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "run_advice.h"

#include "command_line.h"
#include "lammps/styles/available_styles.h"
#include "lammps/styles/pair_styles_in_use.h"
#include "lammps/styles/ring_styles.h"
#include "lammps/styles/style_table.h"

#include "comm.h"
#include "fix.h"
#include "fmt/format.h"
#include "force.h"
#include "modify.h"
#include "timer.h"
#include "update.h"

#include <mpi.h>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

namespace {

// shares of the time from which advice is worth a line

constexpr double WAITING = 0.05;
constexpr double MESSAGES = 0.1;
constexpr double LONG_RANGE = 0.15;

struct Times {
  double total, pair, slowest_pair, comm, kspace;    // averages over ranks, but for the second

  explicit Times(LAMMPS *lmp)
  {
    Timer *const timer = lmp->timer;
    const double mine[] = {timer->get_wall(Timer::TOTAL), timer->get_wall(Timer::PAIR),
                           timer->get_wall(Timer::COMM), timer->get_wall(Timer::KSPACE)};
    double sums[4];
    MPI_Allreduce(mine, sums, 4, MPI_DOUBLE, MPI_SUM, lmp->world);
    MPI_Allreduce(&mine[1], &slowest_pair, 1, MPI_DOUBLE, MPI_MAX, lmp->world);
    const double nprocs = lmp->comm->nprocs;
    total = sums[0] / nprocs;
    pair = sums[1] / nprocs;
    comm = sums[2] / nprocs;
    kspace = sums[3] / nprocs;
  }

  double waiting() const { return (slowest_pair - pair) / total; }
};

bool is_p2p_rdma(const std::string &comm_words)
{
  return utils::strmatch(comm_words, "^p2p[_/]rdma");
}

// fix ring/balance, by the command line if package threadpool is in use

std::string words_for_ring(LAMMPS *lmp, bool has_p2p_rdma)
{
  int dim;
  Fix *const threadpool = lmp->modify->get_fix_by_id("THREADPOOL");
  const std::string comm = comm_on_command_line(lmp);
  if (const void *const parts = threadpool ? threadpool->extract("parts", dim) : nullptr)
    return words_for_package(fmt::format("{} balance ring 10 1.05 comm {}",
                                         *static_cast<const int *>(parts),
                                         is_p2p_rdma(comm) ? comm : "p2p/rdma"));
  return (has_p2p_rdma ? "" : words_for_comm_style() + " and ") +
      "fix even all ring/balance 10 1.05";
}

std::string about_balance(LAMMPS *lmp, const Times &times, bool has_p2p_rdma)
{
  const bool balanced = !lmp->modify->get_fix_by_style(RING_BALANCE).empty();
  if (balanced || times.waiting() < WAITING) return "";
  bool known = !pair_styles_in_use(lmp->force).empty();
  for (const PairInUse &used : pair_styles_in_use(lmp->force))
    known = known && (pair_traits(used.style) & (ANY_ROWS | ANY_ROWS_WITH_SUFFIX));
  if (!known && !lmp->modify->get_fix_by_style("^balance$").empty()) return "";
  const std::string remedy = known ? words_for_ring(lmp, has_p2p_rdma)
                                   : "fix even all balance 1000 1.05 shift xyz 10 1.05";
  return fmt::format("ranks wait {:.0f} % of the time for the one with most work in Pair: {}",
                     100.0 * times.waiting(), remedy);
}

// what the command line has asked for has been told when the input has overridden it

std::string about_pair_style(LAMMPS *lmp)
{
  if (begun_with_suffix(lmp)) return "";
  for (const PairInUse &used : pair_styles_in_use(lmp->force)) {
    const std::string base = without_suffix(used.style);
    const std::string variant = base + "/threadpool";
    if (name_with_suffix(used) != variant && has_style(lmp, "pair", variant))
      return fmt::format("pair style {} has a faster variant: {}", base,
                         words_for_suffix(lmp->comm->nthreads));
  }
  return "";
}

std::string about_messages(LAMMPS *lmp, const Times &times, bool has_p2p_rdma)
{
  if (has_p2p_rdma || lmp->comm->nprocs == 1 || times.comm < MESSAGES * times.total) return "";
  if (is_p2p_rdma(comm_on_command_line(lmp))) return "";
  return fmt::format("{:.0f} % of the time is Comm: {}{}", 100.0 * times.comm / times.total,
                     words_for_comm_style(),
                     lmp->comm->style == Comm::TILED ? " layout tiled" : "");
}

std::string about_long_range(LAMMPS *lmp, const Times &times)
{
  const std::string style = lmp->force->kspace_style ? lmp->force->kspace_style : "";
  const std::string base = without_suffix(style), ours = base + "/offload";
  const std::string variant = base + "/threadpool";
  if (!utils::strmatch(base, "^pppm") || style == variant) return "";
  if (begun_with_suffix(lmp) && has_style(lmp, "kspace", variant)) return "";
  if (times.kspace < LONG_RANGE * times.total || !has_style(lmp, "kspace", ours)) return "";
  return fmt::format("{:.0f} % of the time is Kspace: kspace_style {}",
                     100.0 * times.kspace / times.total, ours);
}

}    // namespace

/* ---------------------------------------------------------------------- */

std::string TOFU_NS::run_advice(LAMMPS *lmp, bool has_p2p_rdma)
{
  if (lmp->update->nsteps < FEWEST_STEPS_TO_TIME) return "";
  const Times times(lmp);
  if (!(times.total > 0.0)) return "";
  std::string lines;
  for (const std::string &text :
       {about_balance(lmp, times, has_p2p_rdma), about_pair_style(lmp),
        about_messages(lmp, times, has_p2p_rdma), about_long_range(lmp, times)})
    if (!text.empty()) lines += "TOFU advice: " + text + "\n";
  return lines;
}
