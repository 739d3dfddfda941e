// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "p2p_statistics.h"

#include "atom_exchange.h"
#include "halo/halo_plan.h"
#include "lammps/io/run_summary.h"
#include "p2p/ghosts/ghost_borders.h"
#include "p2p/ghosts/ghost_updates.h"
#include "p2p/links/exchange_calls.h"
#include "p2p/links/p2p_settings.h"
#include "p2p/links/peer_links.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "modify.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr const char *FIX = "P2P_RDMA_STATS";

namespace {

/** Lines of "name: value | value", average and maximum over ranks, in the manner of LAMMPS' own
    timing breakdown. */
class Lines {
 public:
  explicit Lines(MPI_Comm world) : world_(world) { MPI_Comm_size(world, &nprocs_); }

  enum When { ALWAYS, IF_ANY };    // IF_ANY: not if it is 0 on all ranks

  template <class Number>
  void add(const std::string &name, Number number, const char *format, When when = ALWAYS)
  {
    const auto value = static_cast<double>(number);
    double sum, maximum;
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, world_);
    MPI_Allreduce(&value, &maximum, 1, MPI_DOUBLE, MPI_MAX, world_);
    if (when == IF_ANY && maximum == 0.0) return;
    text_ += fmt::format("  {:<30} ", name);
    text_ += fmt::format(fmt::runtime(format), sum / nprocs_);
    text_ += " | ";
    text_ += fmt::format(fmt::runtime(format), maximum) + "\n";
  }
  const std::string &text() const { return text_; }

 private:
  const MPI_Comm world_;
  int nprocs_;
  std::string text_;
};

void add_messages(Lines &lines, const LinkCounters &sent, bigint ncalls)
{
  const double kbytes = static_cast<double>(sent.nbytes) / 1024.0;
  const auto nmessages = static_cast<double>(sent.nmessages);
  lines.add("messages sent", sent.nmessages, "{:.0f}");
  lines.add("messages per call", ncalls ? nmessages / ncalls : 0.0, "{:.2f}");
  lines.add("kbytes sent", kbytes, "{:.4f}");
  lines.add("kbytes per message", sent.nmessages ? kbytes / nmessages : 0.0, "{:.3f}");
  lines.add("messages that landed in x", sent.nlanded, "{:.0f}");
  lines.add("kbytes that left from f", static_cast<double>(sent.nbytes_in_place) / 1024.0,
            "{:.1f}");
  lines.add("messages in fragments", sent.nfragmented, "{:.0f}");
  lines.add("lone credits", sent.nlone_credits, "{:.0f}");
  lines.add("waits for credit", sent.ncredit_waits, "{:.0f}");
}

}    // namespace

/* ---------------------------------------------------------------------- */

P2PStatistics::P2PStatistics(LAMMPS *lmp, const Sources &sources) : Pointers(lmp), of(sources) {}

/* ----------------------------------------------------------------------
   Modify calls post_run() of every fix, so that one may be added after modify->init()
------------------------------------------------------------------------- */

void P2PStatistics::add_fix()
{
  if (!domain->box_exist || modify->get_fix_by_id(FIX)) return;
  if (of.links.counts().nconnects > 0) return;    // the user has removed it
  modify->add_fix(std::string(FIX) + " all p2p/rdma/stats");
}

/* ----------------------------------------------------------------------
   with "post no" LAMMPS prints nothing either
------------------------------------------------------------------------- */

void P2PStatistics::print(bool half) const
{
  if (!of.links.exist()) return;
  if (!of.settings.all_statistics && !summary_follows(lmp)) return;
  const std::string text = of.settings.all_statistics ? all() : brief();
  if (comm->me != 0) return;
  if (of.settings.all_statistics)
    utils::logmesg(lmp, "\nTOFU p2p/rdma settings: {}", of.settings.text(lmp));
  utils::logmesg(lmp,
                 "\nTOFU p2p/rdma statistics, average | maximum over {} rank{}: "
                 "pattern {}, {} shell in use\n{}",
                 comm->nprocs, comm->nprocs == 1 ? "" : "s", of.plan.forwards ? "3stage" : "p2p",
                 half ? "half" : "full", text);
}

/* ----------------------------------------------------------------------
   what a user can act on: the way of the messages, and how much of the time is
   waiting, which no communication style can reduce
------------------------------------------------------------------------- */

std::string P2PStatistics::brief() const
{
  Lines lines(world);
  for (const BackendUse &use : of.links.report().uses)
    lines.add("peers by " + use.title, use.npeers, "{:.1f}", Lines::IF_ANY);
  lines.add("messages sent", of.links.transport().counters().nmessages, "{:.0f}");
  double seconds = 0.0;
  for (const double phase : of.calls.counts().seconds) seconds += phase;
  lines.add("seconds in communication", seconds, "{:.6f}");
  lines.add("seconds waiting", of.links.transport().seconds_waited(), "{:.6f}");
  return lines.text();
}

/* ---------------------------------------------------------------------- */

std::string P2PStatistics::all() const
{
  Lines lines(world);
  for (const BackendUse &use : of.links.report().uses)
    lines.add("peers by " + use.title, use.npeers, "{:.1f}");
  bigint nself = 0, ncalls = 0;
  for (const HaloStage &stage : of.plan.stages) nself += static_cast<bigint>(stage.self.size());
  for (const bigint n : of.calls.counts().ncalls) ncalls += n;
  lines.add("swaps", of.plan.swaps.size(), "{:.1f}");
  lines.add("swaps with itself", nself, "{:.1f}");
  lines.add("ghost atoms", atom->nghost, "{:.1f}");
  lines.add("ghosts of bonded partners", of.borders.npartners(), "{:.1f}", Lines::IF_ANY);
  add_messages(lines, of.links.transport().counters(), ncalls);
  lines.add("regions registered", of.links.counts().nregistered, "{:.0f}");
  lines.add("arrays registered", of.updates.nregistered(), "{:.0f}");
  lines.add("Mbytes registered now", of.links.report().nbytes_registered / 1048576.0, "{:.3f}");
  lines.add("questions for far atoms", of.atoms.counts().nreductions, "{:.0f}");
  lines.add("exchanges with far atoms", of.atoms.counts().nirregular, "{:.0f}");
  static const char *const phases[] = {"exchange", "borders", "forward",
                                       "reverse",  "styles",  "work"};
  static_assert(sizeof(phases) / sizeof(phases[0]) == ExchangeCalls::NPHASES,
                "a name for each phase");
  for (int phase = 0; phase < ExchangeCalls::NPHASES; phase++) {
    lines.add(std::string("seconds in ") + phases[phase], of.calls.counts().seconds[phase],
              "{:.6f}");
    lines.add(std::string("calls of ") + phases[phase], of.calls.counts().ncalls[phase], "{:.0f}");
  }
  lines.add("seconds waiting", of.links.transport().seconds_waited(), "{:.6f}");
  return lines.text();
}
