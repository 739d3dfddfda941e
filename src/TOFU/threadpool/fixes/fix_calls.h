// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_FIX_CALLS_H
#define LMP_FIX_CALLS_H

#include "pointers.h"

#include <array>
#include <string>
#include <vector>

namespace LAMMPS_NS {

// Calls of templates of fixes, whose headers include no other class of LAMMPS.

/** Ghosts of what a fix sends.  Collective.

    \param most   numbers for each atom */
void forward_comm_of(LAMMPS *, class Fix *, int most);
void reverse_comm_of(LAMMPS *, class Fix *, int most);

/** The long-range part, for a box that has changed. */
void set_up_kspace(LAMMPS *);

double temperature_of(class Compute *);

/** Set components of a force to the values of variables of style equal, and request computes for
    the next step.

    \param variables   their names; "": the component stays */
void evaluate_variables(LAMMPS *, const std::array<std::string, 3> &variables,
                        std::array<double, 3> &force);

/** What a thermostat wants in this step: between two temperatures, or the value of a variable of
    style equal.

    \param variable      its index; -1: none
    \param nevery        steps until the next call
    \param if_negative   message, if the variable is */
double target_temperature(LAMMPS *, double start, double stop, int variable, int nevery,
                          const std::string &if_negative);

/** Compute temperature and pressure, as numbers or tensors, and request them for the next step. */
void compute_pressure(LAMMPS *, Compute *temperature, Compute *pressure, bool isotropic);

/** Sums over ranks of n numbers.  Collective. */
void sum_over_ranks(LAMMPS *, int n, const double *mine, double *sums);

int owned_atoms(LAMMPS *);

/** Whether the run has two dimensions. */
bool is_flat(LAMMPS *);

/** Arguments of a fix as they are without the suffix: some fixes compare their style with names. */
class StockArguments {
 public:
  StockArguments(int narg, char **arg);
  char **words() { return pointers.data(); }

 private:
  std::string style;
  std::vector<char *> pointers;
};

}    // namespace LAMMPS_NS

#endif
