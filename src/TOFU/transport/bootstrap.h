// SPDX-License-Identifier: GPL-2.0-only
//
// Bootstrap: the few two-sided calls that connect() needs.  None of them is called inside a time
// step.  MPI is one implementation; the unit tests have another where ranks are threads.

#ifndef TOFU_TRANSPORT_BOOTSTRAP_H
#define TOFU_TRANSPORT_BOOTSTRAP_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace TOFU_NS {

class Bootstrap {
 public:
  virtual ~Bootstrap() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /** Ranks with the same number share memory. */
  virtual int node() const = 0;
  virtual int ranks_on_node() const = 0;

  /** Random number that all ranks of this job share; names shared segments. */
  virtual std::uint64_t job_id() const = 0;

  /** Swap one block of `nbytes` with every peer, all at once.

      \param peers    ranks; each of them lists this rank among its own peers
      \param send     [peers.size()*nbytes], block i goes to peers[i]
      \param recv     [peers.size()*nbytes], block i comes from peers[i]
      \param nbytes   of one block */
  virtual void exchange(const std::vector<int> &peers, const void *send, void *recv,
                        std::size_t nbytes) = 0;
};

}    // namespace TOFU_NS

#endif
