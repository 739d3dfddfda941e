/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "package_threadpool.h"

#include "fix_threadpool.h"
#include "package_tofu.h"

#include "domain.h"
#include "error.h"

#include <string>

using namespace LAMMPS_NS;

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
  const std::string number = arg[0];
  if (!utils::is_integer(number) || std::stoll(number) < 0 || std::stoll(number) > MAX_PARTS)
    error->all(
        FLERR,
        "Unknown package threadpool number of threads: {} (allowed: an integer from 0 to {})",
        number, MAX_PARTS);
  settings.nparts = std::stoi(number);

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
      if (!utils::is_double(value) || std::stod(value) < 0.0 || std::stod(value) > MAX_SPIN)
        error->all(FLERR,
                   "Unknown package threadpool spin value: {} (allowed: 0 to {} microseconds)",
                   value, MAX_SPIN);
      settings.spin = 1e-6 * std::stod(value);
    } else {    // comm: all that follows belongs to the communication style
      PackageTofu(lmp).command(narg - iarg, arg + iarg);
      break;
    }
  }
  FixThreadpool::apply(lmp, settings);
}
