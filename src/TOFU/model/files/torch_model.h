// SPDX-License-Identifier: GPL-2.0-only
//
// Deep potentials in scripts of PyTorch: files of deepmd-kit that end in .pth.  The script is not
// read; its objects are read as data.

#ifndef TOFU_MODEL_TORCH_MODEL_H
#define TOFU_MODEL_TORCH_MODEL_H

#include "model/deep_model.h"

#include <string_view>

namespace TOFU_NS {

/** Read a model.  Files of compressed models still have the nets, which are read.

    \param file   all bytes
    \throws ModelError   it is damaged, or not supported */
DeepModel read_torch_model(std::string_view file);

}    // namespace TOFU_NS

#endif
