/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// Entry point of tofuplugin.so: registers the TOFU styles with a LAMMPS that was built without the
// package. Built by cmake/plugin only. A stock LAMMPS has no "comm_style p2p_rdma" and no "package
// tofu"; there the same commands are spelled comm_style/p2p_rdma and package/tofu.

#include "lammpsplugin.h"

#include "commands/comm_style_p2p_rdma.h"
#include "commands/package_threadpool.h"
#include "commands/package_tofu.h"
#include "offload/fix_kspace_overlap.h"
#include "p2p/fix_p2p_rdma_stats.h"
#include "ring/fix_ring_balance.h"
#include "threadpool/fix_threadpool.h"
#include "version.h"

// headers of all styles with the suffix, made by cmake/plugin

#include "tofu_style_angle.h"
#include "tofu_style_bond.h"
#include "tofu_style_compute.h"
#include "tofu_style_dihedral.h"
#include "tofu_style_fix.h"
#include "tofu_style_improper.h"
#include "tofu_style_kspace.h"
#include "tofu_style_pair.h"

using namespace LAMMPS_NS;

namespace {

template <class Style> Command *create_command(LAMMPS *lmp)
{
  return new Style(lmp);
}

template <class Base, class Style> Base *create_style(LAMMPS *lmp)
{
  return new Style(lmp);
}

template <class Base, class Style> Base *create_with_arguments(LAMMPS *lmp, int narg, char **arg)
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
  add_command("package/threadpool", "TOFU: threads", &create_command<PackageThreadpool>);

  const auto add_with_arguments = [&](const char *kind, const char *name, const char *info,
                                      void *create) {
    plugin.style = kind;
    plugin.name = name;
    plugin.info = info;
    plugin.creator.v2 = (lammpsplugin_factory2 *) create;
    register_plugin(&plugin, lmp);
  };
  add_with_arguments("fix", "p2p_rdma/stats", "TOFU: what comm_style p2p_rdma exchanged",
                     (void *) &create_with_arguments<Fix, FixP2PRDMAStats>);
  add_with_arguments("fix", "ring_balance", "TOFU: rows of ranks with many atoms",
                     (void *) &create_with_arguments<Fix, FixRingBalance>);
  add_with_arguments("fix", "KSPACE_OVERLAP", "TOFU: long range beside the pair forces",
                     (void *) &create_with_arguments<Fix, FixKspaceOverlap>);
  add_with_arguments("fix", "THREADPOOL", "TOFU: threads",
                     (void *) &create_with_arguments<Fix, FixThreadpool>);

  const char *const faster = "TOFU: vectorised and on a pool of threads";
  const auto add_style = [&](const char *kind, const char *name, void *create) {
    plugin.style = kind;
    plugin.name = name;
    plugin.info = faster;
    plugin.creator.v1 = (lammpsplugin_factory1 *) create;
    register_plugin(&plugin, lmp);
  };

  // included once more, the headers say which styles they have

// clang-format off
#define PAIR_CLASS
#define PairStyle(key, Class) add_style("pair", #key, (void *) &create_style<Pair, Class>)
#include "tofu_style_pair.h"
#define BOND_CLASS
#define BondStyle(key, Class) add_style("bond", #key, (void *) &create_style<Bond, Class>)
#include "tofu_style_bond.h"
#define ANGLE_CLASS
#define AngleStyle(key, Class) add_style("angle", #key, (void *) &create_style<Angle, Class>)
#include "tofu_style_angle.h"
#define DIHEDRAL_CLASS
#define DihedralStyle(key, Class) \
  add_style("dihedral", #key, (void *) &create_style<Dihedral, Class>)
#include "tofu_style_dihedral.h"
#define IMPROPER_CLASS
#define ImproperStyle(key, Class) \
  add_style("improper", #key, (void *) &create_style<Improper, Class>)
#include "tofu_style_improper.h"
#define KSPACE_CLASS
#define KSpaceStyle(key, Class) add_style("kspace", #key, (void *) &create_style<KSpace, Class>)
#include "tofu_style_kspace.h"
#define FIX_CLASS
#define FixStyle(key, Class) \
  add_with_arguments("fix", #key, faster, (void *) &create_with_arguments<Fix, Class>)
#include "tofu_style_fix.h"
#define COMPUTE_CLASS
#define ComputeStyle(key, Class) \
  add_with_arguments("compute", #key, faster, (void *) &create_with_arguments<Compute, Class>)
#include "tofu_style_compute.h"
  // clang-format on
}
