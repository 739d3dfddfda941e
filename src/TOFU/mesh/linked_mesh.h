// SPDX-License-Identifier: GPL-2.0-only
//
// LinkedMesh: the mesh of one rank with its links to other ranks.
//
//   LinkedMesh()       the transform, on ranks that hold the mesh
//   connect_node()     with gather node: links between the ranks of a node
//   connect_solvers()  links between the ranks that hold the mesh; choice of the transform
//   solve()            once per step, on any one thread

#ifndef TOFU_MESH_LINKED_MESH_H
#define TOFU_MESH_LINKED_MESH_H

#include "kernels/mesh/self_forces.h"
#include "mesh_part.h"
#include "node_gather.h"
#include "transport/transport.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace TOFU_NS {

/** Ranks between which links are made.  Both members must live as long as the links. */
struct LinkableRanks {
  Bootstrap &bootstrap;
  const void *comm;    // pointer to an MPI_Comm of these ranks; nullptr without MPI
};

class LinkedMesh {
 public:
  /** \param geometry   of the ranks that hold the mesh; `me` is negative on other ranks
      \param settings   of the transform
      \param single     its precision
      \throws std::invalid_argument with the reason if the requested transform cannot do the mesh */
  LinkedMesh(const MeshGeometry &geometry, const FftSettings &settings, bool single);

  /** Link the ranks of a node: the lowest one holds the mesh for all.  Collective over the node.

      \param ranks     all ranks, those of other nodes as well
      \param options   of the links
      \param members   ranks of the node in `ranks`, ascending
      \param natoms    of a rank, the largest number that is usual
      \throws TransportError */
  ConnectReport connect_node(LinkableRanks ranks, const TransportOptions &options,
                             const std::vector<int> &members, std::size_t natoms);

  /** Link the ranks that hold the mesh, and keep the fastest transform if several are possible.
      Collective over these ranks.

      \param ranks            those that hold the mesh
      \param options          of the links
      \param nfields          of an inverse transform
      \param max_over_ranks   the largest of what these ranks give
      \throws TransportError */
  ConnectReport connect_solvers(LinkableRanks ranks, const TransportOptions &options, int nfields,
                                const std::function<double(double)> &max_over_ranks);

  /** Force of each charge on itself, subtracted by solve(); none with Differentiation::IK. */
  std::optional<SelfForces> self_forces;

  /** \param own   atoms of this rank
      \return      for these atoms, valid until the next call */
  MeshResults solve(const MeshRequest &own);

  /** As MeshSolver::spectrum_of_charges(); empty on ranks without the mesh. */
  std::vector<double> spectrum_of_charges(const MeshRequest &own);

  /** nullptr: another rank of the node holds the mesh. */
  MeshPart *part() const { return part_.get(); }

  /** Sleep time of waits, see Transport::set_nap(). */
  void set_nap(double seconds);

 private:
  const std::size_t nsolvers_;
  std::unique_ptr<Transport> node_transport_, transport_;    // the latter is closed first
  std::unique_ptr<NodeGather> node_gather_;                  // nullptr: every rank holds the mesh
  std::unique_ptr<MeshPart> part_;
};

}    // namespace TOFU_NS

#endif
