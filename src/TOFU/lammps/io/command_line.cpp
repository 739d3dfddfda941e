// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "command_line.h"

#include "version_line.h"

#include "comm.h"
#include "compute.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "input.h"
#include "lammps.h"
#include "modify.h"
#include "tokenizer.h"
#include "utils.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

namespace {

std::string joined(const std::vector<std::string> &words)
{
  return fmt::format("{}", fmt::join(words, " "));
}

/** Words of all switches -pk with this name, without it. */
std::vector<std::vector<std::string>> package_switches(LAMMPS *lmp, const std::string &name)
{
  std::vector<std::vector<std::string>> found;
  for (int i = 0; i < lmp->num_package; i++) {
    std::vector<std::string> words;
    for (char **word = lmp->packargs[i]; *word; word++) words.emplace_back(*word);
    if (words.empty() || words[0] != name) continue;
    words.erase(words.begin());
    found.push_back(words);
  }
  return found;
}

}    // namespace

/* ---------------------------------------------------------------------- */

#ifdef TOFU_COMMANDS_WITH_SLASH
static constexpr bool WITH_SLASH = true;
#else
static constexpr bool WITH_SLASH = false;
#endif

std::string TOFU_NS::words_for_package(const std::string &words)
{
  return fmt::format(WITH_SLASH ? "'package/threadpool {}' in the input" : "-pk threadpool {}",
                     words);
}

std::string TOFU_NS::words_for_suffix(int nthreads)
{
  return fmt::format("-sf threadpool{} {}", WITH_SLASH ? " and" : "",
                     words_for_package(std::to_string(nthreads)));
}

std::string TOFU_NS::words_for_comm_style()
{
  return WITH_SLASH ? "comm_style/p2p/rdma" : "comm_style p2p/rdma";
}

/* ----------------------------------------------------------------------
   a plug-in cannot see LAMMPS' command comm_style brick, which takes p2p_rdma for brick
------------------------------------------------------------------------- */

std::string TOFU_NS::words_for_brick()
{
  return WITH_SLASH
      ? "LAMMPS' own with TOFU_COMM=brick in the environment or comm_style/brick in the "
        "input, where 'comm_style brick' does nothing"
      : "LAMMPS' own with TOFU_COMM=brick in the environment or comm_style brick in the "
        "input";
}

/* ---------------------------------------------------------------------- */

std::vector<std::string> TOFU_NS::comm_of_environment()
{
  const char *const text = std::getenv("TOFU_COMM");
  std::vector<std::string> words = Tokenizer(text ? text : "").as_vector();
  if (words.empty()) words.emplace_back("p2p/rdma");
  return words;
}

/* ----------------------------------------------------------------------
   a command, as LAMMPS itself gives package omp if it has the suffix omp.  Not where
   threadpool is the second choice of a hybrid suffix
------------------------------------------------------------------------- */

void TOFU_NS::begin_with_default_comm(LAMMPS *lmp)
{
  if (!suffix_command(lmp).empty()) return;
  lmp->input->one("comm_style/default");
}

/* ----------------------------------------------------------------------
   LAMMPS does not keep this switch, but makes the computes of thermo output with it
   before it reads the input
------------------------------------------------------------------------- */

bool TOFU_NS::begun_with_suffix(LAMMPS *lmp)
{
  const Compute *const first = lmp->modify->get_compute_by_id("thermo_temp");
  return first && utils::strmatch(first->style, "/threadpool$");
}

/* ---------------------------------------------------------------------- */

std::string TOFU_NS::suffix_command(LAMMPS *lmp)
{
  if (!lmp->suffix_enable) return "suffix off";
  const std::string suffix = lmp->suffix ? lmp->suffix : "";
  if (suffix.empty() || suffix == "threadpool") return "";
  return lmp->suffix2 ? fmt::format("suffix hybrid {} {}", suffix, lmp->suffix2)
                      : "suffix " + suffix;
}

/* ---------------------------------------------------------------------- */

std::string TOFU_NS::comm_on_command_line(LAMMPS *lmp)
{
  std::string last;
  for (const char *name : {"tofu", "threadpool"})
    for (const std::vector<std::string> &words : package_switches(lmp, name)) {
      const auto comm = std::find(words.begin(), words.end(), "comm");
      if (comm != words.end()) last = joined({comm + 1, words.end()});
    }
  return last;
}

/* ----------------------------------------------------------------------
   the command line itself, and "clear", call package commands, too.  Keywords of
   package tofu do not change each other
------------------------------------------------------------------------- */

void TOFU_NS::log_overridden_package(LAMMPS *lmp, const std::string &name, int narg, char **arg)
{
  const auto switches = package_switches(lmp, name);
  const std::vector<std::string> words(arg, arg + narg);
  if (lmp->comm->me || switches.empty() ||
      std::find(switches.begin(), switches.end(), words) != switches.end())
    return;
  const std::vector<std::string> &given = switches.back();
  if (name == "tofu" && given[0] != words[0]) return;
  log_version(lmp);
  utils::logmesg(
      lmp,
      "TOFU: 'package {} {}' in the input overrides '-pk {} {}' of the command line: take "
      "that line out of the input to have the latter\n",
      name, joined(words), name, joined(given));
}
