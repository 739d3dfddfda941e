// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "keywords.h"

#include "number_option.h"

#include "error.h"
#include "fmt/ranges.h"
#include "lammps.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

Keywords::Keywords(LAMMPS *lmp_in, std::string command_in) :
    lmp(lmp_in), command(std::move(command_in))
{
}

/* ---------------------------------------------------------------------- */

void Keywords::other(const std::string &name, Reader read, Writer write)
{
  table.push_back({name, std::move(read), std::move(write)});
}

/* ---------------------------------------------------------------------- */

void Keywords::add_choice(const std::string &name, const std::vector<std::string> &words,
                          const std::function<void(int)> &choose, const Writer &write)
{
  const auto read = [this, name, words, choose](int, char **arg) {
    for (std::size_t n = 0; n < words.size(); n++)
      if (words[n] == arg[0]) {
        choose(static_cast<int>(n));
        return 1;
      }
    reject(name, arg[0], fmt::format("{}", fmt::join(words, ", ")));
    return 1;
  };
  other(name, read, write);
}

/* ---------------------------------------------------------------------- */

void Keywords::yes_or_no(const std::string &name, bool &variable)
{
  const auto read = [this, name, &variable](int, char **arg) {
    const std::string value = arg[0];
    if (value != "yes" && value != "no" && value != "on" && value != "off")
      reject(name, value, "yes, no");
    variable = value == "yes" || value == "on";
    return 1;
  };
  other(name, read, [&variable]() { return std::string(variable ? "yes" : "no"); });
}

/* ---------------------------------------------------------------------- */

void Keywords::integer(const std::string &name, int &variable, int lowest, int highest)
{
  const auto read = [this, name, &variable, lowest, highest](int, char **arg) {
    variable = static_cast<int>(integer_option(lmp, what(name), arg[0], lowest, highest));
    return 1;
  };
  other(name, read, [&variable]() { return std::to_string(variable); });
}

/* ---------------------------------------------------------------------- */

void Keywords::real(const std::string &name, double &variable, double lowest, double highest,
                    const std::string &unit, double unit_in_variable)
{
  const auto read = [=, &variable](int, char **arg) {
    variable = unit_in_variable * real_option(lmp, what(name), arg[0], lowest, highest, unit);
    return 1;
  };
  other(name, read, [=, &variable]() { return fmt::format("{}", variable / unit_in_variable); });
}

/* ---------------------------------------------------------------------- */

void Keywords::word_of(const std::string &name, std::string &variable,
                       const std::vector<std::string> &words)
{
  add_choice(
      name, words, [&variable, words](int n) { variable = words[n]; },
      [&variable]() { return variable; });
}

/* ---------------------------------------------------------------------- */

void Keywords::word(const std::string &name, std::string &variable, const std::string &none)
{
  const auto read = [&variable, none](int, char **arg) {
    variable = arg[0] == none ? "" : arg[0];
    return 1;
  };
  other(name, read, [&variable, none]() { return variable.empty() ? none : variable; });
}

/* ---------------------------------------------------------------------- */

void Keywords::read(int narg, char **arg) const
{
  for (int iarg = 0; iarg < narg;) {
    const int ntaken = read_first(narg - iarg, arg + iarg);
    if (ntaken == 0) {
      std::vector<std::string> names;
      for (const Keyword &keyword : table) names.push_back(keyword.name);
      std::sort(names.begin(), names.end());
      lmp->error->all(FLERR, "Unknown {} keyword: {} (allowed: {})", command, arg[iarg],
                      fmt::join(names, ", "));
    }
    iarg += ntaken;
  }
}

/* ---------------------------------------------------------------------- */

int Keywords::read_first(int narg, char **arg) const
{
  for (const Keyword &keyword : table) {
    if (keyword.name != arg[0]) continue;
    if (narg < 2) lmp->error->all(FLERR, "Missing value after {} keyword: {}", command, arg[0]);
    return 1 + keyword.read(narg - 1, arg + 1);
  }
  return 0;
}

/* ---------------------------------------------------------------------- */

std::string Keywords::text() const
{
  std::string result;
  for (const Keyword &keyword : table)
    if (keyword.write) result += (result.empty() ? "" : " ") + keyword.name + " " + keyword.write();
  return result;
}

/* ---------------------------------------------------------------------- */

void Keywords::reject(const std::string &name, const std::string &value,
                      const std::string &allowed) const
{
  lmp->error->all(FLERR, "Unknown {} {} value: {} (allowed: {})", command, name, value, allowed);
}

/* ---------------------------------------------------------------------- */

std::string Keywords::what(const std::string &name) const
{
  return command + " " + name + " value";
}
