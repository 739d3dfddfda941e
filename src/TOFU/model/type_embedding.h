// SPDX-License-Identifier: GPL-2.0-only
//
// Vectors of types, and the factors that a descriptor se_atten computes from them: constants of a
// model, computed once.

#ifndef TOFU_MODEL_TYPE_EMBEDDING_H
#define TOFU_MODEL_TYPE_EMBEDDING_H

#include "deep_model.h"

#include <string>
#include <vector>

namespace TOFU_NS {

/** Vectors of types: outputs of a net whose input is 1 for the type and 0 for all others.

    \throws ModelError   its inputs are not the types, or its arrays do not fit together */
std::vector<std::vector<double>> vectors_of_types(const DenseNet &, std::size_t ntypes);

/** Factors c of outputs of the embedding net, which are multiplied by 1 + c.  The model is checked.

    \return   [ntypes of centers][ntypes of neighbors][width] */
std::vector<std::vector<double>> factors_of_types(const DeepDescriptor &, std::size_t ntypes);

/** Throws ModelError: a descriptor se_atten with layers of attention, or with types as inputs of
    the embedding net, which are not supported.

    \param kind    name of the descriptor
    \param mode    how types are used: "strip" or "concat" */
void check_type_embedding(const std::string &kind, int nattention, const std::string &mode);

}    // namespace TOFU_NS

#endif
