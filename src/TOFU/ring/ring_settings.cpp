// SPDX-License-Identifier: GPL-2.0-only

#include "ring_settings.h"

#include "lammps/io/keywords.h"
#include "lammps/io/number_option.h"

#include "error.h"
#include "lammps.h"
#include "utils.h"

#include <cmath>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

RingSettings::RingSettings(LAMMPS *lmp, int narg, char **arg)
{
  Error *const error = lmp->error;
  if (narg < 5) utils::missing_cmd_args(FLERR, "fix ring_balance", error);
  nevery = integer_option(lmp, "fix ring_balance Nevery value", arg[3], 0, MAXBIGINT);
  plan.thresh = real_option(lmp, "fix ring_balance thresh value", arg[4], 1.0, INFINITY);

  Keywords keywords(lmp, "fix ring_balance");
  keywords.choice("mode", mode,
                  {{"auto", Mode::AUTO}, {"forward", Mode::FORWARD}, {"ghost", Mode::GHOST}});
  keywords.yes_or_no("rest", rest);
  keywords.choice("level", plan.level_node, {{"node", true}, {"rank", false}});
  keywords.choice(
      "weight", weight,
      {{"atoms", Weight::ATOMS}, {"neighbors", Weight::NEIGHBORS}, {"time", Weight::TIME}});
  keywords.choice("direction", plan.direction,
                  {{"both", RingDirection::BOTH}, {"downstream", RingDirection::DOWNSTREAM}});
  const auto read_ring = [&](int n, char **values) {
    const std::string value = values[0];
    ring_file.clear();
    if (value == "serpentine") return 1;
    if (value != "file") keywords.reject("ring", value, "serpentine, file NAME");
    if (n < 2) error->all(FLERR, "Missing file name after fix ring_balance keyword: ring file");
    ring_file = values[1];
    return 2;
  };
  keywords.other("ring", read_ring,
                 [this]() { return ring_file.empty() ? "serpentine" : "file " + ring_file; });
  keywords.read(narg - 5, arg + 5);
}
