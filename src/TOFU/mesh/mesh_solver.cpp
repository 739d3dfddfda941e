// SPDX-License-Identifier: GPL-2.0-only

#include "mesh_solver.h"

#include "kernels/mesh/poisson.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace TOFU_NS {

namespace {

  constexpr int NVIRIAL = 6;

  Parts parts_for_atoms(const MeshRequest &request)
  {
    constexpr int TOO_FEW = 1000;    // atoms of a part that are not worth a fork
    return request.parts.for_work(request.natoms, TOO_FEW);
  }

  /** row(first, b, c) for all rows of a spectrum: its first point, and the indices in the two
      slower dimensions, which count from where this rank's part begins. */
  template <class Row> void for_rows(const MeshLayout &layout, Row &&row)
  {
    const int n0 = layout.box.length(layout.order[0]), n1 = layout.box.length(layout.order[1]),
              n2 = layout.box.length(layout.order[2]);
    for (int c = 0; c < n2; c++)
      for (int b = 0; b < n1; b++) row((static_cast<std::size_t>(c) * n1 + b) * n0, b, c);
  }

}    // namespace

/* ---------------------------------------------------------------------- */

template <class Real>
MeshSolver<Real>::MeshSolver(const MeshGeometry &geometry, DistributedFft<Real> &fft,
                             const SpectrumTables &tables, Differentiation differentiation) :
    me_(geometry.me),
    fft_(fft), tables_(tables), differentiation_(differentiation),
    scale_(1.0 / static_cast<double>(whole_mesh(geometry.npoints).npoints())),
    npoints_(fft.spectrum().box.npoints()), fields_(geometry, npoints_)
{
}

/* ---------------------------------------------------------------------- */

template <class Real> void MeshSolver<Real>::solve(const MeshRequest &request)
{
  make_room(request);
  const MeshAtoms atoms = map(request);
  spread(request, atoms);
  fft_.forward(fields_.inner_density(), fields_.transformed(), request.parts);
  if (request.energy || request.virial) sum_energy(request.virial);
  if (npoints_ > 0) poisson(request);
  transform_back(count_fields(request), request.parts);
  gather(request, atoms);
}

/* ---------------------------------------------------------------------- */

template <class Real> void MeshSolver<Real>::transform_back(int nfields, const Parts &parts)
{
  fields_.set_inverse(nfields, from_, to_);
  fft_.inverse(nfields, from_.data(), to_.data(), parts);
  fields_.unfold(nfields, parts);
}

/* ----------------------------------------------------------------------
   the order of fields: what forces need, the potential, the six of the virial
------------------------------------------------------------------------- */

template <class Real> int MeshSolver<Real>::count_fields(const MeshRequest &request) const
{
  const bool ik = differentiation_ == Differentiation::IK;
  return (ik ? 3 : 1) + (ik && request.atom_energy ? 1 : 0) + (request.atom_virial ? NVIRIAL : 0);
}

/* ---------------------------------------------------------------------- */

template <class Real> void MeshSolver<Real>::make_room(const MeshRequest &request)
{
  fields_.make_room(count_fields(request));
  const std::size_t natoms = request.natoms;
  points_.room(3 * natoms);
  if (box) fractions_.room(3 * natoms);
  field_.room(3 * natoms);
  if (request.atom_energy) potential_.room(natoms);
  if (request.atom_virial) atom_virial_.room(NVIRIAL * natoms);
}

/* ---------------------------------------------------------------------- */

template <class Real> MeshAtoms MeshSolver<Real>::map(const MeshRequest &request)
{
  MeshAtoms atoms;
  atoms.x = box ? fractions_.data() : request.x;
  atoms.q = request.q;
  atoms.point = points_.data();
  const Parts parts = parts_for_atoms(request);
  lost_.resize(parts.n());
  parts.share(request.natoms, [&](int part, int first, int last) {
    if (box) find_fractions(*box, request.x, first, last, fractions_.data());
    lost_[part] = map_atoms(stencil, atoms.x, first, last, points_.data());
  });
  LostAtoms lost;
  for (const LostAtoms &some : lost_) {
    if (lost.count == 0) lost.first = some.first;
    lost.count += some.count;
  }
  if (lost.count > 0) {
    const double *const x = request.x + 3 * static_cast<std::size_t>(lost.first);
    throw std::runtime_error(
        "Out of range atoms - cannot compute PPPM: on rank " + std::to_string(me_) + " " +
        std::to_string(lost.count) + " atoms are outside its part of the mesh, the first at " +
        std::to_string(x[0]) + " " + std::to_string(x[1]) + " " + std::to_string(x[2]) +
        "; the simulation may be unstable, or neighbor lists are built too seldom");
  }
  return atoms;
}

/* ---------------------------------------------------------------------- */

template <class Real>
void MeshSolver<Real>::spread(const MeshRequest &request, const MeshAtoms &atoms)
{
  const int nplanes = stencil.hi[2] - stencil.lo[2];
  const std::size_t plane =
      static_cast<std::size_t>(stencil.hi[0] - stencil.lo[0]) * (stencil.hi[1] - stencil.lo[1]);
  Real *const density = fields_.density();
  std::memset(density + nplanes * plane, 0, MESH_ARRAY_SLACK * sizeof(Real));
  const Parts parts = parts_for_atoms(request);
  planes_.assign(points_.data(), request.natoms, stencil.lo[2], stencil.hi[2], parts.n());
  parts.run([&](int part) {
    const int first = planes_.first(part), last = planes_.last(part);
    std::memset(density + (first - stencil.lo[2]) * plane, 0,
                (last - first) * plane * sizeof(Real));
    if (parts.n() == 1)
      spread_charges(stencil, atoms, 0, request.natoms, charge_factor, density);
    else
      spread_charges_in_planes(stencil, atoms, 0, request.natoms, charge_factor, first, last,
                               density);
  });
  fields_.fold();
}

/* ---------------------------------------------------------------------- */

template <class Real> void MeshSolver<Real>::sum_energy(bool virial)
{
  double sums[1 + NVIRIAL] = {};
  const SpectrumFactors factors{tables_.green.data(), tables_.weight.data(),
                                virial ? virial_table() : nullptr};
  add_spectrum_sums(factors, fields_.transformed(), 0, static_cast<int>(npoints_), sums);
  const double scale = scale_ * scale_;
  energy_ = scale * sums[0];
  for (int i = 0; i < NVIRIAL; i++) virial_[i] = scale * sums[1 + i];
}

/* ---------------------------------------------------------------------- */

template <class Real> void MeshSolver<Real>::gradients(const Parts &parts)
{
  if (tables_.triclinic()) {
    const auto &slope = tables_.slope;
    parts.share(static_cast<int>(npoints_), [&](int, int first, int last) {
      const std::size_t at = 2 * static_cast<std::size_t>(first);
      gradient_spectra<Real>(
          last - first, {slope[0].data() + first, slope[1].data() + first, slope[2].data() + first},
          fields_.transformed() + at, scale_,
          {fields_.spectrum(0) + at, fields_.spectrum(1) + at, fields_.spectrum(2) + at});
    });
    return;
  }
  const MeshLayout &layout = fft_.spectrum();
  int length[3];
  const double *k[3];
  Real *gradient[3];
  for (int i = 0; i < 3; i++) {
    const int dim = layout.order[i];
    length[i] = layout.box.length(dim);
    k[i] = tables_.k[dim].data();
    gradient[i] = fields_.spectrum(dim);
  }
  parts.share(length[2], [&](int, int first, int last) {
    const std::size_t at = static_cast<std::size_t>(first) * length[0] * length[1];
    const int some[3] = {length[0], length[1], last - first};
    const double *const k_of_some[3] = {k[0], k[1], k[2] + first};
    Real *const to[3] = {gradient[0] + 2 * at, gradient[1] + 2 * at, gradient[2] + 2 * at};
    gradient_spectra(some, k_of_some, fields_.transformed() + 2 * at, tables_.green.data() + at,
                     scale_, to);
  });
}

/* ----------------------------------------------------------------------
   spectra of all fields from that of the charges
------------------------------------------------------------------------- */

template <class Real> void MeshSolver<Real>::poisson(const MeshRequest &request)
{
  const int npoints = static_cast<int>(npoints_);
  Real *const density = fields_.transformed();
  int next = 0;
  if (differentiation_ == Differentiation::IK) {
    gradients(parts_for_points(request.parts, npoints_));
    next = 3;
  }
  if (differentiation_ == Differentiation::AD || request.atom_energy)
    multiply_spectrum(density, tables_.green.data(), 1, scale_, 0, npoints,
                      fields_.spectrum(next++));
  if (!request.atom_virial) return;
  multiply_spectrum(density, tables_.green.data(), 1, scale_, 0, npoints, density);
  for (int i = 0; i < NVIRIAL; i++)
    multiply_spectrum(density, virial_table() + i, NVIRIAL, 1.0, 0, npoints,
                      fields_.spectrum(next++));
}

/* ---------------------------------------------------------------------- */

template <class Real>
void MeshSolver<Real>::gather(const MeshRequest &request, const MeshAtoms &atoms)
{
  const int natoms = request.natoms;
  const Parts parts = parts_for_atoms(request);
  int next = 0;
  const Real *potential = nullptr;
  double *const field = field_.data();
  if (differentiation_ == Differentiation::IK) {
    const Real *const gradient[3] = {fields_.field(0), fields_.field(1), fields_.field(2)};
    parts.share(natoms, [&](int, int first, int last) {
      interpolate_ik(stencil, atoms, first, last, gradient, field);
    });
    next = 3;
    if (request.atom_energy) potential = fields_.field(next++);
  } else {
    potential = fields_.field(next++);
    parts.share(natoms, [&](int, int first, int last) {
      interpolate_ad(stencil, atoms, first, last, potential, field);
      for (int i = first; i < last; i++)
        for (int dim = 0; dim < 3; dim++) field[3 * i + dim] *= stencil.delinv[dim];
    });
  }
  if (request.atom_energy)
    interpolate_scalars(stencil, atoms, 0, natoms, 1, &potential, potential_.data());
  if (request.atom_virial) {
    const Real *terms[NVIRIAL];
    for (const Real *&term : terms) term = fields_.field(next++);
    interpolate_scalars(stencil, atoms, 0, natoms, NVIRIAL, terms, atom_virial_.data());
  }
}

/* ---------------------------------------------------------------------- */

template <class Real>
std::vector<Real> MeshSolver<Real>::spectrum_of_charges(const MeshRequest &request)
{
  make_room(request);
  spread(request, map(request));
  std::vector<Real> spectrum(fields_.nspectrum());
  fft_.forward(fields_.inner_density(), spectrum.data());
  return spectrum;
}

/* ----------------------------------------------------------------------
   Returns: Green's function of a point times its wave vector

   place    the point's indices in the order of memory
------------------------------------------------------------------------- */

template <class Real>
std::array<double, 3> MeshSolver<Real>::slope_of(std::size_t n,
                                                 const std::array<int, 3> &place) const
{
  if (tables_.triclinic()) return {tables_.slope[0][n], tables_.slope[1][n], tables_.slope[2][n]};
  std::array<double, 3> slope;
  for (int i = 0; i < 3; i++) {
    const int dim = fft_.spectrum().order[i];
    slope[dim] = tables_.green[n] * tables_.k[dim][place[i]];
  }
  return slope;
}

/* ---------------------------------------------------------------------- */

template <class Real>
GroupSums MeshSolver<Real>::sum_groups(const std::vector<Real> &a, const std::vector<Real> &b) const
{
  const int n0 = fft_.spectrum().box.length(fft_.spectrum().order[0]);
  GroupSums sums{};
  for_rows(fft_.spectrum(), [&](std::size_t first, int row, int plane) {
    for (int i = 0; i < n0; i++) {
      const std::size_t n = first + i;
      const double re_a = a[2 * n], im_a = a[2 * n + 1], re_b = b[2 * n], im_b = b[2 * n + 1];
      sums[0] += tables_.weight[n] * tables_.green[n] * (re_a * re_b + im_a * im_b);
      const double odd = tables_.weight[n] * (re_a * im_b - im_a * re_b);
      const std::array<double, 3> slope = slope_of(n, {i, row, plane});
      for (int dim = 0; dim < 3; dim++) sums[1 + dim] += slope[dim] * odd;
    }
  });
  for (double &sum : sums) sum *= scale_ * scale_;
  return sums;
}

/* ---------------------------------------------------------------------- */

template <class Real> void MeshSolver<Real>::transform_only()
{
  const MeshRequest nothing;
  make_room(nothing);
  std::fill_n(fields_.inner_density(), fields_.ninner(), Real(0));
  const int nfields = count_fields(nothing);
  for (int field = 0; field < nfields; field++)
    std::fill_n(fields_.spectrum(field), fields_.nspectrum(), Real(0));
  fft_.forward(fields_.inner_density(), fields_.transformed());
  transform_back(nfields, nothing.parts);
}

/* ---------------------------------------------------------------------- */

template <class Real> std::size_t MeshSolver<Real>::nbytes() const
{
  return fields_.nbytes() + points_.nbytes() + fractions_.nbytes() + field_.nbytes() +
      potential_.nbytes() + atom_virial_.nbytes();
}

template class MeshSolver<double>;
template class MeshSolver<float>;

}    // namespace TOFU_NS
