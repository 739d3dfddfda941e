// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// Which styles of a run are variants with the suffix /threadpool, and which are LAMMPS' own.

#ifndef TOFU_STYLE_REPORT_H
#define TOFU_STYLE_REPORT_H

#include <string>

namespace LAMMPS_NS {
class LAMMPS;
}

namespace TOFU_NS {

/** Some lines for the log, after the first forces of a run; empty if no style has the suffix, and
    none would by the command line.  Styles that do nothing in a step are left out. */
std::string style_report(LAMMPS_NS::LAMMPS *lmp);

/** One line for the log after a run: the share of the time that sections with LAMMPS' own styles
    took, averaged over ranks.  A section that has variants, too, counts as a whole.  Empty if no
    section has such styles or if times were not taken.  Collective. */
std::string own_styles_share(LAMMPS_NS::LAMMPS *lmp);

}    // namespace TOFU_NS

#endif
