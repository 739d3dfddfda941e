/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "pppm_fele.h"

#include "lammps/scoped_state.h"
#include "lammps/styles/available_styles.h"

#include "error.h"
#include "force.h"
#include "modify.h"

#include <memory>

using namespace LAMMPS_NS;

static_assert(sizeof(PPPMFele) == sizeof(PPPM) + sizeof(std::vector<double>),
              "fix dplr expects the array right behind PPPM, and nothing else");

static constexpr const char *DPLR = "pppm/dplr";

/* ---------------------------------------------------------------------- */

bool PPPMFele::serve_fix_dplr(const char *own_name)
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
  return serves || has_fix_dplr_threadpool();
}

/* ---------------------------------------------------------------------- */

bool PPPMFele::has_fix_dplr_threadpool() const
{
  return !modify->get_fix_by_style("^dplr/threadpool$").empty();
}

/* ----------------------------------------------------------------------
   on this side by addresses.  On that of deepmd-kit by an object of its class: it
   must have an empty vector where the fix will look for the array
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
