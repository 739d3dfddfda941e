// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "neighbor_builds.h"

#include "scoped_state.h"

#include "neigh_list.h"
#include "neighbor.h"

#include <optional>

using namespace LAMMPS_NS;

namespace {

#ifdef TOFU_NEIGHBOR_ACCESSORS

// with packaging/upstream/neighbor-accessors.patch they are public

class Builds {
 public:
  static NPair *&of(Neighbor *neighbor, int ilist) { return neighbor->get_npair(ilist); }
  static NBin *&bins_of(Neighbor *neighbor, int ibin) { return neighbor->get_nbin(ibin); }
  static NTopo *&of_bonds(Neighbor *neighbor) { return neighbor->get_ntopo_bond(); }
  static NTopo *&of_angles(Neighbor *neighbor) { return neighbor->get_ntopo_angle(); }
  static NTopo *&of_dihedrals(Neighbor *neighbor) { return neighbor->get_ntopo_dihedral(); }
  static NTopo *&of_impropers(Neighbor *neighbor) { return neighbor->get_ntopo_improper(); }
  static bool needs_copy_alone(Neighbor *neighbor, int) { return neighbor->dist_check; }
  struct WithoutCopy : ScopedValue<int> {
    explicit WithoutCopy(Neighbor *neighbor) : ScopedValue<int>(neighbor->external_xhold, 1) {}
  };
  static int number_of_bins(Neighbor *neighbor) { return neighbor->get_num_nbin(); }
  static std::string name_of(Neighbor *neighbor, int ilist)
  {
    return neighbor->get_npair_name(ilist);
  }
};

#else

// the choices of Neighbor are protected members of it

class Builds : public Neighbor {
 public:
  static NPair *&of(Neighbor *neighbor, int ilist)
  {
    return (neighbor->*(&Builds::neigh_pair))[ilist];
  }
  static NBin *&bins_of(Neighbor *neighbor, int ibin)
  {
    return (neighbor->*(&Builds::neigh_bin))[ibin];
  }
  static NTopo *&of_bonds(Neighbor *neighbor) { return neighbor->*(&Builds::neigh_bond); }
  static NTopo *&of_angles(Neighbor *neighbor) { return neighbor->*(&Builds::neigh_angle); }
  static NTopo *&of_dihedrals(Neighbor *neighbor) { return neighbor->*(&Builds::neigh_dihedral); }
  static NTopo *&of_impropers(Neighbor *neighbor) { return neighbor->*(&Builds::neigh_improper); }
  static bool needs_copy_alone(Neighbor *neighbor, int nmax)
  {
    return neighbor->dist_check && nmax <= neighbor->*(&Builds::maxhold) &&
        !(neighbor->*(&Builds::boxcheck));
  }
  using WithoutCopy = ScopedDistanceCheck;
  static int number_of_bins(Neighbor *neighbor) { return neighbor->*(&Builds::nbin); }
  static std::string name_of(Neighbor *neighbor, int ilist)
  {
    const int method = neighbor->lists[ilist]->pair_method;
    return method > 0 ? (neighbor->*(&Builds::pairnames))[method - 1] : "none";
  }
};

#endif

}    // namespace

/* ---------------------------------------------------------------------- */

NPair *&TOFU_NS::build_of_list(Neighbor *neighbor, int ilist)
{
  return Builds::of(neighbor, ilist);
}

/* ---------------------------------------------------------------------- */

std::string TOFU_NS::build_name_of_list(Neighbor *neighbor, int ilist)
{
  return Builds::name_of(neighbor, ilist);
}

/* ---------------------------------------------------------------------- */

bool TOFU_NS::build_leaving_copy(Neighbor *neighbor, int nmax)
{
  const bool leaves_it = Builds::needs_copy_alone(neighbor, nmax);
  std::optional<Builds::WithoutCopy> without;
  if (leaves_it) without.emplace(neighbor);
  neighbor->build(1);
  return leaves_it;
}

/* ---------------------------------------------------------------------- */

NBin *&TOFU_NS::bins_of_neighbor(Neighbor *neighbor, int ibin)
{
  return Builds::bins_of(neighbor, ibin);
}

/* ---------------------------------------------------------------------- */

int TOFU_NS::number_of_bins(Neighbor *neighbor)
{
  return Builds::number_of_bins(neighbor);
}

/* ---------------------------------------------------------------------- */

NTopo *&TOFU_NS::build_of_bonds(Neighbor *neighbor)
{
  return Builds::of_bonds(neighbor);
}

NTopo *&TOFU_NS::build_of_angles(Neighbor *neighbor)
{
  return Builds::of_angles(neighbor);
}

NTopo *&TOFU_NS::build_of_dihedrals(Neighbor *neighbor)
{
  return Builds::of_dihedrals(neighbor);
}

NTopo *&TOFU_NS::build_of_impropers(Neighbor *neighbor)
{
  return Builds::of_impropers(neighbor);
}
