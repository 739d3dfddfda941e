// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_VELOCITY_PROFILE_H
#define LMP_VELOCITY_PROFILE_H

#include "pointers.h"

#include <vector>

namespace LAMMPS_NS {

/** Velocities of the centers of mass of bins, as compute temp/profile has them. */
class VelocityProfile : protected Pointers {
 public:
  /** \param arg   [narg] arguments of compute temp/profile, which has checked them */
  VelocityProfile(class LAMMPS *, int narg, char **arg);

  /** Find the bins of owned atoms, and the velocities of bins.  The same bits for any number of
      parts.  Collective. */
  void average(int groupbit);

  /** Whether average() has been called. */
  bool is_known() const { return !velocity.empty(); }

  /** [3] velocity of the bin of an atom, 0 in directions that are not averaged. */
  const double *of_atom(int i) const { return velocity.data() + 3 * bin[i]; }

  double memory_usage() const;

 private:
  static constexpr int NSUMS = 4;    // of a bin: momentum and mass

  bool averaged[3];
  int nbins[3] = {1, 1, 1}, nall;
  std::vector<int> bin;            // [natoms]
  std::vector<double> velocity;    // [nall][3]
  std::vector<double> some;        // [blocks of atoms][nall][NSUMS]

  void add_block(int groupbit, int first, int last, double *sums);
};

}    // namespace LAMMPS_NS

#endif
