// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef COMMAND_CLASS
// clang-format off
CommandStyle(package/tofu,PackageTofu);
// clang-format on
#else

#ifndef LMP_PACKAGE_TOFU_H
#define LMP_PACKAGE_TOFU_H

#include "command.h"

namespace TOFU_NS {
struct PlaceSettings;
}

namespace LAMMPS_NS {

/** package tofu place ... comm brick | comm p2p/rdma keyword value ...; also on the command line as
    -pk, so that any input runs through p2p/rdma unedited. */
class PackageTofu : public Command {
 public:
  PackageTofu(class LAMMPS *lmp) : Command(lmp) {}
  void command(int, char **) override;

  /** What the keywords say, in this package command or another one.

      \param ncomm,comm_words   what follows "comm"; 0: it was not given
      \param command            for messages, e.g. "package tofu" */
  void apply(const TOFU_NS::PlaceSettings &place, int ncomm, char **comm_words,
             const char *command);

 private:
  void choose_comm(int narg, char **arg);
};

}    // namespace LAMMPS_NS

#endif
#endif
