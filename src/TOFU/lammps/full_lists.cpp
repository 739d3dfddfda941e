// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "full_lists.h"

#include "comm.h"

using namespace LAMMPS_NS;

namespace {

// the setting is a protected member

class Settings : public Comm {
 public:
  static bool reduces(const Comm *comm) { return comm->*(&Settings::multi_reduce) != 0; }
};

}    // namespace

/* ---------------------------------------------------------------------- */

bool TOFU_NS::full_lists_are_refused(const Comm *comm)
{
  return Settings::reduces(comm);
}
