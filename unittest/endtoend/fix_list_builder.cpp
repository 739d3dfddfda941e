// SPDX-License-Identifier: GPL-2.0-only
//
// A plug-in with a fix that builds neighbor lists by itself, without notice to other code:
//
//   fix ID all lists N    in every N-th step when atoms have moved, before forces are computed

#include "plugin_style.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "neighbor.h"
#include "update.h"

#include <cstdlib>

using namespace LAMMPS_NS;

namespace {

class Lists : public Fix {
 public:
  Lists(LAMMPS *lmp, int narg, char **arg) : Fix(lmp, narg, arg)
  {
    nevery = narg > 3 ? std::atoi(arg[3]) : 1;
  }

  int setmask() override { return FixConst::POST_INTEGRATE; }

  void post_integrate() override
  {
    if (update->ntimestep % nevery != 0) return;
    if (domain->triclinic) domain->x2lamda(atom->nlocal);
    domain->pbc();
    comm->exchange();
    comm->borders();
    if (domain->triclinic) domain->lamda2x(atom->nlocal + atom->nghost);
    neighbor->build(1);
  }
};

}    // namespace

extern "C" void lammpsplugin_init(void *lmp, void *handle, void *regfunc)
{
  PluginStyles{lmp, handle, regfunc}.add_fix<Lists>("lists");
}
