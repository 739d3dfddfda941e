// SPDX-License-Identifier: GPL-2.0-only
//
// The kernels are compiled for several instruction sets, of which a run takes the best; tests go
// through all that this processor has.

#ifndef TOFU_TEST_INSTRUCTION_SETS_H
#define TOFU_TEST_INSTRUCTION_SETS_H

#include "kernels/highway_targets.h"

#include <hwy/targets.h>

#include <cstdint>
#include <string>
#include <vector>

namespace TOFU_TEST {

#ifdef HWY_COMPILE_ONLY_STATIC

// one set, nothing to choose, and no library of Highway to ask

inline std::vector<std::int64_t> instruction_sets()
{
  return {HWY_STATIC_TARGET};
}

inline void use_instruction_set(std::int64_t) {}
inline void use_best_instruction_set() {}

#else

/** The best first. */
inline std::vector<std::int64_t> instruction_sets()
{
  return hwy::SupportedAndGeneratedTargets();
}

/** All kernels run with this one from now on. */
inline void use_instruction_set(std::int64_t set)
{
  hwy::SetSupportedTargetsForTest(set);
  hwy::GetChosenTarget().DeInit();
}

inline void use_best_instruction_set()
{
  use_instruction_set(0);
}

#endif

inline std::string instruction_set_name(std::int64_t set)
{
  return hwy::TargetName(set);
}

}    // namespace TOFU_TEST

#endif
