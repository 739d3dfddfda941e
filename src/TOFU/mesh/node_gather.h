// SPDX-License-Identifier: GPL-2.0-only
//
// NodeGather: one rank of a node gets the atoms of all ranks of the node, solves for them, and
// returns the results.  So one rank of each node takes part in the distributed transform (DPLR
// paper, sec. 3.2 and Figure 5).

#ifndef TOFU_MESH_NODE_GATHER_H
#define TOFU_MESH_NODE_GATHER_H

#include "mesh_solver.h"
#include "transport/transport.h"

#include <vector>

namespace TOFU_NS {

class NodeGather {
 public:
  /** \param me        this rank
      \param members   ranks of its node, ascending; the first is the leader */
  NodeGather(int me, const std::vector<int> &members);

  bool is_leader() const { return members_.front() == me_; }

  /** As MeshExchange::add_traffic(), for so many atoms of a rank; more are only slower. */
  void add_traffic(std::size_t natoms, std::vector<std::size_t> &nbytes) const;
  void bind(Transport &transport);

  /** Send atoms to the leader, which gets those of all members in their order, its own first.

      \return   request that the leader is to solve, valid until the next call; empty on other
                ranks.
      \throws TransportError */
  const MeshRequest &gather(const MeshRequest &own);

  /** Return results in the same order.

      \param own   request of this rank
      \param all   of the leader; not read on other ranks
      \return   those of this rank's atoms, valid until the next call */
  MeshResults scatter(const MeshRequest &own, const MeshResults &all);

 private:
  const int me_;
  const std::vector<int> members_;
  std::vector<int> links_;    // of the leader: to the others; of the others: to the leader
  Transport *transport_ = nullptr;
  MeshRequest all_;
  std::vector<int> natoms_;                           // [links] of each member but the leader
  std::vector<double> x_, q_;                         // of all members
  std::vector<double> field_, potential_, virial_;    // of this rank, if it is not the leader
};

}    // namespace TOFU_NS

#endif
