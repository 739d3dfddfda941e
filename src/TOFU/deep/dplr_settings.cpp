// SPDX-License-Identifier: GPL-2.0-only

#include "dplr_settings.h"

#include "atom.h"
#include "error.h"
#include "lammps.h"
#include "utils.h"

#include <algorithm>
#include <array>

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

DPLRSettings::DPLRSettings(LAMMPS *lmp, int narg, char **arg)
{
  static const std::array<std::string, 5> KEYWORDS = {"model", "type_associate", "bond_type",
                                                      "efield", "pair_deepmd_index"};
  Error *const error = lmp->error;
  std::vector<int> types;
  for (int iarg = 0; iarg < narg;) {
    const std::string keyword = arg[iarg++];
    if (std::find(KEYWORDS.begin(), KEYWORDS.end(), keyword) == KEYWORDS.end())
      error->all(FLERR, "Unknown fix dplr keyword: {}", keyword);
    std::vector<std::string> values;
    while (iarg < narg && std::find(KEYWORDS.begin(), KEYWORDS.end(), arg[iarg]) == KEYWORDS.end())
      values.emplace_back(arg[iarg++]);
    const std::size_t n = values.size();
    const auto needs = [&](bool right, const char *what) {
      if (!right) error->all(FLERR, "Fix dplr {} needs {}, it has {} values", keyword, what, n);
    };
    const auto numbers = [&](std::vector<int> &list, int most, const char *what) {
      for (const std::string &value : values) {
        list.push_back(utils::inumeric(FLERR, value, false, lmp));
        if (list.back() < 1 || list.back() > most)
          error->all(FLERR, "Fix dplr {}: there is no {} type {}, the system has {}", keyword, what,
                     list.back(), most);
      }
    };
    if (keyword == "model") {
      needs(n == 1, "the name of one file");
      model = values[0];
    } else if (keyword == "type_associate") {
      needs(n > 0 && n % 2 == 0, "pairs of atom types: an atom's and that of its Wannier centers");
      numbers(types, lmp->atom->ntypes, "atom");
    } else if (keyword == "bond_type") {
      needs(n > 0, "types of the bonds between atoms and their Wannier centers");
      numbers(bond_types, lmp->atom->nbondtypes, "bond");
    } else if (keyword == "efield") {
      needs(n == 3, "the three components of the field");
      field = values;
    } else {
      needs(n == 1, "one number");
      pair_number = utils::inumeric(FLERR, values[0], false, lmp);
    }
  }
  if (model.empty() || types.empty() || bond_types.empty())
    error->all(FLERR,
               "Fix dplr needs the keywords model, type_associate and bond_type; {} is missing",
               model.empty()       ? KEYWORDS[0]
                   : types.empty() ? KEYWORDS[1]
                                   : KEYWORDS[2]);
  for (std::size_t k = 0; k < types.size(); k += 2) associated.emplace_back(types[k], types[k + 1]);
}
