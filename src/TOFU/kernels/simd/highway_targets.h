// SPDX-License-Identifier: GPL-2.0-only
//
// Instruction sets that kernels are compiled for, and TOFU_EXPORT, which exports a kernel.  To be
// included before Highway.
//
// Highway 1.0 leaves out its best x86 target unless it is asked for, and does not compile where the
// compiler's options have that target: -march=native on Sapphire Rapids and later.
//
// SSSE3 without SSE4, of processors of 2006, is left out, which saves a quarter of the compiler's
// time for kernels of all instruction sets.
//
// GCC 12 crashes (pass slp) on some kernels for SVE with vectors of a known length; such processors
// get the kernels for any length.

#ifndef TOFU_KERNELS_HIGHWAY_TARGETS_H
#define TOFU_KERNELS_HIGHWAY_TARGETS_H

#if defined(__AVX512F__) && defined(__AVXVNNI__) && !defined(HWY_WANT_AVX3_DL)
#define HWY_WANT_AVX3_DL
#endif

#ifndef HWY_DISABLED_TARGETS
#if defined(__aarch64__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#define HWY_DISABLED_TARGETS (HWY_SVE_256 | HWY_SVE2_128)
#else
#define HWY_DISABLED_TARGETS HWY_SSSE3
#endif
#endif

/** Define a function that calls the function of the same name in the namespace of the best
    instruction set that the processor has.

    \param PARAMETERS   in parentheses, as in the declaration; ARGUMENTS: their names */
#define TOFU_EXPORT(RETURN, NAME, PARAMETERS, ARGUMENTS) \
  HWY_EXPORT(NAME);                                      \
  RETURN NAME PARAMETERS                                 \
  {                                                      \
    return HWY_DYNAMIC_DISPATCH(NAME) ARGUMENTS;         \
  }                                                      \
  RETURN NAME PARAMETERS

#endif
