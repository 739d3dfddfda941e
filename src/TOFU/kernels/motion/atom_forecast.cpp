// SPDX-License-Identifier: GPL-2.0-only

#include "atom_forecast.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/motion/atom_forecast.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  namespace hn = hwy::HWY_NAMESPACE;

  /** As many atoms at a time as a vector has lanes. */
  class Forecast {
   public:
    Forecast()
    {
      for (double &square : squares_) square = 0.0;
    }

    void add(const AtomHistory &history, int natoms)
    {
      const int lanes = static_cast<int>(hn::Lanes(D())), nwhole = natoms / lanes * lanes;
      for (int first = 0; first < nwhole; first += lanes) {
        const std::size_t at = 3 * static_cast<std::size_t>(first);
        add_some({history.hold + at, history.before3 + at, history.before2 + at,
                  history.before1 + at, history.now + at});
      }
      if (nwhole < natoms) add_last(history, nwhole, natoms);
    }

    void add_to(PathForecast &forecast) const
    {
      for (int k = 0; k < STEPS; k++)
        forecast.farthest[k] = std::max(forecast.farthest[k], largest(k));
      forecast.change = std::max(forecast.change, largest(CHANGE));
      forecast.gain = std::max(forecast.gain, largest(GAIN));
    }

   private:
    static constexpr int STEPS = PathForecast::STEPS, CHANGE = STEPS, GAIN = STEPS + 1;
    using D = hn::CappedTag<double, 8>;
    using V = hn::Vec<D>;
    static constexpr std::size_t LANES = hn::MaxLanes(D());

    HWY_ALIGN double squares_[(STEPS + 2) * LANES];    // the largest of each lane

    double largest(int what) const
    {
      const double *const squares = squares_ + what * LANES;
      return *std::max_element(squares, squares + hn::Lanes(D()));
    }

    /** A square that is not a number is not larger. */
    HWY_INLINE void add_square(int what, V x, V y, V z)
    {
      const D d;
      const V square = hn::MulAdd(x, x, hn::MulAdd(y, y, hn::Mul(z, z)));
      const V before = hn::Load(d, squares_ + what * LANES);
      hn::Store(hn::IfThenElse(hn::Gt(square, before), square, before), d, squares_ + what * LANES);
    }

    HWY_INLINE void add_some(const AtomHistory &history)
    {
      const D d;
      V xhold, yhold, zhold, x3, y3, z3, x2, y2, z2, x1, y1, z1, x, y, z;
      hn::LoadInterleaved3(d, history.hold, xhold, yhold, zhold);
      hn::LoadInterleaved3(d, history.before3, x3, y3, z3);
      hn::LoadInterleaved3(d, history.before2, x2, y2, z2);
      hn::LoadInterleaved3(d, history.before1, x1, y1, z1);
      hn::LoadInterleaved3(d, history.now, x, y, z);

      V vx = hn::Sub(x, x1), vy = hn::Sub(y, y1), vz = hn::Sub(z, z1);
      const V ux = hn::Sub(x1, x2), uy = hn::Sub(y1, y2), uz = hn::Sub(z1, z2);
      const V ax = hn::Sub(vx, ux), ay = hn::Sub(vy, uy), az = hn::Sub(vz, uz);
      add_square(GAIN, ax, ay, az);
      add_square(CHANGE, hn::Sub(ax, hn::Sub(ux, hn::Sub(x2, x3))),
                 hn::Sub(ay, hn::Sub(uy, hn::Sub(y2, y3))),
                 hn::Sub(az, hn::Sub(uz, hn::Sub(z2, z3))));

      x = hn::Sub(x, xhold);
      y = hn::Sub(y, yhold);
      z = hn::Sub(z, zhold);
      for (int k = 0; k < STEPS; k++) {    // k V + k (k+1)/2 A: in each step V grows first
        vx = hn::Add(vx, ax);
        vy = hn::Add(vy, ay);
        vz = hn::Add(vz, az);
        x = hn::Add(x, vx);
        y = hn::Add(y, vy);
        z = hn::Add(z, vz);
        add_square(k, x, y, z);
      }
    }

    /** The last of them fills the lanes that are left. */
    void add_last(const AtomHistory &history, int first, int natoms)
    {
      double rows[5][3 * LANES];
      const double *const from[5] = {history.hold, history.before3, history.before2,
                                     history.before1, history.now};
      const int lanes = static_cast<int>(hn::Lanes(D()));
      for (int k = 0; k < 5; k++)
        for (int lane = 0; lane < lanes; lane++) {
          const std::size_t atom = std::min(first + lane, natoms - 1);
          std::copy_n(from[k] + 3 * atom, 3, rows[k] + 3 * lane);
        }
      add_some({rows[0], rows[1], rows[2], rows[3], rows[4]});
    }
  };

  void add_forecast(const AtomHistory &history, int natoms, PathForecast &forecast)
  {
    Forecast of_these;
    of_these.add(history, natoms);
    of_these.add_to(forecast);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(void, add_forecast, (const AtomHistory &history, int natoms, PathForecast &forecast),
            (history, natoms, forecast));

}    // namespace TOFU_NS
#endif
