// SPDX-License-Identifier: GPL-2.0-only
//
// Files of deep potentials, whichever format they have.

#ifndef TOFU_MODEL_MODEL_FILE_H
#define TOFU_MODEL_MODEL_FILE_H

#include "model/deep_model.h"

#include <string>

namespace TOFU_NS {

/** Throws ModelError: it cannot be read. */
std::string read_whole_file(const std::string &name);

/** A model from the bytes of a file.

    \throws ModelError   they are no model, a damaged one, or one that is not supported */
DeepModel read_model(const std::string &bytes);

/** deepmd-kit's word for a descriptor. */
const char *name_of(const DeepDescriptor &);

/** What a model is, in one line. */
std::string summary_of(const DeepModel &);

/** The same model with other units.

    \param angstrom   one Angstrom in the unit of lengths
    \param ev         one eV in the unit of energies */
DeepModel in_other_units(const DeepModel &, double angstrom, double ev);

}    // namespace TOFU_NS

#endif
