/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "keywords.h"

#include "number_option.h"

#include "error.h"
#include "fmt/ranges.h"
#include "lammps.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

Keywords::Keywords(LAMMPS *lmp_in, std::string command_in) :
    lmp(lmp_in), command(std::move(command_in))
{
}

/* ---------------------------------------------------------------------- */

void Keywords::other(const std::string &name, Reader read)
{
  readers[name] = std::move(read);
}

/* ---------------------------------------------------------------------- */

void Keywords::add_choice(const std::string &name, const std::vector<std::string> &words,
                          const std::function<void(int)> &choose)
{
  other(name, [this, name, words, choose](int, char **arg) {
    for (std::size_t n = 0; n < words.size(); n++)
      if (words[n] == arg[0]) {
        choose(static_cast<int>(n));
        return 1;
      }
    reject(name, arg[0], fmt::format("{}", fmt::join(words, ", ")));
    return 1;
  });
}

/* ---------------------------------------------------------------------- */

void Keywords::yes_or_no(const std::string &name, bool &variable)
{
  other(name, [this, name, &variable](int, char **arg) {
    const std::string value = arg[0];
    if (value != "yes" && value != "no" && value != "on" && value != "off")
      reject(name, value, "yes, no");
    variable = value == "yes" || value == "on";
    return 1;
  });
}

/* ---------------------------------------------------------------------- */

void Keywords::integer(const std::string &name, int &variable, int lowest, int highest)
{
  other(name, [this, name, &variable, lowest, highest](int, char **arg) {
    variable = static_cast<int>(integer_option(lmp, what(name), arg[0], lowest, highest));
    return 1;
  });
}

/* ---------------------------------------------------------------------- */

void Keywords::real(const std::string &name, double &variable, double lowest, double highest,
                    const std::string &unit, double unit_in_variable)
{
  other(name, [=, &variable](int, char **arg) {
    variable = unit_in_variable * real_option(lmp, what(name), arg[0], lowest, highest, unit);
    return 1;
  });
}

/* ---------------------------------------------------------------------- */

void Keywords::word(const std::string &name, std::string &variable, const std::string &none)
{
  other(name, [&variable, none](int, char **arg) {
    variable = arg[0] == none ? "" : arg[0];
    return 1;
  });
}

/* ---------------------------------------------------------------------- */

void Keywords::read(int narg, char **arg) const
{
  for (int iarg = 0; iarg < narg;) {
    const int ntaken = read_first(narg - iarg, arg + iarg);
    if (ntaken == 0) {
      std::vector<std::string> names;
      for (const auto &[name, reader] : readers) names.push_back(name);
      lmp->error->all(FLERR, "Unknown {} keyword: {} (allowed: {})", command, arg[iarg],
                      fmt::join(names, ", "));
    }
    iarg += ntaken;
  }
}

/* ---------------------------------------------------------------------- */

int Keywords::read_first(int narg, char **arg) const
{
  const auto reader = readers.find(arg[0]);
  if (reader == readers.end()) return 0;
  if (narg < 2) lmp->error->all(FLERR, "Missing value after {} keyword: {}", command, arg[0]);
  return 1 + reader->second(narg - 1, arg + 1);
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
