// SPDX-License-Identifier: GPL-2.0-only
//
// GateChains: sums that the network adds on its way along the ranks of a row, without a processor
// (barrier gates of the Tofu interconnect D; DPLR paper, sec. 3.1).
//
// There is a chain for each rank of the row.  It begins behind that rank, its master, and ends
// there; the total returns along the chain.  All ranks start an operation with their own values,
// and poll until it is done.  It is done on no rank before all have started it, so that no gate
// receives values of the next operation while it waits in this one.  A chain that does not lead
// back, as that of the paper, does not notify its first rank.

#ifndef TOFU_TRANSPORT_GATE_CHAINS_H
#define TOFU_TRANSPORT_GATE_CHAINS_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace TOFU_NS {

class GateChains {
 public:
  static constexpr std::size_t NWORDS = 6, NDOUBLES = 3;    // of one operation
  static constexpr int MOST = 16;                           // chains

  enum class Sum { WORDS, LARGEST_WORD, DOUBLES };

  /** Values of an operation, or the total. */
  struct Values {
    std::uint64_t words[NWORDS];    // sums are modulo 2^64
    double doubles[NDOUBLES];
  };

  virtual ~GateChains() = default;

  /** [nchains][2] gates of this rank, for its neighbors in the row. */
  virtual const std::vector<std::uint64_t> &relays() const = 0;

  /** Make the chains.  A barrier over the ranks of the row must follow.

      \param previous,next   [nchains][2] relays() of the rank before and behind in the row, which
                             is a ring
      \param why             gets the reason of a failure */
  virtual bool link(const std::vector<std::uint64_t> &previous,
                    const std::vector<std::uint64_t> &next, std::string &why) = 0;

  /** \throws TransportError */
  virtual void start(int chain, Sum sum, const Values &values, std::size_t n) = 0;

  /** True once the operation is done; the values are the total.

      \throws TransportError */
  virtual bool done(int chain, Sum sum, Values &values) = 0;
};

}    // namespace TOFU_NS

#endif
