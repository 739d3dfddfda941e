// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_MODEL_ON_ALL_RANKS_H
#define LMP_MODEL_ON_ALL_RANKS_H

#include "model/deep_model.h"
#include "model/deep_nets.h"

#include <string>

namespace LAMMPS_NS {

/** In place of a type of the model: it ignores such atoms. */
constexpr int NOT_AN_ATOM = -1;

/** The deep model in a file, which rank 0 reads for all.  Collective.  An error if it cannot be
    read, or is not supported. */
TOFU_NS::DeepModel model_on_all_ranks(class LAMMPS *, const std::string &file);

/** One eV in the unit of energies of the run. */
double ev_in_units_of_run(class LAMMPS *);

/** A model as its file has it, in the units of the run. */
TOFU_NS::DeepModel in_units_of_run(class LAMMPS *, const TOFU_NS::DeepModel &);

/** Precision of fitting nets, as set by package threadpool. */
TOFU_NS::DeepNets::Precision precision_of_run(class LAMMPS *);

}    // namespace LAMMPS_NS

#endif
