// SPDX-License-Identifier: GPL-2.0-only
//
// NodeWatch: a RankWatch over those ranks of an MPI communicator that share a node, whose alarm
// ends the job.
//
// On nodes whose ranks all live the launcher ends the job, after MPI_Abort() of a survivor.

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
      \param name   of the component, for the message about the end of the job
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
