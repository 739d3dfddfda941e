// SPDX-License-Identifier: GPL-2.0-only
//
// To be included before Highway.
//
// Highway 1.0 leaves out its best x86 target unless it is asked for, and does not compile where the
// compiler's options have that target: -march=native on Sapphire Rapids and later.

#ifndef TOFU_KERNELS_HIGHWAY_TARGETS_H
#define TOFU_KERNELS_HIGHWAY_TARGETS_H

#if defined(__AVX512F__) && defined(__AVXVNNI__) && !defined(HWY_WANT_AVX3_DL)
#define HWY_WANT_AVX3_DL
#endif

#endif
