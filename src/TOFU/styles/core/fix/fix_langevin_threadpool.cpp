// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "fix_langevin_threadpool.h"

#include "lammps/lammps_version.h"
#include "threadpool/pool/step_sums.h"

#include "atom.h"
#include "compute.h"
#include "error.h"
#include "force.h"
#include "input.h"
#include "memory.h"
#include "random_mars.h"
#include "update.h"
#include "variable.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace LAMMPS_NS;
using namespace FixConst;
using namespace TOFU_NS;

static constexpr int FEW = 32;    // atoms that are not worth taking the generator apart

FixLangevinThreadpool::FixLangevinThreadpool(LAMMPS *lmp, int narg, char **arg) :
    FixOnPool(lmp, narg, arg),
    random_forces(RankSum::Of::FORCES, 4,
                  [this](double *part) { std::copy_n(mine.data(), 4, part); }),
    energies(RankSum::Of::FORCES, 1,
             [this](double *part) { *part = energy - 0.5 * energy_onestep * update->dt; })
{
}

/* ----------------------------------------------------------------------
   gjf has velocities of its own.  All ranks have the same sums over ranks
------------------------------------------------------------------------- */

bool FixLangevinThreadpool::has_gjf() const
{
  return member_or(0, *this,
                   [](const auto &self) -> decltype(self.gjfflag) { return self.gjfflag; });
}

bool FixLangevinThreadpool::is_for_stock() const
{
  return has_gjf() || (atom->nlocal < FEW && !zeroflag);
}

/* ---------------------------------------------------------------------- */

void FixLangevinThreadpool::post_force(int vflag)
{
  if (is_for_stock()) {
    FixLangevin::post_force(vflag);
    return;
  }
  compute_target();
  if (tallyflag) room_for_tally();
  if (tbiasflag) temperature->compute_scalar();

  // a compute removes the bias of one atom at a time, and what is to be zeroed is summed in the
  // order of atoms, lest it depend on the number of parts

  count_group();
  if (tbiasflag)
    zeroflag ? push_in_order<true, true>() : push_in_order<true, false>();
  else if (zeroflag)
    push_in_order<false, true>();
  else
    push_in_parts();
  if (zeroflag) zero();

  if (oflag) omega_thermostat();
  if (ascale != 0.0) angmom_thermostat();
}

/* ---------------------------------------------------------------------- */

void FixLangevinThreadpool::room_for_tally()
{
  if (atom->nmax > maxatom1) {
    memory->destroy(flangevin);
    maxatom1 = atom->nmax;
    memory->create(flangevin, maxatom1, 3, "langevin:flangevin");
  }
  flangevin_allocated = 1;
}

/* ----------------------------------------------------------------------
   where each atom's numbers begin.  Some atoms are in no group at all (fix srp)
------------------------------------------------------------------------- */

void FixLangevinThreadpool::count_group()
{
  const int nlocal = atom->nlocal, *const mask = atom->mask;
  begins.assign((nlocal + GRAIN - 1) / GRAIN + 1, 0);
  for_atoms(threadpool, nlocal, [&](int first, int last) {
    for (int begin = first; begin < last; begin += GRAIN) {
      int n = 0;
      for (int i = begin; i < std::min(begin + GRAIN, last); i++) n += (mask[i] & groupbit) != 0;
      begins[begin / GRAIN + 1] = n;
    }
  });
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
}

/* ----------------------------------------------------------------------
   # of atoms of the group before this one, which is the first of a grain or the end
------------------------------------------------------------------------- */

int FixLangevinThreadpool::group_before(int i) const
{
  return begins[(i + GRAIN - 1) / GRAIN];
}

/* ----------------------------------------------------------------------
   each part begins where the numbers of its first atom are; the part with the last atom knows
   how the generator goes on
------------------------------------------------------------------------- */

void FixLangevinThreadpool::push_in_parts()
{
  const int nlocal = atom->nlocal, nparts = parts_for_atoms(threadpool, nlocal);
  random->get_state(state.data());
  sequences.resize(threadpool->nparts());
  for_parts_of_atoms(threadpool, nparts, nlocal, [&](int part, int first, int last) {
    MarsSequence &sequence = sequences[part];
    sequence.start(state.data(), 3 * group_before(first));
    push_drawn<false, false>(sequence, first, last);
    if (part < nparts - 1) return;
    std::array<double, RAN_MARS_STATE> after;
    sequence.put_state(after.data());
    random->set_state(after.data());
  });
}

/* ---------------------------------------------------------------------- */

template <bool BIAS, bool SUM> void FixLangevinThreadpool::push_in_order()
{
  const int nlocal = atom->nlocal;
  random->get_state(state.data());
  sequences.resize(threadpool->nparts());
  sequences[0].start(state.data());
  mine = {0.0, 0.0, 0.0, static_cast<double>(group_before(nlocal))};
  push_drawn<BIAS, SUM>(sequences[0], 0, nlocal);
  sequences[0].put_state(state.data());
  random->set_state(state.data());
}

/* ----------------------------------------------------------------------
   with the next numbers of a sequence, for atoms from the begin of a grain up to that of
   another or the end
------------------------------------------------------------------------- */

template <bool BIAS, bool SUM>
void FixLangevinThreadpool::push_drawn(MarsSequence &sequence, int first, int last)
{
  constexpr int BLOCK = 4 * GRAIN;
  for (int begin = first; begin < last; begin += BLOCK) {
    const int end = std::min(begin + BLOCK, last);
    float number[3 * BLOCK];
    sequence.draw(3 * (group_before(end) - group_before(begin)), number);
    push<BIAS, SUM>(begin, end, number);
  }
}

/* ----------------------------------------------------------------------
   drag and random forces.  Expressions have the form that they have in fix
   langevin, since compilers fuse products and sums by their form
------------------------------------------------------------------------- */

template <bool BIAS, bool SUM>
void FixLangevinThreadpool::push(int first, int last, const float *number)
{
  double *const *const v = atom->v, *const *const f = atom->f;
  const double *const rmass = atom->rmass;
  const int *const type = atom->type, *const mask = atom->mask;
  const bool per_atom = tstr && input->variable->atomstyle(tvar);
  const double ftm2v = force->ftm2v;
  const double root = sqrt(24.0 * force->boltz / t_period / update->dt / force->mvv2e);
  double fsum[3] = {mine[0], mine[1], mine[2]}, fdrag[3], fran[3];

  for (int i = first; i < last; i++) {
    if (!(mask[i] & groupbit)) continue;
    const double tsqrt_i = per_atom ? sqrt(tforce[i]) : tsqrt;
    double gamma1, gamma2;
    if (rmass) {
      gamma1 = -rmass[i] / t_period / ftm2v;
      gamma2 = sqrt(rmass[i]) * root / ftm2v;
      gamma1 *= 1.0 / ratio[type[i]];
      gamma2 *= 1.0 / sqrt(ratio[type[i]]) * tsqrt_i;
    } else {
      gamma1 = gfactor1[type[i]];
      gamma2 = gfactor2[type[i]] * tsqrt_i;
    }

    for (int k = 0; k < 3; k++) fran[k] = gamma2 * (static_cast<double>(number[k]) - 0.5);
    number += 3;
    if (BIAS) temperature->remove_bias(i, v[i]);
    for (int k = 0; k < 3; k++) {
      fdrag[k] = gamma1 * v[i][k];
      if (BIAS && v[i][k] == 0.0) fran[k] = 0.0;    // it does not take part
    }
    if (BIAS) temperature->restore_bias(i, v[i]);
    for (int k = 0; k < 3; k++) f[i][k] += fdrag[k] + fran[k];
    if (tallyflag)
      for (int k = 0; k < 3; k++) flangevin[i][k] = fdrag[k] + fran[k];
    if (SUM)
      for (int k = 0; k < 3; k++) fsum[k] += fran[k];
  }
  if (SUM) std::copy_n(fsum, 3, mine.data());
}

/* ----------------------------------------------------------------------
   take the mean random force from each atom of the group
------------------------------------------------------------------------- */

void FixLangevinThreadpool::zero()
{
  const double *const sum = threadpool->sums().of(random_forces);
  const double count = sum[3];
  if (count == 0.0) error->all(FLERR, "Cannot zero Langevin force of 0 atoms");
  const double mean[3] = {sum[0] / count, sum[1] / count, sum[2] / count};

  double *const f = atom->f[0];
  const int *const mask = atom->mask;
  for_atoms(threadpool, atom->nlocal, [&](int first, int last) {
    for (int i = first; i < last; i++)
      if (mask[i] & groupbit)
        for (int k = 0; k < 3; k++) {
          f[3 * i + k] -= mean[k];
          if (tallyflag) flangevin[i][k] -= mean[k];
        }
  });
}

/* ----------------------------------------------------------------------
   in the first step of a run the tally begins, which is for the stock code
------------------------------------------------------------------------- */

double FixLangevinThreadpool::compute_scalar()
{
  if (!tallyflag || !flangevin_allocated || update->ntimestep == update->beginstep)
    return FixLangevin::compute_scalar();
  return -*threadpool->sums().of(energies);
}

/* ---------------------------------------------------------------------- */

double FixLangevinThreadpool::memory_usage()
{
  return FixLangevin::memory_usage() + static_cast<double>(sequences.size() * sizeof(MarsSequence));
}
