// SPDX-License-Identifier: GPL-2.0-only

#include "cluster_pairs.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cluster/cluster_pairs.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "cluster_vectors-inl.h"
#include "mesh_part-inl.h"

#include "base/flush_to_zero.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#ifndef TOFU_KERNELS_CLUSTER_PAIRS_ONCE
#define TOFU_KERNELS_CLUSTER_PAIRS_ONCE
namespace TOFU_NS {

/** Where the Lennard-Jones part ends. */
enum class ClusterCut {
  AS_COULOMB,    // for all pairs of types where the Coulomb part does
  OF_TYPES,
  SWITCHED
};

}    // namespace TOFU_NS
#endif

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** Pairs of clusters.

      \param CUT   of Lennard-Jones
      \param N     coefficients of the part of the mesh */
  template <ClusterCut CUT, int N> class PairsOfClusters {
   public:
    PairsOfClusters(const ClusterPotential &potential, const ClusterList &list,
                    ClusterAtoms &atoms) :
        potential_(potential),
        list_(list), values_(atoms.values()), types_(atoms.types()), forces_(atoms.forces()),
        atoms_(atoms), ntypes_(potential.lj.ntypes), masks_(lane_masks()),
        mesh_part_(potential.pieces, potential.coul)
    {
      const float *const lj = potential.lj.table.singles;
      float largest = 1.0F;
      largest_cutsq_ = static_cast<float>(potential.lj.largest_cutsq);
      for (int i = 1; i <= ntypes_; i++)
        for (int j = 1; j <= ntypes_; j++) {
          const float *const pair = lj + NCOEFFICIENTS * (i * (ntypes_ + 1) + j);
          largest = std::max(largest, std::fabs(pair[1]));
          for (int k = 0; k < 3; k++) coefficients_[i][k][j] = pair[k + 1];
          has_lj_[i] = has_lj_[i] || pair[1] != 0.0F || pair[2] != 0.0F;
        }

      // the power of distance that a Lennard-Jones force has stays in the range of single precision

      largest_r2inv_ = std::pow(1e30F / largest, 1.0F / 7.0F);
    }

    void run()
    {
      for (int k = 0; k < list_.nowner_clusters(); k++) run(k, list_.entries(k));
      const std::vector<ClusterList::Special> &special = list_.special();
      const std::size_t lanes = hn::Lanes(D());
      for (std::size_t first = 0; first < special.size(); first += lanes)
        add_special(&special[first], std::min(lanes, special.size() - first));
    }

   private:
    using D = PairLanes;
    using V = PairVector;
    static constexpr int NCOEFFICIENTS = LJCoulCoefficients::NCOEFFICIENTS;
    static constexpr int NOWNERS = ClusterList::NOWNERS;
    static constexpr int NFORCES = ClusterAtoms::NFORCES * ROWS_OF_VECTOR;    // of an atom
    static constexpr int NLISTS = NOWNERS / ROWS_OF_VECTOR;
    static constexpr int MOST_TYPES = ClusterList::MOST_WIDTH;

    const ClusterPotential &potential_;
    const ClusterList &list_;
    const float *const values_;
    const std::int32_t *const types_;
    float *const forces_;
    ClusterAtoms &atoms_;
    const int ntypes_;
    const float *const masks_;
    const MeshPart<N> mesh_part_;
    float largest_r2inv_, largest_cutsq_;
    bool has_lj_[MOST_TYPES] = {};                                    // by type
    HWY_ALIGN float coefficients_[MOST_TYPES][3][MOST_TYPES] = {};    // by types of both atoms
    HWY_ALIGN float tables_[3][ROWS_OF_VECTOR * MOST_TYPES] = {};     // of the owners of a vector

    /** Which pairs are within the cut-off is found for all owners of a cluster together.  Then each
        owner, or two of them, has vectors of those clusters that it has pairs with; what is in them
        is decided without a branch. */
    void run(int owners, const ClusterList::Entries &entries)
    {
      const std::size_t width = hn::Lanes(ClusterLanes()), most = entries.end - entries.begin;
      const std::size_t first = static_cast<std::size_t>(owners) * NOWNERS;
      const std::size_t own = first / width, place = first % width;
      NearCluster *const near = atoms_.room_for_near(NOWNERS * (most + 1));
      NearCluster *lists[NOWNERS] = {near, near + (most + 1), near + 2 * (most + 1),
                                     near + 3 * (most + 1)};
      NearCluster *ends[NOWNERS];
      find_near(values_ + ClusterAtoms::NVALUES * width * own + place, entries, lists, ends);
      for (int k = 0; k < NLISTS; k++) {
        const std::size_t at = place + k * ROWS_OF_VECTOR;
        float *const force = forces_ + NFORCES * width * own + at;
        const float *const x = values_ + ClusterAtoms::NVALUES * width * own + at;
        if (take_tables(types_ + width * own + at))
          add_rows<true>(x, lists[k], ends[k], force);
        else
          add_rows<false>(x, lists[k], ends[k], force);
      }
    }

    /** Lennard-Jones coefficients of the owners of a vector.

        \return   whether any has Lennard-Jones forces; in most models of water hydrogen has none */
    bool take_tables(const std::int32_t *types)
    {
      bool any = false;
      for (int row = 0; row < ROWS_OF_VECTOR; row++) any = any || has_lj_[types[row]];
      if (any)
        for (int k = 0; k < 3; k++)
          for (int row = 0; row < ROWS_OF_VECTOR; row++)
            std::copy_n(coefficients_[types[row]][k], MOST_TYPES, tables_[k] + row * MOST_TYPES);
      return any;
    }

    HWY_INLINE void find_near(const float *x, const ClusterList::Entries &entries,
                              NearCluster *const *lists, NearCluster **ends) const
    {
      const D d;
      const std::size_t width = hn::Lanes(ClusterLanes());
      const float *const y = x + width, *const z = y + width;
      const V x0 = of_rows(x), y0 = of_rows(y), z0 = of_rows(z);
      const V x1 = of_rows(x + ROWS_OF_VECTOR), y1 = of_rows(y + ROWS_OF_VECTOR),
              z1 = of_rows(z + ROWS_OF_VECTOR);
      constexpr int third = NLISTS == 4 ? 2 : 0, fourth = NLISTS == 4 ? 3 : 0;
      const V x2 = of_rows(x + third), y2 = of_rows(y + third), z2 = of_rows(z + third);
      const V x3 = of_rows(x + fourth), y3 = of_rows(y + fourth), z3 = of_rows(z + fourth);
      const V cutsq = hn::Set(d, largest_cutsq_);
      NearCluster *end0 = lists[0], *end1 = lists[1], *end2 = lists[2], *end3 = lists[3];
      const std::size_t npairs = hn::Lanes(d);
      for (const ClusterList::Entry *entry = entries.begin; entry < entries.end; entry++) {
        const float *const values = values_ + ClusterAtoms::NVALUES * width * entry->cluster;
        const V xj = in_all_rows(values), yj = in_all_rows(values + width),
                zj = in_all_rows(values + 2 * width);
        const auto add = [&](V xi, V yi, V zi, std::uint32_t listed, NearCluster *&end) HWY_ATTR {
          const V delx = hn::Sub(xi, xj), dely = hn::Sub(yi, yj), delz = hn::Sub(zi, zj);
          const V rsq = distances_squared(delx, dely, delz);
          const std::uint32_t pairs = listed & bits_of_lanes(d, hn::Lt(rsq, cutsq));
          *end = {entry->cluster, pairs};
          end += pairs != 0;
        };
        add(x0, y0, z0, entry->pairs, end0);
        add(x1, y1, z1, entry->pairs >> npairs, end1);
        if constexpr (NLISTS == 4) {
          add(x2, y2, z2, entry->pairs >> (2 * npairs), end2);
          add(x3, y3, z3, entry->pairs >> (3 * npairs), end3);
        }
      }

      // add_rows() looks one cluster ahead

      for (NearCluster *end : {end0, end1, end2, end3}) *end = {0, 0};
      ends[0] = end0;
      ends[1] = end1;
      ends[2] = end2;
      ends[3] = end3;
    }

    /** Of the owners of a vector from the atoms of a cluster.  The members are references, since
        vectors of unknown length cannot be members. */
    struct Distances {
      V &delx, &dely, &delz, &rsq, &inverse;    // an estimate of 1/r
    };

    HWY_INLINE void find_distances(V x, V y, V z, int cluster, const Distances &distances) const
    {
      const std::size_t width = hn::Lanes(ClusterLanes());
      const float *const values =
          values_ + ClusterAtoms::NVALUES * width * static_cast<std::size_t>(cluster);
      distances.delx = hn::Sub(x, in_all_rows(values));
      distances.dely = hn::Sub(y, in_all_rows(values + width));
      distances.delz = hn::Sub(z, in_all_rows(values + 2 * width));
      distances.rsq = distances_squared(distances.delx, distances.dely, distances.delz);
      distances.inverse = inverse_estimate(distances.rsq);
    }

    /** All pairs of the owners of a vector.  Distances are computed one vector ahead of the rest,
        as in PairLoop.

        \param near   with one that is no pair behind the last one */
    template <bool WITH_LJ>
    HWY_INLINE void add_rows(const float *own, const NearCluster *near, const NearCluster *end,
                             float *force)
    {
      const D d;
      const std::size_t width = hn::Lanes(ClusterLanes()), lanes = hn::Lanes(d);
      const V x = of_rows(own), y = of_rows(own + width), z = of_rows(own + 2 * width);
      const V charge =
          hn::Mul(hn::Set(d, static_cast<float>(potential_.lj.qqrd2e)), of_rows(own + 3 * width));
      const V cut_coulsq = hn::Set(d, static_cast<float>(potential_.cut_coulsq));
      const V largest_r2inv = hn::Set(d, largest_r2inv_);
      V fx = hn::Zero(d), fy = fx, fz = fx;
      V delx = fx, dely = fx, delz = fx, rsq = fx, inverse = fx;
      find_distances(x, y, z, near->cluster, {delx, dely, delz, rsq, inverse});
      for (; near < end; near++) {
        V next_x = delx, next_y = dely, next_z = delz, next_rsq = rsq, next_inverse = inverse;
        find_distances(x, y, z, near[1].cluster, {next_x, next_y, next_z, next_rsq, next_inverse});
        const std::size_t other = static_cast<std::size_t>(near->cluster) * width;
        const float *const values = values_ + ClusterAtoms::NVALUES * other;
        V r2inv = rsq, factor = rsq, rest = rsq;
        inverse_powers(rsq, inverse, {r2inv, factor, rest});
        const V qq = hn::Mul(charge, in_all_rows(values + 3 * width));
        V fpair = hn::Mul(qq, hn::MulSub(factor, rest, mesh_part_(rsq)));
        if constexpr (CUT != ClusterCut::AS_COULOMB)
          fpair = hn::IfThenElseZero(hn::Lt(rsq, cut_coulsq), fpair);
        if constexpr (WITH_LJ)
          fpair = add_lj(types_ + other, rsq, hn::Min(r2inv, largest_r2inv), fpair);
        fpair = only(near->pairs, fpair, masks_);

        float *const forces = forces_ + NFORCES * other;
        fx = hn::MulAdd(delx, fpair, fx);
        fy = hn::MulAdd(dely, fpair, fy);
        fz = hn::MulAdd(delz, fpair, fz);
        hn::Store(hn::NegMulAdd(delx, fpair, hn::Load(d, forces)), d, forces);
        hn::Store(hn::NegMulAdd(dely, fpair, hn::Load(d, forces + lanes)), d, forces + lanes);
        hn::Store(hn::NegMulAdd(delz, fpair, hn::Load(d, forces + 2 * lanes)), d,
                  forces + 2 * lanes);
        delx = next_x;
        dely = next_y;
        delz = next_z;
        rsq = next_rsq;
        inverse = next_inverse;
      }
      add_to_rows(fx, force);
      add_to_rows(fy, force + lanes);
      add_to_rows(fz, force + 2 * lanes);
    }

    /** Up to one vector of pairs with special bonds, whose atoms are anywhere. */
    void add_special(const ClusterList::Special *pairs, std::size_t n)
    {
      constexpr int MOST = ROWS_OF_VECTOR * ClusterList::MOST_WIDTH;
      const D d;
      const std::size_t width = hn::Lanes(ClusterLanes());
      HWY_ALIGN float del[3][MOST], qq[MOST], lj[3][MOST], factor_lj[MOST], factor_coul[MOST];
      for (std::size_t k = 0; k < hn::Lanes(d); k++) {
        const ClusterList::Special &pair = pairs[std::min(k, n - 1)];    // the last one fills up
        const float *const xi = values_ + place_of(pair.owner, ClusterAtoms::NVALUES),
                           *const xj = values_ + place_of(pair.other, ClusterAtoms::NVALUES);
        for (std::size_t dim = 0; dim < 3; dim++) del[dim][k] = xi[dim * width] - xj[dim * width];
        qq[k] = static_cast<float>(potential_.lj.qqrd2e) * xi[3 * width] * xj[3 * width];
        for (int c = 0; c < 3; c++)
          lj[c][k] = coefficients_[types_[pair.owner]][c][types_[pair.other]];
        factor_lj[k] = static_cast<float>(potential_.special_lj[pair.kind]);
        factor_coul[k] = static_cast<float>(potential_.special_coul[pair.kind]);
      }

      const V delx = hn::Load(d, del[0]), dely = hn::Load(d, del[1]), delz = hn::Load(d, del[2]);
      const V rsq = distances_squared(delx, dely, delz);
      V r2inv = rsq, factor = rsq, rest = rsq;
      inverse_powers(rsq, inverse_estimate(rsq), {r2inv, factor, rest});
      r2inv = hn::Min(r2inv, hn::Set(d, largest_r2inv_));
      const V bare = hn::Mul(hn::Load(d, factor_coul), hn::Mul(factor, rest));
      V fpair = hn::Mul(hn::Load(d, qq), hn::Sub(bare, mesh_part_(rsq)));
      const V cut_coulsq = hn::Set(d, static_cast<float>(potential_.cut_coulsq));
      fpair = hn::IfThenElseZero(hn::Lt(rsq, cut_coulsq), fpair);
      const V force =
          lj_force(hn::Load(d, lj[0]), hn::Load(d, lj[1]), hn::Load(d, lj[2]), rsq, r2inv);
      fpair = hn::MulAdd(hn::Load(d, factor_lj), force, fpair);
      hn::Store(hn::Mul(delx, fpair), d, del[0]);
      hn::Store(hn::Mul(dely, fpair), d, del[1]);
      hn::Store(hn::Mul(delz, fpair), d, del[2]);

      for (std::size_t k = 0; k < n; k++) {
        float *const fi = forces_ + place_of(pairs[k].owner, NFORCES),
                     *const fj = forces_ + place_of(pairs[k].other, NFORCES);
        for (std::size_t dim = 0; dim < 3; dim++) {
          fi[dim * hn::Lanes(d)] += del[dim][k];
          fj[dim * hn::Lanes(d)] -= del[dim][k];
        }
      }
    }

    /** Where the first of some values of an atom is. */
    static std::size_t place_of(std::size_t atom, int nvalues)
    {
      const std::size_t width = hn::Lanes(ClusterLanes());
      return atom / width * width * nvalues + atom % width;
    }

    /** With 1e-20 more, so that no power of a distance is infinite, and atoms in the same place
        have no force. */
    static HWY_INLINE V distances_squared(V delx, V dely, V delz)
    {
      const V least = hn::Set(D(), 1e-20F);
      return hn::MulAdd(delx, delx, hn::MulAdd(dely, dely, hn::MulAdd(delz, delz, least)));
    }

    /** fpair and the Lennard-Jones part. */
    HWY_INLINE V add_lj(const std::int32_t *others, V rsq, V r2inv, V fpair) const
    {
      const D d;
      const auto types = table_indices(others);
      const V lj1 = hn::TableLookupLanes(hn::Load(d, tables_[0]), types),
              lj2 = hn::TableLookupLanes(hn::Load(d, tables_[1]), types);
      if constexpr (CUT == ClusterCut::AS_COULOMB) {
        const V r6inv = hn::Mul(hn::Mul(r2inv, r2inv), r2inv);
        return hn::MulAdd(hn::Mul(r2inv, r6inv), hn::MulSub(lj1, r6inv, lj2), fpair);
      }
      V cutsq = rsq;
      if constexpr (CUT == ClusterCut::OF_TYPES)
        cutsq = hn::TableLookupLanes(hn::Load(d, tables_[2]), types);
      return hn::Add(fpair, lj_force(lj1, lj2, cutsq, rsq, r2inv));
    }

    /** Force of the Lennard-Jones part, divided by distance, within its cut-off.

        \param cutsq   of the pairs; not read if all have another */
    HWY_INLINE V lj_force(V lj1, V lj2, V cutsq, V rsq, V r2inv) const
    {
      const D d;
      const V r6inv = hn::Mul(hn::Mul(r2inv, r2inv), r2inv);
      V force = hn::Mul(r6inv, hn::MulSub(lj1, r6inv, lj2));
      if constexpr (CUT == ClusterCut::SWITCHED) {
        force = switched(rsq, r6inv, lj1, lj2, force);
        cutsq = hn::Set(d, static_cast<float>(potential_.switching.outersq));
      }
      return hn::IfThenElseZero(hn::Lt(rsq, cutsq), hn::Mul(r2inv, force));
    }

    HWY_INLINE V switched(V rsq, V r6inv, V lj1, V lj2, V force) const
    {
      const D d;
      const auto set = [d](double value) HWY_ATTR {
        return hn::Set(d, static_cast<float>(value));
      };
      const Switching &s = potential_.switching;
      const V gap = hn::Sub(set(s.outersq), rsq),
              gap_inverse = hn::Mul(gap, set(s.inverse_denominator));
      const V factor = hn::Mul(hn::Mul(gap, gap_inverse),
                               hn::MulAdd(set(2.0), rsq, set(s.outersq - 3.0 * s.innersq)));
      const V slope =
          hn::Mul(hn::Mul(set(12.0), rsq), hn::Mul(gap_inverse, hn::Sub(rsq, set(s.innersq))));

      // energy: lj3 = lj1 / 12, lj4 = lj2 / 6

      const V energy = hn::Mul(
          r6inv, hn::MulSub(hn::Mul(set(1.0 / 12.0), lj1), r6inv, hn::Mul(set(1.0 / 6.0), lj2)));
      return hn::IfThenElse(hn::Gt(rsq, set(s.innersq)),
                            hn::MulAdd(energy, slope, hn::Mul(force, factor)), force);
    }
  };

  int lanes_of_clusters()
  {
    const int lanes = static_cast<int>(hn::Lanes(ClusterLanes()));
    return lanes >= ClusterList::NOWNERS ? lanes : 0;
  }

  int sums_of_forces()
  {
    return ROWS_OF_VECTOR;
  }

  /** Whether all Lennard-Jones forces end where Coulomb forces do, and no pair is looked at beyond:
      types without these forces may have a larger cut-off. */
  bool same_cut(const ClusterPotential &potential)
  {
    const LJCoulCoefficients &lj = potential.lj;
    if (lj.largest_cutsq != potential.cut_coulsq) return false;
    for (int i = 1; i <= lj.ntypes; i++)
      for (int j = 1; j <= lj.ntypes; j++) {
        const std::size_t pair = static_cast<std::size_t>(i) * (lj.ntypes + 1) + j;
        const double *const c = lj.table.doubles + LJCoulCoefficients::NCOEFFICIENTS * pair;
        const bool any_force = c[1] != 0.0 || c[2] != 0.0;
        if (any_force && c[3] != potential.cut_coulsq) return false;
      }
    return true;
  }

  template <ClusterCut CUT>
  void compute_with(const ClusterPotential &potential, const ClusterList &list, ClusterAtoms &atoms)
  {
    // the usual ones are those for relative errors of the long-range forces of 1e-4

    if (MeshPart<USUAL_OF_MESH>::holds(potential.pieces, potential.coul))
      PairsOfClusters<CUT, USUAL_OF_MESH>(potential, list, atoms).run();
    else
      PairsOfClusters<CUT, MOST_OF_MESH>(potential, list, atoms).run();
  }

  void compute_cluster_pairs(const ClusterPotential &potential, const ClusterList &list,
                             ClusterAtoms &atoms)
  {
    const FlushToZero far_pairs;
    if (potential.switched)
      compute_with<ClusterCut::SWITCHED>(potential, list, atoms);
    else if (same_cut(potential))
      compute_with<ClusterCut::AS_COULOMB>(potential, list, atoms);
    else
      compute_with<ClusterCut::OF_TYPES>(potential, list, atoms);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

HWY_EXPORT(lanes_of_clusters);
HWY_EXPORT(sums_of_forces);
HWY_EXPORT(compute_cluster_pairs);

int cluster_width()
{
  return HWY_DYNAMIC_DISPATCH(lanes_of_clusters)();
}

int cluster_sums()
{
  return HWY_DYNAMIC_DISPATCH(sums_of_forces)();
}

void cluster_pairs(const ClusterPotential &potential, const ClusterList &list, ClusterAtoms &atoms)
{
  assert(list.width() == cluster_width() && atoms.nsums() == cluster_sums());
  HWY_DYNAMIC_DISPATCH(compute_cluster_pairs)(potential, list, atoms);
}

}    // namespace TOFU_NS
#endif
