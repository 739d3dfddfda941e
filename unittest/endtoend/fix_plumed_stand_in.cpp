// SPDX-License-Identifier: GPL-2.0-only
//
// A plug-in with a fix that handles energies as fix plumed does: it requests them for each step,
// and reads them, and the virial, in some:
//
//   fix ID all plumed EVERY OFFSET    reads in step OFFSET and each EVERY steps then; 0: never
//
// Output is what it has read the last time: energy and six components of pressure.

#include "plugin_style.h"

#include "compute.h"
#include "modify.h"
#include "update.h"

#include <algorithm>
#include <cstdlib>

using namespace LAMMPS_NS;

namespace {

class StandIn : public Fix {
 public:
  StandIn(LAMMPS *lmp, int narg, char **arg) :
      Fix(lmp, narg, arg), every(atol(arg[3])), offset(atol(arg[4])),
      energy(modify->add_compute("plmd_pe all pe")),
      pressure(modify->add_compute("plmd_press all pressure NULL virial"))
  {
    vector_flag = 1;
    size_vector = 7;
    extvector = 0;
    global_freq = 1;
  }

  ~StandIn() override
  {
    modify->delete_compute("plmd_pe");
    modify->delete_compute("plmd_press");
  }

  int setmask() override { return FixConst::POST_FORCE; }
  void setup(int vflag) override { post_force(vflag); }

  void post_force(int) override
  {
    const bigint now = update->ntimestep;
    if (every && now >= offset && (now - offset) % every == 0) {
      read[0] = energy->compute_scalar();
      pressure->compute_vector();
      std::copy_n(pressure->vector, 6, read + 1);
    }
    energy->addstep(now + 1);
    pressure->addstep(now + 1);
  }

  double compute_vector(int n) override { return read[n]; }

 private:
  const bigint every, offset;
  Compute *const energy, *const pressure;
  double read[7] = {};
};

}    // namespace

extern "C" void lammpsplugin_init(void *lmp, void *handle, void *regfunc)
{
  PluginStyles{lmp, handle, regfunc}.add_fix<StandIn>("plumed");
}
