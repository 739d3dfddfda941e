/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// Entry point of tofuplugin.so: registers the TOFU styles with a LAMMPS that was built without the package.
// Built by cmake/plugin only. A stock LAMMPS has no "comm_style p2p_rdma" and no "package tofu"; there the
// same commands are spelled comm_style/p2p_rdma and package/tofu.

#include "lammpsplugin.h"

#include "comm_style_p2p_rdma.h"
#include "fix_p2p_rdma_stats.h"
#include "package_tofu.h"
#include "version.h"

using namespace LAMMPS_NS;

namespace {

template <class Style> Command *create_command(LAMMPS *lmp)
{
  return new Style(lmp);
}

template <class Style> Fix *create_fix(LAMMPS *lmp, int narg, char **arg)
{
  return new Style(lmp, narg, arg);
}

}    // namespace

extern "C" void lammpsplugin_init(void *lmp, void *handle, void *regfunc)
{
  const auto register_plugin = (lammpsplugin_regfunc) regfunc;
  lammpsplugin_t plugin;
  plugin.version = LAMMPS_VERSION;
  plugin.author = "The TOFU developers";
  plugin.handle = handle;

  plugin.style = "command";
  const auto add_command = [&](const char *name, const char *info, Command *(*create)(LAMMPS *) ) {
    plugin.name = name;
    plugin.info = info;
    plugin.creator.v1 = (lammpsplugin_factory1 *) create;
    register_plugin(&plugin, lmp);
  };
  add_command("comm_style/p2p_rdma", "TOFU: direct ghost exchange",
              &create_command<CommStyleP2PRDMA>);
  add_command("comm_style/brick", "TOFU: back to the stock ghost exchange",
              &create_command<CommStyleBrick>);
  add_command("package/tofu", "TOFU: package settings", &create_command<PackageTofu>);

  plugin.style = "fix";
  plugin.name = "p2p_rdma/stats";
  plugin.info = "TOFU: what comm_style p2p_rdma exchanged";
  plugin.creator.v2 = (lammpsplugin_factory2 *) &create_fix<FixP2PRDMAStats>;
  register_plugin(&plugin, lmp);
}
