// SPDX-License-Identifier: GPL-2.0-only
//
// PPPMBlock: LAMMPS' PPPM without its Fourier transforms.
//
// Another transform gives this rank a block of the spectrum.  PPPM's functions compute Green's
// function and the coefficients of self forces for this block, and weights of the mesh.

#ifndef LMP_PPPM_BLOCK_H
#define LMP_PPPM_BLOCK_H

#include "pppm_fele.h"

#include "kernels/mesh/self_forces.h"
#include "mesh/mesh_solver.h"

#include <array>
#include <optional>

namespace LAMMPS_NS {

class PPPMBlock : public PPPMFele {
 public:
  using PPPMFele::PPPMFele;

 protected:
  bool plain = false;    // all is left to PPPM, with its own transforms

  TOFU_NS::SpectrumTables tables;        // of the block, after set_up_tables()
  std::array<double, 6> tables_for{};    // a triclinic box: Domain's h

  /** Let LAMMPS decide which points of the mesh this rank owns, and which it needs around them. */
  void set_up_grid();
  TOFU_NS::MeshBox brick() const;    // after set_up_grid()
  TOFU_NS::MeshBox brick_with_ghosts() const;

  /** Allocate the arrays that PPPM's functions need for a block.

      \param shape   of the spectrum of this rank; none if another rank has the mesh */
  void allocate_block(const std::optional<TOFU_NS::SpectrumShape> &shape);

  void deallocate() override;

  /** In setup(): tables for the present box. */
  void set_up_tables();
  void set_up_triclinic_tables();
  void compute_gf_ik() override;
  void compute_gf_ad() override;

  /** Weights of the mesh for the present box.

      \param box   of the points that this rank has for atoms */
  TOFU_NS::MeshStencil<double> stencil(const TOFU_NS::MeshBox &box) const;
  std::optional<TOFU_NS::TriclinicBox> triclinic_box() const;
  TOFU_NS::SelfForces self_forces() const;

  /** Whether there are charges; counts them if the number of atoms has changed. */
  bool has_charges();

  /** Parts of the pool, if there is one. */
  TOFU_NS::Parts parts_of_pool() const;
  double bytes_of_block() const;

 private:
  std::optional<TOFU_NS::SpectrumShape> spectrum;
  bool sums_folded = false;    // of self forces, for half a spectrum

  void set_block();
  void fold_self_force_sums();
};

}    // namespace LAMMPS_NS

#endif
