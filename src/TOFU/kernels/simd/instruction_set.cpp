// SPDX-License-Identifier: GPL-2.0-only

#include "instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/simd/instruction_set.cpp"
#include "highway_targets.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstdint>
#include <cstring>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {
  namespace hn = hwy::HWY_NAMESPACE;

  const char *name_of_target()
  {
    return hwy::TargetName(HWY_TARGET);
  }

  int vector_bytes()
  {
    return static_cast<int>(hn::Lanes(hn::CappedTag<std::uint8_t, 64>()));
  }
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {
HWY_EXPORT(name_of_target);

const char *instruction_set()
{
  static const std::pair<const char *, const char *> known[] = {
      {"AVX3", "AVX-512"}, {"AVX2", "AVX2"}, {"SSE4", "SSE4"},
      {"SSE2", "SSE2"},    {"NEON", "NEON"}, {"SVE", "SVE"}};
  const char *const name = HWY_DYNAMIC_DISPATCH(name_of_target)();
  for (const auto &[begin, shown] : known)
    if (std::strncmp(name, begin, std::strlen(begin)) == 0) return shown;
  return name;
}

TOFU_EXPORT(int, vector_bytes, (), ());

}    // namespace TOFU_NS
#endif
