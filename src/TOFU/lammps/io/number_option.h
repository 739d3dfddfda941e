// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// Numbers that users give, as keywords' values or in the environment: the one place where they are
// read.

#ifndef TOFU_NUMBER_OPTION_H
#define TOFU_NUMBER_OPTION_H

#include <cstdint>
#include <string>

namespace LAMMPS_NS {
class LAMMPS;
}

namespace TOFU_NS {

/** The whole text as a number; error->all() with what was found and what is allowed if it is none,
    or beyond the limits, however long it is.

    \param what   for the message, e.g. "comm_style p2p/rdma slots value"
    \param unit   behind the limits in the message, may be empty */
std::int64_t integer_option(LAMMPS_NS::LAMMPS *lmp, const std::string &what,
                            const std::string &text, std::int64_t lowest, std::int64_t highest);
double real_option(LAMMPS_NS::LAMMPS *lmp, const std::string &what, const std::string &text,
                   double lowest, double highest, const std::string &unit = "");

/** The value of an environment variable, from 0 up; 0 if it is not set or empty. */
std::int64_t environment_option(LAMMPS_NS::LAMMPS *lmp, const char *name, std::int64_t highest);

}    // namespace TOFU_NS

#endif
