/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// Members of PPPMOffload, for its source files only.

#ifndef LMP_PPPM_OFFLOAD_IMPL_H
#define LMP_PPPM_OFFLOAD_IMPL_H

#include "pppm_offload.h"

#include "pppm_water_charges.h"

#include "mesh/mesh_part.h"
#include "mesh/node_gather.h"
#include "pool/side_thread.h"
#include "threadpool/pool/rank_sum.h"
#include "transport/transport.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace LAMMPS_NS {

struct PPPMOffload::Impl {
  static constexpr const char *NAME = "kspace_style pppm/offload";

  TOFU_NS::FftSettings fft_settings;
  bool settings_changed = true;    // since the transform was made

  // ranks that hold the mesh: all ranks, or with gather node one rank of each node; these are the
  // ranks of the transform.  Members below use members above

  bool gather = false;                 // as the user wants it
  TOFU_NS::MeshGeometry bricks;        // of all ranks of this world
  std::vector<int> members;            // ranks of this node, ascending
  TOFU_NS::MeshGeometry geometry;      // of the ranks of the transform
  MPI_Comm solvers = MPI_COMM_NULL;    // these ranks; null on others
  std::unique_ptr<TOFU_NS::Bootstrap> bootstrap, node_bootstrap;
  std::unique_ptr<TOFU_NS::Transport> transport, node_transport;
  std::unique_ptr<TOFU_NS::MeshPart> mesh;             // nullptr: another rank solves
  bool single = false;                                 // its precision
  std::unique_ptr<TOFU_NS::NodeGather> node_gather;    // nullptr: every rank solves
  TOFU_NS::SpectrumTables tables;
  std::array<double, 6> tables_for{};    // a triclinic box: Domain's h
  std::string linked_as;                 // how transports were told to move messages
  bool mpi_links = false;                // some rank has links over MPI
  std::vector<std::string> warnings;     // of transports, told when nothing runs
  int nfields = 0;                       // of an inverse transform
  bool sums_folded = false;              // of self forces, for half a spectrum

  bool serves_dplr = false;                // forces go to fix dplr, which takes them further
  std::unique_ptr<WaterCharges> waters;    // for pppm/tip4p; nullptr: charges are at atoms

  // request of one step; read by the thread that solves

  TOFU_NS::MeshRequest request;
  TOFU_NS::MeshResults results;

  double sums[7] = {};    // of this rank: energy and virial, before they get their units
  std::unique_ptr<RankSum> sums_of_ranks;

  // work that runs beside the pair forces

  bool overlap = true;                            // as the user wants it
  bool beside = false;                            // it can be done
  bool worth_it = true;                           // and gains something
  bool shares_core = false;                       // with threads that compute
  bool one_node = true;                           // has all ranks
  std::unique_ptr<TOFU_NS::SideThread> thread;    // made when it is first needed
  bigint started_at = -1;                         // step of the work in hand

  // statistics since the last init()

  double seconds_solving = 0.0;    // written by the thread that solves
  double seconds_of_last = 0.0;
  double seconds_visible = 0.0;    // that the step had to wait for it
  bigint nsolved = 0, nbeside = 0;

  /** Part of the spectrum that this rank has. */
  TOFU_NS::MeshBox spectrum_box() const
  {
    return mesh ? mesh->shape().layout.box : TOFU_NS::MeshBox();
  }
};

}    // namespace LAMMPS_NS

#endif
