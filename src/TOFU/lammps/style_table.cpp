/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "style_table.h"

#include <cstring>
#include <map>

namespace {

using namespace TOFU_NS;

using Table = std::map<std::string, unsigned>;

// clang-format off
const Table PAIRS = {
    {"beck", HALF_GHOSTS | ANY_ROWS},
    {"born", HALF_GHOSTS | ANY_ROWS},
    {"born/coul/dsf", HALF_GHOSTS},
    {"born/coul/dsf/cs", HALF_GHOSTS},
    {"born/coul/long", HALF_GHOSTS | ANY_ROWS},
    {"born/coul/long/cs", HALF_GHOSTS},
    {"born/coul/msm", HALF_GHOSTS},
    {"born/coul/wolf", HALF_GHOSTS},
    {"born/coul/wolf/cs", HALF_GHOSTS},
    {"born/gauss", HALF_GHOSTS},
    {"buck", HALF_GHOSTS | ANY_ROWS},
    {"buck/coul/cut", HALF_GHOSTS | ANY_ROWS},
    {"buck/coul/long", HALF_GHOSTS | ANY_ROWS},
    {"buck/coul/long/cs", HALF_GHOSTS},
    {"buck/coul/msm", HALF_GHOSTS},
    {"buck/long/coul/long", HALF_GHOSTS},
    {"buck/mdf", HALF_GHOSTS},
    {"colloid", HALF_GHOSTS},
    {"cosine/squared", HALF_GHOSTS},
    {"coul/cut", HALF_GHOSTS | ANY_ROWS},
    {"coul/cut/global", HALF_GHOSTS},
    {"coul/cut/soft", HALF_GHOSTS},
    {"coul/debye", HALF_GHOSTS | ANY_ROWS},
    {"coul/diel", HALF_GHOSTS},
    {"coul/dsf", HALF_GHOSTS},
    {"coul/long", HALF_GHOSTS | ANY_ROWS},
    {"coul/long/cs", HALF_GHOSTS},
    {"coul/long/soft", HALF_GHOSTS},
    {"coul/msm", HALF_GHOSTS},
    {"coul/slater/cut", HALF_GHOSTS},
    {"coul/slater/long", HALF_GHOSTS},
    {"coul/wolf", HALF_GHOSTS},
    {"coul/wolf/cs", HALF_GHOSTS},
    {"deepmd", ANY_ROWS_WITH_SUFFIX},
    {"dpd", HALF_GHOSTS},
    {"dpd/ext", HALF_GHOSTS},
    {"dpd/ext/tstat", HALF_GHOSTS},
    {"dpd/tstat", HALF_GHOSTS},
    {"eam", HALF_GHOSTS | ANY_ROWS_WITH_SUFFIX},
    {"eam/alloy", HALF_GHOSTS | ANY_ROWS_WITH_SUFFIX},
    {"eam/fs", HALF_GHOSTS | ANY_ROWS_WITH_SUFFIX},
    {"edip", ANY_ROWS},
    {"edip/multi", ANY_ROWS},
    {"gauss", HALF_GHOSTS},
    {"gauss/cut", HALF_GHOSTS},
    {"gayberne", HALF_GHOSTS},
    {"gran/hertz/history", HALF_GHOSTS},
    {"gran/hooke", HALF_GHOSTS},
    {"gran/hooke/history", HALF_GHOSTS},
    {"granular", HALF_GHOSTS},
    {"harmonic/cut", HALF_GHOSTS},
    {"lj/charmm/coul/charmm", HALF_GHOSTS | ANY_ROWS},
    {"lj/charmm/coul/charmm/implicit", HALF_GHOSTS | ANY_ROWS},
    {"lj/charmm/coul/long", HALF_GHOSTS | ANY_ROWS},
    {"lj/charmm/coul/long/soft", HALF_GHOSTS},
    {"lj/charmm/coul/msm", HALF_GHOSTS},
    {"lj/charmmfsw/coul/charmmfsh", HALF_GHOSTS},
    {"lj/charmmfsw/coul/long", HALF_GHOSTS},
    {"lj/class2", HALF_GHOSTS | ANY_ROWS},
    {"lj/class2/coul/cut", HALF_GHOSTS | ANY_ROWS},
    {"lj/class2/coul/cut/soft", HALF_GHOSTS},
    {"lj/class2/coul/long", HALF_GHOSTS | ANY_ROWS},
    {"lj/class2/coul/long/cs", HALF_GHOSTS},
    {"lj/class2/coul/long/soft", HALF_GHOSTS},
    {"lj/class2/soft", HALF_GHOSTS},
    {"lj/cubic", HALF_GHOSTS},
    {"lj/cut", HALF_GHOSTS | ANY_ROWS},
    {"lj/cut/coul/cut", HALF_GHOSTS | ANY_ROWS},
    {"lj/cut/coul/cut/soft", HALF_GHOSTS},
    {"lj/cut/coul/debye", HALF_GHOSTS | ANY_ROWS},
    {"lj/cut/coul/dsf", HALF_GHOSTS},
    {"lj/cut/coul/long", HALF_GHOSTS | ANY_ROWS},
    {"lj/cut/coul/long/cs", HALF_GHOSTS},
    {"lj/cut/coul/long/soft", HALF_GHOSTS},
    {"lj/cut/coul/msm", HALF_GHOSTS},
    {"lj/cut/coul/wolf", HALF_GHOSTS},
    {"lj/cut/dipole/cut", HALF_GHOSTS},
    {"lj/cut/dipole/long", HALF_GHOSTS},
    {"lj/cut/soft", HALF_GHOSTS},
    {"lj/expand", HALF_GHOSTS | ANY_ROWS},
    {"lj/expand/coul/long", HALF_GHOSTS},
    {"lj/gromacs", HALF_GHOSTS | ANY_ROWS},
    {"lj/gromacs/coul/gromacs", HALF_GHOSTS | ANY_ROWS},
    {"lj/long/coul/long", HALF_GHOSTS},
    {"lj/long/dipole/long", HALF_GHOSTS},
    {"lj/mdf", HALF_GHOSTS},
    {"lj/relres", HALF_GHOSTS},
    {"lj/sdk", HALF_GHOSTS},
    {"lj/sdk/coul/long", HALF_GHOSTS},
    {"lj/sdk/coul/msm", HALF_GHOSTS},
    {"lj/sf", HALF_GHOSTS},
    {"lj/sf/dipole/sf", HALF_GHOSTS},
    {"lj/smooth", HALF_GHOSTS | ANY_ROWS},
    {"lj/smooth/linear", HALF_GHOSTS | ANY_ROWS},
    {"lj/spica", HALF_GHOSTS},
    {"lj/spica/coul/long", HALF_GHOSTS},
    {"lj/spica/coul/msm", HALF_GHOSTS},
    {"lj/switch3/coulgauss/long", HALF_GHOSTS},
    {"lj96/cut", HALF_GHOSTS | ANY_ROWS},
    {"mie/cut", HALF_GHOSTS | ANY_ROWS},
    {"morse", HALF_GHOSTS | ANY_ROWS},
    {"morse/smooth/linear", HALF_GHOSTS},
    {"morse/soft", HALF_GHOSTS},
    {"nm/cut", HALF_GHOSTS},
    {"nm/cut/coul/cut", HALF_GHOSTS},
    {"nm/cut/coul/long", HALF_GHOSTS},
    {"nm/cut/split", HALF_GHOSTS},
    {"pedone", HALF_GHOSTS},
    {"resquared", HALF_GHOSTS},
    {"soft", HALF_GHOSTS | ANY_ROWS},
    {"sw", ANY_ROWS},
    {"sw/mod", ANY_ROWS},
    {"table", HALF_GHOSTS | ANY_ROWS},
    {"tersoff", ANY_ROWS},
    {"tersoff/mod", ANY_ROWS},
    {"tersoff/mod/c", ANY_ROWS},
    {"tersoff/zbl", ANY_ROWS},
    {"ufm", HALF_GHOSTS},
    {"vashishta", ANY_ROWS},
    {"wf/cut", HALF_GHOSTS},
    {"yukawa", HALF_GHOSTS | ANY_ROWS},
    {"yukawa/colloid", HALF_GHOSTS},
    {"zbl", HALF_GHOSTS | ANY_ROWS},
    {"zero", HALF_GHOSTS | ANY_ROWS},
};

const Table FIXES = {
    {"adapt", HALF_GHOSTS},
    {"addforce", HALF_GHOSTS},
    {"ave/atom", HALF_GHOSTS | ONLY_LOOKS},
    {"ave/chunk", HALF_GHOSTS | ONLY_LOOKS},
    {"ave/correlate", HALF_GHOSTS | ONLY_LOOKS},
    {"ave/correlate/long", HALF_GHOSTS | ONLY_LOOKS},
    {"ave/grid", HALF_GHOSTS | ONLY_LOOKS},
    {"ave/histo", HALF_GHOSTS | ONLY_LOOKS},
    {"ave/histo/weight", HALF_GHOSTS | ONLY_LOOKS},
    {"ave/moments", HALF_GHOSTS | ONLY_LOOKS},
    {"ave/time", HALF_GHOSTS | ONLY_LOOKS},
    {"aveforce", HALF_GHOSTS},
    {"balance", HALF_GHOSTS},
    {"box/relax", HALF_GHOSTS},
    {"deform", HALF_GHOSTS},
    {"deposit", HALF_GHOSTS},
    {"drag", HALF_GHOSTS},
    {"dt/reset", HALF_GHOSTS | ONLY_LOOKS},
    {"DUMMY", HALF_GHOSTS},
    {"efield", HALF_GHOSTS},
    {"enforce2d", HALF_GHOSTS},
    {"evaporate", HALF_GHOSTS},
    {"freeze", HALF_GHOSTS},
    {"gravity", HALF_GHOSTS},
    {"halt", HALF_GHOSTS | ONLY_LOOKS},
    {"heat", HALF_GHOSTS},
    {"indent", HALF_GHOSTS},
    {"KSPACE_OVERLAP", HALF_GHOSTS},
    {"langevin", HALF_GHOSTS | LOOKS_AT_END},
    {"lineforce", HALF_GHOSTS},
    {"MINIMIZE", HALF_GHOSTS},
    {"momentum", HALF_GHOSTS},
    {"move", HALF_GHOSTS},
    {"NEIGH_HISTORY", HALF_GHOSTS},
    {"nph", HALF_GHOSTS},
    {"nph/asphere", HALF_GHOSTS},
    {"nph/body", HALF_GHOSTS},
    {"nph/eff", HALF_GHOSTS},
    {"nph/sphere", HALF_GHOSTS},
    {"nphug", HALF_GHOSTS},
    {"npt", HALF_GHOSTS},
    {"npt/asphere", HALF_GHOSTS},
    {"npt/body", HALF_GHOSTS},
    {"npt/cauchy", HALF_GHOSTS},
    {"npt/eff", HALF_GHOSTS},
    {"npt/sphere", HALF_GHOSTS},
    {"npt/uef", HALF_GHOSTS},
    {"nve", HALF_GHOSTS},
    {"nve/asphere", HALF_GHOSTS},
    {"nve/asphere/noforce", HALF_GHOSTS},
    {"nve/body", HALF_GHOSTS},
    {"nve/eff", HALF_GHOSTS},
    {"nve/limit", HALF_GHOSTS},
    {"nve/line", HALF_GHOSTS},
    {"nve/manifold/rattle", HALF_GHOSTS},
    {"nve/noforce", HALF_GHOSTS},
    {"nve/sphere", HALF_GHOSTS},
    {"nve/tri", HALF_GHOSTS},
    {"nvt", HALF_GHOSTS},
    {"nvt/asphere", HALF_GHOSTS},
    {"nvt/body", HALF_GHOSTS},
    {"nvt/eff", HALF_GHOSTS},
    {"nvt/manifold/rattle", HALF_GHOSTS},
    {"nvt/sllod", HALF_GHOSTS},
    {"nvt/sllod/eff", HALF_GHOSTS},
    {"nvt/sphere", HALF_GHOSTS},
    {"nvt/uef", HALF_GHOSTS},
    {"oneway", HALF_GHOSTS},
    {"p2p_rdma/stats", HALF_GHOSTS},
    {"pair", HALF_GHOSTS},
    {"planeforce", HALF_GHOSTS},
    {"press/berendsen", HALF_GHOSTS},
    {"press/langevin", HALF_GHOSTS},
    {"print", HALF_GHOSTS | ONLY_LOOKS},
    {"property/atom", HALF_GHOSTS},
    {"READ_RESTART", HALF_GHOSTS},
    {"recenter", HALF_GHOSTS},
    {"ring/balance", HALF_GHOSTS},
    {"ring_balance", HALF_GHOSTS},
    {"setforce", HALF_GHOSTS},
    {"spring", HALF_GHOSTS},
    {"spring/self", HALF_GHOSTS},
    {"STORE/ATOM", HALF_GHOSTS},
    {"store/force", HALF_GHOSTS},
    {"STORE/GLOBAL", HALF_GHOSTS},
    {"STORE/LOCAL", HALF_GHOSTS},
    {"store/state", HALF_GHOSTS | ONLY_LOOKS},
    {"temp/berendsen", HALF_GHOSTS},
    {"temp/csld", HALF_GHOSTS},
    {"temp/csvr", HALF_GHOSTS},
    {"temp/rescale", HALF_GHOSTS},
    {"thermal/conductivity", HALF_GHOSTS},
    {"THREADPOOL", HALF_GHOSTS},
    {"vector", HALF_GHOSTS | ONLY_LOOKS},
    {"viscosity", HALF_GHOSTS},
    {"viscous", HALF_GHOSTS},
    {"wall/colloid", HALF_GHOSTS},
    {"wall/ees", HALF_GHOSTS},
    {"wall/flow", HALF_GHOSTS},
    {"wall/gran", HALF_GHOSTS},
    {"wall/gran/region", HALF_GHOSTS},
    {"wall/harmonic", HALF_GHOSTS},
    {"wall/harmonic/outside", HALF_GHOSTS},
    {"wall/harmonic/returned", HALF_GHOSTS},
    {"wall/lepton", HALF_GHOSTS},
    {"wall/lj1043", HALF_GHOSTS},
    {"wall/lj126", HALF_GHOSTS},
    {"wall/lj93", HALF_GHOSTS},
    {"wall/morse", HALF_GHOSTS},
    {"wall/piston", HALF_GHOSTS},
    {"wall/reflect", HALF_GHOSTS},
    {"wall/reflect/stochastic", HALF_GHOSTS},
    {"wall/region", HALF_GHOSTS},
    {"wall/region/ees", HALF_GHOSTS},
    {"wall/table", HALF_GHOSTS},
};

const Table COMPUTES = {
    {"angmom/chunk", HALF_GHOSTS},
    {"centroid/stress/atom", HALF_GHOSTS},
    {"chunk/atom", HALF_GHOSTS},
    {"chunk/spread/atom", HALF_GHOSTS},
    {"com", HALF_GHOSTS},
    {"com/chunk", HALF_GHOSTS},
    {"count/type", HALF_GHOSTS},
    {"dipole", HALF_GHOSTS},
    {"dipole/chunk", HALF_GHOSTS},
    {"displace/atom", HALF_GHOSTS},
    {"erotate/sphere", HALF_GHOSTS},
    {"erotate/sphere/atom", HALF_GHOSTS},
    {"global/atom", HALF_GHOSTS},
    {"group/group", HALF_GHOSTS | READS_GHOSTS},
    {"gyration", HALF_GHOSTS},
    {"gyration/chunk", HALF_GHOSTS},
    {"heat/flux", HALF_GHOSTS},
    {"inertia/chunk", HALF_GHOSTS},
    {"ke", HALF_GHOSTS},
    {"ke/atom", HALF_GHOSTS},
    {"msd", HALF_GHOSTS},
    {"msd/chunk", HALF_GHOSTS},
    {"omega/chunk", HALF_GHOSTS},
    {"pair", HALF_GHOSTS},
    {"pair/local", HALF_GHOSTS | READS_GHOSTS},
    {"pe", HALF_GHOSTS},
    {"pe/atom", HALF_GHOSTS},
    {"pressure", HALF_GHOSTS},
    {"property/atom", HALF_GHOSTS},
    {"property/chunk", HALF_GHOSTS},
    {"rdf", HALF_GHOSTS | READS_GHOSTS},
    {"reduce", HALF_GHOSTS},
    {"reduce/chunk", HALF_GHOSTS},
    {"reduce/region", HALF_GHOSTS},
    {"slice", HALF_GHOSTS},
    {"stress/atom", HALF_GHOSTS},
    {"temp", HALF_GHOSTS},
    {"temp/asphere", HALF_GHOSTS},
    {"temp/body", HALF_GHOSTS},
    {"temp/chunk", HALF_GHOSTS},
    {"temp/com", HALF_GHOSTS | BIAS_OF_ANY_THREAD},
    {"temp/deform", HALF_GHOSTS | BIAS_OF_ANY_THREAD},
    {"temp/deform/eff", HALF_GHOSTS},
    {"temp/eff", HALF_GHOSTS},
    {"temp/partial", HALF_GHOSTS | BIAS_OF_ANY_THREAD},
    {"temp/profile", HALF_GHOSTS | BIAS_OF_ANY_THREAD},
    {"temp/ramp", HALF_GHOSTS | BIAS_OF_ANY_THREAD},
    {"temp/region", HALF_GHOSTS | BIAS_OF_ANY_THREAD},
    {"temp/region/eff", HALF_GHOSTS},
    {"temp/rotate", HALF_GHOSTS},
    {"temp/sphere", HALF_GHOSTS},
    {"temp/uef", HALF_GHOSTS},
    {"torque/chunk", HALF_GHOSTS},
    {"vacf", HALF_GHOSTS},
    {"vcm/chunk", HALF_GHOSTS},
};

const Table DUMPS = {
    {"atom", HALF_GHOSTS},
    {"cfg", HALF_GHOSTS},
    {"custom", HALF_GHOSTS},
    {"dcd", HALF_GHOSTS},
    {"grid", HALF_GHOSTS},
    {"xtc", HALF_GHOSTS},
    {"xyz", HALF_GHOSTS},
    {"yaml", HALF_GHOSTS},
};
// clang-format on

unsigned traits(const Table &table, const std::string &style)
{
  const auto found = table.find(without_suffix(style));
  return found == table.end() ? 0 : found->second;
}

}    // namespace

/* ---------------------------------------------------------------------- */

std::string TOFU_NS::without_suffix(const std::string &style)
{
  for (const char *suffix : {"/threadpool", "/opt", "/omp", "/intel", "/gpu", "/kk"}) {
    const std::size_t n = strlen(suffix);
    if (style.size() > n && style.compare(style.size() - n, n, suffix) == 0)
      return style.substr(0, style.size() - n);
  }
  return style;
}

/* ---------------------------------------------------------------------- */

unsigned TOFU_NS::pair_traits(const std::string &style)
{
  return traits(PAIRS, style);
}

unsigned TOFU_NS::fix_traits(const std::string &style)
{
  return traits(FIXES, style);
}

unsigned TOFU_NS::compute_traits(const std::string &style)
{
  return traits(COMPUTES, style);
}

unsigned TOFU_NS::dump_traits(const std::string &style)
{
  return traits(DUMPS, style);
}
