// SPDX-License-Identifier: GPL-2.0-only

#include "unit/testing.h"

#include "kernels/simd/instruction_set.h"

TEST(InstructionSet, HasANameThatUsersKnow)
{
  const std::set<std::string> known{"AVX-512", "AVX2", "SSE4", "SSE2", "NEON", "SVE"};
  EXPECT_EQ(known.count(TOFU_NS::instruction_set()), 1u) << TOFU_NS::instruction_set();
}

TEST(InstructionSet, HasVectorsOfItsSize)
{
  const std::map<std::string, int> sizes{
      {"AVX-512", 64}, {"AVX2", 32}, {"SSE4", 16}, {"SSE2", 16}, {"NEON", 16}};
  const auto known = sizes.find(TOFU_NS::instruction_set());
  if (known != sizes.end())
    EXPECT_EQ(TOFU_NS::vector_bytes(), known->second);
  else
    EXPECT_EQ(TOFU_NS::vector_bytes() % 16, 0);
}
