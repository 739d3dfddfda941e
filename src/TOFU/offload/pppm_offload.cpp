// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pppm_offload.h"

#include "lammps/scoped_state.h"
#include "mesh/charge_results.h"
#include "pppm_links.h"
#include "pppm_overlap.h"
#include "pppm_water_charges.h"
#include "threadpool/pool/rank_pool.h"
#include "threadpool/pool/rank_sum.h"
#include "threadpool/pool/step_sums.h"

#include "atom.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "info.h"
#include "math_const.h"
#include "platform.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <optional>
#include <type_traits>

using namespace LAMMPS_NS;
using namespace MathConst;
using namespace TOFU_NS;

static constexpr double SINGLE_ENOUGH = 1e-6;    // relative accuracy of forces: errors are 1e-8

/* ---------------------------------------------------------------------- */

PPPMOffload::PPPMOffload(LAMMPS *lmp) :
    PPPMBlock(lmp), links(new PPPMLinks(lmp)), overlap(new PPPMOverlap(lmp, *links)),
    sums_of_ranks(new RankSum(
        RankSum::Of::FORCES, 7, [this](double *mine) { std::copy_n(sums, 7, mine); },
        [this](const double *all) { set_sums(all); }))
{
  const bool single = utils::strmatch(Info::get_fft_info(), "FFT precision *= single");
  if (single != std::is_same<FFT_SCALAR, float>::value)
    error->all(FLERR,
               "{}: LAMMPS has FFTs in {} precision and this plug-in was built for the other; "
               "build it with -D LAMMPS_FFT_SINGLE={}",
               PPPM_OFFLOAD, single ? "single" : "double", single ? "on" : "off");
}

/* ---------------------------------------------------------------------- */

PPPMOffload::~PPPMOffload()
{
  overlap->disable();
  PPPMOffload::deallocate();
}

/* ----------------------------------------------------------------------
   keyword overlap is KSpace's: there it is about stencils, for which this
   style has no limit
------------------------------------------------------------------------- */

int PPPMOffload::modify_param(int narg, char **arg)
{
  const int ntaken = links->settings.modify(lmp, narg, arg);
  if (ntaken) links->outdate();
  return ntaken;
}

/* ---------------------------------------------------------------------- */

void PPPMOffload::init()
{
  overlap->await();
  const bool left = !why_plain().empty();
  if (left && !plain) {
    overlap->disable();
    deallocate();
    links->drop();
  }
  plain = left;
  serves_dplr = serve_fix_dplr(own_name());
  if (plain) {
    PPPMEither::init();
    return;
  }
  const bool wanted = overlap_wanted();
  {
    const ScopedOverlapFlag allowed(overlap_allowed);
    PPPMEither::init();
  }
  if (tip4pflag) {
    if (!waters) waters = std::make_unique<WaterCharges>(lmp);
    waters->set_model(typeO, typeH, alpha);
  }
  overlap->init(wanted, overlap_without_gain());
}

/* ---------------------------------------------------------------------- */

bool PPPMOffload::overlap_without_gain() const
{
  return links->settings.always_overlap;
}

/* ---------------------------------------------------------------------- */

void PPPMOffload::reset_grid()
{
  if (plain) {
    PPPM::reset_grid();
    return;
  }
  overlap->await();
  {
    const ScopedOverlapFlag allowed(overlap_allowed);
    PPPM::reset_grid();
  }
  overlap->update_links();
}

/* ----------------------------------------------------------------------
   precision is single with mixed precision, where the error of the mesh is larger
   than rounding; in SI units charges and lengths are out of its range
------------------------------------------------------------------------- */

static bool wants_single(LAMMPS *lmp)
{
  const RankPool *const threadpool = RankPool::find(lmp);
  const std::string units = lmp->update->unit_style;
  return threadpool && threadpool->mixed_precision() && units != "si" && units != "cgs" &&
      units != "micro";
}

/* ---------------------------------------------------------------------- */

void PPPMOffload::allocate()
{
  if (plain) {
    allocate_plain();
    return;
  }
  set_up_grid();
  PPPMLinks::Mesh mesh{{nx_pppm, ny_pppm, nz_pppm}, brick(), brick_with_ghosts()};
  mesh.nfields = differentiation_flag == 1 ? 1 : 3;
  mesh.single = std::is_same<FFT_SCALAR, float>::value ||
      (wants_single(lmp) && !serves_dplr && accuracy >= SINGLE_ENOUGH * two_charge_force);
  if (links->update(mesh)) links->print_choice(in_single_precision());
  MeshPart *const part = links->part();
  allocate_block(part ? std::optional<SpectrumShape>(part->shape()) : std::nullopt);
  if (part)
    part->make_solver(tables,
                      differentiation_flag == 1 ? Differentiation::AD : Differentiation::IK);
}

/* ---------------------------------------------------------------------- */

void PPPMOffload::deallocate()
{
  overlap->await();
  PPPMBlock::deallocate();
}

/* ---------------------------------------------------------------------- */

bool PPPMOffload::in_single_precision() const
{
  return !plain && links->in_single_precision() && !std::is_same<FFT_SCALAR, float>::value;
}

/* ---------------------------------------------------------------------- */

void PPPMOffload::setup()
{
  overlap->await();
  if (plain)
    PPPM::setup();
  else
    set_up_tables();
}

/* ---------------------------------------------------------------------- */

void PPPMOffload::prepare()
{
  if (!plain) overlap->make_thread();
}

/* ----------------------------------------------------------------------
   Update has the step at which energies of atoms are requested.  The global energy
   is always computed, since some fixes request it without a note in Update
------------------------------------------------------------------------- */

void PPPMOffload::start(int vflag)
{
  if (plain || !overlap->ready()) return;
  overlap->await();
  if (!has_charges()) return;
  const int eflag =
      ENERGY_GLOBAL + (update->eflag_atom == update->ntimestep ? ENERGY_ATOM : ENERGY_NONE);
  set_request(eflag, vflag);
  overlap->start();
}

void PPPMOffload::end()
{
  if (!plain) overlap->end_step();
}

void PPPMOffload::print_statistics()
{
  if (!plain) overlap->print_statistics();
}

/* ---------------------------------------------------------------------- */

static void set_wanted(MeshRequest &request, int eflag, int vflag)
{
  request.energy = eflag & ENERGY_GLOBAL;
  request.virial = vflag & (VIRIAL_PAIR | VIRIAL_FDOTR);
  request.atom_energy = eflag & ENERGY_ATOM;
  request.atom_virial = vflag & VIRIAL_ATOM;
}

/* ---------------------------------------------------------------------- */

void PPPMOffload::compute(int eflag, int vflag)
{
  if (plain) {
    compute_plain(eflag, vflag, serves_dplr);
    return;
  }
  ev_init(eflag, vflag);
  if (serves_dplr) fele.assign(3 * static_cast<std::size_t>(atom->nlocal), 0.0);
  MeshRequest wanted;
  set_wanted(wanted, eflag, vflag);
  if (!overlap->started_for(wanted)) {
    overlap->await();
    if (!has_charges()) return;
    set_request(eflag, vflag);
    links->mesh().set_nap(0.0);
  }
  const Parts parts = parts_of_pool();    // a thread beside the pair forces may not use it
  const MeshResults &results = overlap->finish(parts);
  if (update->setupflag) overlap->measure_gain(parts);
  add_results(results);
}

/* ---------------------------------------------------------------------- */

void PPPMOffload::set_request(int eflag, int vflag)
{
  boxlo = triclinic ? domain->boxlo_lamda : domain->boxlo;
  const double *const corner = domain->boxlo;
  if (!std::isfinite(corner[0]) || !std::isfinite(corner[1]) || !std::isfinite(corner[2]))
    error->one(FLERR, "Non-numeric box dimensions - simulation unstable");

  if (triclinic && follows_flips() && !std::equal(domain->h, domain->h + 6, tables_for.data()))
    set_up_triclinic_tables();    // fixes that flip a box do not call setup() then

  MeshRequest &request = overlap->request();
  set_wanted(request, eflag, vflag);
  request.natoms = atom->nlocal;
  if (waters)
    request.x = waters->place(parts_of_pool());
  else
    request.x = atom->nlocal ? &atom->x[0][0] : nullptr;
  request.q = atom->q;
  request.parts = Parts();
  if (links->part()) links->part()->set_stencil(stencil(links->box()), delvolinv, triclinic_box());
  links->mesh().self_forces.reset();
  if (differentiation_flag == 1) links->mesh().self_forces = self_forces();
}

/* ---------------------------------------------------------------------- */

void PPPMOffload::add_results(const MeshResults &mesh)
{
  const double qscale = qqrd2e * scale;
  const int nlocal = atom->nlocal;
  const ChargeResults results(mesh, nlocal, atom->q, qscale, waters ? &waters->sites() : nullptr);
  if (nlocal) results.add_forces(serves_dplr ? fele.data() : &atom->f[0][0], slabflag != 2);
  sum_energies();
  if (evflag_atom && eflag_atom)
    results.add_energies(eatom, serves_dplr ? 0.0 : g_ewald / MY_PIS,
                         serves_dplr ? 0.0 : MY_PI2 * qsum / (g_ewald * g_ewald * volume));
  if (evflag_atom && vflag_atom && nlocal) results.add_virials(vatom[0]);
  if (slabflag != 1) return;
  if (serves_dplr) {
    const ScopedForceArray own(atom, fele);
    slabcorr();
  } else {
    slabcorr();
  }
}

/* ----------------------------------------------------------------------
   the reduction is left to a later one of this step, with the sums of temperature
   and pressure, if a fix requests the pressure.  Energies may be read before
------------------------------------------------------------------------- */

void PPPMOffload::sum_energies()
{
  if (!eflag_global && !vflag_global) return;
  std::fill_n(sums, 7, 0.0);
  if (const MeshPart *const part = links->part()) {
    sums[0] = part->energy();
    std::copy_n(part->virial().data(), 6, sums + 1);
  }
  RankPool *const threadpool = RankPool::find(lmp);
  if (!eflag_global && !serves_dplr && threadpool && threadpool->sums().defer(*sums_of_ranks))
    std::fill_n(virial, 6, std::numeric_limits<double>::quiet_NaN());    // not read until then
  else
    RankSum::reduce({sums_of_ranks.get()}, lmp);
}

/* ----------------------------------------------------------------------
   with the self energy, and that of a uniform charge that neutralizes the system;
   models for fix dplr are trained without both
------------------------------------------------------------------------- */

void PPPMOffload::set_sums(const double *all)
{
  const double qscale = qqrd2e * scale;
  if (eflag_global) {
    energy = 0.5 * volume * all[0];
    if (!serves_dplr)
      energy -= g_ewald * qsqsum / MY_PIS + MY_PI2 * qsum * qsum / (g_ewald * g_ewald * volume);
    energy *= qscale;
  }
  if (vflag_global)
    for (int i = 0; i < 6; i++) virial[i] = 0.5 * qscale * volume * all[i + 1];
}

/* ----------------------------------------------------------------------
   Returns: spectrum of the charges of atoms that are in all of the groups; other
   atoms take part without theirs
------------------------------------------------------------------------- */

std::vector<double> PPPMOffload::spectrum_of_groups(int groupbits)
{
  set_request(ENERGY_NONE, VIRIAL_NONE);
  std::vector<double> charges(atom->q, atom->q + atom->nlocal);
  for (int i = 0; i < atom->nlocal; i++)
    if ((atom->mask[i] & groupbits) != groupbits) charges[i] = 0.0;
  overlap->request().q = charges.data();
  try {
    return links->mesh().spectrum_of_charges(overlap->request());
  } catch (const std::exception &failure) {
    error->one(FLERR, "{}: {}", PPPM_OFFLOAD, failure.what());
  }
  return {};
}

/* ----------------------------------------------------------------------
   of the charges of two groups, or of the atoms that are in both
------------------------------------------------------------------------- */

void PPPMOffload::compute_group_group(int groupbit_A, int groupbit_B, int AA_flag)
{
  if (plain) {
    PPPM::compute_group_group(groupbit_A, groupbit_B, AA_flag);
    return;
  }
  if (differentiation_flag == 1)
    error->all(FLERR, "Cannot (yet) use kspace_modify diff ad with compute group/group");
  overlap->await();
  const int both = groupbit_A | groupbit_B;
  const std::vector<double> a = spectrum_of_groups(AA_flag ? both : groupbit_A),
                            b = spectrum_of_groups(AA_flag ? both : groupbit_B);

  const GroupSums mine = links->part() ? links->part()->sum_groups(a, b) : GroupSums{};
  GroupSums all;
  MPI_Allreduce(mine.data(), all.data(), static_cast<int>(all.size()), MPI_DOUBLE, MPI_SUM, world);
  const double qscale = qqrd2e * scale;
  e2group = 0.5 * qscale * volume * all[0];
  for (int dim = 0; dim < 3; dim++) f2group[dim] = AA_flag ? 0.0 : qscale * volume * all[1 + dim];
  if (slabflag == 2) f2group[2] = 0.0;
  if (slabflag == 1) slabcorr_groups(groupbit_A, groupbit_B, AA_flag);
}

/* ----------------------------------------------------------------------
   one-dimensional transforms are not separate from their messages
------------------------------------------------------------------------- */

int PPPMOffload::timing_1d(int n, double &seconds)
{
  return plain ? PPPM::timing_1d(n, seconds) : timing_3d(n, seconds);
}

/* ---------------------------------------------------------------------- */

int PPPMOffload::timing_3d(int n, double &seconds)
{
  if (plain) return PPPM::timing_3d(n, seconds);
  overlap->await();
  links->mesh().set_nap(0.0);
  MPI_Barrier(world);
  const double start = platform::walltime();
  for (int i = 0; i < n && links->part(); i++) links->part()->transform_only();
  MPI_Barrier(world);
  seconds = platform::walltime() - start;
  MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, world);    // callers repeat until it is long enough
  return differentiation_flag == 1 ? 2 : 4;
}

/* ---------------------------------------------------------------------- */

double PPPMOffload::memory_usage()
{
  if (plain) return PPPM::memory_usage();
  double bytes = bytes_of_block();
  if (links->part()) bytes += static_cast<double>(links->part()->nbytes());
  if (waters) bytes += waters->memory_usage();
  return bytes;
}
