// SPDX-License-Identifier: GPL-2.0-only
//
// Reduction: partial sums of the ranks of a row go to their owners, which get the sums (DPLR paper,
// sec. 3.1, Figures 3 and 4).
//
//   direct   each rank sends each owner its part; the owner adds in the order of the row.  One
//            message deep, one for each pair of ranks.
//   ring     for each owner a chain that starts behind it: each rank adds its own and sends on, the
//            owner comes last.  As deep as the row is long, messages to the next rank only.
//   gates    the network adds: a chain for each owner, six words or three doubles at a time.  A row
//            that gets no gates sums directly.
//
// The first two add in an order that depends on the row alone, never on timing.  The network's sums
// of integers do not depend on an order, nor do those of doubles, for which it finds a common
// exponent.

#ifndef TOFU_MESH_REDUCTION_H
#define TOFU_MESH_REDUCTION_H

#include "transport/transport.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace TOFU_NS {

enum class ReductionChain { DIRECT, RING, GATES };

/** The ranks that have partial sums of the same outputs, in the order of sums. */
struct ReductionRow {
  std::vector<int> ranks;
  int me;    // index of this rank
};

/** What a rank has found, such as a value that is too large, for all others of the row; it travels
    with the sums.  Of several marks that of the lowest rank remains. */
struct ReductionMark {
  static constexpr std::int32_t NO_RANK = INT32_MAX;
  std::int32_t rank = NO_RANK;
  std::int32_t place = 0;    // the caller defines the meaning of these two
  double value = 0.0;

  bool set() const { return rank != NO_RANK; }
  void merge(const ReductionMark &other)
  {
    if (other.rank < rank) *this = other;
  }
};
static_assert(sizeof(ReductionMark) == 16, "what follows it in a message is aligned");

template <class T> class Reduction {
 public:
  virtual ~Reduction() = default;
  Reduction() = default;
  Reduction(const Reduction &) = delete;
  Reduction &operator=(const Reduction &) = delete;

  /** As MeshExchange::add_traffic(), for the same arguments as sum().

      \param cuts      as in sum()
      \param nvalues   of each point
      \param marked    with a mark
      \param nbytes    [nranks] gets the bytes of a message to each */
  virtual void add_traffic(const int *cuts, std::size_t nvalues, bool marked,
                           std::vector<std::size_t> &nbytes) const = 0;

  /** Use the links of a transport, which must outlive this object. */
  virtual void bind(Transport &transport) = 0;

  /** All ranks of the row together.

      \param cuts      [nranks+1] owner p has outputs cuts[p] up to, not including, cuts[p+1]
      \param nvalues   of an output
      \param partial   [cuts[nranks]][nvalues] of this rank
      \param mine      [cuts[me+1]-cuts[me]][nvalues] sums over all ranks of the row
      \param mark      of this rank, gets that of the row; nullptr: there are no marks, and owners
                       without outputs get no messages
      \throws TransportError */
  virtual void sum(const int *cuts, std::size_t nvalues, const T *partial, T *mine,
                   ReductionMark *mark) = 0;
};

/** Of double, float or std::uint64_t. */
template <class T>
std::unique_ptr<Reduction<T>> make_reduction(ReductionChain chain, const ReductionRow &row);

}    // namespace TOFU_NS

#endif
