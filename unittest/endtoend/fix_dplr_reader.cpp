// SPDX-License-Identifier: GPL-2.0-only
//
// A plug-in with two fixes that treat a kspace style as fix dplr of deepmd-kit does, without a
// model:
//
//   fix ID all dplr [FACTOR]    moves atoms of type 2 in pre_force, takes the long-range forces
//                               from the kspace style named pppm/dplr in post_force, adds them
//                               (FACTOR times) to the atoms
//   fix ID all moves            moves the same atoms, and nothing else
//
// and with the kspace style pppm/dplr that the fix expects.  Compiled with OTHER_LAYOUT, this style
// has another member in front of the array.

#include "plugin_style.h"

#include "atom.h"
#include "error.h"
#include "force.h"
#include "pppm.h"
#include "update.h"

#include <cmath>
#include <cstdlib>
#include <vector>

using namespace LAMMPS_NS;

namespace {

class Moves : public Fix {
 public:
  using Fix::Fix;
  int setmask() override { return FixConst::PRE_FORCE | FixConst::MIN_PRE_FORCE; }
  void setup_pre_force(int vflag) override { pre_force(vflag); }
  void min_pre_force(int vflag) override { pre_force(vflag); }

  void pre_force(int) override
  {
    for (int i = 0; i < atom->nlocal; i++)
      if (atom->type[i] == 2)
        atom->x[i][0] += 1e-3 * std::sin(static_cast<double>(update->ntimestep + atom->tag[i]));
  }
};

// the class that fix dplr expects of the kspace style

class PPPMDPLR : public PPPM {
 public:
  using PPPM::PPPM;
#ifdef OTHER_LAYOUT
  double other = 1.0;
#endif
  std::vector<double> fele;    // [3*nlocal] force
};

class Dplr : public Moves {
 public:
  Dplr(LAMMPS *lmp, int narg, char **arg) :
      Moves(lmp, narg, arg), factor(narg > 3 ? std::atof(arg[3]) : 1.0)
  {
  }

  int setmask() override
  {
    return Moves::setmask() | FixConst::POST_FORCE | FixConst::MIN_POST_FORCE;
  }
  void setup(int vflag) override { post_force(vflag); }
  void min_setup(int vflag) override { post_force(vflag); }
  void min_post_force(int vflag) override { post_force(vflag); }

  void post_force(int) override
  {
    const auto *const mesh = static_cast<PPPMDPLR *>(force->kspace_match("pppm/dplr", 1));
    if (!mesh) error->all(FLERR, "there is no kspace style pppm/dplr");
    if (mesh->fele.size() != 3 * static_cast<std::size_t>(atom->nlocal))
      error->one(FLERR, "{} forces for {} atoms", mesh->fele.size(), atom->nlocal);
    for (int i = 0; i < atom->nlocal; i++)
      for (int dim = 0; dim < 3; dim++) atom->f[i][dim] += factor * mesh->fele[3 * i + dim];
  }

 private:
  const double factor;
};

}    // namespace

extern "C" void lammpsplugin_init(void *lmp, void *handle, void *regfunc)
{
  const PluginStyles styles{lmp, handle, regfunc};
  styles.add_fix<Dplr>("dplr");
  styles.add_fix<Moves>("moves");
  styles.add_kspace<PPPMDPLR>("pppm/dplr");
}
