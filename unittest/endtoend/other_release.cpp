// SPDX-License-Identifier: GPL-2.0-only
// Plug-in of a test: LAMMPS says from then on that it is another release.

#include "lammps.h"

extern "C" void lammpsplugin_init(void *lmp, void *, void *)
{
  static_cast<LAMMPS_NS::LAMMPS *>(lmp)->version = "1 Jan 2020";
}
