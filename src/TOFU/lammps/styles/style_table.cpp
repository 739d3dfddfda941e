// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "style_table.h"

#include <cstring>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

namespace {

using namespace TOFU_NS;

using Table = std::map<std::string, unsigned>;

/** From traits, and the names of the styles that have them. */
Table table(const std::vector<std::pair<unsigned, std::string>> &groups)
{
  Table all;
  for (const auto &[traits, names] : groups) {
    std::istringstream words(names);
    for (std::string name; words >> name;) all.emplace(name, traits);
  }
  return all;
}

// clang-format off
const Table PAIRS = table({
    {HALF_GHOSTS,
     "born/coul/dsf born/coul/dsf/cs born/coul/long/cs born/coul/msm born/coul/wolf "
     "born/coul/wolf/cs born/gauss buck/coul/long/cs buck/coul/msm buck/long/coul/long "
     "buck/mdf colloid cosine/squared coul/cut/global coul/cut/soft coul/diel coul/dsf "
     "coul/long/cs coul/long/soft coul/msm coul/slater/cut coul/slater/long coul/wolf "
     "coul/wolf/cs gauss gauss/cut gayberne gran/hooke harmonic/cut lennard/mdf "
     "lj/charmm/coul/long/soft lj/charmm/coul/msm lj/charmmfsw/coul/charmmfsh "
     "lj/charmmfsw/coul/long lj/class2/coul/cut/soft lj/class2/coul/long/cs "
     "lj/class2/coul/long/soft lj/class2/soft lj/cubic lj/cut/coul/cut/soft lj/cut/coul/dsf "
     "lj/cut/coul/long/cs lj/cut/coul/long/soft lj/cut/coul/msm lj/cut/coul/wolf "
     "lj/cut/dipole/cut lj/cut/dipole/long lj/cut/soft lj/expand/coul/long lj/long/coul/long "
     "lj/long/dipole/long lj/mdf lj/relres lj/sdk lj/sdk/coul/long lj/sdk/coul/msm lj/sf "
     "lj/sf/dipole/sf lj/spica lj/spica/coul/long lj/spica/coul/msm lj/switch3/coulgauss/long "
     "morse/smooth/linear morse/soft nm/cut nm/cut/coul/cut nm/cut/coul/long nm/cut/split "
     "pedone resquared ufm wf/cut yukawa/colloid"},
    {HALF_GHOSTS | ANY_ROWS,
     "beck born born/coul/long buck buck/coul/cut buck/coul/long coul/cut coul/debye coul/long "
     "lj/charmm/coul/charmm lj/charmm/coul/charmm/implicit lj/charmm/coul/long lj/class2 "
     "lj/class2/coul/cut lj/class2/coul/long lj/cut lj/cut/coul/cut lj/cut/coul/debye "
     "lj/cut/coul/long lj/expand lj/gromacs lj/gromacs/coul/gromacs lj/smooth lj/smooth/linear "
     "lj96/cut mie/cut morse soft table yukawa zbl zero"},
    {READ,
     "adp eam/cd eam/cd/old lj/cut/tip4p/cut lj/cut/tip4p/long lj/cut/tip4p/long/soft "
     "lj/long/tip4p/long meam meam/ms reaxff tip4p/cut tip4p/long tip4p/long/soft"},
    {ANY_ROWS,
     "edip edip/multi sw sw/mod tersoff tersoff/mod tersoff/mod/c tersoff/zbl vashishta"},
    {HALF_GHOSTS | HAS_HISTORY,
     "dpd/ext dpd/ext/tstat gran/hertz/history gran/hooke/history granular"},
    {HALF_GHOSTS | ANY_ROWS_WITH_SUFFIX,
     "eam eam/alloy eam/fs"},
    {HALF_GHOSTS | HAS_HISTORY_WITHOUT_SUFFIX,
     "dpd dpd/tstat"},
    {ANY_ROWS_WITH_SUFFIX | HAS_HISTORY,
     "deepmd"},
});

const Table FIXES = table({
    {HALF_GHOSTS,
     "DUMMY KSPACE_OVERLAP MINIMIZE NEIGH_HISTORY READ_RESTART STORE/ATOM STORE/GLOBAL "
     "STORE/LOCAL THREADPOOL adapt addforce aveforce balance box/relax colvars deform deposit "
     "drag efield enforce2d evaporate freeze gravity heat indent lineforce momentum move nph "
     "nph/asphere nph/body nph/eff nph/sphere nphug npt npt/asphere npt/body npt/cauchy "
     "npt/eff npt/sphere npt/uef nve nve/asphere nve/asphere/noforce nve/body nve/eff "
     "nve/limit nve/line nve/manifold/rattle nve/noforce nve/sphere nve/tri nvt nvt/asphere "
     "nvt/body nvt/eff nvt/manifold/rattle nvt/sllod nvt/sllod/eff nvt/sphere nvt/uef oneway "
     "p2p/rdma/stats p2p_rdma/stats pair planeforce plumed press/berendsen press/langevin "
     "property/atom recenter ring/balance ring_balance setforce spring spring/self store/force "
     "temp/berendsen temp/csld temp/csvr temp/rescale thermal/conductivity viscosity viscous "
     "wall/colloid wall/ees wall/flow wall/gran wall/gran/region wall/harmonic "
     "wall/harmonic/outside wall/harmonic/returned wall/lepton wall/lj1043 wall/lj126 "
     "wall/lj93 wall/morse wall/piston wall/reflect wall/reflect/stochastic wall/region "
     "wall/region/ees wall/table"},
    {REQUESTS_LISTS,
     "cmap ehex restrain rigid rigid/nph rigid/nph/small rigid/npt rigid/npt/small "
     "rigid/nve rigid/nve/small rigid/nvt rigid/nvt/small rigid/small spring/chunk"},
    {REQUESTS_LISTS | BONDED_GHOSTS,
     "rattle shake"},
    {HALF_GHOSTS | ONLY_READS,
     "ave/atom ave/chunk ave/correlate ave/correlate/long ave/grid ave/histo ave/histo/weight "
     "ave/moments ave/time dt/reset halt print store/state vector"},
    {HALF_GHOSTS | READS_AT_END_OF_STEP,
     "langevin"},
});

const Table COMPUTES = table({
    {HALF_GHOSTS,
     "angmom/chunk centroid/stress/atom chunk/atom chunk/spread/atom com com/chunk count/type "
     "dipole dipole/chunk displace/atom erotate/sphere erotate/sphere/atom global/atom "
     "gyration gyration/chunk heat/flux inertia/chunk ke ke/atom msd msd/chunk omega/chunk "
     "pair pe pe/atom pressure property/atom property/chunk reduce reduce/chunk reduce/region "
     "slice stress/atom temp temp/asphere temp/body temp/chunk temp/deform/eff temp/eff "
     "temp/region/eff temp/rotate temp/sphere temp/uef torque/chunk vacf vcm/chunk"},
    {HALF_GHOSTS | BIAS_OF_ANY_THREAD,
     "temp/com temp/deform temp/partial temp/profile temp/ramp temp/region"},
    {HALF_GHOSTS | READS_GHOSTS,
     "group/group pair/local rdf"},
});

const Table DUMPS = table({
    {HALF_GHOSTS,
     "atom cfg custom dcd grid xtc xyz yaml"},
});
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
