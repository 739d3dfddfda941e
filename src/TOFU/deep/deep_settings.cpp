// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "deep_settings.h"

#include "error.h"
#include "lammps.h"
#include "utils.h"

#include <map>

using namespace LAMMPS_NS;

/* ----------------------------------------------------------------------
   keywords of deepmd-kit's style that are refused, and why
------------------------------------------------------------------------- */

static const std::map<std::string, std::string> &refused()
{
  static const std::map<std::string, std::string> reasons = {
      {"ttm", "parameters from fix ttm"},
      {"aparam_from_compute", "parameters of atoms from a compute"},
      {"fparam_from_fix", "parameters of the frame from a fix"},
      {"charge_spin", "charge and spin of the frame"},
      {"virtual_len", "spins"},
      {"spin_norm", "spins"}};
  return reasons;
}

static const char *const KEYWORDS[] = {"out_file",   "out_freq", "atomic", "relative",
                                       "relative_v", "fparam",   "aparam", "fparam_from_compute"};

static bool is_keyword(const std::string &word)
{
  for (const char *keyword : KEYWORDS)
    if (word == keyword) return true;
  return refused().count(word) > 0;
}

/* ---------------------------------------------------------------------- */

DeepSettings::DeepSettings(LAMMPS *lmp, int narg, char **arg)
{
  Error *const error = lmp->error;
  int iarg = 0;
  const auto value = [&]() -> std::string {
    const std::string keyword = arg[iarg];
    if (++iarg >= narg) utils::missing_cmd_args(FLERR, "pair_style deepmd " + keyword, error);
    return arg[iarg++];
  };
  const auto number = [&]() {
    return utils::numeric(FLERR, value(), false, lmp);
  };
  const auto numbers = [&](std::vector<double> &list) {
    const std::string keyword = arg[iarg++];
    while (iarg < narg && !is_keyword(arg[iarg]))
      list.push_back(utils::numeric(FLERR, arg[iarg++], false, lmp));
    if (list.empty()) utils::missing_cmd_args(FLERR, "pair_style deepmd " + keyword, error);
  };

  while (iarg < narg && !is_keyword(arg[iarg])) models.emplace_back(arg[iarg++]);
  if (models.empty()) utils::missing_cmd_args(FLERR, "pair_style deepmd", error);
  while (iarg < narg) {
    const std::string keyword = arg[iarg];
    if (keyword == "out_file")
      out_file = value();
    else if (keyword == "out_freq")
      out_freq = utils::inumeric(FLERR, value(), false, lmp);
    else if (keyword == "relative")
      relative_force = number();
    else if (keyword == "relative_v")
      relative_virial = number();
    else if (keyword == "fparam")
      numbers(frame_parameters);
    else if (keyword == "aparam")
      numbers(atom_parameters);
    else if (keyword == "fparam_from_compute")
      frame_compute = value();
    else if (keyword == "atomic") {
      by_atom = true;
      iarg++;
    } else if (refused().count(keyword)) {
      error->all(FLERR,
                 "Pair style deepmd/threadpool does not take {} (keyword {}): use pair_style "
                 "deepmd of deepmd-kit, with 'suffix off' before that command",
                 refused().at(keyword), keyword);
    } else {
      error->all(FLERR, "Unknown pair_style deepmd keyword: {}", keyword);
    }
  }
  if (out_freq < 0) error->all(FLERR, "Pair style deepmd out_freq must not be negative");
  if (!frame_compute.empty() && !frame_parameters.empty())
    error->all(FLERR, "Pair style deepmd takes either fparam or fparam_from_compute");
}
