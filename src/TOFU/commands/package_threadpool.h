// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef COMMAND_CLASS
// clang-format off
CommandStyle(package/threadpool,PackageThreadpool);
// clang-format on
#else

#ifndef LMP_PACKAGE_THREADPOOL_H
#define LMP_PACKAGE_THREADPOOL_H

#include "command.h"

namespace LAMMPS_NS {

/** package threadpool N keyword value ...; also on the command line as -pk. */
class PackageThreadpool : public Command {
 public:
  PackageThreadpool(class LAMMPS *lmp) : Command(lmp) {}
  void command(int, char **) override;
};

}    // namespace LAMMPS_NS

#endif
#endif
