// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// Whether LAMMPS prints a summary behind the run that ends: nothing else should be printed where a
// user has said "post no".

#ifndef TOFU_RUN_SUMMARY_H
#define TOFU_RUN_SUMMARY_H

namespace LAMMPS_NS {
class LAMMPS;
}

namespace TOFU_NS {

/** To be called at the end of a run, any number of times.  The same on all ranks. */
bool summary_follows(LAMMPS_NS::LAMMPS *);

}    // namespace TOFU_NS

#endif
