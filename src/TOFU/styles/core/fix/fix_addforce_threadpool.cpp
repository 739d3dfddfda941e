// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "fix_addforce_threadpool.h"

#include "threadpool/fixes/fix_calls.h"
#include "threadpool/pool/step_sums.h"

#include "atom.h"
#include "domain.h"
#include "input.h"
#include "update.h"
#include "utils.h"
#include "variable.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

using namespace LAMMPS_NS;

/* ----------------------------------------------------------------------
   fix addforce has checked its arguments, and keeps for itself what they say
------------------------------------------------------------------------- */

FixAddForceThreadpool::FixAddForceThreadpool(LAMMPS *lmp, int narg, char **arg) :
    FixOnPool(lmp, narg, arg)
{
  for (int k = 0; k < 3; k++) {
    if (utils::strmatch(arg[3 + k], "^v_"))
      variables[k] = arg[3 + k] + 2;
    else
      added[k] = utils::numeric(FLERR, arg[3 + k], false, lmp);
  }
  for (int iarg = 6; iarg < narg; iarg += 2)
    if (strcmp(arg[iarg], "every") != 0) depends_on_atom = true;
}

/* ---------------------------------------------------------------------- */

void FixAddForceThreadpool::init()
{
  FixOnPool::init();
  is_for_stock = depends_on_atom;
  for (const std::string &name : variables)
    if (!name.empty() && !input->variable->equalstyle(input->variable->find(name.c_str())))
      is_for_stock = true;
}

namespace {

/* ----------------------------------------------------------------------
   sums over atoms: of forces, positions in the box, and numbers of boxes
------------------------------------------------------------------------- */

struct Sums {
  enum { FORCE = 0, POSITION = 3, IMAGE = 6, ALL = 9 };
  std::array<double, ALL> of{};

  // one loop over numbers, not atoms, for vector units

  static constexpr int LANES = 12;    // four atoms

  void add_rows(int n, const double *rows, double *sum)
  {
    double lanes[LANES] = {};
    int k = 0;
    for (; k + LANES <= 3 * n; k += LANES)
      for (int lane = 0; lane < LANES; lane++) lanes[lane] += rows[k + lane];
    for (int lane = 0; k < 3 * n; k++, lane++) lanes[lane] += rows[k];
    for (int lane = 0; lane < LANES; lane++) sum[lane % 3] += lanes[lane];
  }

  void add(int n, const double *x, const double *f, const imageint *image)
  {
    add_rows(n, f, of.data() + FORCE);
    add_rows(n, x, of.data() + POSITION);
    imageint nx = 0, ny = 0, nz = 0;
    for (int i = 0; i < n; i++) {
      nx += (image[i] & IMGMASK) - IMGMAX;
      ny += (image[i] >> IMGBITS & IMGMASK) - IMGMAX;
      nz += (image[i] >> IMG2BITS) - IMGMAX;
    }
    of[IMAGE] += static_cast<double>(nx);
    of[IMAGE + 1] += static_cast<double>(ny);
    of[IMAGE + 2] += static_cast<double>(nz);
  }
};

void push(int n, const std::array<double, 3> &added, double *f)
{
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) f[3 * i + k] += added[k];
}

}    // namespace

/* ---------------------------------------------------------------------- */

void FixAddForceThreadpool::post_force(int vflag)
{
  if (is_for_stock) {
    FixAddForce::post_force(vflag);
    return;
  }
  if (update->ntimestep % nevery) return;
  v_init(vflag);
  mine = {};    // what a variable finds
  summed = false;
  evaluate_variables(lmp, variables, added);

  const int nlocal = atom->nlocal, *const mask = atom->mask;
  double *const f = nlocal ? atom->f[0] : nullptr;
  const double *const x = nlocal ? atom->x[0] : nullptr;
  const imageint *const image = atom->image;
  const std::array<double, 3> by = added;

  const auto found = sum_over_atoms<Sums::ALL>(threadpool, nlocal, [&](int first, int last) {
    Sums sums;
    const auto some = [&](int begin, int end) {
      const std::size_t value = 3 * static_cast<std::size_t>(begin);
      sums.add(end - begin, x + value, f + value, image + begin);
      push(end - begin, by, f + value);
    };
    int outside = 0;
    for (int i = first; i < last; i++) outside |= ~mask[i] & groupbit;
    if (!outside) {
      some(first, last);
      return sums.of;
    }
    for (int i = first; i < last; i++)
      if (mask[i] & groupbit) some(i, i + 1);
    return sums.of;
  });

  const double *const h = domain->h, *const boxes = found.data() + Sums::IMAGE;
  const std::array<double, 3> positions = {
      found[Sums::POSITION] + h[0] * boxes[0] + h[5] * boxes[1] + h[4] * boxes[2],
      found[Sums::POSITION + 1] + h[1] * boxes[1] + h[3] * boxes[2],
      found[Sums::POSITION + 2] + h[2] * boxes[2]};
  mine[0] = -(by[0] * positions[0] + by[1] * positions[1] + by[2] * positions[2]);
  for (int k = 0; k < 3; k++) mine[1 + k] = found[Sums::FORCE + k];
  summed = false;
  if (evflag) tally(positions);
}

/* ----------------------------------------------------------------------
   the virial of the added force, which all atoms have in common
------------------------------------------------------------------------- */

void FixAddForceThreadpool::tally(const std::array<double, 3> &positions)
{
  const auto add = [this](const double *at, double *sum) {
    sum[0] += added[0] * at[0];
    sum[1] += added[1] * at[1];
    sum[2] += added[2] * at[2];
    sum[3] += added[0] * at[1];
    sum[4] += added[0] * at[2];
    sum[5] += added[1] * at[2];
  };
  if (vflag_global) add(positions.data(), virial);
  if (!vflag_atom) return;
  for_atoms(threadpool, atom->nlocal, [&](int first, int last) {
    double at[3];
    for (int i = first; i < last; i++) {
      if (!(atom->mask[i] & groupbit)) continue;
      domain->unmap(atom->x[i], atom->image[i], at);
      add(at, vatom[i]);
    }
  });
}

/* ---------------------------------------------------------------------- */

double FixAddForceThreadpool::sum_over_ranks(int which)
{
  if (!summed) threadpool->sums().of(sums);
  summed = true;
  return sums.total[which];
}

/* ---------------------------------------------------------------------- */

double FixAddForceThreadpool::compute_scalar()
{
  return is_for_stock ? FixAddForce::compute_scalar() : sum_over_ranks(0);
}

/* ---------------------------------------------------------------------- */

double FixAddForceThreadpool::compute_vector(int n)
{
  return is_for_stock ? FixAddForce::compute_vector(n) : sum_over_ranks(1 + n);
}
