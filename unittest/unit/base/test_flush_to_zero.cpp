// SPDX-License-Identifier: GPL-2.0-only

#include "unit/testing.h"

#include "base/flush_to_zero.h"

using namespace TOFU_NS;

namespace {

/** Half of the smallest normal number, computed when the program runs. */
template <class Real> Real subnormal()
{
  volatile Real least = std::numeric_limits<Real>::min(), half = 0.5;
  return least * half;
}

}    // namespace

TEST(FlushToZero, NumbersBelowTheNormalOnesAreZeroWhileOneExists)
{
  const float before = subnormal<float>();    // zero if the compiler wants it so everywhere
#if defined(__x86_64__) || defined(__aarch64__)
  {
    const FlushToZero flush;
    EXPECT_EQ(subnormal<float>(), 0.0F);
    EXPECT_EQ(subnormal<double>(), 0.0);
  }
#endif
  EXPECT_EQ(subnormal<float>(), before);
}

TEST(FlushToZero, TheLastOfSeveralEndsIt)
{
#if defined(__x86_64__) || defined(__aarch64__)
  const FlushToZero outer;
  {
    const FlushToZero inner;
  }
  EXPECT_EQ(subnormal<float>(), 0.0F);
#endif
}
