/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// A step: the long-range part, on this thread or on one beside it, and the addition of its results.

#include "pppm_offload.h"

#include "pppm_offload-impl.h"

#include "kernels/mesh/self_forces.h"
#include "pool/thread_pool.h"
#include "threadpool/pool/rank_pool.h"
#include "threadpool/pool/step_sums.h"

#include "atom.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "math_const.h"
#include "update.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

using namespace LAMMPS_NS;
using namespace MathConst;
using namespace TOFU_NS;

namespace {

using Clock = std::chrono::steady_clock;

constexpr double WORTH_A_TURN = 1e-3;    // seconds of work for a thread without a core of its own
constexpr double NAP = 20e-6;            // seconds; a message within a node takes a tenth of it

double seconds_since(Clock::time_point start)
{
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}    // namespace

/* ----------------------------------------------------------------------
   Update knows which energies are wanted, except for the global one, which some
   fixes ask for without telling Update
------------------------------------------------------------------------- */

void PPPMOffload::start(int vflag)
{
  if (!impl->beside || !impl->thread || !impl->worth_it) return;
  await();
  if (!has_charges()) return;
  const int eflag =
      ENERGY_GLOBAL + (update->eflag_atom == update->ntimestep ? ENERGY_ATOM : ENERGY_NONE);
  set_request(eflag, vflag);
  impl->started_at = update->ntimestep;
  set_nap(impl->shares_core ? NAP : 0.0);
  impl->thread->start([this]() { solve(); });
}

/* ----------------------------------------------------------------------
   two threads that share a core lose time at every switch, and gain only the time
   that the long-range part waits for messages of other nodes.  A thread beside the
   pool would leave all its threads to wait for the one whose core it takes; they
   rather share this work, too.  The rank with the least to spare decides for all
------------------------------------------------------------------------- */

void PPPMOffload::weigh()
{
  enum { OWN_CORE, WAITS_FOR_NODES, SHARES_CORE };
  const char *const anyway = std::getenv("TOFU_OVERLAP_ANYWAY");    // for tests
  RankPool *const threadpool = RankPool::find(lmp);
  const bool one_thread = !threadpool || threadpool->pool().nthreads() == 1;
  int mine = !impl->shares_core || (anyway && *anyway) ? OWN_CORE
      : one_thread && !impl->one_node                  ? WAITS_FOR_NODES
                                                       : SHARES_CORE,
      any;
  MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, world);
  if (any == OWN_CORE) return;
  const bool was_worth_it = impl->worth_it;
  impl->worth_it = any == WAITS_FOR_NODES && seconds_of_work() >= WORTH_A_TURN;
  if (me == 0 && was_worth_it && !impl->worth_it)
    utils::logmesg(lmp,
                   "TOFU pppm/offload: the long-range part runs after the pair forces: there is no "
                   "processor to spare for it\n");
}

/* ----------------------------------------------------------------------
   the work is done once more to be timed, since the first time includes the
   filling of caches and pages; results are the same

   Returns: seconds of the slowest rank
------------------------------------------------------------------------- */

double PPPMOffload::seconds_of_work()
{
  const double solving = impl->seconds_solving, visible = impl->seconds_visible;
  finish();    // an error while waiting for others is one of this rank, as in any step
  impl->seconds_solving = solving;
  impl->seconds_visible = visible;
  impl->nsolved--;
  double longest;
  MPI_Allreduce(&impl->seconds_of_last, &longest, 1, MPI_DOUBLE, MPI_MAX, world);
  return longest;
}

/* ----------------------------------------------------------------------
   the step has not asked for this part.  The work has to end, since positions
   are about to change.  It is not started any more, since the same would happen
   at every step
------------------------------------------------------------------------- */

void PPPMOffload::end()
{
  if (!impl->thread || !impl->thread->busy()) return;
  await();
  impl->beside = false;
  if (me == 0)
    error->warning(FLERR,
                   "{}: the long-range part was started and not asked for; it runs after the pair "
                   "forces from now on",
                   Impl::NAME);
}

/* ---------------------------------------------------------------------- */

void PPPMOffload::set_nap(double seconds)
{
  for (Transport *transport : {impl->transport.get(), impl->node_transport.get()})
    if (transport) transport->set_nap(seconds);
}

/* ---------------------------------------------------------------------- */

void PPPMOffload::compute(int eflag, int vflag)
{
  ev_init(eflag, vflag);
  if (impl->serves_dplr) fele.assign(3 * static_cast<std::size_t>(atom->nlocal), 0.0);
  if (started_for(eflag, vflag)) {
    impl->nbeside++;
  } else {
    await();
    if (!has_charges()) return;
    set_request(eflag, vflag);
    set_nap(0.0);
  }
  finish();
  if (update->setupflag && impl->thread) weigh();
  add_forces();
  sum_energies();
  if (evflag_atom) add_atom_energies();
  if (slabflag == 1) add_slab_correction();
}

/* ---------------------------------------------------------------------- */

bool PPPMOffload::has_charges()
{
  if (atom->natoms != natoms_original) {
    qsum_qsq();
    natoms_original = atom->natoms;
  }
  return qsqsum != 0.0;
}

/* ---------------------------------------------------------------------- */

void PPPMOffload::set_request(int eflag, int vflag)
{
  boxlo = triclinic ? domain->boxlo_lamda : domain->boxlo;
  const double *const corner = domain->boxlo;
  if (!std::isfinite(corner[0]) || !std::isfinite(corner[1]) || !std::isfinite(corner[2]))
    error->one(FLERR, "Non-numeric box dimensions - simulation unstable");

  if (triclinic && follows_flips() &&
      !std::equal(domain->h, domain->h + 6, impl->tables_for.data()))
    set_up_tilted();    // fixes that flip a box do not call setup() then

  MeshRequest &request = impl->request;
  request.natoms = atom->nlocal;
  if (impl->waters)
    request.x = impl->waters->place(parts_of_pool());
  else
    request.x = atom->nlocal ? &atom->x[0][0] : nullptr;
  request.q = atom->q;
  request.parts = Parts();
  request.energy = eflag & ENERGY_GLOBAL;
  request.virial = vflag & (VIRIAL_PAIR | VIRIAL_FDOTR);
  request.atom_energy = eflag & ENERGY_ATOM;
  request.atom_virial = vflag & VIRIAL_ATOM;
  set_stencil();
}

/* ---------------------------------------------------------------------- */

void PPPMOffload::set_stencil()
{
  if (!impl->mesh) return;
  const MeshBox &box = impl->geometry.boxes[impl->geometry.me];
  const double inverse[3] = {delxinv, delyinv, delzinv};
  MeshStencil<double> stencil;
  stencil.order = order;
  for (int dim = 0; dim < 3; dim++) {
    stencil.lo[dim] = box.lo[dim];
    stencil.hi[dim] = box.hi[dim];
    stencil.boxlo[dim] = boxlo[dim];
    stencil.delinv[dim] = inverse[dim];
  }
  for (int l = 0; l < order; l++)
    for (int k = 0; k < order; k++) {
      stencil.rho_coeff[l][k] = rho_coeff[l][nlower + k];
      stencil.drho_coeff[l][k] = l + 1 < order ? drho_coeff[l][nlower + k] : 0.0;
    }
  std::optional<TriclinicBox> tilted;
  if (triclinic) {
    tilted.emplace();
    std::copy_n(domain->boxlo, 3, tilted->lo);
    std::copy_n(domain->h_inv, 6, tilted->inverse);
  }
  impl->mesh->set_stencil(stencil, delvolinv, tilted);
}

/* ----------------------------------------------------------------------
   Returns: whether the work in hand is for this call, and has all results that
   the call wants; the same on all ranks
------------------------------------------------------------------------- */

bool PPPMOffload::started_for(int eflag, int vflag) const
{
  const MeshRequest &request = impl->request;
  const auto has = [](bool wanted, bool got) {
    return got || !wanted;
  };
  if (!impl->thread || !impl->thread->busy() || impl->started_at != update->ntimestep ||
      update->setupflag || !has(eflag & ENERGY_GLOBAL, request.energy) ||
      !has(eflag & ENERGY_ATOM, request.atom_energy) ||
      !has(vflag & (VIRIAL_PAIR | VIRIAL_FDOTR), request.virial) ||
      !has(vflag & VIRIAL_ATOM, request.atom_virial))
    return false;
  if (request.natoms != atom->nlocal || request.q != atom->q)
    error->one(FLERR,
               "{}: atoms of rank {} have changed while forces were computed; use "
               "kspace_modify overlap no",
               Impl::NAME, me);
  return true;
}

/* ----------------------------------------------------------------------
   work of the thread: it calls neither MPI nor LAMMPS, and reads arrays that do
   not change before compute() is over
------------------------------------------------------------------------- */

void PPPMOffload::solve()
{
  const auto start = Clock::now();
  if (NodeGather *const node = impl->node_gather.get()) {
    const MeshRequest &all = node->collect(impl->request);
    if (impl->mesh) impl->mesh->solve(all);
    impl->results =
        node->hand_out(impl->request, impl->mesh ? impl->mesh->results() : MeshResults());
  } else {
    impl->mesh->solve(impl->request);
    impl->results = impl->mesh->results();
  }
  if (differentiation_flag == 1) subtract_self_forces();
  impl->seconds_of_last = seconds_since(start);
  impl->seconds_solving += impl->seconds_of_last;
  impl->nsolved++;
}

/* ----------------------------------------------------------------------
   the force of a charge on itself that the derivatives of weights leave, as in
   PPPM a series of two terms in each dimension
------------------------------------------------------------------------- */

void PPPMOffload::subtract_self_forces()
{
  SelfForces self;
  const double inverse[3] = {delxinv, delyinv, delzinv};
  std::copy_n(inverse, 3, self.delinv);
  std::copy_n(sf_coeff, 6, self.coeff);
  const MeshRequest &request = impl->request;
  request.parts.share(request.natoms, [&](int, int first, int last) {
    const std::size_t at = 3 * static_cast<std::size_t>(first);
    TOFU_NS::subtract_self_forces(self, request.x + at, request.q + first, last - first,
                                  impl->results.field + at);
  });
}

/* ---------------------------------------------------------------------- */

void PPPMOffload::finish()
{
  const auto start = Clock::now();
  try {
    if (impl->thread && impl->thread->busy()) {
      impl->thread->join();
    } else {
      impl->request.parts = parts_of_pool();    // the thread beside the pair forces may not use it
      solve();
    }
  } catch (const std::exception &failure) {
    error->one(FLERR, "{}: {}", Impl::NAME, failure.what());
  }
  impl->seconds_visible += seconds_since(start);
  tell_warnings();
}

/* ----------------------------------------------------------------------
   wait for the work in hand, the results of which are not needed
------------------------------------------------------------------------- */

void PPPMOffload::await()
{
  if (impl->thread && impl->thread->busy()) finish();
}

/* ---------------------------------------------------------------------- */

void PPPMOffload::tell_warnings()
{
  for (const std::string &text : impl->warnings) error->warning(FLERR, "{}: {}", Impl::NAME, text);
  impl->warnings.clear();
}

/* ---------------------------------------------------------------------- */

void PPPMOffload::add_forces()
{
  const int nlocal = atom->nlocal;
  if (nlocal == 0) return;
  double *const f = impl->serves_dplr ? fele.data() : &atom->f[0][0];
  const double *const field = impl->results.field;
  const double qscale = qqrd2e * scale;
  const double *const q = atom->q;
  const bool along_z = slabflag != 2;
  for (int i = 0; i < nlocal; i++) {
    const double factor = qscale * q[i];
    f[3 * i] += factor * field[3 * i];
    f[3 * i + 1] += factor * field[3 * i + 1];
    if (along_z) f[3 * i + 2] += factor * field[3 * i + 2];
  }
  if (!impl->waters) return;
  impl->waters->share(3, f, [=](int i, int dim) {
    return dim < 2 || along_z ? qscale * q[i] * field[3 * i + dim] : 0.0;
  });
}

/* ----------------------------------------------------------------------
   slabcorr() adds to the z components in atom->f, which for fix dplr are its own
   meanwhile
------------------------------------------------------------------------- */

void PPPMOffload::add_slab_correction()
{
  const auto exchange = [&]() {
    for (std::size_t i = 0; i < fele.size() / 3; i++) std::swap(fele[3 * i + 2], atom->f[i][2]);
  };
  exchange();
  slabcorr();
  exchange();
}

/* ---------------------------------------------------------------------- */

void PPPMOffload::sum_energies()
{
  if (!eflag_global && !vflag_global) return;
  std::fill_n(impl->sums, 7, 0.0);
  if (const MeshPart *const mesh = impl->mesh.get()) {
    impl->sums[0] = mesh->energy();
    std::copy_n(mesh->virial().data(), 6, impl->sums + 1);
  }
  if (leave_sums())
    std::fill_n(virial, 6, std::numeric_limits<double>::quiet_NaN());    // nobody looks until then
  else
    RankSum::reduce({impl->sums_of_ranks.get()}, lmp);
}

/* ----------------------------------------------------------------------
   with those of temperature and pressure, if a fix asks for the latter later in
   this step; energies may be looked at before
------------------------------------------------------------------------- */

bool PPPMOffload::leave_sums()
{
  if (eflag_global || impl->serves_dplr) return false;
  RankPool *const threadpool = RankPool::find(lmp);
  return threadpool && threadpool->sums().defer(*impl->sums_of_ranks);
}

/* ----------------------------------------------------------------------
   with the self energy, and that of a uniform charge that neutralizes the system;
   models for fix dplr are trained without both
------------------------------------------------------------------------- */

void PPPMOffload::take_sums(const double *all)
{
  const double qscale = qqrd2e * scale;
  if (eflag_global) {
    energy = 0.5 * volume * all[0];
    if (!impl->serves_dplr)
      energy -= g_ewald * qsqsum / MY_PIS + MY_PI2 * qsum * qsum / (g_ewald * g_ewald * volume);
    energy *= qscale;
  }
  if (vflag_global)
    for (int i = 0; i < 6; i++) virial[i] = 0.5 * qscale * volume * all[i + 1];
}

/* ---------------------------------------------------------------------- */

void PPPMOffload::add_atom_energies()
{
  const double qscale = qqrd2e * scale;
  const double *const q = atom->q;
  const int nlocal = atom->nlocal;
  if (eflag_atom) {
    const double *const potential = impl->results.potential;
    const double self = impl->serves_dplr ? 0.0 : g_ewald / MY_PIS;
    const double uniform = impl->serves_dplr ? 0.0 : MY_PI2 * qsum / (g_ewald * g_ewald * volume);
    for (int i = 0; i < nlocal; i++)
      eatom[i] += qscale * q[i] * (0.5 * potential[i] - self * q[i] - uniform);
    if (impl->waters)
      impl->waters->share(1, eatom, [=](int i, int) { return 0.5 * qscale * q[i] * potential[i]; });
  }
  if (vflag_atom) {
    const double *const parts = impl->results.virial;
    for (int i = 0; i < nlocal; i++)
      for (int j = 0; j < 6; j++) vatom[i][j] += 0.5 * qscale * q[i] * parts[6 * i + j];
    if (impl->waters && nlocal)
      impl->waters->share(6, vatom[0],
                          [=](int i, int j) { return 0.5 * qscale * q[i] * parts[6 * i + j]; });
  }
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
  impl->request.q = charges.data();
  std::vector<double> spectrum;
  try {
    const MeshRequest &request = impl->node_gather ? impl->node_gather->collect(impl->request)
                                                   : impl->request;
    if (impl->mesh) spectrum = impl->mesh->spectrum_of_charges(request);
  } catch (const std::exception &failure) {
    error->one(FLERR, "{}: {}", Impl::NAME, failure.what());
  }
  return spectrum;
}

/* ----------------------------------------------------------------------
   of the charges of two groups, or of the atoms that are in both
------------------------------------------------------------------------- */

void PPPMOffload::compute_group_group(int groupbit_A, int groupbit_B, int AA_flag)
{
  if (differentiation_flag == 1)
    error->all(FLERR, "Cannot (yet) use kspace_modify diff ad with compute group/group");
  await();
  const int both = groupbit_A | groupbit_B;
  const std::vector<double> a = spectrum_of_groups(AA_flag ? both : groupbit_A),
                            b = spectrum_of_groups(AA_flag ? both : groupbit_B);

  const GroupSums mine = impl->mesh ? impl->mesh->sum_groups(a, b) : GroupSums{};
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
  return timing_3d(n, seconds);
}

/* ---------------------------------------------------------------------- */

int PPPMOffload::timing_3d(int n, double &seconds)
{
  await();
  set_nap(0.0);
  MPI_Barrier(world);
  const auto start = Clock::now();
  for (int i = 0; i < n && impl->mesh; i++) impl->mesh->transform_only();
  MPI_Barrier(world);
  seconds = seconds_since(start);
  MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, world);    // callers repeat until it is long enough
  return differentiation_flag == 1 ? 2 : 4;
}

/* ---------------------------------------------------------------------- */

void PPPMOffload::print_statistics()
{
  await();
  double mine[2] = {impl->seconds_solving, impl->seconds_visible}, all[2];
  MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, world);
  if (me || impl->nbeside == 0 || all[0] <= 0.0) return;
  utils::logmesg(lmp,
                 "\nTOFU pppm/offload: long-range part {:.1f} us a step, {:.1f} % of it hidden "
                 "behind other work; {} of {} steps had it beside the pair forces\n",
                 1e6 * all[0] / nprocs / impl->nsolved,
                 100.0 * std::max(0.0, 1.0 - all[1] / all[0]), impl->nbeside, impl->nsolved);
}
