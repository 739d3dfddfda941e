// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "ewald_threadpool.h"

#include "threadpool/pool/rank_pool.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "force.h"
#include "math_const.h"
#include "memory.h"

#include <algorithm>
#include <cmath>

using namespace LAMMPS_NS;
using namespace MathConst;
using namespace TOFU_NS;

static constexpr double NEUTRAL = 0.00001;    // charge of a box that counts as none, as in KSpace

/* ---------------------------------------------------------------------- */

Parts EwaldThreadpool::parts() const
{
  const RankPool *const threadpool = RankPool::find(lmp);
  return threadpool ? threadpool->parts() : Parts();
}

/* ---------------------------------------------------------------------- */

void EwaldThreadpool::init()
{
  RankPool::of(lmp);
  Ewald::init();
}

/* ----------------------------------------------------------------------
   wave vectors k, l, m = 1.  In a box of three edges unitk has them
------------------------------------------------------------------------- */

static void set_wave_unit(KSpace *kspace, bool triclinic, const double *unitk, double (&unit)[3][3])
{
  for (int dim = 0; dim < 3; dim++) {
    std::fill_n(unit[dim], 3, 0.0);
    unit[dim][dim] = triclinic ? 2.0 * MY_PI : unitk[dim];
    if (triclinic) kspace->x2lamdaT(unit[dim], unit[dim]);
  }
}

/* ----------------------------------------------------------------------
   Ewald::setup() makes arrays for each atom when the number of wave vectors grows,
   and does not write to them.  In a triclinic box it lists vectors along z for
   which its compute() has no cosines; they come last, and are no part of its sums
   either as long as that memory is new
------------------------------------------------------------------------- */

void EwaldThreadpool::setup()
{
  Ewald::setup();
  memory->destroy(ek);
  memory->destroy3d_offset(cs, -kmax_created);
  memory->destroy3d_offset(sn, -kmax_created);

  set_wave_unit(this, triclinic, unitk, wave_unit);
  nwaves = kcount;
  if (triclinic)
    while (nwaves > 0 && kzvecs[nwaves - 1] > kzmax) nwaves--;
  waves.set_vectors(nwaves, kxvecs, kyvecs, kzvecs);
  waves.set_weights(ug);
}

/* ---------------------------------------------------------------------- */

void EwaldThreadpool::compute(int eflag, int vflag)
{
  ev_init(eflag, vflag);
  if (atom->natoms != natoms_original) {
    qsum_qsq();
    natoms_original = atom->natoms;
  }
  if (qsqsum == 0.0) return;

  set_atoms();
  sums.resize(waves.nsums());
  waves.sum_charges(atom->q, parts(), sums.data());
  const Dipole dipole = sum_over_ranks();

  const double qscale = qqrd2e * scale;
  waves.set_sums(sums.data());
  if (atom->nlocal)
    waves.add_forces(atom->q, wave_unit, {qscale, qscale, slabflag != 2 ? qscale : 0.0}, parts(),
                     &atom->f[0][0]);
  if (eflag_global || vflag_global) add_energy_and_virial();
  if (eflag_atom) add_energies_of_atoms();
  if (vflag_atom) add_virials_of_atoms();
  if (slabflag == 1) add_slab_correction(dipole);
}

/* ----------------------------------------------------------------------
   phases are those of the box as it is, and directions of wave vectors those of the
   last setup(): they differ in a step in which a fix flips a triclinic box
------------------------------------------------------------------------- */

void EwaldThreadpool::set_atoms()
{
  double unit[3][3];
  set_wave_unit(this, triclinic, unitk, unit);
  waves.set_atoms(atom->nlocal, atom->nlocal ? &atom->x[0][0] : nullptr, unit, parts());
}

/* ----------------------------------------------------------------------
   Returns: of all ranks.  The sums become those of all ranks, too
------------------------------------------------------------------------- */

EwaldThreadpool::Dipole EwaldThreadpool::sum_over_ranks()
{
  Dipole dipole;
  if (slabflag == 1) dipole = dipole_of_this_rank();
  if (comm->nprocs == 1) return dipole;
  const int nsums = waves.nvalues(), n = nsums + (slabflag == 1 ? 2 : 0);
  message.resize(nsums + 2);
  waves.pack(sums.data(), message.data());
  message[nsums] = dipole.moment;
  message[nsums + 1] = dipole.square;
  MPI_Allreduce(MPI_IN_PLACE, message.data(), n, MPI_DOUBLE, MPI_SUM, world);
  waves.unpack(message.data(), sums.data());
  return {message[nsums], message[nsums + 1]};
}

/* ---------------------------------------------------------------------- */

EwaldThreadpool::Dipole EwaldThreadpool::dipole_of_this_rank() const
{
  const double *const *const x = atom->x;
  const double *const q = atom->q;
  Dipole dipole;
  for (int i = 0; i < atom->nlocal; i++) {
    dipole.moment += q[i] * x[i][2];
    dipole.square += q[i] * x[i][2] * x[i][2];
  }
  return dipole;
}

/* ----------------------------------------------------------------------
   each rank has all structure factors
------------------------------------------------------------------------- */

void EwaldThreadpool::add_energy_and_virial()
{
  factors.resize(2 * static_cast<std::size_t>(nwaves));
  waves.structure_factors(sums.data(), factors.data());
  const double qscale = qqrd2e * scale;
  double all = 0.0, stress[6] = {};
  for (int n = 0; n < nwaves; n++) {
    const double re = factors[2 * n], im = factors[2 * n + 1], part = ug[n] * (re * re + im * im);
    all += part;
    if (vflag_global)
      for (int j = 0; j < 6; j++) stress[j] += part * vg[n][j];
  }
  if (eflag_global)
    energy = qscale *
        (all - g_ewald * qsqsum / MY_PIS - MY_PI2 * qsum * qsum / (g_ewald * g_ewald * volume));
  if (vflag_global)
    for (int j = 0; j < 6; j++) virial[j] = qscale * stress[j];
}

/* ---------------------------------------------------------------------- */

void EwaldThreadpool::add_energies_of_atoms()
{
  const double *const q = atom->q;
  const double qscale = qqrd2e * scale, self = g_ewald / MY_PIS,
               background = MY_PI2 * qsum / (g_ewald * g_ewald * volume);
  potential.resize(atom->nlocal);
  waves.potentials(parts(), potential.data());
  for (int i = 0; i < atom->nlocal; i++)
    eatom[i] += qscale * q[i] * (potential[i] - self * q[i] - background);
}

/* ---------------------------------------------------------------------- */

void EwaldThreadpool::add_virials_of_atoms()
{
  const double *const q = atom->q;
  const double qscale = qqrd2e * scale;
  potential.resize(atom->nlocal);
  weights.resize(nwaves);
  for (int j = 0; j < 6; j++) {
    for (int n = 0; n < nwaves; n++) weights[n] = ug[n] * vg[n][j];
    waves.set_weights(weights.data());
    waves.set_sums(sums.data());
    waves.potentials(parts(), potential.data());
    for (int i = 0; i < atom->nlocal; i++) vatom[i][j] += qscale * q[i] * potential[i];
  }
  waves.set_weights(ug);
}

/* ----------------------------------------------------------------------
   interaction of a slab with its images along z (Yeh and Berkowitz, J. Chem. Phys.
   111, 3155; Ballenegger, Arnold and Cerda, J. Chem. Phys. 131, 094107)
------------------------------------------------------------------------- */

void EwaldThreadpool::add_slab_correction(const Dipole &dipole)
{
  const double *const *const x = atom->x;
  double *const *const f = atom->f;
  const double *const q = atom->q;
  const int nlocal = atom->nlocal;
  const double height = domain->zprd * slab_volfactor, twelfth = qsum * height * height / 12.0,
               moment = dipole.moment, factor = qqrd2e * scale * MY_2PI / volume;
  const double square = eflag_atom || std::fabs(qsum) > NEUTRAL ? dipole.square : 0.0;
  if (eflag_global) energy += factor * (moment * moment - qsum * square - qsum * twelfth);
  if (eflag_atom)
    for (int i = 0; i < nlocal; i++) {
      const double z = x[i][2];
      eatom[i] += factor * q[i] * (z * moment - 0.5 * (square + qsum * z * z) - twelfth);
    }
  for (int i = 0; i < nlocal; i++) f[i][2] -= 2.0 * factor * q[i] * (moment - qsum * x[i][2]);
}

/* ----------------------------------------------------------------------
   sums of this rank's charges that are in a group, and in `both` if that is not 0
------------------------------------------------------------------------- */

void EwaldThreadpool::sum_group(int groupbit, int both, std::vector<double> &of_group)
{
  const int nlocal = atom->nlocal;
  std::vector<double> charges(nlocal, 0.0);
  for (int i = 0; i < nlocal; i++)
    if ((atom->mask[i] & groupbit) && (atom->mask[i] & both) == both) charges[i] = atom->q[i];
  of_group.resize(waves.nsums());
  waves.sum_charges(charges.data(), parts(), of_group.data());
}

/* ----------------------------------------------------------------------
   of the charges of two groups, or of the atoms that are in both
------------------------------------------------------------------------- */

void EwaldThreadpool::compute_group_group(int groupbit_A, int groupbit_B, int AA_flag)
{
  set_atoms();
  const int both = AA_flag ? groupbit_A | groupbit_B : 0, nsums = waves.nvalues();
  sum_group(groupbit_A, both, sums);
  sum_group(groupbit_B, both, group_sums);
  if (comm->nprocs > 1) {
    message.resize(2 * static_cast<std::size_t>(nsums));
    waves.pack(sums.data(), message.data());
    waves.pack(group_sums.data(), message.data() + nsums);
    MPI_Allreduce(MPI_IN_PLACE, message.data(), 2 * nsums, MPI_DOUBLE, MPI_SUM, world);
    waves.unpack(message.data(), sums.data());
    waves.unpack(message.data() + nsums, group_sums.data());
  }

  const std::size_t nfactors = 2 * static_cast<std::size_t>(nwaves);
  factors.resize(2 * nfactors);
  double *const a = factors.data(), *const b = a + nfactors;
  waves.structure_factors(sums.data(), a);
  waves.structure_factors(group_sums.data(), b);
  double all = 0.0, force[3] = {};
  for (int n = 0; n < nwaves; n++) {
    const double re_a = a[2 * n], im_a = a[2 * n + 1], re_b = b[2 * n], im_b = b[2 * n + 1];
    all += ug[n] * (re_a * re_b + im_a * im_b);
    for (int dim = 0; dim < 3; dim++) force[dim] += eg[n][dim] * (im_a * re_b - re_a * im_b);
  }
  const double qscale = qqrd2e * scale;
  e2group = qscale * all;
  for (int dim = 0; dim < 3; dim++) f2group[dim] = qscale * force[dim];
  if (slabflag == 2) f2group[2] = 0.0;
  if (slabflag == 1) slabcorr_groups(groupbit_A, groupbit_B, AA_flag);
}

/* ---------------------------------------------------------------------- */

double EwaldThreadpool::memory_usage()
{
  const double of_wave = 3 * sizeof(int) + (1 + 3 + 6 + 4) * sizeof(double);    // as Ewald
  double bytes = of_wave * kmax3d + waves.nbytes();
  for (const auto *numbers : {&sums, &group_sums, &message, &factors, &weights, &potential})
    bytes += static_cast<double>(numbers->capacity() * sizeof(double));
  return bytes;
}
