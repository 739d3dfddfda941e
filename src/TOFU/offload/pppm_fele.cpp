// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pppm_fele.h"

#include "lammps/scoped_state.h"
#include "lammps/styles/available_styles.h"
#include "pppm_settings.h"
#include "threadpool/pair/forces_of_charges.h"

#include "atom.h"
#include "error.h"
#include "force.h"
#include "math_const.h"
#include "modify.h"
#include "update.h"

#include <memory>

using namespace LAMMPS_NS;
using namespace MathConst;

static_assert(sizeof(PPPMFele) == sizeof(PPPM) + sizeof(std::vector<double>),
              "fix dplr expects the array right behind PPPM, and nothing else");

static constexpr const char *DPLR = "pppm/dplr";

/* ---------------------------------------------------------------------- */

bool PPPMFele::serve_fix_dplr(const std::string &own_name)
{
  const bool serves = !modify->get_fix_by_style("^dplr$").empty();
  if (tip4pflag && (serves || has_fix_dplr_threadpool()))
    error->all(FLERR,
               "Fix dplr does not work with kspace_style {}, whose charges are beside atoms; use "
               "kspace_style pppm/dplr",
               own_name);
  if (serves) check_layout();
  if (!serves && !has_fix_dplr_threadpool()) fele.clear();
  delete[] force->kspace_style;
  force->kspace_style = utils::strdup(serves ? DPLR : own_name);
  if (!serves && !has_fix_dplr_threadpool()) return false;
  check_run();
  return true;
}

/* ----------------------------------------------------------------------
   reject settings that fix dplr accepts although forces would be lost
------------------------------------------------------------------------- */

void PPPMFele::check_run() const
{
  const auto reject = [&](const char *found, const char *consequence, const char *remedy) {
    error->all(FLERR, "{} with fix dplr does not work with '{}': {}; use '{}'", PPPM_OFFLOAD, found,
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

bool PPPMFele::has_fix_dplr_threadpool() const
{
  return !modify->get_fix_by_style("^dplr/threadpool$").empty();
}

/* ---------------------------------------------------------------------- */

double PPPMFele::room_for_centers() const
{
  return has_fix_dplr_threadpool() ? ForcesOfCharges::LONGEST_DIPOLE * force->angstrom : 0.0;
}

/* ----------------------------------------------------------------------
   PPPM has room for charges beside atoms, those of water with four points
------------------------------------------------------------------------- */

void PPPMFele::allocate_plain()
{
  const ScopedChargeDistance further(qdist, room_for_centers());
  PPPM::allocate();
}

/* ---------------------------------------------------------------------- */

void PPPMFele::compute_plain(int eflag, int vflag, bool to_fele)
{
  if (!to_fele) {
    PPPM::compute(eflag, vflag);
    return;
  }
  fele.assign(3 * static_cast<std::size_t>(atom->nlocal), 0.0);
  {
    const ScopedForceArray own(atom, fele);
    PPPM::compute(eflag, vflag);
  }
  const double qscale = qqrd2e * scale, *const q = atom->q;
  const double self = g_ewald / MY_PIS, uniform = MY_PI2 * qsum / (g_ewald * g_ewald * volume);
  if (eflag_global) energy += qscale * (self * qsqsum + uniform * qsum);
  for (int i = 0; eflag_atom && i < atom->nlocal; i++)
    eatom[i] += qscale * q[i] * (self * q[i] + uniform);
}

/* ----------------------------------------------------------------------
   on this side by addresses.  On that of deepmd-kit by an object of its class: it
   must have an empty vector at the place from which the fix reads the array
------------------------------------------------------------------------- */

void PPPMFele::check_layout() const
{
  const auto *const begin = reinterpret_cast<const char *>(static_cast<const KSpace *>(this));
  const bool right_here = begin == reinterpret_cast<const char *>(this) &&
      reinterpret_cast<const char *>(&fele) == begin + sizeof(PPPM);

  bool right_there = true;
  if (TOFU_NS::has_style(lmp, "kspace", DPLR)) {
    int with_suffix;
    const std::unique_ptr<KSpace> theirs(force->new_kspace(DPLR, 0, with_suffix));
    right_there = has_empty_vector_behind(theirs.get(), sizeof(PPPM));
  }
  if (!right_here || !right_there)
    error->one(FLERR,
               "fix dplr would not find the forces of this kspace style: its own style {} is built "
               "otherwise than deepmd-kit 3 with this LAMMPS; compile deepmd-kit's plug-in against "
               "the LAMMPS in use, or use {}",
               DPLR, DPLR);
}
