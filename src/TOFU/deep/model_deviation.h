// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   By how much several models differ in their forces and virials: the file
   that programs which select training data read, in their format.
------------------------------------------------------------------------- */

#ifndef LMP_MODEL_DEVIATION_H
#define LMP_MODEL_DEVIATION_H

#include "pointers.h"

#include "deep_settings.h"

#include <array>
#include <cstdio>
#include <vector>

namespace LAMMPS_NS {

class ModelDeviation : protected Pointers {
 public:
  using Virial = std::array<double, 9>;    // row by row

  ModelDeviation(LAMMPS *, const DeepSettings &);
  ~ModelDeviation() override;

  /** Open the file.  An existing one is continued unless the run begins with step 0. */
  void begin();

  /** Append a line, in units of the run.  Collective.

      \param forces    [nmodels][nlocal][3]
      \param virials   [nmodels] of this rank */
  void write(const std::vector<std::vector<double>> &forces, std::vector<Virial> virials);

 private:
  const DeepSettings settings;
  FILE *file = nullptr;

  struct Spread {
    double most = 0.0, least = 0.0, mean = 0.0;
  };
  Spread of_forces(const std::vector<std::vector<double>> &, std::vector<double> &by_atom) const;
  Spread of_virials(std::vector<Virial>) const;
  void append_by_atom(const std::vector<double> &, std::string &) const;
};

}    // namespace LAMMPS_NS

#endif
