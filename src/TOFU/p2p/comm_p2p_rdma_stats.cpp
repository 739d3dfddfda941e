/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// Statistics that the user gets at the end of a run.

#include "comm_p2p_rdma.h"

#include "comm_p2p_rdma-impl.h"
#include "lammps/io/run_summary.h"

#include "atom.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

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

/* ----------------------------------------------------------------------
   with "post no" LAMMPS prints nothing either; who asks for all gets them
------------------------------------------------------------------------- */

void CommP2PRDMA::print_statistics()
{
  if (!impl->transport) return;
  if (!impl->settings.all_statistics && !summary_follows(lmp)) return;
  const std::string text = impl->settings.all_statistics ? all_statistics() : brief_statistics();
  if (me != 0) return;
  if (impl->settings.all_statistics)
    utils::logmesg(lmp, "\nTOFU p2p_rdma settings: {}", impl->settings.text(lmp));
  utils::logmesg(lmp,
                 "\nTOFU p2p_rdma statistics, average | maximum over {} rank{}: "
                 "pattern {}, {} shell in use\n{}",
                 nprocs, nprocs == 1 ? "" : "s",
                 impl->pattern == Pattern::DIRECT ? "p2p" : "3stage", impl->half ? "half" : "full",
                 text);
}

/* ----------------------------------------------------------------------
   what a user can act on: the way of the messages, and how much of the time is
   waiting, which no communication style can reduce
------------------------------------------------------------------------- */

std::string CommP2PRDMA::brief_statistics()
{
  Lines lines(world);
  for (const BackendUse &use : impl->report.uses)
    lines.add("peers by " + use.title, use.npeers, "{:.1f}", Lines::IF_ANY);
  lines.add("messages sent", impl->transport->counters().nmessages, "{:.0f}");
  double seconds = 0.0;
  for (const double phase : impl->statistics.seconds) seconds += phase;
  lines.add("seconds in communication", seconds, "{:.6f}");
  lines.add("seconds waiting", impl->transport->seconds_waited(), "{:.6f}");
  return lines.text();
}

/* ---------------------------------------------------------------------- */

std::string CommP2PRDMA::all_statistics()
{
  Lines lines(world);
  for (const BackendUse &use : impl->report.uses)
    lines.add("peers by " + use.title, use.npeers, "{:.1f}");
  bigint nself = 0, ncalls = 0;
  for (const HaloStage &stage : impl->plan.stages) nself += static_cast<bigint>(stage.self.size());
  for (bigint n : impl->statistics.ncalls) ncalls += n;
  lines.add("swaps", impl->plan.swaps.size(), "{:.1f}");
  lines.add("swaps with itself", nself, "{:.1f}");
  lines.add("ghost atoms", atom->nghost, "{:.1f}");
  add_messages(lines, impl->transport->counters(), ncalls);
  lines.add("regions registered", impl->statistics.nregistered, "{:.0f}");
  lines.add("arrays registered", impl->statistics.narrays, "{:.0f}");
  lines.add("Mbytes registered now", impl->report.nbytes_registered / 1048576.0, "{:.3f}");
  lines.add("questions for far atoms", impl->statistics.nasked, "{:.0f}");
  lines.add("exchanges with far atoms", impl->statistics.nfar, "{:.0f}");
  static const char *const phases[] = {"exchange", "borders", "forward",
                                       "reverse",  "styles",  "work"};
  static_assert(sizeof(phases) / sizeof(phases[0]) == Impl::NPHASES, "a name for each phase");
  for (int phase = 0; phase < Impl::NPHASES; phase++) {
    lines.add(std::string("seconds in ") + phases[phase], impl->statistics.seconds[phase],
              "{:.6f}");
    lines.add(std::string("calls of ") + phases[phase], impl->statistics.ncalls[phase], "{:.0f}");
  }
  lines.add("seconds waiting", impl->transport->seconds_waited(), "{:.6f}");
  return lines.text();
}
