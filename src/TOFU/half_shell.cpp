/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "half_shell.h"

#include "npair_half_shell.h"

#include "atom.h"
#include "comm.h"
#include "compute.h"
#include "fix.h"
#include "fmt/format.h"
#include "force.h"
#include "modify.h"
#include "neigh_list.h"
#include "neighbor.h"
#include "pair_hybrid.h"

#include <algorithm>
#include <cstring>
#include <set>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

namespace {

// the builds of lists that Neighbor has chosen are protected members of it

class NeighborBuilds : public Neighbor {
 public:
  static NPair *&build_of(Neighbor *neighbor, int ilist)
  {
    return (neighbor->*(&NeighborBuilds::neigh_pair))[ilist];
  }
  static std::string style_of(Neighbor *neighbor, int ilist)
  {
    const int method = neighbor->lists[ilist]->pair_method;
    return method > 0 ? (neighbor->*(&NeighborBuilds::pairnames))[method - 1] : "none";
  }
};

// the names of the sub-styles of pair_style hybrid are protected as well

class HybridNames : public PairHybrid {
 public:
  static int count(const PairHybrid *hybrid) { return hybrid->*(&HybridNames::nstyles); }
  static const char *name(const PairHybrid *hybrid, int i)
  {
    return (hybrid->*(&HybridNames::keywords))[i];
  }
};

bool starts_with(const std::string &text, const char *start)
{
  return text.compare(0, strlen(start), start) == 0;
}

// the builds that NPairHalfShell replaces

bool is_replaced(const std::string &build)
{
  static const std::set<std::string> builds = {
      "half/bin/atomonly/newton", "half/bin/atomonly/newton/tri", "half/size/bin/atomonly/newton",
      "half/size/bin/atomonly/newton/tri"};
  return builds.count(build) > 0;
}

// lists that select from another one hold with it

bool is_derived(const NeighList *list)
{
  return list->copy || list->listskip;
}

// "lj/cut/opt" -> "lj/cut"

std::string without_suffix(std::string style)
{
  for (const char *suffix : {"/opt", "/omp", "/intel", "/threadpool"}) {
    const std::size_t n = strlen(suffix);
    if (style.size() > n && style.compare(style.size() - n, n, suffix) == 0)
      style.resize(style.size() - n);
  }
  return style;
}

// fixes and computes that look at owned atoms alone, or at ghosts through half lists alone

bool fix_needs_no_more(const std::string &style)
{
  static const std::set<std::string> styles = {"adapt",
                                               "addforce",
                                               "aveforce",
                                               "balance",
                                               "box/relax",
                                               "deform",
                                               "deposit",
                                               "drag",
                                               "dt/reset",
                                               "dummy",
                                               "efield",
                                               "enforce2d",
                                               "evaporate",
                                               "freeze",
                                               "gravity",
                                               "halt",
                                               "heat",
                                               "indent",
                                               "langevin",
                                               "lineforce",
                                               "MINIMIZE",
                                               "momentum",
                                               "move",
                                               "NEIGH_HISTORY",
                                               "oneway",
                                               "p2p_rdma/stats",
                                               "pair",
                                               "planeforce",
                                               "print",
                                               "property/atom",
                                               "READ_RESTART",
                                               "recenter",
                                               "ring_balance",
                                               "setforce",
                                               "spring",
                                               "spring/self",
                                               "temp/csvr",
                                               "temp/berendsen",
                                               "temp/csld",
                                               "temp/rescale",
                                               "press/berendsen",
                                               "press/langevin",
                                               "thermal/conductivity",
                                               "vector",
                                               "viscosity",
                                               "viscous"};
  for (const char *family : {"ave/", "nve", "nvt", "npt", "nph", "store/", "STORE/", "wall/"})
    if (starts_with(style, family)) return true;
  return styles.count(style) > 0;
}

bool compute_needs_no_more(const std::string &style)
{
  static const std::set<std::string> styles = {"angmom/chunk",
                                               "centroid/stress/atom",
                                               "chunk/atom",
                                               "chunk/spread/atom",
                                               "com",
                                               "com/chunk",
                                               "count/type",
                                               "dipole",
                                               "dipole/chunk",
                                               "displace/atom",
                                               "erotate/sphere",
                                               "erotate/sphere/atom",
                                               "global/atom",
                                               "group/group",
                                               "gyration",
                                               "gyration/chunk",
                                               "heat/flux",
                                               "inertia/chunk",
                                               "ke",
                                               "ke/atom",
                                               "msd",
                                               "msd/chunk",
                                               "omega/chunk",
                                               "pair",
                                               "pair/local",
                                               "pe",
                                               "pe/atom",
                                               "pressure",
                                               "property/atom",
                                               "property/chunk",
                                               "rdf",
                                               "slice",
                                               "stress/atom",
                                               "temp",
                                               "torque/chunk",
                                               "vacf",
                                               "vcm/chunk"};
  for (const char *family : {"reduce", "temp/"})
    if (starts_with(style, family)) return true;
  return styles.count(style) > 0;
}

// pair styles whose forces come from their half lists and from nothing else

bool pair_needs_no_more(const std::string &style)
{
  static const std::set<std::string> styles = {"beck",  "buck",     "colloid", "gauss", "gayberne",
                                               "morse", "soft",     "table",   "ufm",   "yukawa",
                                               "zbl",   "granular", "zero"};
  for (const char *family : {"born", "buck/", "coul/", "dpd", "eam", "gran/", "lj", "mie/", "nm/",
                             "morse/", "resquared", "wf/", "yukawa/"})
    if (starts_with(style, family)) return true;
  return styles.count(style) > 0;
}

// first pair style in use that is not known, or ""

std::string unknown_pair(const Force *force)
{
  const auto hybrid = dynamic_cast<const PairHybrid *>(force->pair);
  if (!hybrid)
    return pair_needs_no_more(without_suffix(force->pair_style)) ? "" : force->pair_style;
  for (int i = 0; i < HybridNames::count(hybrid); i++)
    if (!pair_needs_no_more(without_suffix(HybridNames::name(hybrid, i))))
      return HybridNames::name(hybrid, i);
  return "";
}

// one list: empty if it can be built from half of the ghosts

std::string objection_to(Neighbor *neighbor, int ilist)
{
  const NeighList *list = neighbor->lists[ilist];
  const std::string build = NeighborBuilds::style_of(neighbor, ilist);
  if (list->ghost) return "a neighbor list has rows for ghost atoms";
  if (starts_with(build, "full")) return "a full neighbor list is needed";
  if (list->respaouter || list->respamiddle || list->respainner)
    return "rRESPA has lists of its own";
  if (is_derived(list) || is_replaced(build)) return "";
  return "neighbor list build " + build + " has no variant for the half shell";
}

}    // namespace

/* ---------------------------------------------------------------------- */

ShellVerdict TOFU_NS::judge_half_shell(LAMMPS *lmp)
{
  Neighbor *neighbor = lmp->neighbor;
  ShellVerdict verdict;

  // without newton nobody returns forces; partners in a molecule are looked up in all directions;
  // a custom or per-collection cut-off of ghosts is not the same on both sides of a face

  if (!lmp->force->newton_pair)
    verdict.forbidden = "newton is off for pairs";
  else if (lmp->atom->molecular != Atom::ATOMIC)
    verdict.forbidden = "atoms have bonds";
  else if (!lmp->force->pair)
    verdict.forbidden = "there is no pair style";
  else if (lmp->comm->mode != Comm::SINGLE)
    verdict.forbidden = "comm_modify mode is not single";
  else if (neighbor->includegroup)
    verdict.forbidden = "only a group of atoms has neighbors";
  else if (lmp->comm->nthreads > 1)
    verdict.forbidden = "several threads build the neighbor lists";
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
    if (verdict.doubtful.empty() && !fix_needs_no_more(without_suffix(fix->style)))
      verdict.doubtful = fmt::format("fix {} may need ghosts from all sides", fix->style);
  for (const Compute *compute : lmp->modify->get_compute_list())
    if (verdict.doubtful.empty() && !compute_needs_no_more(without_suffix(compute->style)))
      verdict.doubtful = fmt::format("compute {} may need ghosts from all sides", compute->style);
  return verdict;
}

/* ---------------------------------------------------------------------- */

void TOFU_NS::install_half_shell_lists(LAMMPS *lmp)
{
  Neighbor *neighbor = lmp->neighbor;
  for (int i = 0; i < neighbor->nlist; i++) {
    const std::string style = NeighborBuilds::style_of(neighbor, i);
    NPair *&build = NeighborBuilds::build_of(neighbor, i);
    if (is_derived(neighbor->lists[i]) || dynamic_cast<NPairHalfShell *>(build)) continue;
    build = new NPairHalfShell(lmp, build, starts_with(style, "half/size"));
    neighbor->lists[i]->np = build;
  }
}
