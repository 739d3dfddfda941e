// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// Entry point of tofuplugin.so: registers the TOFU styles with a LAMMPS that was built without the
// package.  Built by cmake/plugin only.  A stock LAMMPS has no "comm_style p2p/rdma" and no
// "package tofu"; there the same commands are spelled comm_style/p2p/rdma and package/tofu.

#include "lammpsplugin.h"

#include "commands/comm_style_p2p_rdma.h"
#include "commands/comm_styles.h"
#include "commands/package_threadpool.h"
#include "commands/package_tofu.h"
#include "domain.h"
#include "lammps.h"
#include "lammps/io/command_line.h"
#include "lammps/io/version_line.h"
#include "lammps/scoped_state.h"
#include "lammps/styles/available_styles.h"
#include "offload/fix_kspace_overlap.h"
#include "p2p/fix_p2p_rdma_stats.h"
#include "ring/fix_ring_balance.h"
#include "threadpool/package/fix_threadpool.h"
#include "update.h"
#include "utils.h"
#include "version.h"

// headers of all styles with the suffix, made by cmake/plugin

#include "tofu_style_angle.h"
#include "tofu_style_bond.h"
#include "tofu_style_compute.h"
#include "tofu_style_dihedral.h"
#include "tofu_style_fix.h"
#include "tofu_style_improper.h"
#include "tofu_style_kspace.h"
#include "tofu_style_min.h"
#include "tofu_style_pair.h"
#include "tofu_style_pair_absent.h"
#include "tofu_style_run.h"

#include <cstdio>
#include <cstring>

using namespace LAMMPS_NS;

namespace {

constexpr const char *FASTER = "TOFU: vectorised and on a pool of threads";

/** Registers styles with LAMMPS, each with a function that makes one. */
class Registrar {
 public:
  Registrar(void *lmp, void *handle, void *regfunc) :
      lmp_(lmp), register_plugin_((lammpsplugin_regfunc) regfunc)
  {
    plugin_.version = LAMMPS_VERSION;
    plugin_.author = "The TOFU developers";
    plugin_.handle = handle;
  }

  template <class Base, class Style> void add(const char *kind, const char *name, const char *info)
  {
    const auto create = [](LAMMPS *lmp) -> Base * {
      return new Style(lmp);
    };
    plugin_.creator.v1 = (lammpsplugin_factory1 *) static_cast<Base *(*) (LAMMPS *)>(create);
    add(kind, name, info);
  }

  /** Of styles whose constructors get the arguments of the command. */
  template <class Base, class Style>
  void add_with_arguments(const char *kind, const char *name, const char *info)
  {
    const auto create = [](LAMMPS *lmp, int narg, char **arg) -> Base * {
      return new Style(lmp, narg, arg);
    };
    plugin_.creator.v2 =
        (lammpsplugin_factory2 *) static_cast<Base *(*) (LAMMPS *, int, char **)>(create);
    add(kind, name, info);
  }

  /** Of styles that a function of theirs makes. */
  template <class Base>
  void add_function(const char *kind, const char *name, const char *info,
                    Base *(*create)(LAMMPS *, int, char **) )
  {
    plugin_.creator.v2 = (lammpsplugin_factory2 *) create;
    add(kind, name, info);
  }

 private:
  void add(const char *kind, const char *name, const char *info)
  {
    plugin_.style = kind;
    plugin_.name = name;
    plugin_.info = info;
    register_plugin_(&plugin_, lmp_);
  }

  void *const lmp_;
  const lammpsplugin_regfunc register_plugin_;
  lammpsplugin_t plugin_;
};

void add_commands(Registrar &all)
{
  for (const char *name : {"comm_style/p2p/rdma", "comm_style/p2p_rdma"})
    all.add<Command, CommStyleP2PRDMA>("command", name, "TOFU: direct ghost exchange");
  all.add<Command, CommStyleTiled>("command", "comm_style/tiled",
                                   "TOFU: comm_style tiled, also from p2p_rdma");
  all.add<Command, CommStyleBrick>("command", "comm_style/brick",
                                   "TOFU: back to the stock ghost exchange");
  all.add<Command, CommStyleDefault>("command", "comm_style/default",
                                     "TOFU: ghost exchange that the suffix begins with");
  all.add<Command, PackageTofu>("command", "package/tofu", "TOFU: package settings");
  all.add<Command, PackageThreadpool>("command", "package/threadpool", "TOFU: threads");
}

/** For comm_style itself, where packaging/upstream/plugin-kinds.patch lets plug-ins extend it. */
void add_comm_styles(Registrar &all)
{
#ifdef TOFU_COMM_KIND
  // clang-format off
#define COMM_CLASS
#define CommStyle(key, Class) all.add_function("comm", #key, "TOFU: ghost exchange", &Class::create)
#include "commands/comm_styles.h"
  // clang-format on
#endif
  (void) all;
}

void add_fixes(Registrar &all)
{
  for (const char *name : {"p2p/rdma/stats", "p2p_rdma/stats"})
    all.add_with_arguments<Fix, FixP2PRDMAStats>("fix", name, "TOFU: statistics of messages");
  for (const char *name : {"ring/balance", "ring_balance"})
    all.add_with_arguments<Fix, FixRingBalance>("fix", name, "TOFU: rows of ranks with many atoms");
  all.add_with_arguments<Fix, FixKspaceOverlap>("fix", "KSPACE_OVERLAP",
                                                "TOFU: long range beside the pair forces");
  all.add_with_arguments<Fix, FixThreadpool>("fix", "THREADPOOL", "TOFU: threads");
}

/** Included once more, the headers say which styles they have. */
void add_suffix_styles(Registrar &all)
{
// clang-format off
#define PAIR_CLASS
#define PairStyle(key, Class) all.add<Pair, Class>("pair", #key, FASTER)
#include "tofu_style_pair.h"
#define BOND_CLASS
#define BondStyle(key, Class) all.add<Bond, Class>("bond", #key, FASTER)
#include "tofu_style_bond.h"
#define ANGLE_CLASS
#define AngleStyle(key, Class) all.add<Angle, Class>("angle", #key, FASTER)
#include "tofu_style_angle.h"
#define DIHEDRAL_CLASS
#define DihedralStyle(key, Class) all.add<Dihedral, Class>("dihedral", #key, FASTER)
#include "tofu_style_dihedral.h"
#define IMPROPER_CLASS
#define ImproperStyle(key, Class) all.add<Improper, Class>("improper", #key, FASTER)
#include "tofu_style_improper.h"
#define KSPACE_CLASS
#define KSpaceStyle(key, Class) all.add<KSpace, Class>("kspace", #key, FASTER)
#include "tofu_style_kspace.h"
#define FIX_CLASS
#define FixStyle(key, Class) all.add_with_arguments<Fix, Class>("fix", #key, FASTER)
#include "tofu_style_fix.h"
#define COMPUTE_CLASS
#define ComputeStyle(key, Class) all.add_with_arguments<Compute, Class>("compute", #key, FASTER)
#include "tofu_style_compute.h"
  // clang-format on
}

/** Names of styles that other libraries have: if they are not there. */
void add_absent_styles(Registrar &all, LAMMPS *lmp)
{
// clang-format off
#undef PairStyle
#define PAIR_CLASS
#define PairStyle(key, Class) \
  if (!TOFU_NS::has_style(lmp, "pair", #key)) all.add<Pair, Class>("pair", #key, FASTER)
#include "tofu_style_pair_absent.h"
  // clang-format on
  (void) lmp;
}

#ifdef TOFU_OWN_ENTRIES

/** Up to 22Jul2025 LAMMPS takes neither run styles nor minimizers from plug-ins. */
void add_run_styles(Registrar &, LAMMPS *lmp)
{
  // clang-format off
#define INTEGRATE_CLASS
#define IntegrateStyle(key, Class) \
  (*lmp->update->integrate_map)[#key] = [](LAMMPS *of, int narg, char **arg) -> Integrate * { \
    return new Class(of, narg, arg); \
  }
#include "tofu_style_run.h"
#define MINIMIZE_CLASS
#define MinimizeStyle(key, Class) \
  (*lmp->update->minimize_map)[#key] = [](LAMMPS *of) -> Min * { return new Class(of); }
#include "tofu_style_min.h"
  // clang-format on
}

#else

void add_run_styles(Registrar &all, LAMMPS *)
{
  // clang-format off
#define INTEGRATE_CLASS
#define IntegrateStyle(key, Class) all.add_with_arguments<Integrate, Class>("run", #key, FASTER)
#include "tofu_style_run.h"
#define MINIMIZE_CLASS
#define MinimizeStyle(key, Class) all.add<Min, Class>("min", #key, FASTER)
#include "tofu_style_min.h"
  // clang-format on
}

#endif

/** LAMMPS has made its default step loop, minimizer and communication style before it loads a
    plug-in: with the suffix in force they are made once more.  Not when there is a box: an input
    may have set them up. */
void renew_defaults(LAMMPS *lmp)
{
  if (lmp->domain->box_exist) return;
  if (!lmp->suffix_enable || !lmp->suffix || strcmp(lmp->suffix, "threadpool") != 0) return;
  Update *const update = lmp->update;
  char run[] = "verlet", minimizer[] = "cg", *words[] = {run}, *style[] = {minimizer};
  if (strcmp(update->integrate_style, run) == 0) update->create_integrate(1, words, 1);
  if (strcmp(update->minimize_style, minimizer) == 0) update->create_minimize(1, style, 1);
  TOFU_NS::begin_with_default_comm(lmp);
}

/** Whether the classes of this LAMMPS are laid out as those that the plug-in was built with. */
bool is_for(LAMMPS *lmp)
{
  if (strcmp(lmp->version, LAMMPS_VERSION) == 0) return true;
  if (lmp->screen || lmp->logfile)
    utils::logmesg(lmp,
                   "TOFU: this plug-in was built for LAMMPS {} and not loaded by LAMMPS {}: build "
                   "cmake/plugin with the sources of this one\n",
                   LAMMPS_VERSION, lmp->version);
  return false;
}

}    // namespace

/* ---------------------------------------------------------------------- */

extern "C" void lammpsplugin_init(void *ptr, void *handle, void *regfunc)
{
  LAMMPS *const lmp = static_cast<LAMMPS *>(ptr);
  if (!is_for(lmp)) return;
  {
    const ScopedSilence silence(lmp);
    Registrar all(lmp, handle, regfunc);
    add_commands(all);
    add_comm_styles(all);
    add_fixes(all);
    add_suffix_styles(all);
    add_absent_styles(all, lmp);
    add_run_styles(all, lmp);
  }
  TOFU_NS::log_version(lmp);
  renew_defaults(lmp);
}
