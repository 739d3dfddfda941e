// SPDX-License-Identifier: GPL-2.0-only

#include "part_times.h"

#include <algorithm>
#include <ctime>
#include <utility>

namespace TOFU_NS {

namespace {

  constexpr int READS = 200;    // of the clock, to find its own time

}    // namespace

/* ---------------------------------------------------------------------- */

void PartTimes::Sums::add(const Fork &fork)
{
  alone += fork.alone;
  if (fork.parts.empty()) return;
  for (double seconds : fork.parts) parts += seconds;
  longest += *std::max_element(fork.parts.begin(), fork.parts.end());
  nforks++;
}

/* ---------------------------------------------------------------------- */

void PartTimes::Sums::add(const Sums &other)
{
  alone += other.alone;
  parts += other.parts;
  longest += other.longest;
  nforks += other.nforks;
}

/* ---------------------------------------------------------------------- */

PartTimes::PartTimes()
{
  double least = 1.0;
  for (int read = 0; read < READS; read++) {
    const double begin = now();
    least = std::min(least, now() - begin);
  }
  clock_ = least;
}

/* ---------------------------------------------------------------------- */

void PartTimes::begin()
{
  forks_.clear();
  mark_ = now();
}

/* ---------------------------------------------------------------------- */

std::vector<PartTimes::Fork> PartTimes::take()
{
  forks_.push_back({without_clock(now() - mark_), {}});
  std::vector<Fork> taken = std::move(forks_);
  begin();
  return taken;
}

/* ---------------------------------------------------------------------- */

void PartTimes::open(int nparts)
{
  forks_.push_back({without_clock(now() - mark_), {}});
  times_.assign(nparts, Time{0.0});    // parts behind one that throws do not begin
}

/* ---------------------------------------------------------------------- */

int PartTimes::first_part(int nparts)
{
  return static_cast<int>(random_() % static_cast<unsigned>(nparts));
}

/* ---------------------------------------------------------------------- */

void PartTimes::close()
{
  for (const Time &time : times_) forks_.back().parts.push_back(without_clock(time.seconds));
  times_.clear();
  mark_ = now();
}

/* ---------------------------------------------------------------------- */

double PartTimes::without_clock(double seconds) const
{
  return std::max(0.0, seconds - clock_);
}

/* ---------------------------------------------------------------------- */

double PartTimes::now()
{
#ifdef CLOCK_THREAD_CPUTIME_ID
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
#else
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
#endif
}

}    // namespace TOFU_NS
