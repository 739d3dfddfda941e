// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "ring_styles.h"

#include "style_table.h"

#include "atom.h"
#include "compute.h"
#include "dump.h"
#include "fix.h"
#include "fmt/format.h"
#include "force.h"
#include "modify.h"
#include "neigh_list.h"
#include "neighbor.h"
#include "output.h"
#include "pair.h"
#include "suffix.h"
#include "update.h"
#include "utils.h"

#include <algorithm>
#include <vector>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

namespace {

// protected, and unlike the name in a hybrid style it tells the variant

class Flags : public Pair {
 public:
  static int of(const Pair *pair) { return pair->*(&Flags::suffix_flag); }
};

// the beginnings of names, and why

std::string known_reason(const std::string &name)
{
  static const std::vector<std::pair<std::string, std::string>> reasons = {
      {"adp", "it has loops over all owned atoms beside those over rows"},
      {"airebo", "it builds lists of its own for owned atoms and ghosts"},
      {"bop", "it builds lists of its own for owned atoms and ghosts"},
      {"comb", "it has loops over all owned atoms beside those over rows"},
      {"coul/dsf",
       "it counts the self-energy of an atom with its row, which has to be its owner's"},
      {"coul/wolf",
       "it counts the self-energy of an atom with its row, which has to be its owner's"},
      {"deepmd",
       "it gives its model the owned atoms, whichever rows its list has; use the suffix "
       "threadpool"},
      {"dpd", "its random forces would be those of another rank"},
      {"eam/cd", "it has loops over all owned atoms beside those over rows"},
      {"eam",
       "it embeds the atoms whose rows it computes, not those that it owns; use the suffix "
       "threadpool"},
      {"gran", "contacts have a history that is stored by row with the owner"},
      {"lj/cut/coul/dsf",
       "it counts the self-energy of an atom with its row, which has to be its owner's"},
      {"lj/cut/tip4p", "it looks for the other atoms of a molecule, which need not be ghosts here"},
      {"lj/long/tip4p",
       "it looks for the other atoms of a molecule, which need not be ghosts here"},
      {"meam", "it has loops over all owned atoms beside those over rows"},
      {"polymorphic", "it builds lists of its own for owned atoms and ghosts"},
      {"reax", "it has loops over all owned atoms and lists of bonds beside the rows"},
      {"rebo", "it builds lists of its own for owned atoms and ghosts"},
      {"tip4p", "it looks for the other atoms of a molecule, which need not be ghosts here"},
      {"tri/lj", "it has pieces of particles for owned atoms alone"}};
  for (const auto &[beginning, reason] : reasons)
    if (name.compare(0, beginning.size(), beginning) == 0) return reason;
  return "it is not among those that are known to work with rows of ghosts";
}

}    // namespace

/* ---------------------------------------------------------------------- */

std::string TOFU_NS::objection_to_rows_of_ghosts(const std::string &style, Pair *pair)
{
  const std::string name = without_suffix(style);
  if (pair_traits(name) & ANY_ROWS_WITH_SUFFIX) {
    int dim;
    return pair->extract("tofu/any_rows", dim) ? "" : known_reason(name);
  }
  if (!(pair_traits(name) & ANY_ROWS)) return known_reason(name);
  if (Flags::of(pair) & (Suffix::GPU | Suffix::OMP | Suffix::INTEL))
    return "its variant for the packages GPU, INTEL and OPENMP has not been seen to compute "
           "rows of ghosts; use the suffix threadpool, opt or none";
  return "";
}

/* ---------------------------------------------------------------------- */

std::string TOFU_NS::objection_to_handing_over_rows(LAMMPS *lmp)
{
  if (!lmp->force->newton_pair)
    return "newton is off for pairs, so that forces on ghosts would be lost; use newton on";
  if (!lmp->atom->tag_enable)
    return "atoms have no IDs, by which rows name them; use atom_modify id yes";
  if (lmp->neighbor->includegroup) return "neigh_modify include leaves forces on ghosts out";
  if (lmp->update->whichflag == 1 && utils::strmatch(lmp->update->integrate_style, "^respa"))
    return fmt::format("run_style {} has more than one list per pair style; use run_style verlet",
                       lmp->update->integrate_style);
  for (const Compute *compute : lmp->modify->get_compute_list())
    if (utils::strmatch(compute->style, "/tally$"))
      return fmt::format("compute {} wants to see each pair at the owner of its row",
                         compute->style);
  for (const Fix *fix : lmp->modify->get_fix_list()) {
    if (utils::strmatch(fix->style, "^hyper/local"))
      return fmt::format("fix {} needs a row for each owned atom", fix->style);
    if (utils::strmatch(fix->style, "^UPDATE_SPECIAL_BONDS"))
      return "bonds that break (package BPM) change rows between two builds, and other ranks "
             "have copies of them";
  }
  return "";
}

/* ----------------------------------------------------------------------
   weights of fix balance may be numbers of neighbors; images may show bonds
   between them
------------------------------------------------------------------------- */

bool TOFU_NS::others_read_lists(LAMMPS *lmp)
{
  if (!lmp->modify->get_fix_by_style("^balance").empty()) return true;
  const auto &dumps = lmp->output->get_dump_list();
  return std::any_of(dumps.begin(), dumps.end(), [](const Dump *dump) {
    return utils::strmatch(dump->style, "^image") || utils::strmatch(dump->style, "^movie");
  });
}
