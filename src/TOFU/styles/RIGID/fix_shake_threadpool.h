// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(shake/threadpool,FixShakeThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_SHAKE_THREADPOOL_H
#define LMP_FIX_SHAKE_THREADPOOL_H

#include "fix_shake.h"

#include "kernels/motion/shake_clusters.h"
#include "threadpool/pool/fix_on_pool.h"

#include <array>
#include <vector>

namespace LAMMPS_NS {

/** Clusters are sorted by their shape when neighbor lists are built.  Parts of the pool constrain
    as many at a time as a vector has lanes; on a rank no two clusters change the same atom. */
class FixShakeThreadpool : public FixOnPool<FixShake> {
 public:
  using FixOnPool::FixOnPool;
  void post_constructor() override;
  void pre_neighbor() override;
  void post_force(int) override;
  double memory_usage() override;

 protected:
  void unconstrained_update() override;

 private:
  using Columns = TOFU_NS::ClusterColumns;
  std::array<Columns, 4> columns{
      Columns{TOFU_NS::ClusterShape::BOND}, Columns{TOFU_NS::ClusterShape::TWO_BONDS},
      Columns{TOFU_NS::ClusterShape::THREE_BONDS}, Columns{TOFU_NS::ClusterShape::TRIANGLE}};
  std::vector<double> used_mass, used_lengths;    // those that are in the columns
  struct Image {
    int ghost, owned;
  };
  std::vector<Image> images;    // ghosts of clusters, if there is one rank

  Columns &columns_of(int cluster);
  void sort_clusters();
  void move_images();
  void follow_masses_and_lengths();
  void set_numbers(Columns &, int cluster);
  void constrain_one_by_one();
  void constrain_all();
  void report(const TOFU_NS::ClusterSums &);
};

}    // namespace LAMMPS_NS

#endif
#endif
