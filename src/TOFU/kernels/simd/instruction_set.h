// SPDX-License-Identifier: GPL-2.0-only
//
// Vector instructions that the kernels use on this processor.

#ifndef TOFU_KERNELS_INSTRUCTION_SET_H
#define TOFU_KERNELS_INSTRUCTION_SET_H

namespace TOFU_NS {

/** Name that users know, such as "AVX-512". */
const char *instruction_set();

/** Size of the widest vectors of kernels, in bytes. */
int vector_bytes();

}    // namespace TOFU_NS

#endif
