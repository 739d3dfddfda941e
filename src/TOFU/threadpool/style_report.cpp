/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "style_report.h"

#include "min_on_pool.h"

#include "lammps/pair_styles_in_use.h"
#include "lammps/ring_styles.h"
#include "lammps/style_table.h"

#include "fix.h"
#include "fmt/format.h"
#include "force.h"
#include "modify.h"
#include "timer.h"
#include "update.h"

#include <mpi.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

namespace {

constexpr const char *SUFFIX = "/threadpool";
constexpr int RUNS = 1, MINIMIZES = 2;    // Update::whichflag

/** Names of styles, by what computes them. */
class Report {
 public:
  using Names = std::vector<std::string>;
  using Kinds = std::vector<std::pair<std::string, Names>>;

  void add(const char *kind, const std::string &style)
  {
    if (style.empty() || style == "none" || style == "zero") return;
    const std::string base = without_suffix(style);
    const bool ours = style == base + SUFFIX || utils::strmatch(style, "^pppm.*/offload$");
    Kinds &kinds = ours ? variants_ : others_;
    const std::string name = ours ? base : style;
    if (kinds.empty() || kinds.back().first != kind) kinds.emplace_back(kind, Names());
    Names &names = kinds.back().second;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }

  /** LAMMPS' own, if there are variants beside them. */
  const Kinds &others() const
  {
    static const Kinds none;
    return variants_.empty() ? none : others_;
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

Report report_of(LAMMPS *lmp)
{
  Report report;
  const Force *const force = lmp->force;
  for (const PairInUse &used : pair_styles_in_use(force))
    report.add("pair", name_with_suffix(used));
  const std::pair<const char *, const char *> bonded[] = {{"bond", force->bond_style},
                                                          {"angle", force->angle_style},
                                                          {"dihedral", force->dihedral_style},
                                                          {"improper", force->improper_style},
                                                          {"kspace", force->kspace_style}};
  for (const auto &[kind, style] : bonded) report.add(kind, style ? style : "");
  for (Fix *fix : lmp->modify->get_fix_list())
    if (works_in_steps(lmp, fix)) report.add("fix", fix->style);
  return report;
}

/** The section of the timing breakdown that a kind of styles is in. */
std::pair<const char *, Timer::ttype> section_of(const std::string &kind)
{
  if (kind == "pair") return {"Pair", Timer::PAIR};
  if (kind == "kspace") return {"Kspace", Timer::KSPACE};
  if (kind == "fix") return {"Modify", Timer::MODIFY};
  return {"Bond", Timer::BOND};
}

/** Shares of the time of some sections, averages over ranks. */
std::vector<double> shares_of(LAMMPS *lmp, const std::vector<Timer::ttype> &sections)
{
  std::vector<double> times = {lmp->timer->get_wall(Timer::TOTAL)};
  for (const Timer::ttype section : sections) times.push_back(lmp->timer->get_wall(section));
  MPI_Allreduce(MPI_IN_PLACE, times.data(), static_cast<int>(times.size()), MPI_DOUBLE, MPI_SUM,
                lmp->world);
  std::vector<double> shares(times.begin() + 1, times.end());
  for (double &share : shares) share = times[0] > 0.0 ? share / times[0] : 0.0;
  return shares;
}

}    // namespace

/* ---------------------------------------------------------------------- */

std::string TOFU_NS::style_report(LAMMPS *lmp)
{
  std::string text = report_of(lmp).text();
  const Update *const update = lmp->update;
  if (!text.empty() && update->whichflag == RUNS && strcmp(update->integrate_style, "verlet") == 0)
    text += "TOFU threadpool: the step loop is LAMMPS' own, which it made before this suffix was "
            "known; run_style verlet, once the box is made and the suffix is set, makes it anew\n";
  const std::string variant = update->minimize_style + std::string(SUFFIX);
  if (!text.empty() && update->whichflag == MINIMIZES && update->minimize_map->count(variant) &&
      !dynamic_cast<const MinOnPool *>(update->minimize))
    text += fmt::format("TOFU threadpool: the minimizer is LAMMPS' own; min_style {}, once the "
                        "suffix is set, makes that of the pool\n",
                        update->minimize_style);
  return text;
}

/* ---------------------------------------------------------------------- */

std::string TOFU_NS::own_styles_share(LAMMPS *lmp)
{
  if (!lmp->timer->has_normal()) return "";
  const Report report = report_of(lmp);
  std::vector<Timer::ttype> sections;
  std::vector<std::string> names;
  for (const auto &[kind, styles] : report.others()) {
    const auto [name, section] = section_of(kind);
    if (!sections.empty() && sections.back() == section) continue;    // kinds in their order
    sections.push_back(section);
    names.emplace_back(name);
  }
  if (sections.empty()) return "";

  const std::vector<double> shares = shares_of(lmp, sections);
  double sum = 0.0;
  std::string list;
  for (std::size_t i = 0; i < shares.size(); i++) {
    sum += shares[i];
    list += fmt::format("{} {} {:.0f} %", i ? "," : "", names[i], 100.0 * shares[i]);
  }
  return fmt::format("TOFU threadpool: sections with LAMMPS' own styles took {:.0f} % of the "
                     "time:{}\n",
                     100.0 * sum, list);
}
