// SPDX-License-Identifier: GPL-2.0-only

#include "cluster_marks.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cluster/cluster_marks.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {
  namespace hn = hwy::HWY_NAMESPACE;

  /** \param LOG_WIDTH   binary logarithm of the atoms of a cluster */
  template <int LOG_WIDTH> class Marks {
   public:
    Marks(int place, const int *places, int nclusters) :
        places_(places), place_(place), nclusters_(nclusters)
    {
    }

    /** A vector of entries; words and bits of all lanes are written. */
    HWY_INLINE void find(const int *entries, std::uint32_t *words, std::uint32_t *bits) const
    {
      const D d;
      const auto other = hn::GatherIndex(d, places_, hn::LoadU(d, entries));
      const auto place = hn::Set(d, place_);
      const auto turned = hn::Lt(other, place);
      const auto own = hn::Set(d, place_ % OWNERS_OF_CLUSTER << LOG_WIDTH);
      const auto word = hn::IfThenElse(
          turned, hn::Add(hn::ShiftRight<LOG_NOWNERS>(other), hn::Set(d, nclusters_)),
          hn::ShiftRight<LOG_WIDTH>(other));
      const auto as_owner = hn::Add(own, hn::And(other, hn::Set(d, WIDTH - 1)));
      const auto as_other =
          hn::Add(hn::ShiftLeft<LOG_WIDTH>(hn::And(other, hn::Set(d, OWNERS_OF_CLUSTER - 1))),
                  hn::Set(d, place_ % WIDTH));
      const auto bit = hn::IfThenElse(turned, as_other, as_owner);
      const hn::RebindToUnsigned<D> u;
      hn::StoreU(hn::BitCast(u, word), u, words);
      hn::StoreU(hn::Shl(hn::Set(u, 1U), hn::BitCast(u, bit)), u, bits);
    }

    static std::size_t lanes() { return hn::Lanes(D()); }

   private:
    using D = hn::CappedTag<std::int32_t, MARKS_PADDING>;
    static constexpr int WIDTH = 1 << LOG_WIDTH, LOG_NOWNERS = 2;
    static_assert(OWNERS_OF_CLUSTER == 1 << LOG_NOWNERS);

    const int *const places_;
    const int place_, nclusters_;
  };

  template <int LOG_WIDTH>
  void find_with(const MarkedRow &row, const int *places, int nclusters, std::uint32_t *words,
                 std::uint32_t *bits)
  {
    const Marks<LOG_WIDTH> marks(row.place, places, nclusters);
    const std::size_t lanes = marks.lanes(), n = row.nentries;
    std::size_t k = 0;
    for (; k + lanes <= n; k += lanes) marks.find(row.entries + k, words + k, bits + k);
    if (k == n) return;
    int last[MARKS_PADDING];
    std::fill(std::copy(row.entries + k, row.entries + n, last), std::end(last),
              row.entries[n - 1]);
    marks.find(last, words + k, bits + k);
  }

  void find_marks(const MarkedRow &row, const int *places, int width, int nclusters,
                  std::uint32_t *words, std::uint32_t *bits)
  {
    if (width == 8)
      find_with<3>(row, places, nclusters, words, bits);
    else
      find_with<2>(row, places, nclusters, words, bits);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(void, find_marks,
            (const MarkedRow &row, const int *places, int width, int nclusters,
             std::uint32_t *words, std::uint32_t *bits),
            (row, places, width, nclusters, words, bits));

}    // namespace TOFU_NS
#endif
