/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "package_threadpool.h"

#include "fix_threadpool.h"
#include "number_option.h"
#include "package_tofu.h"

#include "domain.h"
#include "error.h"

#include <string>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr int MAX_PARTS = 1024;
static constexpr double MAX_SPIN = 1e6;    // microseconds

/* ---------------------------------------------------------------------- */

void PackageThreadpool::command(int narg, char **arg)
{
  if (domain->box_exist)
    error->all(FLERR, "Package threadpool command after simulation box is defined");
  if (narg < 1)
    error->all(FLERR,
               "Illegal package threadpool command: missing number of threads (0 = one per core)");

  FixThreadpool::Settings settings;
  settings.nparts = static_cast<int>(
      integer_option(lmp, "package threadpool number of threads", arg[0], 0, MAX_PARTS));

  for (int iarg = 1; iarg < narg; iarg += 2) {
    const std::string keyword = arg[iarg];
    if (keyword != "comm" && keyword != "pin" && keyword != "precision" && keyword != "spin")
      error->all(FLERR,
                 "Unknown package threadpool keyword: {} (allowed: comm, pin, precision, spin)",
                 keyword);
    if (iarg + 1 >= narg)
      error->all(FLERR, "Missing value after package threadpool keyword: {}", keyword);
    const std::string value = arg[iarg + 1];
    if (keyword == "pin") {
      if (value != "yes" && value != "no" && value != "on" && value != "off")
        error->all(FLERR, "Unknown package threadpool pin value: {} (allowed: yes, no)", value);
      settings.pin = value == "yes" || value == "on";
    } else if (keyword == "precision") {
      if (value != "double" && value != "mixed")
        error->all(FLERR, "Unknown package threadpool precision value: {} (allowed: double, mixed)",
                   value);
      settings.mixed = value == "mixed";
    } else if (keyword == "spin") {
      settings.spin = 1e-6 *
          real_option(lmp, "package threadpool spin value", value, 0.0, MAX_SPIN, "microseconds");
    } else {    // comm: all that follows belongs to the communication style
      PackageTofu(lmp).command(narg - iarg, arg + iarg);
      break;
    }
  }
  FixThreadpool::apply(lmp, settings);
}
