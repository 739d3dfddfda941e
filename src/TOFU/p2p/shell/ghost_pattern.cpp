// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "ghost_pattern.h"

#include "half_shell.h"
#include "halo/pattern_cost.h"
#include "lammps/io/version_line.h"
#include "sub_boxes.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "neighbor.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

// beyond, lists with the half shell search ghosts that are no neighbors

static constexpr double MUCH_LONGER = 3.0;

// so many times as fast as the direct pattern must the staged one seem, since costs are estimates;
// and within a run the other one as the present one, since a change makes new links

static constexpr double ADVANTAGE = 1.5;
static constexpr double ADVANTAGE_IN_A_RUN = 2.0;

/* ---------------------------------------------------------------------- */

GhostPattern::GhostPattern(LAMMPS *lmp, const P2PSettings &settings_in, SubBoxes &boxes_in) :
    Pointers(lmp), settings(settings_in), boxes(boxes_in)
{
}

/* ---------------------------------------------------------------------- */

void GhostPattern::choose(bool of_a_group)
{
  std::string objection = objection_to_half_shell(of_a_group);
  chosen = Pattern::DIRECT;
  if (settings.shell != Shell::HALF) {
    boxes.update();
    boxes.expect_cutghost();    // setup() comes later
    choose_pattern(objection.empty(), ADVANTAGE);
    if (chosen == Pattern::STAGED)
      objection = settings.pattern == Pattern::STAGED ? "pattern 3stage"
                                                      : "three stages are faster";
  }
  is_half = objection.empty();
  if (is_half) install_half_shell_lists(lmp);
  log_shell(objection);
}

/* ---------------------------------------------------------------------- */

void GhostPattern::choose_again()
{
  if (!is_half) choose_pattern(false, ADVANTAGE_IN_A_RUN);
}

/* ----------------------------------------------------------------------
   Returns: why ghosts come from all directions, empty if half of them will do
------------------------------------------------------------------------- */

std::string GhostPattern::objection_to_half_shell(bool of_a_group)
{
  HalfShellCheck verdict = check_half_shell(lmp);
  if (of_a_group) verdict.forbidden = "only a group of atoms has ghosts";
  if (comm->cutghostuser > MUCH_LONGER * neighbor->cutneighmax)
    verdict.doubtful = "ghosts come from much further away than neighbors";
  if (settings.shell == Shell::HALF && !verdict.forbidden.empty())
    error->all(FLERR, "comm_style p2p/rdma shell half is not possible: {}; use shell auto",
               verdict.forbidden);
  if (settings.shell == Shell::FULL) return "as requested";
  if (!verdict.forbidden.empty()) return verdict.forbidden;
  return settings.shell == Shell::AUTO ? verdict.doubtful : "";
}

/* ----------------------------------------------------------------------
   Args:
     direct_is_half   whether the direct pattern would have half of the shell
     advantage        how many times as fast the other pattern must be to take the place of the
                      present one
------------------------------------------------------------------------- */

void GhostPattern::choose_pattern(bool direct_is_half, double advantage)
{
  if (boxes.tiled()) {
    if (settings.pattern == Pattern::STAGED)
      error->all(FLERR,
                 "comm_style p2p/rdma pattern 3stage needs a grid of sub-boxes, which balance rcb "
                 "does not make; use pattern auto");
    chosen = Pattern::DIRECT;
    return;
  }
  if (settings.pattern != Pattern::AUTO) {
    chosen = settings.pattern;
    return;
  }
  const double staged =
      staged_advantage(boxes.geometry(), static_cast<double>(atom->natoms), direct_is_half);
  if (chosen == Pattern::DIRECT && staged > advantage)
    chosen = Pattern::STAGED;
  else if (chosen == Pattern::STAGED && staged < 1.0 / advantage)
    chosen = Pattern::DIRECT;
}

/* ---------------------------------------------------------------------- */

void GhostPattern::log_shell(const std::string &objection)
{
  const std::string text = is_half ? "half shell" : "full shell since " + objection;
  if (text != logged && comm->me == 0) {
    log_version(lmp);
    utils::logmesg(lmp, "TOFU p2p/rdma: ghosts from the {}\n", text);
  }
  logged = text;
}
