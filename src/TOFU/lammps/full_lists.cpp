/* --------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

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
