// SPDX-License-Identifier: GPL-2.0-only

#include "dplr_types.h"

#include "model_on_all_ranks.h"
#include "pair_deepmd_threadpool.h"
#include "wannier_dipoles.h"
#include "wannier_pairs.h"

#include "atom.h"
#include "error.h"
#include "force.h"

#include <algorithm>
#include <string>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ----------------------------------------------------------------------
   types go by the names behind pair_coeff, if there are some
------------------------------------------------------------------------- */

void DPLRTypes::find(LAMMPS *lmp, int pair_number, const WannierDipoles &dipoles)
{
  Error *const error = lmp->error;
  Force *const force = lmp->force;
  const PairDeepMDThreadpool *pair = nullptr;
  for (const char *name : {"deepmd/threadpool", "deepmd"})    // hybrid styles have the latter
    if (!pair) pair = dynamic_cast<PairDeepMDThreadpool *>(force->pair_match(name, 1, pair_number));
  const Pair *const first = force->pair_match("^deepmd", 0, 1),
                    *const second = force->pair_match("^deepmd", 0, 2);
  if (!pair && first != second && dynamic_cast<const PairDeepMDThreadpool *>(first))
    error->all(FLERR,
               "Fix dplr/threadpool: pair_style {} has several sub-styles deepmd, and "
               "pair_deepmd_index is {}; use pair_deepmd_index 1, 2, ... for the one whose types "
               "the fix shall have",
               force->pair_style, pair_number);
  if (!pair)
    error->all(FLERR,
               "Fix dplr/threadpool needs pair_style deepmd with the suffix threadpool{}; the pair "
               "style is {}",
               pair_number ? fmt::format(", as number {} of its kind", pair_number) : "",
               force->pair ? force->pair_style : "none");
  pair_cutoff = pair->cutoff();
  const PairDeepMDThreadpool::TypeMap map = pair->type_map();
  const std::vector<std::string> &own = dipoles.types();
  numbers.assign(lmp->atom->ntypes + 1, NOT_AN_ATOM);
  for (int type = 1; type <= lmp->atom->ntypes; type++) {
    const int number = map.numbers[type];
    if (number < 0) continue;
    auto found = own.begin() + std::min<std::size_t>(number, own.size());
    if (map.named) found = std::find(own.begin(), own.end(), map.names[number]);
    if (found == own.end())
      error->all(
          FLERR,
          "The model of Wannier centers has no type {}, which atom type {} is; its types are "
          "{}",
          map.names[number], type, utils::join_words(own, " "));
    numbers[type] = static_cast<int>(found - own.begin());
  }
}

/* ----------------------------------------------------------------------
   models must not read centers
------------------------------------------------------------------------- */

void DPLRTypes::check(LAMMPS *lmp, const WannierDipoles &dipoles, const WannierPairs &pairs) const
{
  Error *const error = lmp->error;
  std::string with_dipoles;
  for (int type = 1; type <= lmp->atom->ntypes; type++)
    if (dipoles.has_dipoles(numbers[type])) with_dipoles += fmt::format(" {}", type);
  for (int type = 1; type <= lmp->atom->ntypes; type++) {
    const int number = numbers[type];
    const bool has_centers = pairs.has_centers(type);
    if (pairs.is_center(type) && number >= 0)
      error->all(FLERR,
                 "Atom type {} is one of Wannier centers for fix dplr, and type {} of the deep "
                 "potential for pair_style deepmd: write NULL for it in pair_coeff",
                 type, dipoles.types()[number]);
    if (has_centers && !dipoles.has_dipoles(number))
      error->all(FLERR,
                 "Fix dplr type_associate: the model has no dipoles of atom type {}; it has those "
                 "of atom types{}",
                 type, with_dipoles.empty() ? " none" : with_dipoles);
    if (!has_centers && dipoles.has_dipoles(number))
      error->all(
          FLERR,
          "The model has dipoles of atom type {} ({}), to which fix dplr type_associate gives "
          "no type of Wannier centers",
          type, dipoles.types()[number]);
  }
}
