// SPDX-License-Identifier: GPL-2.0-only

#include "cluster_atoms.h"

#include <algorithm>
#include <cmath>

using namespace TOFU_NS;

static constexpr float FAR = 1.0e12F;        // as GatheredAtoms has it
static constexpr float LARGEST = 1.0e15F;    // its square is in the range of single precision

namespace {

constexpr int NVALUES = ClusterAtoms::NVALUES, NFORCES = ClusterAtoms::NFORCES;

template <int WIDTH>
void gather_cluster(const std::int32_t *atoms, const AtomsToGather &from, float *values,
                    std::int32_t *types)
{
  for (int k = 0; k < WIDTH; k++) {
    const std::int32_t i = atoms[k];
    float one[NVALUES] = {FAR, FAR, FAR, 0.0F};
    if (i != ClusterList::NO_ATOM) {
      const double *const x = from.x + 3 * static_cast<std::size_t>(i);
      float place[3];
      for (int dim = 0; dim < 3; dim++) place[dim] = static_cast<float>(x[dim] - from.center[dim]);
      const bool near = std::fabs(place[0]) < LARGEST && std::fabs(place[1]) < LARGEST &&
          std::fabs(place[2]) < LARGEST;
      if (near) {
        std::copy_n(place, 3, one);
        one[3] = from.fourth ? static_cast<float>(from.fourth[i]) : 0.0F;
      }
    }
    for (int value = 0; value < NVALUES; value++) values[value * WIDTH + k] = one[value];
    types[k] = from.type && i != ClusterList::NO_ATOM ? from.type[i] : 1;
  }
}

template <int WIDTH>
void add_cluster(const std::int32_t *atoms, const float *forces, int nsums, int natoms, double *f,
                 int width)
{
  float sums[NFORCES][WIDTH];
  for (int dim = 0; dim < NFORCES; dim++) {
    const float *const one = forces + static_cast<std::size_t>(dim) * nsums * WIDTH;
    for (int k = 0; k < WIDTH; k++) sums[dim][k] = nsums == 2 ? one[k] + one[WIDTH + k] : one[k];
  }
  for (int k = 0; k < WIDTH; k++) {
    if (atoms[k] == ClusterList::NO_ATOM || atoms[k] >= natoms) continue;
    double *const to = f + width * static_cast<std::size_t>(atoms[k]);
    for (int dim = 0; dim < NFORCES; dim++) to[dim] += static_cast<double>(sums[dim][k]);
  }
}

}    // namespace

void ClusterAtoms::gather(const ClusterList &list, const AtomsToGather &atoms, int nsums)
{
  nsums_ = nsums;
  const std::size_t width = list.width(), n = list.nclusters() * width;
  const std::size_t nforces = NFORCES * nsums * width;    // of a cluster
  float *const values = values_.room(NVALUES * n),
               *const forces = forces_.room(NFORCES * nsums * n);
  std::int32_t *const types = types_.room(n);
  const auto gather_one = width == 8 ? gather_cluster<8> : gather_cluster<4>;
  for (int cluster : list.used()) {
    const std::size_t first = cluster * width;
    gather_one(list.atoms() + first, atoms, values + NVALUES * first, types + first);
    std::fill_n(forces + nforces * cluster, nforces, 0.0F);
  }
}

void ClusterAtoms::add_forces(const ClusterList &list, int natoms, double *f, int width) const
{
  const std::size_t lanes = list.width(), nforces = NFORCES * nsums_ * lanes;
  const auto add_one = lanes == 8 ? add_cluster<8> : add_cluster<4>;
  for (int cluster : list.used())
    add_one(list.atoms() + cluster * lanes, forces_.data() + nforces * cluster, nsums_, natoms, f,
            width);
}
