// SPDX-License-Identifier: GPL-2.0-only
//
// Deep potentials in frozen graphs of TensorFlow: files of deepmd-kit that end in .pb, compressed
// or not.

#ifndef TOFU_MODEL_GRAPH_MODEL_H
#define TOFU_MODEL_GRAPH_MODEL_H

#include "model/deep_model.h"

#include <string_view>

namespace TOFU_NS {

/** Read a model, and the one of Wannier centers that a file of DPLR has.

    \param file   all bytes
    \throws ModelError   it is damaged, or not supported */
DeepModel read_graph_model(std::string_view file);

}    // namespace TOFU_NS

#endif
