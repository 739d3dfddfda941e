// SPDX-License-Identifier: GPL-2.0-only

#include "row_sum.h"

#include "base/aligned_array.h"
#include "quantize.h"

#include <algorithm>
#include <type_traits>

namespace TOFU_NS {

namespace {

  template <class Real, class Wire> class PlainSum final : public RowSum<Real> {
   public:
    PlainSum(ReductionChain chain, const ReductionRow &row) :
        me_(row.me), nranks_(static_cast<int>(row.ranks.size())),
        reduction_(make_reduction<Wire>(chain, row))
    {
    }

    void add_traffic(const int *cuts, std::size_t nvalues,
                     std::vector<std::size_t> &nbytes) const override
    {
      reduction_->add_traffic(cuts, nvalues, false, nbytes);
    }

    void bind(Transport &transport) override { reduction_->bind(transport); }

    void sum(const int *cuts, std::size_t nvalues, const Real *partial, Real *mine,
             ReductionMark &) override
    {
      if constexpr (std::is_same_v<Real, Wire>) {
        reduction_->sum(cuts, nvalues, partial, mine, nullptr);
      } else {
        const std::size_t nall = nvalues * cuts[nranks_],
                          nmine = nvalues * (cuts[me_ + 1] - cuts[me_]);
        Wire *const sent = sent_.room(nall), *const sums = sums_.room(nmine);
        std::copy_n(partial, nall, sent);
        reduction_->sum(cuts, nvalues, sent, sums, nullptr);
        std::copy_n(sums, nmine, mine);
      }
    }

   private:
    int me_, nranks_;
    std::unique_ptr<Reduction<Wire>> reduction_;
    AlignedArray<Wire> sent_, sums_;
  };

  /* ---------------------------------------------------------------------- */

  template <class Real> class QuantizedSum final : public RowSum<Real> {
   public:
    QuantizedSum(double scale, int place, ReductionChain chain, const ReductionRow &row) :
        me_(row.me), nranks_(static_cast<int>(row.ranks.size())), rank_(row.ranks[row.me]),
        place_(place), quantizer_(scale, nranks_),
        reduction_(make_reduction<std::uint64_t>(chain, row))
    {
    }

    void add_traffic(const int *cuts, std::size_t nvalues,
                     std::vector<std::size_t> &nbytes) const override
    {
      reduction_->add_traffic(cuts, words_of(nvalues), true, nbytes);
    }

    void bind(Transport &transport) override { reduction_->bind(transport); }

    void sum(const int *cuts, std::size_t nvalues, const Real *partial, Real *mine,
             ReductionMark &mark) override
    {
      const std::size_t nwords = words_of(nvalues), nall = cuts[nranks_],
                        nmine = cuts[me_ + 1] - cuts[me_];
      std::uint64_t *const sent = sent_.room(nwords * nall),
                           *const sums = sums_.room(nwords * nmine);
      bool fits = true;
      for (std::size_t k = 0; k < nall; k++)
        fits &= quantizer_.pack(partial + k * nvalues, nvalues, sent + k * nwords);
      if (!fits) {
        mark.merge({rank_, place_, quantizer_.worst(partial, nall * nvalues)});
        std::fill_n(sent, nwords * nall, 0);
      }
      reduction_->sum(cuts, nwords, sent, sums, &mark);
      for (std::size_t k = 0; k < nmine; k++)
        quantizer_.unpack(sums + k * nwords, nvalues, mine + k * nvalues);
    }

   private:
    int me_, nranks_, rank_, place_;
    Quantizer quantizer_;
    std::unique_ptr<Reduction<std::uint64_t>> reduction_;
    AlignedArray<std::uint64_t> sent_, sums_;
  };

}    // namespace

/* ---------------------------------------------------------------------- */

template <class Real>
std::unique_ptr<RowSum<Real>> make_row_sum(ReduceType type, double scale, int place,
                                           ReductionChain chain, const ReductionRow &row)
{
  switch (type) {
    case ReduceType::INT32:
      return std::make_unique<QuantizedSum<Real>>(scale, place, chain, row);
    case ReduceType::FLOAT:
      return std::make_unique<PlainSum<Real, float>>(chain, row);
    default:
      return std::make_unique<PlainSum<Real, double>>(chain, row);
  }
}

template std::unique_ptr<RowSum<double>> make_row_sum(ReduceType, double, int, ReductionChain,
                                                      const ReductionRow &);
template std::unique_ptr<RowSum<float>> make_row_sum(ReduceType, double, int, ReductionChain,
                                                     const ReductionRow &);

}    // namespace TOFU_NS
