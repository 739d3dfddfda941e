// SPDX-License-Identifier: GPL-2.0-only
//
// PencilPlan: the part of a mesh that each rank transforms in each dimension.  Pure counting.
//
// The dimensions a, b, c are transformed one after the other.  Ranks form a grid of p x q cells:
//
//   first     a whole,       b in p parts, c in q parts
//   then      a in p parts,  b whole,      c in q parts     rows of p ranks have exchanged
//   last      a in p parts,  b in q parts, c whole          columns of q ranks have exchanged
//
// With p = 1 or q = 1 two stages are one, which transforms two dimensions at once.

#ifndef TOFU_MESH_PENCIL_PLAN_H
#define TOFU_MESH_PENCIL_PLAN_H

#include "distributed_fft.h"

namespace TOFU_NS {

struct PencilStage {
  std::vector<int> dims;              // that it transforms; in the first stage half_dim is last
  std::vector<MeshLayout> layouts;    // [nranks] of the spectrum meanwhile
};

struct PencilPlan {
  int half_dim;
  std::vector<MeshLayout> reals;      // [nranks] input of the first stage
  std::vector<PencilStage> stages;    // one to three
};

/** The plan with the fewest and shortest messages, the same on all ranks.  A rank gets pencils near
    its brick; if there are more ranks than pencils, some get none.

    \param geometry         not empty
    \param nbytes_of_real   of a real number */
PencilPlan plan_pencils(const MeshGeometry &geometry, std::size_t nbytes_of_real);

}    // namespace TOFU_NS

#endif
