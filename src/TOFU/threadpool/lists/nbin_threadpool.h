// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Bins of atoms that are filled only where a list build reads them.

   Neighbor fills its bins whenever lists are built.  NPairThreadpool has a
   grid of its own; where it builds all lists that share some bins, filling
   these is of no use.
------------------------------------------------------------------------- */

#ifndef LMP_NBIN_THREADPOOL_H
#define LMP_NBIN_THREADPOOL_H

#include "nbin.h"

#include <memory>

namespace LAMMPS_NS {

class NBinThreadpool : public NBin {
 public:
  /** \param stock   what Neighbor has made, which builds and stencils read; owned from now on */
  NBinThreadpool(class LAMMPS *, NBin *stock);

  void copy_neighbor_info() override;
  void setup_bins(int) override;
  void bin_atoms_setup(int) override;
  void bin_atoms() override;
  double memory_usage() override;

 private:
  std::unique_ptr<NBin> stock;
  bool in_use = true;

  bool is_in_use() const;
};

}    // namespace LAMMPS_NS

namespace TOFU_NS {

/** Replace all bins of Neighbor by objects of this class. */
void install_threadpool_bins(LAMMPS_NS::LAMMPS *);

}    // namespace TOFU_NS

#endif
