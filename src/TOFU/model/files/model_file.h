// SPDX-License-Identifier: GPL-2.0-only
//
// Files of deep potentials in any of the formats.

#ifndef TOFU_MODEL_MODEL_FILE_H
#define TOFU_MODEL_MODEL_FILE_H

#include "model/deep_model.h"

#include <string>

namespace TOFU_NS {

/** Throws ModelError: it cannot be read. */
std::string read_whole_file(const std::string &name);

/** A model from the bytes of a file.

    \throws ModelError   they are not a model, or it is damaged or not supported */
DeepModel read_model(const std::string &bytes);

/** deepmd-kit's word for a descriptor. */
const char *name_of(const DeepDescriptor &);

/** Description of a model in one line. */
std::string summary_of(const DeepModel &);

/** The model in other units.

    \param angstrom   one Angstrom in the unit of lengths
    \param ev         one eV in the unit of energies */
DeepModel in_other_units(const DeepModel &, double angstrom, double ev);

}    // namespace TOFU_NS

#endif
