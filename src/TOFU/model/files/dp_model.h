// SPDX-License-Identifier: GPL-2.0-only
//
// Deep potentials in the format that is common to all frameworks of deepmd-kit: files that end in
// .dp, a tree as JSON with arrays beside it, in HDF5.

#ifndef TOFU_MODEL_DP_MODEL_H
#define TOFU_MODEL_DP_MODEL_H

#include "model/deep_model.h"

#include <string_view>

namespace TOFU_NS {

/** Read a model.

    \param file   all bytes
    \throws ModelError   it is damaged, or not supported */
DeepModel read_dp_model(std::string_view file);

}    // namespace TOFU_NS

#endif
