// SPDX-License-Identifier: GPL-2.0-only
//
// Ghosts that all ranks get by their plans, for comparison with ghosts by definition.

#ifndef TOFU_TEST_PLANNED_GHOSTS_H
#define TOFU_TEST_PLANNED_GHOSTS_H

#include "unit/testing.h"

#include "halo/border_candidates.h"
#include "halo/halo_plan.h"
#include "halo/send_lists.h"

namespace TOFU_TEST {

using namespace TOFU_NS;

/** An atom of all ranks together. */
struct Atom {
  std::array<double, 3> x;
  int owner, kind;
};

/** A ghost: its atom, and its displacement in box lengths. */
using Ghost = std::tuple<int, int, int, int>;

/** Call f(ghost, coordinates) for all periodic images of all atoms, without those that a rank owns.

    \param images   [3] images on each side, 0: not periodic */
template <class F>
void for_images(const HaloGeometry &g, const std::array<int, 3> &images,
                const std::vector<Atom> &atoms, int rank, F &&f)
{
  for (std::size_t i = 0; i < atoms.size(); i++)
    for (int iz = -images[2]; iz <= images[2]; iz++)
      for (int iy = -images[1]; iy <= images[1]; iy++)
        for (int ix = -images[0]; ix <= images[0]; ix++) {
          if (!ix && !iy && !iz && atoms[i].owner == rank) continue;
          const auto &x = atoms[i].x;
          f(Ghost(static_cast<int>(i), ix, iy, iz),
            std::array<double, 3>{x[0] + ix * g.prd[0], x[1] + iy * g.prd[1],
                                  x[2] + iz * g.prd[2]});
        }
}

/** Ghosts of all ranks.

    \param plans   [# of ranks]
    \param cut     [nkinds][3] how far each kind of atom is wanted
    \param build   build(rank, atoms, lists) fills the lists of what the rank sends */
template <class Build>
std::vector<std::multiset<Ghost>> planned_ghosts(const std::vector<HaloPlan> &plans,
                                                 const std::vector<Atom> &atoms,
                                                 const std::vector<double> &cut, Build &&build)
{
  const int nkinds = static_cast<int>(cut.size()) / 3, nranks = static_cast<int>(plans.size());
  std::vector<std::multiset<Ghost>> ghosts(nranks);
  for (int rank = 0; rank < nranks; rank++) {
    std::vector<double> x;
    std::vector<int> kind, who;
    for (std::size_t i = 0; i < atoms.size(); i++)
      if (atoms[i].owner == rank) {
        x.insert(x.end(), atoms[i].x.begin(), atoms[i].x.end());
        kind.push_back(atoms[i].kind);
        who.push_back(static_cast<int>(i));
      }
    SendLists lists;
    const BorderCandidates owned{x.data(), static_cast<int>(who.size()),
                                 nkinds > 1 ? kind.data() : nullptr, cut.data(), nkinds};
    build(rank, owned, lists);
    EXPECT_EQ(lists.nswaps(), static_cast<int>(plans[rank].swaps.size()));
    for (int s = 0; s < lists.nswaps(); s++) {
      const HaloSwap &swap = plans[rank].swaps[s];
      EXPECT_TRUE(std::is_sorted(lists.list(s), lists.list(s) + lists.count(s)));
      if (swap.sendproc < 0) { EXPECT_EQ(lists.count(s), 0); }
      for (int k = 0; k < lists.count(s); k++)
        ghosts[swap.sendproc].insert(
            {who[lists.list(s)[k]], swap.pbc[0], swap.pbc[1], swap.pbc[2]});
    }
  }
  return ghosts;
}

}    // namespace TOFU_TEST

#endif
