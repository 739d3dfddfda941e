// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "half_shell.h"

#include "lammps/neighbor_builds.h"
#include "lammps/styles/known_styles.h"
#include "lammps/styles/pair_styles_in_use.h"
#include "lammps/styles/style_table.h"
#include "npair_half_shell.h"
#include "threadpool/lists/npair_threadpool.h"

#include "atom.h"
#include "bond.h"
#include "comm.h"
#include "compute.h"
#include "fix.h"
#include "fmt/format.h"
#include "force.h"
#include "modify.h"
#include "neigh_list.h"
#include "neighbor.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

namespace {

// the builds that NPairHalfShell replaces

bool is_replaced(const std::string &build)
{
  static const std::set<std::string> builds = {"half/bin/newton",
                                               "half/bin/newton/tri",
                                               "half/bin/atomonly/newton",
                                               "half/bin/atomonly/newton/tri",
                                               "half/size/bin/atomonly/newton",
                                               "half/size/bin/atomonly/newton/tri"};
  return builds.count(build) > 0;
}

// lists that select from another one hold with it

bool is_derived(const NeighList *list)
{
  return list->copy || list->listskip;
}

// first pair style in use that the table of styles lacks, or ""

std::string unknown_pair(const Force *force)
{
  for (const PairInUse &used : pair_styles_in_use(force))
    if (!is_known_pair(used.style)) return used.style;
  return "";
}

// interactions of molecules: empty if ghosts of the partners in bonds are all that the half shell
// lacks

std::string objection_of_molecules(LAMMPS *lmp)
{
  const Force *const force = lmp->force;
  if (lmp->atom->molecular == Atom::ATOMIC) return "";
  if (lmp->atom->molecular == Atom::TEMPLATE) return "bonds are those of molecule templates";
  if (!force->newton_bond) return "newton is off for bonds";
  for (const PairInUse &used : pair_styles_in_use(force))
    if (utils::strmatch(used.style, "tip4p"))
      return fmt::format("pair style {} looks up hydrogen atoms of ghosts", used.style);
  for (const Fix *fix : lmp->modify->get_fix_list())
    if (looks_up_bonded_atoms(fix->style))
      return fmt::format("fix {} needs ghosts of bonded atoms from all sides", fix->style);
  return "";
}

// one list: empty if it can be built from half of the ghosts

std::string objection_to(Neighbor *neighbor, int ilist)
{
  const NeighList *list = neighbor->lists[ilist];
  const std::string build = build_name_of_list(neighbor, ilist);
  if (list->ghost) return "a neighbor list has rows for ghost atoms";
  if (utils::strmatch(build, "^full")) return "a full neighbor list is needed";
  if (list->respaouter || list->respamiddle || list->respainner)
    return "rRESPA has lists of its own";
  if (is_derived(list) || is_replaced(build)) return "";
  return "neighbor list build " + build + " has no variant for the half shell";
}

}    // namespace

/* ---------------------------------------------------------------------- */

HalfShellCheck TOFU_NS::check_half_shell(LAMMPS *lmp)
{
  Neighbor *neighbor = lmp->neighbor;
  HalfShellCheck verdict;

  // without newton no rank returns forces; a custom or per-collection cut-off of ghosts is not the
  // same on both sides of a face

  if (!lmp->force->newton_pair)
    verdict.forbidden = "newton is off for pairs";
  else if (!lmp->force->pair)
    verdict.forbidden = "there is no pair style";
  else if (lmp->comm->mode != Comm::SINGLE)
    verdict.forbidden = "comm_modify mode is not single";
  else if (neighbor->includegroup)
    verdict.forbidden = "only a group of atoms has neighbors";
  else if (lmp->comm->nthreads > 1)
    verdict.forbidden = "several threads build the neighbor lists";
  else
    verdict.forbidden = objection_of_molecules(lmp);
  for (int i = 0; i < neighbor->nlist && verdict.forbidden.empty(); i++)
    verdict.forbidden = objection_to(neighbor, i);
  if (neighbor->nlist == 0 && verdict.forbidden.empty())
    verdict.forbidden = fmt::format("pair style {} has no neighbor list", lmp->force->pair_style);

  if (verdict.forbidden.empty()) {
    const std::string style = unknown_pair(lmp->force);
    if (!style.empty())
      verdict.doubtful = fmt::format("pair style {} may need ghosts from all sides", style);
  }
  for (const Fix *fix : lmp->modify->get_fix_list())
    if (verdict.doubtful.empty() && !is_half_shell_fix(fix->style))
      verdict.doubtful = fmt::format("fix {} may need ghosts from all sides", fix->style);
  for (const Compute *compute : lmp->modify->get_compute_list())
    if (verdict.doubtful.empty() && !is_known_compute(compute->style))
      verdict.doubtful = fmt::format("compute {} may need ghosts from all sides", compute->style);
  return verdict;
}

/* ----------------------------------------------------------------------
   with newton on the atoms of a bond or angle are one bond away from the one that
   stores it, those of dihedrals, impropers and clusters two; the factors are those of
   Comm::get_comm_cutoff().  What moves until the next borders() does not matter
------------------------------------------------------------------------- */

bool TOFU_NS::corners_are_unneeded(LAMMPS *lmp, double cutghost)
{
  constexpr double ONE_BOND = 1.5, TWO_BONDS = 2.25;
  const Force *const force = lmp->force;
  if (lmp->atom->molecular == Atom::ATOMIC) return true;
  if (!force->bond) return false;
  double shortest = INFINITY, longest = 0.0;
  for (int type = 1; type <= lmp->atom->nbondtypes; type++) {
    const double length = force->bond->equilibrium_distance(type);
    shortest = std::min(shortest, length);
    longest = std::max(longest, length);
  }
  bool two_bonds = force->dihedral || force->improper;
  for (const Fix *fix : lmp->modify->get_fix_list())
    two_bonds = two_bonds || (fix_traits(fix->style) & BONDED_GHOSTS);
  return shortest > 0.0 && (two_bonds ? TWO_BONDS : ONE_BOND) * longest <= cutghost;
}

/* ---------------------------------------------------------------------- */

void TOFU_NS::install_half_shell_lists(LAMMPS *lmp)
{
  Neighbor *neighbor = lmp->neighbor;
  for (int i = 0; i < neighbor->nlist; i++) {
    const std::string style = build_name_of_list(neighbor, i);
    if (is_derived(neighbor->lists[i])) continue;
    NPair *&build = build_of_list(neighbor, i);
    const int size = utils::strmatch(style, "^half/size");
    if (auto threadpool = dynamic_cast<NPairThreadpool *>(build)) {
      if (!dynamic_cast<NPairHalfShell *>(threadpool->replaced.get()))
        threadpool->replaced.reset(new NPairHalfShell(lmp, threadpool->replaced.release(), size));
    } else if (!dynamic_cast<NPairHalfShell *>(build)) {
      build = new NPairHalfShell(lmp, build, size);
      neighbor->lists[i]->np = build;
    }
  }
}
