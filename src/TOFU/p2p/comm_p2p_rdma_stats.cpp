/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// What the user is told at the end of a run.

#include "comm_p2p_rdma.h"

#include "comm_p2p_rdma-impl.h"

#include "atom.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

namespace {

// average and maximum over ranks

struct Spread {
  double average, maximum;
};

Spread spread(double value, MPI_Comm world, int nprocs)
{
  double sum, max;
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, world);
  MPI_Allreduce(&value, &max, 1, MPI_DOUBLE, MPI_MAX, world);
  return {sum / nprocs, max};
}

}    // namespace

/* ----------------------------------------------------------------------
   lines of "name: value | value", average and maximum over ranks, in the
   manner of LAMMPS' own timing breakdown
------------------------------------------------------------------------- */

void CommP2PRDMA::print_statistics()
{
  if (!impl->transport) return;
  const LinkCounters sent = impl->transport->counters();
  const ConnectReport &report = impl->report;

  bigint nself = 0;
  for (const HaloStage &stage : impl->plan.stages) nself += static_cast<bigint>(stage.self.size());
  bigint ncalls = 0;
  for (bigint n : impl->ncalls) ncalls += n;
  const double per_call = ncalls ? 1.0 / ncalls : 0.0;

  std::string text;
  auto line = [&](const char *name, double value, const char *format) {
    const Spread s = spread(value, world, nprocs);
    text += fmt::format("  {:<30} ", name);
    text += fmt::format(fmt::runtime(format), s.average);
    text += " | ";
    text += fmt::format(fmt::runtime(format), s.maximum) + "\n";
  };

  static const char *const phases[] = {"exchange", "borders", "forward",
                                       "reverse",  "styles",  "work"};
  static_assert(sizeof(phases) / sizeof(phases[0]) == Impl::NPHASES, "a name for each phase");

  text += fmt::format("\nTOFU p2p_rdma settings: {}\n", impl->settings.text(lmp));
  text += fmt::format("TOFU p2p_rdma statistics, average | maximum over {} ranks: pattern {}, {} "
                      "shell in use\n",
                      nprocs, impl->pattern == Pattern::DIRECT ? "p2p" : "3stage",
                      impl->half ? "half" : "full");
  for (const BackendUse &use : report.uses)
    line(("peers by " + use.title).c_str(), use.npeers, "{:.1f}");
  line("swaps", static_cast<double>(impl->plan.swaps.size()), "{:.1f}");
  line("swaps with itself", static_cast<double>(nself), "{:.1f}");
  line("ghost atoms", atom->nghost, "{:.1f}");
  line("messages sent", static_cast<double>(sent.nmessages), "{:.0f}");
  line("messages per call", static_cast<double>(sent.nmessages) * per_call, "{:.2f}");
  line("kbytes sent", static_cast<double>(sent.nbytes) / 1024.0, "{:.1f}");
  line("kbytes per message",
       sent.nmessages ? static_cast<double>(sent.nbytes) / 1024.0 / sent.nmessages : 0.0, "{:.3f}");
  line("messages that landed in x", static_cast<double>(sent.nlanded), "{:.0f}");
  line("kbytes that left from f", static_cast<double>(sent.nbytes_in_place) / 1024.0, "{:.1f}");
  line("messages in fragments", static_cast<double>(sent.nfragmented), "{:.0f}");
  line("lone credits", static_cast<double>(sent.nlone_credits), "{:.0f}");
  line("waits for credit", static_cast<double>(sent.ncredit_waits), "{:.0f}");
  line("regions registered", static_cast<double>(impl->nregistered), "{:.0f}");
  line("arrays registered", static_cast<double>(impl->narrays), "{:.0f}");
  line("Mbytes registered now", report.nbytes_registered / 1048576.0, "{:.3f}");
  line("exchanges with far atoms", static_cast<double>(impl->nfar), "{:.0f}");
  for (int phase = 0; phase < Impl::NPHASES; phase++) {
    const std::string name = phases[phase];
    line(("seconds in " + name).c_str(), impl->seconds[phase], "{:.6f}");
    line(("calls of " + name).c_str(), static_cast<double>(impl->ncalls[phase]), "{:.0f}");
  }
  line("seconds waiting", impl->transport->seconds_waited(), "{:.6f}");
  if (me == 0) utils::logmesg(lmp, text);
}
