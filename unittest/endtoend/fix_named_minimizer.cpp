// SPDX-License-Identifier: GPL-2.0-only
//
// A plug-in with a fix that takes minimizers by their whole names, as fix artn of pARTn does:
//
//   fix ID all artn NAME    an error unless the minimizer has this name

#include "plugin_style.h"

#include "error.h"
#include "update.h"

#include <string>

using namespace LAMMPS_NS;

namespace {

class Named : public Fix {
 public:
  Named(LAMMPS *lmp, int narg, char **arg) : Fix(lmp, narg, arg), wanted(arg[3]) {}

  int setmask() override { return 0; }

  void init() override
  {
    if (wanted != update->minimize_style) error->all(FLERR, "The minimizer has another name");
  }

 private:
  const std::string wanted;
};

}    // namespace

extern "C" void lammpsplugin_init(void *lmp, void *handle, void *regfunc)
{
  PluginStyles{lmp, handle, regfunc}.add_fix<Named>("artn");
}
