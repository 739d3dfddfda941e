/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "known_styles.h"

#include "compute.h"
#include "dump.h"
#include "fix.h"
#include "fmt/format.h"
#include "lammps.h"
#include "modify.h"
#include "output.h"
#include "update.h"

#include <cstring>
#include <set>

using namespace LAMMPS_NS;

namespace {

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

// of the known ones, those that read positions of ghosts when they are asked, not in a force

bool reads_ghosts(const std::string &style)
{
  static const std::set<std::string> styles = {"group/group", "pair/local", "rdf"};
  return styles.count(style) > 0;
}

bool dump_is_known(const std::string &style)
{
  static const std::set<std::string> styles = {"atom", "cfg", "custom", "dcd",
                                               "grid", "xtc", "xyz",    "yaml"};
  return styles.count(style) > 0;
}

}    // namespace

// fixes and computes that look at owned atoms alone, or at ghosts through half lists alone

bool TOFU_NS::is_known_fix(const std::string &full_style)
{
  const std::string style = without_suffix(full_style);
  static const std::set<std::string> styles = {"THREADPOOL",
                                               "adapt",
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
                                               "KSPACE_OVERLAP",
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
  if (style == "nve/spin") return false;    // looks at the neighbors of each spin as it turns it
  for (const char *family : {"ave/", "nve", "nvt", "npt", "nph", "store/", "STORE/", "wall/"})
    if (style.compare(0, strlen(family), family) == 0) return true;
  return styles.count(style) > 0;
}

bool TOFU_NS::is_known_compute(const std::string &full_style)
{
  const std::string style = without_suffix(full_style);
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
    if (style.compare(0, strlen(family), family) == 0) return true;
  return styles.count(style) > 0;
}

// pair styles whose forces come from their half lists and from nothing else

bool TOFU_NS::is_known_pair(const std::string &full_style)
{
  const std::string style = without_suffix(full_style);
  static const std::set<std::string> styles = {"beck",  "buck",     "colloid", "gauss", "gayberne",
                                               "morse", "soft",     "table",   "ufm",   "yukawa",
                                               "zbl",   "granular", "zero"};
  for (const char *family : {"born", "buck/", "coul/", "dpd", "eam", "gran/", "lj", "mie/", "nm/",
                             "morse/", "resquared", "wf/", "yukawa/"})
    if (style.compare(0, strlen(family), family) == 0) return true;
  return styles.count(style) > 0;
}

/* ----------------------------------------------------------------------
   rRESPA computes outer forces after the inner ones have been returned, the
   minimizers have loops of their own
------------------------------------------------------------------------- */

std::string TOFU_NS::reader_of_ghosts_after_forces(LAMMPS *lmp)
{
  if (lmp->update->whichflag != 1) return "a minimization";
  if (!utils::strmatch(lmp->update->integrate_style, "^verlet") ||
      utils::strmatch(lmp->update->integrate_style, "^verlet/split"))
    return fmt::format("run_style {}", lmp->update->integrate_style);
  for (const Fix *fix : lmp->modify->get_fix_list())
    if (!is_known_fix(fix->style)) return fmt::format("fix {}", fix->style);
  for (const Compute *compute : lmp->modify->get_compute_list())
    if (!is_known_compute(compute->style) || reads_ghosts(compute->style))
      return fmt::format("compute {}", compute->style);
  for (int i = 0; i < lmp->output->ndump; i++)
    if (!dump_is_known(lmp->output->dump[i]->style))
      return fmt::format("dump {}", lmp->output->dump[i]->style);
  return "";
}
