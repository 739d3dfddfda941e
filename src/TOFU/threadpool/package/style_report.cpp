// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "style_report.h"

#include "threadpool/minimize/min_on_pool.h"
#include "threadpool/pool/rank_pool.h"
#include "threadpool/pool/work_on_pool.h"

#include "lammps/io/command_line.h"
#include "lammps/styles/available_styles.h"
#include "lammps/styles/pair_styles_in_use.h"
#include "lammps/styles/ring_styles.h"
#include "lammps/styles/style_table.h"

#include "angle_hybrid.h"
#include "bond_hybrid.h"
#include "dihedral_hybrid.h"
#include "fix.h"
#include "fmt/format.h"
#include "force.h"
#include "improper_hybrid.h"
#include "kspace.h"
#include "modify.h"
#include "pair.h"
#include "timer.h"
#include "update.h"

#include <mpi.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

namespace {

constexpr const char *SUFFIX = "/threadpool";
constexpr int RUNS = 1, MINIMIZES = 2;    // Update::whichflag

/** Styles by kind, in the order in which they were added. */
class Lists {
 public:
  void add(const char *kind, const std::string &name)
  {
    if (kinds_.empty() || kinds_.back().first != kind) kinds_.push_back({kind, {}});
    std::vector<std::string> &names = kinds_.back().second;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }

  bool empty() const { return kinds_.empty(); }

  std::vector<std::string> kinds() const
  {
    std::vector<std::string> found;
    for (const auto &one : kinds_) found.push_back(one.first);
    return found;
  }

  std::string text() const
  {
    std::string text;
    for (const auto &[kind, names] : kinds_) {
      text += (text.empty() ? "" : "; ") + kind;
      for (const std::string &name : names) text += (name == names.front() ? " " : ", ") + name;
    }
    return text;
  }

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> kinds_;
};

/** Styles of a run, by what computes them.  The objects tell: names may lack the suffix, and a
    variant may leave all to LAMMPS. */
class Report {
 public:
  explicit Report(LAMMPS *lmp) : lmp_(lmp) {}

  template <class Style> void add(const char *kind, const std::string &name, const Style *style)
  {
    if (!style || name == "none" || name == "zero") return;
    const auto *const on_pool = dynamic_cast<const WorkOnPool *>(style);
    const std::string reason = on_pool ? on_pool->left_to_lammps() : "";
    if (on_pool && on_pool->in_single_precision()) single_.add(kind, without_suffix(name));
    if (!is_ours(*style)) {
      others_.add(kind, name);
      if (has_style(lmp_, kind, without_suffix(name) + SUFFIX)) stock_with_variant_.add(kind, name);
    } else if (reason.empty()) {
      variants_.add(kind, without_suffix(name));
    } else {
      others_.add(kind, fmt::format("{} ({})", without_suffix(name), reason));
      has_idle_variant_ = true;
    }
  }

  /** Whether some style has the suffix. */
  bool has_variants() const { return !variants_.empty() || has_idle_variant_; }

  const Lists &variants() const { return variants_; }
  const Lists &others() const { return others_; }    // LAMMPS' own code computes them
  const Lists &single() const { return single_; }    // in single precision
  const Lists &stock_with_variant() const { return stock_with_variant_; }

 private:
  LAMMPS *lmp_;
  Lists variants_, others_, single_, stock_with_variant_;
  bool has_idle_variant_ = false;

  /** The classes of all styles with the suffix are named after it. */
  template <class Style> static bool is_ours(const Style &style)
  {
    const char *const name = typeid(style).name();
    return strstr(name, "Threadpool") || strstr(name, "PPPMOffload") ||
        strstr(name, "PPPMTIP4POffload");
  }
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

/** A bonded style, or the sub-styles of a hybrid one. */
template <class Hybrid, class Style>
void add_bonded(Report &report, const char *kind, const char *name, const Style *style)
{
  const auto *const hybrid = dynamic_cast<const Hybrid *>(style);
  if (!hybrid) return report.add(kind, name ? name : "", style);
  for (int i = 0; i < hybrid->nstyles; i++)
    report.add(kind, hybrid->keywords[i], hybrid->styles[i]);
}

Report report_of(LAMMPS *lmp)
{
  Report report(lmp);
  const Force *const force = lmp->force;
  for (const PairInUse &used : pair_styles_in_use(force)) report.add("pair", used.style, used.pair);
  add_bonded<BondHybrid>(report, "bond", force->bond_style, force->bond);
  add_bonded<AngleHybrid>(report, "angle", force->angle_style, force->angle);
  add_bonded<DihedralHybrid>(report, "dihedral", force->dihedral_style, force->dihedral);
  add_bonded<ImproperHybrid>(report, "improper", force->improper_style, force->improper);
  report.add("kspace", force->kspace_style ? force->kspace_style : "", force->kspace);
  for (Fix *fix : lmp->modify->get_fix_list())
    if (works_in_steps(lmp, fix)) report.add("fix", fix->style, fix);
  return report;
}

/** A line about styles that are not on the pool since the input has overridden the suffix. */
std::string about_overridden_suffix(LAMMPS *lmp, const Report &report)
{
  if (report.stock_with_variant().empty() || !begun_with_suffix(lmp)) return "";
  const std::string command = suffix_command(lmp);
  return fmt::format("TOFU threadpool: not the variants of {}, since {} overrides "
                     "'-sf threadpool': take that out of the input to have them\n",
                     report.stock_with_variant().text(),
                     command.empty() ? "another suffix in the input"
                                     : fmt::format("'{}' in the input", command));
}

/** A line about the keyword precision. */
std::string about_precision(LAMMPS *lmp, const Report &report)
{
  const RankPool *const threadpool = RankPool::find(lmp);
  if (!threadpool || !threadpool->mixed_precision()) return "";
  if (!report.single().empty())
    return fmt::format("TOFU threadpool: in single precision: {}\n", report.single().text());
  return "TOFU threadpool: precision mixed has no effect here: none of these styles computes in "
         "single precision\n";
}

/** Sections of the timing breakdown in which styles compute. */
const std::vector<std::pair<const char *, Timer::ttype>> SECTIONS = {{"Pair", Timer::PAIR},
                                                                     {"Bond", Timer::BOND},
                                                                     {"Kspace", Timer::KSPACE},
                                                                     {"Modify", Timer::MODIFY}};

std::string section_of(const std::string &kind)
{
  if (kind == "pair") return "Pair";
  if (kind == "kspace") return "Kspace";
  return kind == "fix" ? "Modify" : "Bond";
}

/** Shares of the time of all sections, averages over ranks. */
std::vector<double> shares_of_sections(LAMMPS *lmp)
{
  std::vector<double> times = {lmp->timer->get_wall(Timer::TOTAL)};
  for (const auto &section : SECTIONS) times.push_back(lmp->timer->get_wall(section.second));
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
  const Report report = report_of(lmp);
  std::string text = about_overridden_suffix(lmp, report);
  if (!report.has_variants()) return text;
  if (!report.variants().empty())
    text += fmt::format("TOFU threadpool: variants of {}\n", report.variants().text());
  if (!report.others().empty())
    text += fmt::format("TOFU threadpool: LAMMPS' own styles, one thread per rank, for {}\n",
                        report.others().text());
  text += about_precision(lmp, report);
  const Update *const update = lmp->update;
  if (update->whichflag == RUNS && strcmp(update->integrate_style, "verlet") == 0)
    text += "TOFU threadpool: the step loop is LAMMPS' own, which it made before this suffix was "
            "known; run_style verlet, once the box is made and the suffix is set, makes it anew\n";
  const std::string variant = update->minimize_style + std::string(SUFFIX);
  if (update->whichflag == MINIMIZES && has_style(lmp, "minimize", variant) &&
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
  if (!report.has_variants()) return "";
  const std::vector<double> shares = shares_of_sections(lmp);    // ranks may differ in what follows
  const std::vector<std::string> kinds = report.others().kinds();
  double sum = 0.0;
  std::string list;
  for (std::size_t i = 0; i < SECTIONS.size(); i++) {
    const char *const name = SECTIONS[i].first;
    if (std::none_of(kinds.begin(), kinds.end(),
                     [name](const std::string &kind) { return section_of(kind) == name; }))
      continue;
    sum += shares[i];
    list += fmt::format("{} {} {:.0f} %", list.empty() ? "" : ",", name, 100.0 * shares[i]);
  }
  if (list.empty()) return "";
  return fmt::format("TOFU threadpool: sections with LAMMPS' own styles took {:.0f} % of the "
                     "time:{}\n",
                     100.0 * sum, list);
}
