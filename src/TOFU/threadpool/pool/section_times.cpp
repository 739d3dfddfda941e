// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "section_times.h"

#include "pool/thread_pool.h"

#include "fmt/format.h"

#include <string>
#include <utility>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

namespace {

constexpr Timer::ttype NO_SECTION = Timer::TOTAL;
constexpr std::pair<const char *, Timer::ttype> SECTIONS[] = {
    {"Pair", Timer::PAIR},     {"Bond", Timer::BOND}, {"Kspace", Timer::KSPACE},
    {"Neigh", Timer::NEIGH},   {"Comm", Timer::COMM}, {"Output", Timer::OUTPUT},
    {"Modify", Timer::MODIFY}, {"Other", NO_SECTION}};

const char *name_of(Timer::ttype wanted)
{
  for (const auto &[name, section] : SECTIONS)
    if (section == wanted) return name;
  return "";
}

std::string row(const char *name, const PartTimes::Sums &sums, double all, int nparts,
                double nsteps)
{
  const double us = 1e6 / nsteps;
  return fmt::format("{:8} {:11.3f} {:11.3f} {:11.3f} {:8.2f} {:9.3f} {:9.3f}\n", name,
                     us * sums.alone, us * sums.parts, us * sums.longest,
                     static_cast<double>(sums.nforks) / nsteps,
                     all > 0.0 ? 100.0 * sums.alone / all : 0.0,
                     sums.parts > 0.0 ? nparts * sums.longest / sums.parts : 0.0);
}

}    // namespace

/* ---------------------------------------------------------------------- */

bool SectionTimes::write_to(const std::string &path)
{
  file.open(path);
  return file.is_open();
}

/* ---------------------------------------------------------------------- */

void SectionTimes::begin()
{
  running = true;
  ThreadPool::set_times(&times);
  times.begin();
}

/* ---------------------------------------------------------------------- */

void SectionTimes::stamp(Timer::ttype section)
{
  if (!running) return;    // minimizers build lists, too
  if (section == Timer::START) section = NO_SECTION;
  for (const PartTimes::Fork &fork : times.take()) {
    sums[section].add(fork);
    if (!file.is_open()) continue;
    file << name_of(section) << ' ' << fork.alone;
    for (double seconds : fork.parts) file << ' ' << seconds;
    file << '\n';
  }
  times.begin();    // without the time for the file
}

/* ---------------------------------------------------------------------- */

void SectionTimes::end()
{
  running = false;
  file.flush();
  ThreadPool::set_times(nullptr);
}

/* ---------------------------------------------------------------------- */

std::string SectionTimes::table(int nparts, double nsteps)
{
  PartTimes::Sums all;
  for (const PartTimes::Sums &one : sums) all.add(one);
  const double seconds = all.alone + all.parts;
  std::string text =
      fmt::format("TOFU threadpool: profile of rank 0, {} parts one after the other, "
                  "processor time [us a step], {} steps\n"
                  "Section        alone       parts     longest    forks   alone %  "
                  "longest/mean\n",
                  nparts, nsteps);
  for (const auto &[name, section] : SECTIONS)
    if (sums[section].alone + sums[section].parts > 0.0)
      text += row(name, sums[section], seconds, nparts, nsteps);
  text += row("Step", all, seconds, nparts, nsteps);
  sums.fill({});
  return text;
}
