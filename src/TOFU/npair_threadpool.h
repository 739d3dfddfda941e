/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

/* ----------------------------------------------------------------------
   Neighbor lists for the kernels of the /threadpool styles.

   Rows are what LAMMPS' own lists have, in another order: first the atoms
   with a special bond to the owner, then the others, and behind the last
   entries that kernels may read.  Anybody else can read such a list as any
   other.  A list that is built by LAMMPS itself, because it has something that
   is not built here, is copied into that form (kernel_list.h).

   Each object owns the one in whose place it stands and leaves the work to it
   where it must.
------------------------------------------------------------------------- */

#ifndef LMP_NPAIR_THREADPOOL_H
#define LMP_NPAIR_THREADPOOL_H

#include "npair.h"

#include <memory>
#include <vector>

namespace TOFU_NS {
class CellGrid;
}

namespace LAMMPS_NS {

class NPairThreadpool : public NPair {
 public:
  enum class Pairs { FULL, HALF_NEWTON, HALF_ALL_GHOSTS };    // which pairs a list has

  /** Args:
        replaced   what Neighbor chose for the list; owned from now on
        sizes      whether the cut-off counts from surfaces of spheres */
  NPairThreadpool(LAMMPS *, NPair *replaced, Pairs, bool sizes);
  ~NPairThreadpool() override;

  void copy_neighbor_info() override;
  void build(class NeighList *) override;

  /** [natoms] entries of each row with a special bond; nullptr if LAMMPS has built the list. */
  const int *nspecial() const { return built ? special_counts.data() : nullptr; }

  /** Owned and ghost atoms when it built the list; the next is the one far away that rows end with. */
  int natoms() const { return nall_built; }

  /** What it stands for; owned by it. */
  std::unique_ptr<NPair> replaced;

 private:
  struct Part;

  Pairs pairs;
  bool sizes;
  bool built = false;
  int nall_built = 0;
  std::vector<int> special_counts;
  std::vector<std::unique_ptr<Part>> parts;
  std::unique_ptr<TOFU_NS::CellGrid> grid;
  std::vector<double> widest;    // [ntypes+1] largest cut-off of each type
  bool one_cutoff = true;

  bool can_build(const class NeighList *) const;
  bool half_shell() const;
  void find_cutoffs();
  void find_radii();
  void build_rows(class NeighList *, Part &, int first, int last, bool some_ghosts, int padding);
  template <class Wanted> int keep_if(std::vector<int> &found, int n, Wanted wanted) const;
  int split_special(int i, Part &, int n);
  void mark_contacts(int i, int *row, int n) const;
  bool is_higher_triclinic(int i, int j) const;
};

}    // namespace LAMMPS_NS

namespace TOFU_NS {

/** Let the lists that the /threadpool styles have asked for be built here; does nothing for lists
    that are already. */
void install_threadpool_lists(LAMMPS_NS::LAMMPS *);

}    // namespace TOFU_NS

#endif
