// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_BASE_POSITION_HISTORY_H
#define TOFU_BASE_POSITION_HISTORY_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace TOFU_NS {

/** Positions of the same atoms in some of the last steps. */
class PositionHistory {
 public:
  using Step = std::int64_t;
  static constexpr int NSTEPS = 3;

  /** Steps may be numbered anew, or atoms are others. */
  void forget()
  {
    for (Kept &one : kept_) one.step = -1;
  }

  /** Memory for the positions of a step, [natoms][3], in place of those NSTEPS steps earlier. */
  double *keep(Step step, int natoms)
  {
    Kept &one = kept_[step % NSTEPS];
    one.x.resize(3 * static_cast<std::size_t>(natoms));
    one.step = step;
    return one.x.data();
  }

  /** Those of a step, nullptr if they are not kept, or there were others than natoms atoms. */
  const double *at(Step step, int natoms) const
  {
    if (step < 0) return nullptr;
    const Kept &one = kept_[step % NSTEPS];
    const bool same = one.step == step && one.x.size() == 3 * static_cast<std::size_t>(natoms);
    return same ? one.x.data() : nullptr;
  }

  std::size_t nbytes() const
  {
    std::size_t n = 0;
    for (const Kept &one : kept_) n += one.x.capacity() * sizeof(double);
    return n;
  }

 private:
  struct Kept {
    Step step = -1;
    std::vector<double> x;
  };
  std::array<Kept, NSTEPS> kept_;    // that of a step at its number
};

}    // namespace TOFU_NS

#endif
