// SPDX-License-Identifier: GPL-2.0-only

#include "reduction.h"

#include "base/aligned_array.h"
#include "reduction-gates.h"

#include <algorithm>
#include <cstring>

namespace TOFU_NS {

namespace {

  template <class T> void add_to(T *to, const T *from, std::size_t n)
  {
    for (std::size_t i = 0; i < n; i++) to[i] += from[i];
  }

  std::size_t message_bytes(std::size_t nbytes, bool marked)
  {
    return nbytes + (marked ? sizeof(ReductionMark) : 0);
  }

  /* ----------------------------------------------------------------------
     common part of both ways: blocks, messages
  ------------------------------------------------------------------------- */

  template <class T> class RowReduction : public Reduction<T> {
   public:
    explicit RowReduction(const ReductionRow &row) :
        row_(row), nranks_(static_cast<int>(row.ranks.size())), links_(row.ranks.size(), -1)
    {
    }

    void bind(Transport &transport) override
    {
      transport_ = &transport;
      for (int p = 0; p < nranks_; p++) links_[p] = transport.find(row_.ranks[p]);
    }

   protected:
    /** The p-th rank behind this one, or before it if p is negative. */
    int neighbor(int p) const { return (row_.me + p + nranks_) % nranks_; }

    static std::size_t block(const int *cuts, std::size_t nvalues, int owner)
    {
      return nvalues * static_cast<std::size_t>(cuts[owner + 1] - cuts[owner]);
    }

    void send(int to, const T *values, std::size_t n, const ReductionMark *mark)
    {
      Link &link = transport_->link(links_[to]);
      link.open(MessageKind::MESH);
      if (mark) link.append(mark, sizeof(*mark));
      link.append(values, n * sizeof(T));
      link.close();
    }

    /** work(values) on the next message of a rank. */
    template <class Work> void receive(int from, ReductionMark *mark, Work &&work)
    {
      const Message &message = transport_->wait(links_[from], MessageKind::MESH);
      const std::byte *values = message.data;
      if (mark) {
        ReductionMark theirs;
        std::memcpy(&theirs, values, sizeof(theirs));
        mark->merge(theirs);
        values += sizeof(theirs);
      }
      work(reinterpret_cast<const T *>(values));
      transport_->link(links_[from]).release();
    }

    ReductionRow row_;
    int nranks_;

   private:
    std::vector<int> links_;
    Transport *transport_ = nullptr;
  };

  /* ---------------------------------------------------------------------- */

  template <class T> class DirectReduction final : public RowReduction<T> {
   public:
    using RowReduction<T>::RowReduction;

    void add_traffic(const int *cuts, std::size_t nvalues, bool marked,
                     std::vector<std::size_t> &nbytes) const override
    {
      const bool receives = marked || this->block(cuts, nvalues, row_.me);
      for (int p = 0; p < nranks_; p++) {
        if (p == row_.me) continue;
        const std::size_t sent = message_bytes(this->block(cuts, nvalues, p) * sizeof(T), marked);
        std::size_t &longest = nbytes[row_.ranks[p]];
        longest = std::max({longest, sent, static_cast<std::size_t>(receives ? 1 : 0)});
      }
    }

    void sum(const int *cuts, std::size_t nvalues, const T *partial, T *mine,
             ReductionMark *mark) override
    {
      for (int distance = 1; distance < nranks_; distance++) {
        const int owner = this->neighbor(distance);
        const std::size_t n = this->block(cuts, nvalues, owner);
        if (n || mark) this->send(owner, partial + nvalues * cuts[owner], n, mark);
      }
      const std::size_t n = this->block(cuts, nvalues, row_.me);
      if (n == 0 && !mark) return;
      for (int p = 0; p < nranks_; p++) {
        const auto take = [&](const T *values) {
          if (p == 0)
            std::copy_n(values, n, mine);
          else
            add_to(mine, values, n);
        };
        if (p == row_.me)
          take(partial + nvalues * cuts[p]);
        else
          this->receive(p, mark, take);
      }
    }

   private:
    using RowReduction<T>::row_;
    using RowReduction<T>::nranks_;
  };

  /* ----------------------------------------------------------------------
     message number s to the next rank belongs to the chain of the owner that
     is s+1 before this one, and so has passed s others
  ------------------------------------------------------------------------- */

  template <class T> class RingReduction final : public RowReduction<T> {
   public:
    using RowReduction<T>::RowReduction;

    void add_traffic(const int *cuts, std::size_t nvalues, bool marked,
                     std::vector<std::size_t> &nbytes) const override
    {
      if (nranks_ == 1) return;
      std::size_t &to_next = nbytes[row_.ranks[this->neighbor(1)]],
                  &from_previous = nbytes[row_.ranks[this->neighbor(-1)]];
      for (int owner = 0; owner < nranks_; owner++) {
        const std::size_t n = this->block(cuts, nvalues, owner);
        if (n == 0 && !marked) continue;
        if (owner != row_.me) to_next = std::max(to_next, message_bytes(n * sizeof(T), marked));
        from_previous = std::max(from_previous, static_cast<std::size_t>(1));
      }
    }

    void sum(const int *cuts, std::size_t nvalues, const T *partial, T *mine,
             ReductionMark *mark) override
    {
      if (nranks_ == 1) std::copy_n(partial, this->block(cuts, nvalues, 0), mine);
      for (int s = 0; s < nranks_ && nranks_ > 1; s++) {
        const int owner = this->neighbor(-1 - s);
        const std::size_t n = this->block(cuts, nvalues, owner);
        if (n == 0 && !mark) continue;
        const T *const own = partial + nvalues * cuts[owner];
        T *const sum = owner == row_.me ? mine : sum_.room(n);
        if (s > 0)
          this->receive(this->neighbor(-1), mark, [=](const T *values) {
            for (std::size_t i = 0; i < n; i++) sum[i] = values[i] + own[i];
          });
        if (owner != row_.me) this->send(this->neighbor(1), s > 0 ? sum : own, n, mark);
      }
    }

   private:
    using RowReduction<T>::row_;
    using RowReduction<T>::nranks_;
    AlignedArray<T> sum_;
  };

}    // namespace

/* ---------------------------------------------------------------------- */

template <class T>
std::unique_ptr<Reduction<T>> make_reduction(ReductionChain chain, const ReductionRow &row)
{
  if (chain == ReductionChain::RING) return std::make_unique<RingReduction<T>>(row);
  auto direct = std::make_unique<DirectReduction<T>>(row);
  if (chain == ReductionChain::GATES)
    return std::make_unique<GateReduction<T>>(row, std::move(direct));
  return direct;
}

template std::unique_ptr<Reduction<double>> make_reduction(ReductionChain, const ReductionRow &);
template std::unique_ptr<Reduction<float>> make_reduction(ReductionChain, const ReductionRow &);
template std::unique_ptr<Reduction<std::uint64_t>> make_reduction(ReductionChain,
                                                                  const ReductionRow &);

}    // namespace TOFU_NS
