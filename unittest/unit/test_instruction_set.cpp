// SPDX-License-Identifier: GPL-2.0-only

#include "kernels/instruction_set.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

TEST(InstructionSet, HasANameThatUsersKnow)
{
  const std::set<std::string> known{"AVX-512", "AVX2", "SSE4", "SSSE3", "SSE2", "NEON", "SVE"};
  EXPECT_EQ(known.count(TOFU_NS::instruction_set()), 1u) << TOFU_NS::instruction_set();
}
