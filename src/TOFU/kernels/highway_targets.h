// SPDX-License-Identifier: GPL-2.0-only
//
// To be included before Highway.
//
// Highway 1.0 leaves out its best x86 target unless it is asked for, and does not compile where the
// compiler's options have that target: -march=native on Sapphire Rapids and later.
//
// SSSE3 without SSE4, of processors of 2006, is left out, which saves a quarter of the compiler's
// time for kernels of all instruction sets.  So does TOFU_WITHOUT_SSE4, for tests.

#ifndef TOFU_KERNELS_HIGHWAY_TARGETS_H
#define TOFU_KERNELS_HIGHWAY_TARGETS_H

#if defined(__AVX512F__) && defined(__AVXVNNI__) && !defined(HWY_WANT_AVX3_DL)
#define HWY_WANT_AVX3_DL
#endif

#ifndef HWY_DISABLED_TARGETS
#ifdef TOFU_WITHOUT_SSE4
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#else
#define HWY_DISABLED_TARGETS HWY_SSSE3
#endif
#endif

#endif
