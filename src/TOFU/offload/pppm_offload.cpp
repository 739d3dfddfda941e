/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

/* ----------------------------------------------------------------------
   Contributing authors: the TOFU developers
------------------------------------------------------------------------- */

// Settings, PPPM's arrays and the thread of the style.  Mesh, links and transform are in
// pppm_offload_links.cpp, a step is in pppm_offload_step.cpp.

#include "pppm_offload.h"

#include "fix_kspace_overlap.h"
#include "kernels/mesh/green_function.h"
#include "lammps/io/keywords.h"
#include "lammps/scoped_state.h"
#include "pool/thread_pool.h"
#include "pppm_offload-impl.h"
#include "threadpool/pool/rank_pool.h"

#include "domain.h"
#include "error.h"
#include "force.h"
#include "info.h"
#include "memory.h"
#include "modify.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <system_error>
#include <type_traits>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr double SPIN =
    2e-3;    // seconds that an idle thread looks for work, with a core of its own

/* ---------------------------------------------------------------------- */

PPPMOffload::PPPMOffload(LAMMPS *lmp) : PPPMFele(lmp), impl(new Impl)
{
  impl->sums_of_ranks = std::make_unique<RankSum>(
      RankSum::Of::FORCES, 7, [this](double *mine) { std::copy_n(impl->sums, 7, mine); },
      [this](const double *all) { take_sums(all); });
  const bool single = utils::strmatch(Info::get_fft_info(), "FFT precision *= single");
  if (single != std::is_same<FFT_SCALAR, float>::value)
    error->all(FLERR,
               "{}: LAMMPS has FFTs in {} precision and this plug-in was built for the other; "
               "build it with -D LAMMPS_FFT_SINGLE={}",
               Impl::NAME, single ? "single" : "double", single ? "on" : "off");
}

/* ---------------------------------------------------------------------- */

PPPMOffload::~PPPMOffload()
{
  impl->thread.reset();    // waits for what it has in hand
  PPPMOffload::deallocate();
  drop_transform();
  delete impl;
}

/* ---------------------------------------------------------------------- */

void PPPMOffload::leave_offload()
{
  impl->thread.reset();    // waits for what it has in hand
  deallocate();
  drop_transform();
  impl->settings_changed = true;
  impl->beside = false;
}

/* ----------------------------------------------------------------------
   keyword overlap is KSpace's: there it is about stencils, for which this
   style has no limit
------------------------------------------------------------------------- */

int PPPMOffload::modify_param(int narg, char **arg)
{
  FftSettings &settings = impl->fft_settings;
  Keywords keywords(lmp, "kspace_modify");
  keywords.choice("fft", settings.method,
                  {{"auto", FftMethod::AUTO},
                   {"partial", FftMethod::PARTIAL},
                   {"pencil", FftMethod::PENCIL},
                   {"replicated", FftMethod::REPLICATED}});
  keywords.choice(
      "reduce", settings.partial.reduce,
      {{"double", ReduceType::DOUBLE}, {"float", ReduceType::FLOAT}, {"int32", ReduceType::INT32}});
  keywords.choice("chain", settings.partial.chain,
                  {{"direct", ReductionChain::DIRECT},
                   {"ring", ReductionChain::RING},
                   {"gates", ReductionChain::GATES}});
  keywords.choice("gather", impl->gather, {{"node", true}, {"none", false}});
  keywords.real("scale", settings.partial.scale, 0.0, INFINITY);
  const int ntaken = keywords.read_first(narg, arg);
  if (ntaken == 0) return 0;
  if (settings.partial.scale == 0.0 && strcmp(arg[0], "scale") == 0)
    keywords.reject("scale", arg[1], "a number above 0");
  impl->settings_changed = true;
  return ntaken;
}

/* ---------------------------------------------------------------------- */

void PPPMOffload::init()
{
  await();
  impl->serves_dplr = serve_fix_dplr(own_name());
  if (impl->serves_dplr) check_run_with_fix_dplr();
  impl->overlap = overlap_wanted();
  {
    const ScopedOverlapFlag allowed(overlap_allowed);
    PPPMEither::init();
  }
  if (tip4pflag) {
    if (!impl->waters) impl->waters = std::make_unique<WaterCharges>(lmp);
    impl->waters->set_model(typeO, typeH, alpha);
  }
  impl->seconds_solving = impl->seconds_visible = 0.0;
  impl->nsolved = impl->nbeside = 0;
  impl->worth_it = true;
  impl->thread.reset();    // the pool may have other processors now
  impl->beside = may_overlap();
  if (impl->beside) FixKspaceOverlap::append(lmp);
}

/* ----------------------------------------------------------------------
   reject settings that fix dplr accepts although forces would be lost
------------------------------------------------------------------------- */

void PPPMOffload::check_run_with_fix_dplr()
{
  const auto reject = [&](const char *found, const char *consequence, const char *remedy) {
    error->all(FLERR, "{} with fix dplr does not work with '{}': {}; use '{}'", Impl::NAME, found,
               consequence, remedy);
  };
  if (!force->newton) reject("newton off", "forces on ghost atoms would be lost", "newton on");
  if (!compute_flag)
    reject("kspace_modify compute no", "fix dplr would get forces of another step",
           "kspace_modify compute yes");
  if (update->whichflag == 1 && utils::strmatch(update->integrate_style, "^respa"))
    reject("run_style respa", "it does not call fix dplr, whose forces would be lost",
           "run_style verlet");
}

/* ---------------------------------------------------------------------- */

std::string PPPMOffload::why_not_beside() const
{
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (impl->mpi_links && level < MPI_THREAD_MULTIPLE)
    return "its messages go through MPI, which was not initialized for several threads";
  if (update->whichflag == 1 && utils::strmatch(update->integrate_style, "^respa"))
    return "run_style respa computes forces at several times of a step";
  if (update->whichflag == 1 && utils::strmatch(update->integrate_style, "^verlet/split"))
    return "with run_style verlet/split other ranks compute it";
  return "";
}

/* ---------------------------------------------------------------------- */

bool PPPMOffload::may_overlap()
{
  if (!impl->overlap) return false;
  const std::string reason = why_not_beside();
  if (!reason.empty() && me == 0)
    error->warning(FLERR, "{}: the long-range part runs after the pair forces, not beside them: {}",
                   Impl::NAME, reason);
  return reason.empty();
}

/* ----------------------------------------------------------------------
   make the thread, on processors of this rank that the pool leaves idle, or else
   on all of them: this thread may have been bound to one, which the new one
   would inherit.  All ranks have one or none
------------------------------------------------------------------------- */

void PPPMOffload::prepare()
{
  if (!impl->beside || impl->thread) return;
  SideThread::Options options;
  RankPool *const threadpool = RankPool::find(lmp);
  options.processors = threadpool ? threadpool->pool().spare_processors()
                                  : RankPool::processors_of_this_rank(lmp);
  const bool spare = options.processors.size() > (threadpool ? 0 : 1);
  if (threadpool && !spare) options.processors = threadpool->pool().callers_processors();
  options.spin = spare ? SPIN : 0.0;
  impl->shares_core = !spare;
  impl->one_node = on_one_node();
  int failed = 0, any_failed;
  try {
    impl->thread = std::make_unique<SideThread>(options);
  } catch (const std::system_error &failure) {
    failed = 1;
    error->warning(FLERR,
                   "{}: rank {} cannot start a thread: {}; the long-range part runs after the "
                   "pair forces",
                   Impl::NAME, me, failure.what());
  }
  MPI_Allreduce(&failed, &any_failed, 1, MPI_INT, MPI_MAX, world);
  if (any_failed) impl->thread.reset();
  impl->beside = !any_failed;
}

/* ---------------------------------------------------------------------- */

void PPPMOffload::reset_grid()
{
  await();
  {
    const ScopedOverlapFlag allowed(overlap_allowed);
    PPPM::reset_grid();
  }
  if (impl->beside) impl->beside = may_overlap();    // links may go another way now
}

/* ----------------------------------------------------------------------
   of PPPM's arrays those that its own functions need, for the part of the
   spectrum that the transform gives this rank
------------------------------------------------------------------------- */

void PPPMOffload::allocate()
{
  set_up_ghost_mesh();
  const bool other_bricks = collect_bricks();
  if (other_bricks || impl->settings_changed || way_of_links() != impl->linked_as ||
      wants_single() != impl->single)
    make_transform();
  set_spectrum_block();

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
  impl->sums_folded = false;

  order_allocated = order;
  memory->create(gf_b, order, "pppm:gf_b");
  memory->create2d_offset(rho1d, 3, -order / 2, order / 2, "pppm:rho1d");
  memory->create2d_offset(drho1d, 3, -order / 2, order / 2, "pppm:drho1d");
  memory->create2d_offset(rho_coeff, order, (1 - order) / 2, order / 2, "pppm:rho_coeff");
  memory->create2d_offset(drho_coeff, order, (1 - order) / 2, order / 2, "pppm:drho_coeff");

  if (impl->mesh)
    impl->mesh->make_solver(impl->tables,
                            differentiation_flag == 1 ? Differentiation::AD : Differentiation::IK);
}

/* ----------------------------------------------------------------------
   everything is null afterwards, so that PPPM's destructor finds nothing
------------------------------------------------------------------------- */

void PPPMOffload::deallocate()
{
  await();
  PPPM::deallocate();
  gc = nullptr;
  fft1 = fft2 = nullptr;
  remap = nullptr;
}

/* ----------------------------------------------------------------------
   PPPM's functions work for any block of the spectrum
------------------------------------------------------------------------- */

void PPPMOffload::set_spectrum_block()
{
  const MeshBox box = impl->spectrum_box();
  nxlo_fft = box.lo[0];
  nylo_fft = box.lo[1];
  nzlo_fft = box.lo[2];
  nxhi_fft = box.hi[0] - 1;
  nyhi_fft = box.hi[1] - 1;
  nzhi_fft = box.hi[2] - 1;
  ngrid = static_cast<int>(impl->bricks.boxes[me].npoints());
  nfft_brick = static_cast<int>(impl->bricks.bricks[me].npoints());
  nfft = static_cast<int>(box.npoints());
  nfft_both = std::max(nfft, nfft_brick);
}

/* ----------------------------------------------------------------------
   by the parts of the pool, if there is one
------------------------------------------------------------------------- */

Parts PPPMOffload::parts_of_pool() const
{
  RankPool *const threadpool = RankPool::find(lmp);
  return threadpool ? threadpool->parts() : Parts();
}

/* ---------------------------------------------------------------------- */

void PPPMOffload::setup()
{
  await();
  if (triclinic) {
    set_up_tilted();
    return;
  }
  PPPM::setup();
  if (!impl->mesh) return;
  KspaceFactors factors{greensfn, nfft ? &vg[0][0] : nullptr, {}};
  if (nfft) factors.k = {&fkx[nxlo_fft], &fky[nylo_fft], &fkz[nzlo_fft]};
  impl->tables.set(impl->mesh->shape(), factors, parts_of_pool());
}

/* ----------------------------------------------------------------------
   in place of PPPM::setup_triclinic(), which makes arrays for whole spectra.  The
   mesh is along the edges of the box, so that places on it are parts of edges.
   With slab, which some versions of LAMMPS allow for boxes with xz = yz = 0, the
   mesh is longer than the third edge
------------------------------------------------------------------------- */

void PPPMOffload::set_up_tilted()
{
  const double *const h = domain->h;
  volume = h[0] * h[1] * h[2] * slab_volfactor;
  delxinv = nx_pppm;
  delyinv = ny_pppm;
  delzinv = nz_pppm / slab_volfactor;
  delvolinv = delxinv * delyinv * nz_pppm / volume;
  std::copy_n(h, 6, impl->tables_for.data());
  if (!impl->mesh) return;
  TriclinicMesh mesh;
  mesh.npoints = impl->geometry.npoints;
  mesh.edges = {h[0], h[1], h[2] * slab_volfactor, h[3], h[4], h[5]};
  mesh.order = order;
  mesh.g_ewald = g_ewald;
  mesh.denominator = gf_b;
  impl->tables.set(impl->mesh->shape(), mesh, parts_of_pool());
}

/* ----------------------------------------------------------------------
   with each new box
------------------------------------------------------------------------- */

void PPPMOffload::compute_gf_ik()
{
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

void PPPMOffload::compute_gf_ad()
{
  if (!impl->sums_folded && impl->mesh) fold_self_force_sums();
  impl->sums_folded = true;
  PPPM::compute_gf_ad();
}

/* ----------------------------------------------------------------------
   add to each point what PPPM's sums are for its conjugate, which is not
   there, and take out what other ranks count.  The sums are truncated, so that
   those of a point and its conjugate differ
------------------------------------------------------------------------- */

void PPPMOffload::fold_self_force_sums()
{
  const auto [npoints, layout, half, counted] = impl->mesh->shape();
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
  set_spectrum_block();
}

/* ---------------------------------------------------------------------- */

double PPPMOffload::memory_usage()
{
  double bytes = triclinic ? 0.0 : 8.0 * nfft_both * sizeof(double);
  bytes += (triclinic ? 11.0 : 8.0) * nfft * sizeof(double);
  bytes += static_cast<double>(fele.capacity() * sizeof(double));
  if (impl->mesh) bytes += static_cast<double>(impl->mesh->nbytes());
  if (impl->waters) bytes += impl->waters->memory_usage();
  return bytes;
}
