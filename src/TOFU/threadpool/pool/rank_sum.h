// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_RANK_SUM_H
#define LMP_RANK_SUM_H

#include <array>
#include <functional>
#include <utility>
#include <vector>

namespace LAMMPS_NS {

/** Some numbers of which each rank has a part, and their sums over ranks.  The style that owns it
    computes the parts. */
class RankSum {
 public:
  static constexpr int MOST = 7;    // numbers
  enum class Of { VELOCITIES, FORCES };

  using Part = std::function<void(double *)>;          // writes this rank's part
  using Done = std::function<void(const double *)>;    // gets the sums

  RankSum(Of what, int n, Part part, Done done = nullptr) :
      nnumbers(n), of(what), part_(std::move(part)), done_(std::move(done))
  {
  }
  RankSum(const RankSum &) = delete;
  RankSum &operator=(const RankSum &) = delete;

  const int nnumbers;
  int group = -1;                    // whose velocities are summed; -1: others from step to step
  std::array<double, MOST> total;    // sums, since reduce()

  bool of_velocities() const { return of == Of::VELOCITIES; }

  /** Make several of them by one reduction over the ranks of a LAMMPS object.  Collective. */
  static void reduce(const std::vector<RankSum *> &, class LAMMPS *);

 private:
  const Of of;
  Part part_;
  Done done_;
};

}    // namespace LAMMPS_NS

#endif
