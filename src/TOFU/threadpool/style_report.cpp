/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "style_report.h"

#include "lammps/pair_styles_in_use.h"
#include "lammps/ring_styles.h"
#include "lammps/style_table.h"

#include "fix.h"
#include "force.h"
#include "modify.h"
#include "update.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

namespace {

constexpr const char *SUFFIX = "/threadpool";

/** Names of styles, by what computes them. */
class Report {
 public:
  void add(const char *kind, const std::string &style)
  {
    if (style.empty() || style == "none" || style == "zero") return;
    const std::string base = without_suffix(style);
    const bool ours = style == base + SUFFIX;
    Kinds &kinds = ours ? variants_ : others_;
    const std::string name = ours ? base : style;
    if (kinds.empty() || kinds.back().first != kind) kinds.emplace_back(kind, Names());
    Names &names = kinds.back().second;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }

  std::string text() const
  {
    if (variants_.empty()) return "";
    std::string lines = "TOFU threadpool: variants of " + list(variants_) + "\n";
    if (!others_.empty())
      lines +=
          "TOFU threadpool: LAMMPS' own styles, one thread per rank, for " + list(others_) + "\n";
    return lines;
  }

 private:
  using Names = std::vector<std::string>;
  using Kinds = std::vector<std::pair<std::string, Names>>;

  static std::string list(const Kinds &kinds)
  {
    std::string text;
    for (const auto &[kind, names] : kinds) {
      text += (text.empty() ? "" : "; ") + kind;
      for (const std::string &name : names) text += (name == names.front() ? " " : ", ") + name;
    }
    return text;
  }

  Kinds variants_, others_;    // in the order in which they were added
};

/** Whether a fix does something in each step.  Those that LAMMPS and TOFU add have capitals. */
bool works_in_steps(LAMMPS *lmp, Fix *fix)
{
  constexpr int STEPS = FixConst::INITIAL_INTEGRATE | FixConst::POST_INTEGRATE |
      FixConst::PRE_FORCE | FixConst::POST_FORCE | FixConst::FINAL_INTEGRATE;
  const std::string style = fix->style;
  const bool internal = std::any_of(style.begin(), style.end(),
                                    [](unsigned char letter) { return std::isupper(letter); });
  if (utils::strmatch(style, RING_BALANCE)) return false;    // computes nothing itself
  return !internal && (lmp->modify->get_fix_mask(fix) & STEPS);
}

}    // namespace

/* ---------------------------------------------------------------------- */

std::string TOFU_NS::style_report(LAMMPS *lmp)
{
  Report report;
  const Force *const force = lmp->force;
  for (const PairInUse &used : pair_styles_in_use(force)) report.add("pair", used.style);
  const std::pair<const char *, const char *> bonded[] = {{"bond", force->bond_style},
                                                          {"angle", force->angle_style},
                                                          {"dihedral", force->dihedral_style},
                                                          {"improper", force->improper_style},
                                                          {"kspace", force->kspace_style}};
  for (const auto &[kind, style] : bonded) report.add(kind, style ? style : "");
  for (Fix *fix : lmp->modify->get_fix_list())
    if (works_in_steps(lmp, fix)) report.add("fix", fix->style);
  return report.text();
}
