// SPDX-License-Identifier: GPL-2.0-only

#include "pppm_block.h"

#include "kernels/mesh/green_function.h"
#include "threadpool/pool/rank_pool.h"

#include "atom.h"
#include "domain.h"
#include "grid3d.h"
#include "memory.h"
#include "neighbor.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ----------------------------------------------------------------------
   messages of Grid3d are not used.  A Wannier center is beside its atom, which
   itself may have moved by half the skin
------------------------------------------------------------------------- */

void PPPMBlock::set_up_grid()
{
  gc = new Grid3d(lmp, world, nx_pppm, ny_pppm, nz_pppm);
  gc->set_distance(0.5 * neighbor->skin + qdist + room_for_centers());
  gc->set_stencil_atom(-nlower, nupper);
  gc->set_shift_atom(shiftatom_lo, shiftatom_hi);
  gc->set_zfactor(slab_volfactor);
  gc->setup_grid(nxlo_in, nxhi_in, nylo_in, nyhi_in, nzlo_in, nzhi_in, nxlo_out, nxhi_out, nylo_out,
                 nyhi_out, nzlo_out, nzhi_out);
}

/* ---------------------------------------------------------------------- */

MeshBox PPPMBlock::brick() const
{
  return {{nxlo_in, nylo_in, nzlo_in}, {nxhi_in + 1, nyhi_in + 1, nzhi_in + 1}};
}

MeshBox PPPMBlock::brick_with_ghosts() const
{
  return {{nxlo_out, nylo_out, nzlo_out}, {nxhi_out + 1, nyhi_out + 1, nzhi_out + 1}};
}

/* ---------------------------------------------------------------------- */

void PPPMBlock::allocate_block(const std::optional<SpectrumShape> &shape)
{
  spectrum = shape;
  set_block();
  if (!triclinic) {
    memory->create(greensfn, nfft_both, "pppm:greensfn");
    memory->create(vg, nfft_both, 6, "pppm:vg");
    memory->create1d_offset(fkx, nxlo_fft, nxhi_fft, "pppm:fkx");
    memory->create1d_offset(fky, nylo_fft, nyhi_fft, "pppm:fky");
    memory->create1d_offset(fkz, nzlo_fft, nzhi_fft, "pppm:fkz");
  }
  if (differentiation_flag == 1)
    for (double **sums :
         {&sf_precoeff1, &sf_precoeff2, &sf_precoeff3, &sf_precoeff4, &sf_precoeff5, &sf_precoeff6})
      memory->create(*sums, nfft_both, "pppm:sf_precoeff");
  sums_folded = false;

  order_allocated = order;
  memory->create(gf_b, order, "pppm:gf_b");
  memory->create2d_offset(rho1d, 3, -order / 2, order / 2, "pppm:rho1d");
  memory->create2d_offset(drho1d, 3, -order / 2, order / 2, "pppm:drho1d");
  memory->create2d_offset(rho_coeff, order, (1 - order) / 2, order / 2, "pppm:rho_coeff");
  memory->create2d_offset(drho_coeff, order, (1 - order) / 2, order / 2, "pppm:drho_coeff");
}

/* ----------------------------------------------------------------------
   everything is null afterwards, so that PPPM's destructor finds nothing
------------------------------------------------------------------------- */

void PPPMBlock::deallocate()
{
  PPPM::deallocate();
  gc = nullptr;
  fft1 = fft2 = nullptr;
  remap = nullptr;
}

/* ---------------------------------------------------------------------- */

void PPPMBlock::set_block()
{
  const MeshBox box = spectrum ? spectrum->layout.box : MeshBox();
  nxlo_fft = box.lo[0];
  nylo_fft = box.lo[1];
  nzlo_fft = box.lo[2];
  nxhi_fft = box.hi[0] - 1;
  nyhi_fft = box.hi[1] - 1;
  nzhi_fft = box.hi[2] - 1;
  ngrid = static_cast<int>(brick_with_ghosts().npoints());
  nfft_brick = static_cast<int>(brick().npoints());
  nfft = static_cast<int>(box.npoints());
  nfft_both = std::max(nfft, nfft_brick);
}

/* ---------------------------------------------------------------------- */

void PPPMBlock::set_up_tables()
{
  if (triclinic) {
    set_up_triclinic_tables();
    return;
  }
  PPPM::setup();
  if (!spectrum) return;
  KspaceFactors factors{greensfn, nfft ? &vg[0][0] : nullptr, {}};
  if (nfft) factors.k = {&fkx[nxlo_fft], &fky[nylo_fft], &fkz[nzlo_fft]};
  tables.set(*spectrum, factors, parts_of_pool());
}

/* ----------------------------------------------------------------------
   in place of PPPM::setup_triclinic(), which makes arrays for whole spectra.  The
   mesh is along the edges of the box, so that places on it are parts of edges.
   With slab, which some versions of LAMMPS allow for boxes with xz = yz = 0, the
   mesh is longer than the third edge
------------------------------------------------------------------------- */

void PPPMBlock::set_up_triclinic_tables()
{
  const double *const h = domain->h;
  volume = h[0] * h[1] * h[2] * slab_volfactor;
  delxinv = nx_pppm;
  delyinv = ny_pppm;
  delzinv = nz_pppm / slab_volfactor;
  delvolinv = delxinv * delyinv * nz_pppm / volume;
  std::copy_n(h, 6, tables_for.data());
  if (!spectrum) return;
  TriclinicMesh mesh;
  mesh.npoints = spectrum->npoints;
  mesh.edges = {h[0], h[1], h[2] * slab_volfactor, h[3], h[4], h[5]};
  mesh.order = order;
  mesh.g_ewald = g_ewald;
  mesh.denominator = gf_b;
  tables.set(*spectrum, mesh, parts_of_pool());
}

/* ----------------------------------------------------------------------
   with each new box
------------------------------------------------------------------------- */

void PPPMBlock::compute_gf_ik()
{
  if (plain) {
    PPPM::compute_gf_ik();
    return;
  }
  const double *const prd = domain->prd;
  const GreenFunction green(
      {GreenDimension{nx_pppm, prd[0], nxlo_fft, nxhi_fft - nxlo_fft + 1},
       GreenDimension{ny_pppm, prd[1], nylo_fft, nyhi_fft - nylo_fft + 1},
       GreenDimension{nz_pppm, prd[2] * slab_volfactor, nzlo_fft, nzhi_fft - nzlo_fft + 1}},
      order, g_ewald, gf_b);
  if (nfft)
    parts_of_pool().share(green.nrows(),
                          [&](int, int first, int last) { green.rows(first, last, greensfn); });
}

/* ----------------------------------------------------------------------
   sums over the spectrum that PPPM makes for the points of this rank alone
------------------------------------------------------------------------- */

void PPPMBlock::compute_gf_ad()
{
  if (!plain && !sums_folded && spectrum) fold_self_force_sums();
  sums_folded = true;
  PPPM::compute_gf_ad();
}

/* ----------------------------------------------------------------------
   add to each point what PPPM's sums are for its conjugate, which is not
   there, and take out what other ranks count.  The sums are truncated, so that
   those of a point and its conjugate differ
------------------------------------------------------------------------- */

void PPPMBlock::fold_self_force_sums()
{
  const auto &[npoints, layout, half, counted] = *spectrum;
  const MeshBox box = layout.box;
  const std::array<double **, 6> sums{&sf_precoeff1, &sf_precoeff2, &sf_precoeff3,
                                      &sf_precoeff4, &sf_precoeff5, &sf_precoeff6};
  std::array<double *, 6> own;
  std::array<double, 6> image;
  for (int i = 0; i < 6; i++) {
    own[i] = *sums[i];
    *sums[i] = &image[i];
  }
  std::size_t n = 0;
  for (int z = box.lo[2]; z < box.hi[2]; z++)
    for (int y = box.lo[1]; y < box.hi[1]; y++)
      for (int x = box.lo[0]; x < box.hi[0]; x++, n++) {
        const std::array<int, 3> point{x, y, z};
        const auto place = static_cast<std::size_t>(layout.offset(point));
        const bool counts = counted.first <= place && place < counted.second;
        const bool alone = point[half] == 0 || 2 * point[half] == npoints[half];
        if (counts && !alone) {
          nxlo_fft = nxhi_fft = (npoints[0] - x) % npoints[0];
          nylo_fft = nyhi_fft = (npoints[1] - y) % npoints[1];
          nzlo_fft = nzhi_fft = (npoints[2] - z) % npoints[2];
          compute_sf_precoeff();
        }
        for (int i = 0; i < 6; i++)
          own[i][n] = !counts ? 0.0 : alone ? own[i][n] : own[i][n] + image[i];
      }
  for (int i = 0; i < 6; i++) *sums[i] = own[i];
  set_block();
}

/* ---------------------------------------------------------------------- */

MeshStencil<double> PPPMBlock::stencil(const MeshBox &box) const
{
  const double inverse[3] = {delxinv, delyinv, delzinv};
  MeshStencil<double> weights;
  weights.order = order;
  for (int dim = 0; dim < 3; dim++) {
    weights.lo[dim] = box.lo[dim];
    weights.hi[dim] = box.hi[dim];
    weights.boxlo[dim] = boxlo[dim];
    weights.delinv[dim] = inverse[dim];
  }
  for (int l = 0; l < order; l++)
    for (int k = 0; k < order; k++) {
      weights.rho_coeff[l][k] = rho_coeff[l][nlower + k];
      weights.drho_coeff[l][k] = l + 1 < order ? drho_coeff[l][nlower + k] : 0.0;
    }
  return weights;
}

/* ---------------------------------------------------------------------- */

std::optional<TriclinicBox> PPPMBlock::triclinic_box() const
{
  if (!triclinic) return std::nullopt;
  TriclinicBox box;
  std::copy_n(domain->boxlo, 3, box.lo);
  std::copy_n(domain->h_inv, 6, box.inverse);
  return box;
}

/* ---------------------------------------------------------------------- */

SelfForces PPPMBlock::self_forces() const
{
  SelfForces self;
  const double inverse[3] = {delxinv, delyinv, delzinv};
  std::copy_n(inverse, 3, self.delinv);
  std::copy_n(sf_coeff, 6, self.coeff);
  return self;
}

/* ---------------------------------------------------------------------- */

bool PPPMBlock::has_charges()
{
  if (atom->natoms != natoms_original) {
    qsum_qsq();
    natoms_original = atom->natoms;
  }
  return qsqsum != 0.0;
}

/* ---------------------------------------------------------------------- */

Parts PPPMBlock::parts_of_pool() const
{
  RankPool *const threadpool = RankPool::find(lmp);
  return threadpool ? threadpool->parts() : Parts();
}

/* ---------------------------------------------------------------------- */

double PPPMBlock::bytes_of_block() const
{
  double bytes = triclinic ? 0.0 : 8.0 * nfft_both * sizeof(double);
  bytes += (triclinic ? 11.0 : 8.0) * nfft * sizeof(double);
  return bytes + static_cast<double>(fele.capacity() * sizeof(double));
}
