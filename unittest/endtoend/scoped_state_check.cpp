// SPDX-License-Identifier: GPL-2.0-only
//
// A plug-in with a fix, `fix ID group scoped_state`, whose constructor throws an exception in the
// scope of each class of lammps/scoped_state.h, and writes for each of them whether the variable
// had another value in the scope and has the old one behind it:
//
//   scoped state NAME: changed restored

#include "plugin_style.h"

#include "lammps/scoped_state.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "lammps.h"
#include "neighbor.h"

#include <omp.h>

#include <cstdio>
#include <optional>
#include <stdexcept>
#include <vector>

using namespace LAMMPS_NS;

namespace {

class ScopedStateCheck : public Fix {
 public:
  ScopedStateCheck(LAMMPS *lmp, int narg, char **arg) : Fix(lmp, narg, arg)
  {
    const ScopedValue<int> checks(neighbor->dist_check, 1), no_box(domain->box_exist, 0),
        tiles(comm->layout, Comm::LAYOUT_TILED);
    check("nlocal", atom->nlocal, [=] { return ScopedLocalCount(lmp); });
    check("dist_check", neighbor->dist_check, [=] { return ScopedDistanceCheck(neighbor); });
    check("mask", atom->mask, [=] { return ScopedAtomMask(atom, nullptr); });
    std::vector<double> forces(3 * atom->nlocal);
    check("f", atom->f, [&] { return ScopedForceArray(atom, forces); });
    check("screen", lmp->screen, [=] { return ScopedSilence(lmp); });
    check("logfile", lmp->logfile, [=] { return ScopedSilence(lmp); });
    check("box_exist", domain->box_exist, [=] { return ScopedBoxExists(domain); });
    check("layout", comm->layout, [=] { return ScopedLayout(comm); });

    int all = 1, group = 2, virial = 1, overlap = 0, remap = 1;
    double distance = 0.5;
    check("allremap", all, [&] { return ScopedRemap(all, group); });
    check("dilate_group_bit", group, [&] { return ScopedRemap(all, group); });
    check("remapflag", remap, [&] { return ScopedRemapFlag(remap); });
    check("vflag_global", virial, [&] { return ScopedVirialFlag(virial); });
    check("overlap_allowed", overlap, [&] { return ScopedOverlapFlag(overlap); });
    check("qdist", distance, [&] { return ScopedChargeDistance(distance, 1.0); });

    std::optional<ScopedVirialFlag> optional;
    check("ScopedReset", virial, [&] {
      optional.emplace(virial);
      return ScopedReset(optional);
    });
    omp_set_num_threads(3);
    check_value("OpenMP threads", omp_get_max_threads, [] { return ScopedOpenMPThreads(); });
  }

  int setmask() override { return 0; }

 private:
  template <class Value, class Make>
  void check(const char *name, const Value &variable, const Make &make) const
  {
    check_value(
        name, [&] { return variable; }, make);
  }

  template <class Read, class Make>
  void check_value(const char *name, const Read &value, const Make &make) const
  {
    const auto before = value();
    bool changed = false;
    try {
      const auto guard = make();
      changed = value() != before;
      throw std::runtime_error("in the scope");
    } catch (const std::runtime_error &) {
    }
    std::printf("scoped state %s: %s %s\n", name, changed ? "changed" : "unchanged",
                value() == before ? "restored" : "lost");
    std::fflush(stdout);
  }
};

}    // namespace

extern "C" void lammpsplugin_init(void *lmp, void *handle, void *regfunc)
{
  PluginStyles{lmp, handle, regfunc}.add_fix<ScopedStateCheck>("scoped_state");
}
