/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "p2p_settings.h"

#include "comm_p2p_rdma.h"
#include "number_option.h"

#include "comm.h"
#include "comm_brick.h"
#include "error.h"
#include "fmt/ranges.h"
#include "lammps.h"
#include "utils.h"

#include <limits>
#include <set>
#include <string>

using namespace LAMMPS_NS;

namespace {

// slots are cheap but not free: each is as large as the largest message

constexpr int MIN_SLOTS = 1;
constexpr int MAX_SLOTS = 64;
constexpr int MAX_ENDPOINTS = 64;
constexpr int MAX_THREADS = 64;

const std::set<std::string> KEYWORDS = {"endpoints", "interface", "landing", "pattern",
                                        "provider",  "shell",     "slots",   "stores",
                                        "threads",   "transport", "verify"};

// the constructor of CommBrick that takes the old style leaves the list of extract() to chance,
// and its destructor frees it

class CommBrickAgain : public CommBrick {
 public:
  CommBrickAgain(LAMMPS *lmp, Comm *oldcomm) : CommBrick(lmp, oldcomm) { localsendlist = nullptr; }
};

}    // namespace

/* ---------------------------------------------------------------------- */

TOFU_NS::P2PSettings TOFU_NS::P2PSettings::parse(LAMMPS *lmp, const char *command, int narg,
                                                 char **arg)
{
  Error *error = lmp->error;
  P2PSettings settings;

  for (int iarg = 0; iarg < narg; iarg += 2) {
    const std::string keyword = arg[iarg];
    if (!KEYWORDS.count(keyword))
      error->all(FLERR, "Unknown {} keyword: {} (allowed: {})", command, keyword,
                 fmt::join(KEYWORDS, ", "));
    if (iarg + 1 >= narg) error->all(FLERR, "Missing value after {} keyword: {}", command, keyword);
    const std::string value = arg[iarg + 1];
    auto reject = [&](const char *allowed) {
      error->all(FLERR, "Unknown {} {} value: {} (allowed: {})", command, keyword, value, allowed);
    };

    auto number = [&](int lowest, int highest) {
      return static_cast<int>(integer_option(lmp, fmt::format("{} {} value", command, keyword),
                                             value, lowest, highest));
    };

    if (keyword == "transport") {
      if (value == "auto")
        settings.transport.backend = BackendChoice::AUTO;
      else if (value == "shm")
        settings.transport.backend = BackendChoice::SHM;
      else if (value == "ofi")
        settings.transport.backend = BackendChoice::OFI;
      else if (value == "mpi")
        settings.transport.backend = BackendChoice::MPI;
      else
        reject("auto, shm, ofi, mpi");
    } else if (keyword == "provider") {
      settings.transport.provider = value == "auto" ? "" : value;
    } else if (keyword == "interface") {
      settings.transport.interface = value == "auto" ? "" : value;
    } else if (keyword == "pattern") {
      if (value == "auto")
        settings.pattern = Pattern::AUTO;
      else if (value == "p2p")
        settings.pattern = Pattern::DIRECT;
      else if (value == "3stage")
        settings.pattern = Pattern::STAGED;
      else
        reject("auto, p2p, 3stage");
    } else if (keyword == "shell") {
      if (value == "auto")
        settings.shell = Shell::AUTO;
      else if (value == "half")
        settings.shell = Shell::HALF;
      else if (value == "full")
        settings.shell = Shell::FULL;
      else
        reject("auto, half, full");
    } else if (keyword == "slots") {
      settings.transport.link.nslots = number(MIN_SLOTS, MAX_SLOTS);
    } else if (keyword == "endpoints") {
      settings.nendpoints = number(1, MAX_ENDPOINTS);
    } else if (keyword == "threads") {
      settings.nthreads = number(1, MAX_THREADS);
    } else if (keyword == "stores") {
      if (value == "stream")
        settings.transport.link.stream = true;
      else if (value == "plain")
        settings.transport.link.stream = false;
      else
        reject("stream, plain");
    } else {    // landing, verify
      if (value != "yes" && value != "no" && value != "on" && value != "off") reject("yes, no");
      bool &choice = keyword == "landing" ? settings.landing : settings.transport.link.verify;
      choice = value == "yes" || value == "on";
    }
  }

  if (settings.shell == Shell::HALF && settings.pattern == Pattern::STAGED)
    error->all(FLERR, "{}: shell half needs pattern auto or p2p, not 3stage", command);

  if (settings.nthreads > settings.nendpoints)
    error->all(FLERR, "{}: {} threads cannot share {} endpoints; use at least as many endpoints",
               command, settings.nthreads, settings.nendpoints);
  settings.transport.nlanes = settings.nthreads;
  settings.transport.nendpoints = settings.nendpoints;

  settings.node_size =
      static_cast<int>(environment_option(lmp, "TOFU_NODE_SIZE", std::numeric_limits<int>::max()));
  settings.transport.shuffle_seed =
      environment_option(lmp, "TOFU_SHUFFLE", std::numeric_limits<std::int64_t>::max());
  return settings;
}

/* ---------------------------------------------------------------------- */

void TOFU_NS::install_comm_p2p_rdma(LAMMPS *lmp, const P2PSettings &settings)
{
  Comm *oldcomm = lmp->comm;
  if (lmp->kokkos)
    lmp->error->all(FLERR, "Cannot use comm_style p2p_rdma together with the KOKKOS package");
  if (oldcomm->layout == Comm::LAYOUT_TILED)
    lmp->error->all(FLERR,
                    "Cannot change to comm_style p2p_rdma from tiled layout; it needs a grid of "
                    "bricks: rebalance with 'balance shift' instead of rcb, or stay with "
                    "comm_style tiled");
  lmp->comm = new CommP2PRDMA(lmp, oldcomm, settings);
  delete oldcomm;
}

/* ---------------------------------------------------------------------- */

void TOFU_NS::install_comm_brick(LAMMPS *lmp)
{
  Comm *oldcomm = lmp->comm;
  if (oldcomm->style == Comm::BRICK && !CommP2PRDMA::find(oldcomm)) return;
  lmp->comm = new CommBrickAgain(lmp, oldcomm);
  delete oldcomm;
}
