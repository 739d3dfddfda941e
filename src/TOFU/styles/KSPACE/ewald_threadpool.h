// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef KSPACE_CLASS
// clang-format off
KSpaceStyle(ewald/threadpool,EwaldThreadpool);
// clang-format on
#else

#ifndef LMP_EWALD_THREADPOOL_H
#define LMP_EWALD_THREADPOOL_H

#include "ewald.h"

#include "base/parts.h"
#include "kernels/ewald/ewald_sum.h"

#include <vector>

namespace LAMMPS_NS {

/** kspace_style ewald under the suffix.  LAMMPS' class chooses the wave vectors and has their
    factors; the sums over waves and atoms are EwaldSum's.  Of LAMMPS' arrays those for each atom
    are not kept.

    A step has one reduction over ranks: structure factors, and dipoles of a slab. */
class EwaldThreadpool : public Ewald {
 public:
  using Ewald::Ewald;
  void init() override;
  void setup() override;
  void compute(int, int) override;
  void compute_group_group(int, int, int) override;
  double memory_usage() override;

 private:
  struct Dipole {
    double moment = 0.0, square = 0.0;    // sums of charge times z, and times z*z
  };

  TOFU_NS::EwaldSum waves;
  int nwaves = 0;                 // wave vectors in use
  double wave_unit[3][3] = {};    // 1/distance; wave vectors k, l, m = 1 of the last setup()
  std::vector<double> sums, group_sums;    // [waves.nsums()]
  std::vector<double> message;             // of this rank
  std::vector<double> factors;             // [nwaves][2] structure factors
  std::vector<double> weights, potential;

  TOFU_NS::Parts parts() const;
  void set_atoms();
  Dipole sum_over_ranks();
  Dipole dipole_of_this_rank() const;
  void add_energy_and_virial();
  void add_energies_of_atoms();
  void add_virials_of_atoms();
  void add_slab_correction(const Dipole &);
  void sum_group(int groupbit, int both, std::vector<double> &);
};

}    // namespace LAMMPS_NS

#endif
#endif
