// SPDX-License-Identifier: GPL-2.0-only
//
// MeshSolver: the mesh part of particle-particle particle-mesh, from the charges of this rank's
// atoms to the field at their places (Hockney and Eastwood, Computer Simulation Using Particles,
// 1989).
//
//   spread      charges to the mesh points around them, ghost points included
//   transform   DistributedFft::forward(), which adds up ghost points
//   Poisson     energy, virial; times Green's function, times ik
//   back        DistributedFft::inverse(), which fills ghost points
//   gather      fields at the places of the atoms
//
// All input data belong to the caller and must not change while solve() runs.  Any one thread may
// call solve(), if it may use the parts of its request.

#ifndef TOFU_MESH_MESH_SOLVER_H
#define TOFU_MESH_MESH_SOLVER_H

#include "base/aligned_array.h"
#include "base/parts.h"
#include "kernels/mesh/mesh_charges.h"
#include "mesh/fft/distributed_fft.h"
#include "mesh_fields.h"
#include "plane_shares.h"
#include "spectrum_tables.h"

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace TOFU_NS {

/** How the field comes from the potential. */
enum class Differentiation {
  IK,    // ik times the spectrum: three fields come back
  AD     // derivatives of the weights: the potential comes back
};

/** Atoms of one solution, and the results that are wanted. */
struct MeshRequest {
  int natoms = 0;
  const double *x = nullptr;                        // [natoms][3]
  const double *q = nullptr;                        // [natoms]
  bool energy = false, virial = false;              // of this rank's part of the spectrum
  bool atom_energy = false, atom_virial = false;    // potential, and the terms of the virial, at
                                                    // the places of atoms
  Parts parts;    // that share the work; results do not depend on them
};

/** Values at the places of atoms; owned by the rank that has computed them. */
struct MeshResults {
  double *field = nullptr;        // [natoms][3]
  double *potential = nullptr;    // [natoms], if it was wanted
  double *virial = nullptr;       // [natoms][6], likewise
};

using GroupSums = std::array<double, 4>;    // energy and force between two groups of charges

template <class Real> class MeshSolver {
 public:
  /** The transform and the tables are the caller's; the transform is that of without_own_images().
      */
  MeshSolver(const MeshGeometry &geometry, DistributedFft<Real> &fft, const SpectrumTables &tables,
             Differentiation differentiation);

  // to be set before solve(), and again when the box has changed

  std::optional<TriclinicBox> box;    // whose edges the mesh is along; none if it is orthogonal
  MeshStencil<Real> stencil;
  double charge_factor = 1.0;    // density of a unit charge at a point

  /** Throws TransportError, and std::runtime_error for atoms that are out of range. */
  void solve(const MeshRequest &request);

  // results of solve(), valid until the next call

  /** This rank's part of the sum of G |rho(k)|^2 / n^2, and of that times SpectrumTables::virial.
      */
  double energy() const { return energy_; }
  const std::array<double, 6> &virial() const { return virial_; }

  MeshResults results() { return {field_.data(), potential_.data(), atom_virial_.data()}; }

  /** The Fourier transform of the charges of a request.

      \return   [points of this rank][2] */
  std::vector<Real> spectrum_of_charges(const MeshRequest &request);

  /** This rank's part of the sums of G A B* and of its gradient in each dimension, divided by n^2,
      for the spectra A and B of the charges of two groups. */
  GroupSums sum_groups(const std::vector<Real> &a, const std::vector<Real> &b) const;

  /** The transforms of one step, without atoms; for measurements. */
  void transform_only();

  std::size_t nbytes() const;

 private:
  const double *virial_table() const
  {
    return tables_.virial.empty() ? nullptr : tables_.virial[0].data();
  }
  int count_fields(const MeshRequest &request) const;
  void make_room(const MeshRequest &request);
  MeshAtoms map(const MeshRequest &request);
  void spread(const MeshRequest &request, const MeshAtoms &atoms);
  void transform_back(int nfields, const Parts &parts);
  void sum_energy(bool virial);
  std::array<double, 3> slope_of(std::size_t n, const std::array<int, 3> &place) const;
  void gradients(const Parts &parts);
  void poisson(const MeshRequest &request);
  void gather(const MeshRequest &request, const MeshAtoms &atoms);

  const int me_;
  DistributedFft<Real> &fft_;
  const SpectrumTables &tables_;
  const Differentiation differentiation_;
  const double scale_;           // of a transform there and back
  const std::size_t npoints_;    // of the spectrum of this rank

  MeshFields<Real> fields_;
  AlignedArray<int> points_;          // [natoms][3] of their stencils
  std::vector<LostAtoms> lost_;       // [parts]
  PlaneShares planes_;                // of parts
  AlignedArray<double> fractions_;    // [natoms][3] of a triclinic box
  AlignedArray<double> field_, potential_, atom_virial_;
  double energy_ = 0.0;
  std::array<double, 6> virial_{};
};

}    // namespace TOFU_NS

#endif
