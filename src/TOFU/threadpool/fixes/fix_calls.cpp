// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "fix_calls.h"

#include "lammps/styles/style_table.h"

#include "atom.h"
#include "comm.h"
#include "compute.h"
#include "domain.h"
#include "error.h"
#include "fix.h"
#include "force.h"
#include "input.h"
#include "kspace.h"
#include "lammps.h"
#include "modify.h"
#include "update.h"
#include "variable.h"

#include <mpi.h>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void LAMMPS_NS::forward_comm_of(LAMMPS *lmp, Fix *fix, int most)
{
  lmp->comm->forward_comm(fix, most);
}

/* ---------------------------------------------------------------------- */

void LAMMPS_NS::reverse_comm_of(LAMMPS *lmp, Fix *fix, int most)
{
  lmp->comm->reverse_comm(fix, most);
}

/* ---------------------------------------------------------------------- */

void LAMMPS_NS::set_up_kspace(LAMMPS *lmp)
{
  lmp->force->kspace->setup();
}

/* ---------------------------------------------------------------------- */

double LAMMPS_NS::temperature_of(Compute *temperature)
{
  return temperature->compute_scalar();
}

/* ---------------------------------------------------------------------- */

void LAMMPS_NS::evaluate_variables(LAMMPS *lmp, const std::array<std::string, 3> &variables,
                                   std::array<double, 3> &force)
{
  if (variables[0].empty() && variables[1].empty() && variables[2].empty()) return;
  Variable *const variable = lmp->input->variable;
  lmp->modify->clearstep_compute();
  for (int k = 0; k < 3; k++)
    if (!variables[k].empty())
      force[k] = variable->compute_equal(variable->find(variables[k].c_str()));
  lmp->modify->addstep_compute(lmp->update->ntimestep + 1);
}

/* ---------------------------------------------------------------------- */

double LAMMPS_NS::target_temperature(LAMMPS *lmp, double start, double stop, int variable,
                                     int nevery, const std::string &if_negative)
{
  const Update *const update = lmp->update;
  if (variable < 0) {
    double delta = update->ntimestep - update->beginstep;
    if (delta != 0.0) delta /= update->endstep - update->beginstep;
    return start + delta * (stop - start);
  }
  lmp->modify->clearstep_compute();
  const double target = lmp->input->variable->compute_equal(variable);
  if (target < 0.0) lmp->error->one(FLERR, if_negative);
  lmp->modify->addstep_compute(update->ntimestep + nevery);
  return target;
}

/* ---------------------------------------------------------------------- */

void LAMMPS_NS::compute_pressure(LAMMPS *lmp, Compute *temperature, Compute *pressure,
                                 bool isotropic)
{
  for (Compute *one : {temperature, pressure})
    if (isotropic)
      one->compute_scalar();
    else
      one->compute_vector();
  pressure->addstep(lmp->update->ntimestep + 1);
}

/* ---------------------------------------------------------------------- */

void LAMMPS_NS::sum_over_ranks(LAMMPS *lmp, int n, const double *mine, double *sums)
{
  MPI_Allreduce(mine, sums, n, MPI_DOUBLE, MPI_SUM, lmp->world);
}

/* ---------------------------------------------------------------------- */

int LAMMPS_NS::owned_atoms(LAMMPS *lmp)
{
  return lmp->atom->nlocal;
}

/* ---------------------------------------------------------------------- */

bool LAMMPS_NS::is_flat(LAMMPS *lmp)
{
  return lmp->domain->dimension == 2;
}

/* ---------------------------------------------------------------------- */

StockArguments::StockArguments(int narg, char **arg) :
    style(without_suffix(arg[2])), pointers(arg, arg + narg)
{
  pointers[2] = &style[0];
}
