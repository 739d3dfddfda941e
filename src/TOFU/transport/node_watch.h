// SPDX-License-Identifier: GPL-2.0-only
//
// NodeWatch: a RankWatch over those ranks of an MPI communicator that share a node, whose alarm
// ends the job.
//
// Nodes whose ranks all live are ended by the launcher, which MPI_Abort() of a survivor tells.

#ifndef TOFU_TRANSPORT_NODE_WATCH_H
#define TOFU_TRANSPORT_NODE_WATCH_H

#include <functional>
#include <memory>
#include <string>

namespace TOFU_NS {

class RankWatch;

class NodeWatch {
 public:
  /** Collective.

      \param comm   pointer to an MPI_Comm that outlives the watch
      \param name   of the program's part that says why the job ends
      \param warn   gets one sentence if no rank can be watched; may be empty */
  NodeWatch(const void *comm, const std::string &name,
            const std::function<void(const std::string &)> &warn);

  /** Collective, so that no rank is still watched when it ends in order.  MPI_Finalize() ends the
      watch as well. */
  ~NodeWatch();
  NodeWatch(const NodeWatch &) = delete;
  NodeWatch &operator=(const NodeWatch &) = delete;

 private:
  struct Node;    // objects of MPI
  std::unique_ptr<Node> node_;
  std::unique_ptr<RankWatch> watch_;
};

}    // namespace TOFU_NS

#endif
