// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "number_option.h"

#include "error.h"
#include "fmt/format.h"
#include "lammps.h"
#include "utils.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

using namespace LAMMPS_NS;

namespace {

std::string limits(double lowest, double highest)
{
  return std::isinf(highest) ? fmt::format("{} or more", lowest)
                             : fmt::format("{} to {}", lowest, highest);
}

}    // namespace

/* ----------------------------------------------------------------------
   LAMMPS' own words for an integer; from_chars() takes no '+' and detects
   numbers that are too long
------------------------------------------------------------------------- */

std::int64_t TOFU_NS::integer_option(LAMMPS *lmp, const std::string &what, const std::string &text,
                                     std::int64_t lowest, std::int64_t highest)
{
  std::int64_t number = 0;
  const char *const begin = text.c_str() + (text[0] == '+'),
                    *const end = text.c_str() + text.size();
  const auto [rest, status] = std::from_chars(begin, end, number);
  if (!utils::is_integer(text) || status != std::errc() || rest != end || number < lowest ||
      number > highest)
    lmp->error->all(FLERR, "Unknown {}: {} (allowed: an integer from {} to {})", what, text, lowest,
                    highest);
  return number;
}

/* ----------------------------------------------------------------------
   strtod(), since not all compilers have from_chars() for doubles; what is too
   large is infinite
------------------------------------------------------------------------- */

double TOFU_NS::real_option(LAMMPS *lmp, const std::string &what, const std::string &text,
                            double lowest, double highest, const std::string &unit)
{
  const double number = utils::is_double(text) ? std::strtod(text.c_str(), nullptr) : NAN;
  if (!std::isfinite(number) || number < lowest || number > highest)
    lmp->error->all(FLERR, "Unknown {}: {} (allowed: {}{}{})", what, text, limits(lowest, highest),
                    unit.empty() ? "" : " ", unit);
  return number;
}

/* ---------------------------------------------------------------------- */

std::int64_t TOFU_NS::environment_option(LAMMPS *lmp, const char *name, std::int64_t highest)
{
  const char *const text = std::getenv(name);
  if (!text || !*text) return 0;
  return integer_option(lmp, fmt::format("value of environment variable {}", name), text, 0,
                        highest);
}
