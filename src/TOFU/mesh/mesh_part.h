// SPDX-License-Identifier: GPL-2.0-only
//
// MeshPart: transform and solver of one rank, in a precision that is chosen at run time.

#ifndef TOFU_MESH_MESH_PART_H
#define TOFU_MESH_MESH_PART_H

#include "mesh/fft/fft_choice.h"
#include "mesh_solver.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace TOFU_NS {

/** In the order of a use: links, decision, solver, stencil, solutions.  Functions are those of
    FftChoice and MeshSolver; numbers of the caller are doubles in both precisions. */
class MeshPart {
 public:
  /** \param geometry   with own images
      \param settings   of the transform
      \throws std::invalid_argument with the reason if the requested transform cannot do
              the mesh */
  template <class Real>
  static std::unique_ptr<MeshPart> make(const MeshGeometry &geometry, const FftSettings &settings);

  virtual ~MeshPart() = default;
  MeshPart() = default;
  MeshPart(const MeshPart &) = delete;
  MeshPart &operator=(const MeshPart &) = delete;

  // transform

  virtual void add_traffic(int nfields, std::vector<std::size_t> &nbytes) const = 0;
  virtual void bind(Transport &transport) = 0;
  virtual bool has_alternatives() const = 0;
  virtual void decide(int nfields, const std::function<double(double)> &max_over_ranks) = 0;
  virtual std::vector<FftTime> times() const = 0;
  virtual const char *name() = 0;
  virtual SpectrumShape shape() = 0;

  // solver

  virtual void make_solver(const SpectrumTables &tables, Differentiation differentiation) = 0;
  virtual void set_stencil(const MeshStencil<double> &stencil, double charge_factor,
                           const std::optional<TriclinicBox> &box) = 0;
  virtual void solve(const MeshRequest &request) = 0;
  virtual MeshResults results() = 0;
  virtual double energy() const = 0;
  virtual const std::array<double, 6> &virial() const = 0;
  virtual std::vector<double> spectrum_of_charges(const MeshRequest &request) = 0;
  virtual GroupSums sum_groups(const std::vector<double> &a,
                               const std::vector<double> &b) const = 0;
  virtual void transform_only() = 0;
  virtual std::size_t nbytes() const = 0;
};

}    // namespace TOFU_NS

#endif
