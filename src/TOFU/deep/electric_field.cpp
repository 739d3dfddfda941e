// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "electric_field.h"

#include "atom.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "input.h"
#include "modify.h"
#include "update.h"
#include "variable.h"

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

void ElectricField::set(const std::array<std::string, 3> &words)
{
  for (int dim = 0; dim < 3; dim++) {
    Component &component = components[dim];
    if (utils::strmatch(words[dim], "^v_"))
      component.variable = words[dim].substr(2);
    else
      component.value = force->qe2f * utils::numeric(FLERR, words[dim], false, lmp);
  }
}

/* ---------------------------------------------------------------------- */

void ElectricField::init()
{
  for (const Component &component : components) {
    if (component.variable.empty()) continue;
    const int number = input->variable->find(component.variable.c_str());
    if (number < 0)
      error->all(FLERR, "Variable {} for efield of fix dplr does not exist", component.variable);
    if (!input->variable->equalstyle(number))
      error->all(FLERR, "Variable {} for efield of fix dplr is not of equal style",
                 component.variable);
  }
}

/* ---------------------------------------------------------------------- */

void ElectricField::add_forces(std::vector<double> &forces)
{
  bool varies = false, any = false;
  for (const Component &component : components)
    if (!component.variable.empty()) varies = true;
  if (varies) modify->clearstep_compute();
  for (Component &component : components) {
    if (!component.variable.empty())
      component.value = force->qe2f *
          input->variable->compute_equal(input->variable->find(component.variable.c_str()));
    if (component.value != 0.0) any = true;
  }
  if (varies) modify->addstep_compute(update->ntimestep + 1);

  mine = {};
  mine_virial = {};
  summed = false;
  for (int i = 0; any && i < atom->nlocal; i++) {
    double r[3], f[3];
    domain->unmap(atom->x[i], atom->image[i], r);
    for (int dim = 0; dim < 3; dim++) {
      f[dim] = atom->q[i] * components[dim].value;
      forces[3 * i + dim] += f[dim];
      mine[0] -= f[dim] * r[dim];
      mine[1 + dim] += f[dim];
      mine_virial[dim] += f[dim] * r[dim];
    }
    mine_virial[3] += f[0] * r[1];
    mine_virial[4] += f[0] * r[2];
    mine_virial[5] += f[1] * r[2];
  }
}

/* ---------------------------------------------------------------------- */

void ElectricField::sum_up()
{
  if (!summed) MPI_Allreduce(mine.data(), all.data(), 4, MPI_DOUBLE, MPI_SUM, world);
  summed = true;
}

double ElectricField::energy()
{
  sum_up();
  return all[0];
}

double ElectricField::force_along(int dim)
{
  sum_up();
  return all[1 + dim];
}
