// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "run_summary.h"

#include "input.h"
#include "lammps.h"
#include "update.h"
#include "utils.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>

using namespace LAMMPS_NS;

namespace {

/** Words of a command run or rerun. */
struct RunWords {
  bool post, every = false;

  explicit RunWords(LAMMPS *lmp) : post(std::string(lmp->input->command) == "run")
  {
    const Input &input = *lmp->input;
    for (int i = 1; i < input.narg && !every; i++) {
      const std::string word = input.arg[i];
      every = word == "every";    // commands follow
      if (word == "post" && i + 1 < input.narg)
        post = utils::logical(FLERR, input.arg[i + 1], false, lmp);
    }
  }
};

/** Runs between which "run ... post no every" does commands, whose words take the place of its
    own. */
struct Series {
  bool is_silent = false;
  bigint last_step = -1;
};

Series &series_of(LAMMPS *lmp)
{
  static std::mutex mutex;
  static std::map<std::pair<const LAMMPS *, double>, Series> all;
  const std::lock_guard<std::mutex> lock(mutex);
  return all[{lmp, lmp->initclock}];    // an address may be that of an earlier object
}

}    // namespace

/* ----------------------------------------------------------------------
   other commands than run and rerun always have a summary
------------------------------------------------------------------------- */

bool TOFU_NS::summary_follows(LAMMPS *lmp)
{
  const Update &update = *lmp->update;
  Series &series = series_of(lmp);
  const std::string command = lmp->input->command ? lmp->input->command : "";
  if (command == "run" || command == "rerun") {
    const RunWords words(lmp);
    series.is_silent = words.every && !words.post;
    series.last_step = update.laststep;
    return words.post;
  }
  const bool goes_on = update.firststep == series.last_step || update.laststep == series.last_step;
  if (!series.is_silent || !goes_on) return true;
  series.last_step = update.laststep;
  return false;
}
