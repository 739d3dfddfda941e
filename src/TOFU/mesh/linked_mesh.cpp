// SPDX-License-Identifier: GPL-2.0-only

#include "linked_mesh.h"

namespace TOFU_NS {

LinkedMesh::LinkedMesh(const MeshGeometry &geometry, const FftSettings &settings, bool single) :
    nsolvers_(geometry.bricks.size())
{
  if (geometry.me >= 0)
    part_ = single ? MeshPart::make<float>(geometry, settings)
                   : MeshPart::make<double>(geometry, settings);
}

/* ----------------------------------------------------------------------
   to the ranks that messages go to

   nbytes   [nranks] of the largest message to each rank
------------------------------------------------------------------------- */

static std::unique_ptr<Transport> connect(LinkableRanks ranks, const TransportOptions &options,
                                          const std::vector<std::size_t> &nbytes,
                                          ConnectReport &report)
{
  auto transport = std::make_unique<Transport>(ranks.bootstrap, ranks.comm, options);
  std::vector<int> peers;
  std::vector<std::size_t> capacities;
  for (int rank = 0; rank < static_cast<int>(nbytes.size()); rank++)
    if (rank != ranks.bootstrap.rank() && nbytes[rank]) {
      peers.push_back(rank);
      capacities.push_back(nbytes[rank]);
    }
  report = transport->connect(peers, capacities);
  if (!report.error.empty()) throw TransportError(report.error);
  return transport;
}

/* ---------------------------------------------------------------------- */

ConnectReport LinkedMesh::connect_node(LinkableRanks ranks, const TransportOptions &options,
                                       const std::vector<int> &members, std::size_t natoms)
{
  node_gather_ = std::make_unique<NodeGather>(ranks.bootstrap.rank(), members);
  std::vector<std::size_t> nbytes(ranks.bootstrap.size(), 0);
  node_gather_->add_traffic(natoms, nbytes);
  ConnectReport report;
  node_transport_ = connect(ranks, options, nbytes, report);
  node_gather_->bind(*node_transport_);
  return report;
}

/* ---------------------------------------------------------------------- */

ConnectReport LinkedMesh::connect_solvers(LinkableRanks ranks, const TransportOptions &options,
                                          int nfields,
                                          const std::function<double(double)> &max_over_ranks)
{
  std::vector<std::size_t> nbytes(nsolvers_, 0);
  part_->add_traffic(nfields, nbytes);
  ConnectReport report;
  transport_ = connect(ranks, options, nbytes, report);
  part_->bind(*transport_);
  if (part_->has_alternatives()) part_->decide(nfields, max_over_ranks);
  return report;
}

/* ---------------------------------------------------------------------- */

MeshResults LinkedMesh::solve(const MeshRequest &own)
{
  MeshResults results;
  if (node_gather_) {
    const MeshRequest &all = node_gather_->gather(own);
    if (part_) part_->solve(all);
    results = node_gather_->scatter(own, part_ ? part_->results() : MeshResults());
  } else {
    part_->solve(own);
    results = part_->results();
  }
  if (self_forces)
    own.parts.share(own.natoms, [&](int, int first, int last) {
      const std::size_t at = 3 * static_cast<std::size_t>(first);
      subtract_self_forces(*self_forces, own.x + at, own.q + first, last - first,
                           results.field + at);
    });
  return results;
}

/* ---------------------------------------------------------------------- */

std::vector<double> LinkedMesh::spectrum_of_charges(const MeshRequest &own)
{
  const MeshRequest &request = node_gather_ ? node_gather_->gather(own) : own;
  return part_ ? part_->spectrum_of_charges(request) : std::vector<double>();
}

/* ---------------------------------------------------------------------- */

void LinkedMesh::set_nap(double seconds)
{
  for (Transport *transport : {transport_.get(), node_transport_.get()})
    if (transport) transport->set_nap(seconds);
}

}    // namespace TOFU_NS
