// SPDX-License-Identifier: GPL-2.0-only

#include "side_solve.h"

#include <chrono>

namespace TOFU_NS {

using Clock = std::chrono::steady_clock;

static double seconds_since(Clock::time_point start)
{
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/* ---------------------------------------------------------------------- */

void SideSolve::start(std::int64_t step)
{
  request.parts = Parts();
  step_ = step;
  thread_->start([this]() { run(); });
}

/* ---------------------------------------------------------------------- */

bool SideSolve::started_for(std::int64_t step, const MeshRequest &wanted) const
{
  const auto has = [](bool want, bool got) {
    return got || !want;
  };
  return busy() && step_ == step && has(wanted.energy, request.energy) &&
      has(wanted.virial, request.virial) && has(wanted.atom_energy, request.atom_energy) &&
      has(wanted.atom_virial, request.atom_virial);
}

/* ---------------------------------------------------------------------- */

void SideSolve::run()
{
  const auto start = Clock::now();
  results_ = solve_(request);
  times_.last = seconds_since(start);
  times_.solving += times_.last;
  times_.nsolved++;
}

/* ---------------------------------------------------------------------- */

const MeshResults &SideSolve::finish(const Parts &parts)
{
  const auto start = Clock::now();
  if (busy()) {
    thread_->join();
  } else {
    request.parts = parts;
    run();
  }
  times_.visible += seconds_since(start);
  return results_;
}

/* ---------------------------------------------------------------------- */

double SideSolve::measure(const Parts &parts)
{
  const Times before = times_;
  finish(parts);
  const double seconds = times_.last;
  times_ = before;
  return seconds;
}

}    // namespace TOFU_NS
