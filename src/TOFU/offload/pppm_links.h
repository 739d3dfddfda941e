// SPDX-License-Identifier: GPL-2.0-only
//
// PPPMLinks: which ranks hold the mesh of a kspace style, the links between them, and the
// transform.

#ifndef LMP_PPPM_LINKS_H
#define LMP_PPPM_LINKS_H

#include "pointers.h"

#include "mesh/linked_mesh.h"
#include "pppm_settings.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace TOFU_NS {
struct P2PSettings;
}

namespace LAMMPS_NS {

class PPPMLinks : protected Pointers {
 public:
  explicit PPPMLinks(LAMMPS *lmp) : Pointers(lmp) {}
  ~PPPMLinks() override { drop(); }

  PPPMSettings settings;

  /** Settings have changed: the next update() makes the transform anew. */
  void outdate() { outdated = true; }

  /** What a transform is made for, on this rank. */
  struct Mesh {
    std::array<int, 3> npoints;
    TOFU_NS::MeshBox brick, box;    // box: the brick with its ghost points
    int nfields = 0;                // of an inverse transform
    bool single = false;            // precision
  };

  /** Make the transform anew if something is different from the last time on any rank.  Collective.

      \return   whether it was made */
  bool update(const Mesh &);

  /** Drop transform and links; the next update() makes them.  Collective. */
  void drop();

  /** Write to screen and log which transform was made. */
  void print_choice(bool in_single_precision) const;

  // after update()

  TOFU_NS::LinkedMesh &mesh() { return *linked; }
  TOFU_NS::MeshPart *part() const { return linked ? linked->part() : nullptr; }
  const TOFU_NS::MeshBox &box() const { return geometry.boxes[geometry.me]; }    // with part()
  bool in_single_precision() const { return made_for.single; }

  /** Whether some rank has links over MPI, which are for the thread that initialized MPI unless MPI
      supports several. */
  bool use_mpi() const { return mpi_links; }

  /** Whether all ranks are on one node.  Collective. */
  bool on_one_node() const;

  /** Write the warnings that transports gave while LAMMPS' thread did something else. */
  void write_warnings();

 private:
  Mesh made_for;                       // and with what:
  TOFU_NS::MeshGeometry bricks{};      // of all ranks
  std::string linked_as;               // settings of the transports
  TOFU_NS::MeshGeometry geometry{};    // of the ranks that hold the mesh

  MPI_Comm solvers = MPI_COMM_NULL;                                 // these ranks; null on others
  std::unique_ptr<TOFU_NS::Bootstrap> bootstrap, node_bootstrap;    // of solvers and of world
  std::unique_ptr<TOFU_NS::LinkedMesh> linked;
  bool outdated = false, mpi_links = false;
  std::vector<std::string> warnings;

  TOFU_NS::MeshGeometry gather_bricks(const Mesh &) const;
  void make(const TOFU_NS::P2PSettings &);
  void make_mesh();
  int report(const TOFU_NS::ConnectReport &) const;
};

}    // namespace LAMMPS_NS

#endif
