// SPDX-License-Identifier: GPL-2.0-only
//
// The kernels are compiled for several instruction sets, and a run uses the best of them; tests use
// all that this processor has, one after the other.

#ifndef TOFU_TEST_INSTRUCTION_SETS_H
#define TOFU_TEST_INSTRUCTION_SETS_H

#include "unit/testing.h"

#include "kernels/simd/highway_targets.h"

#include <hwy/targets.h>

namespace TOFU_TEST {

#ifdef HWY_COMPILE_ONLY_STATIC

// there is one set, so nothing is chosen, and Highway's library is not needed

inline std::vector<std::int64_t> instruction_sets()
{
  return {HWY_STATIC_TARGET};
}

inline void use_instruction_set(std::int64_t) {}
inline void use_best_instruction_set() {}

#else

/** Instruction sets of this processor, the best first. */
inline std::vector<std::int64_t> instruction_sets()
{
  return hwy::SupportedAndGeneratedTargets();
}

/** Run all kernels with this instruction set from now on. */
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

/** Call body() with each instruction set; afterwards the best one is in use. */
template <class Body> void for_each_instruction_set(const Body &body)
{
  for (std::int64_t set : instruction_sets()) {
    SCOPED_TRACE(instruction_set_name(set));
    use_instruction_set(set);
    body();
  }
  use_best_instruction_set();
}

/** Base class of tests that are run with each instruction set. */
class WithInstructionSet : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { use_instruction_set(GetParam()); }
  void TearDown() override { use_best_instruction_set(); }
};

#define INSTANTIATE_FOR_INSTRUCTION_SETS(Test)                                    \
  INSTANTIATE_TEST_SUITE_P(                                                       \
      AllInstructionSets, Test, testing::ValuesIn(TOFU_TEST::instruction_sets()), \
      [](const auto &info) { return TOFU_TEST::instruction_set_name(info.param); })

}    // namespace TOFU_TEST

#endif
