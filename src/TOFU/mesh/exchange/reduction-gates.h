// SPDX-License-Identifier: GPL-2.0-only
//
// GateReduction: a Reduction whose sums the network adds, over chains of gates.  A row that does
// not get its gates, on any of its ranks, does without them on all: it has another reduction, which
// also sends the contents of marks.
//
// An operation of a chain takes a few values, so that a block takes many, one after the other; the
// chains of a row work at the same time.

#ifndef TOFU_MESH_REDUCTION_GATES_H
#define TOFU_MESH_REDUCTION_GATES_H

#include "reduction.h"
#include "transport/gate_chains.h"

#include <algorithm>
#include <string>

namespace TOFU_NS {

template <class T> class GateReduction final : public Reduction<T> {
 public:
  /** \param row     ranks whose values are summed
      \param other   for the same row, with links between all of its ranks */
  GateReduction(const ReductionRow &row, std::unique_ptr<Reduction<T>> other) :
      row_(row), other_(std::move(other))
  {
  }

  void add_traffic(const int *cuts, std::size_t nvalues, bool marked,
                   std::vector<std::size_t> &nbytes) const override
  {
    other_->add_traffic(cuts, nvalues, marked, nbytes);
    for (const int rank : row_.ranks)
      if (rank != row_.ranks[row_.me]) nbytes[rank] = std::max(nbytes[rank], sizeof(News));
  }

  /** All ranks of the row together. */
  void bind(Transport &transport) override;
  void sum(const int *cuts, std::size_t nvalues, const T *partial, T *mine,
           ReductionMark *mark) override;

  /** Why the row has no gates; empty if it has. */
  const std::string &why_not() const { return why_not_; }

 private:
  struct News {    // plain data that ranks of the row swap
    std::uint64_t good;
    std::uint64_t relays[2 * GateChains::MOST];
    char why[120];
  };

  std::vector<News> swap(const News &mine);
  bool all_good(const std::vector<News> &all);
  void make_chains();
  bool work(int chain, const T *block, std::size_t nvalues, bool marked, T *mine,
            ReductionMark *mark, std::uint64_t &findings);

  ReductionRow row_;
  std::unique_ptr<Reduction<T>> other_;
  Transport *transport_ = nullptr;
  std::unique_ptr<GateChains> chains_;
  std::string why_not_;

  struct Progress {    // of a chain in sum()
    std::size_t nstarted = 0, ndone = 0;
  };
  std::vector<Progress> progress_;
};

}    // namespace TOFU_NS

#endif
