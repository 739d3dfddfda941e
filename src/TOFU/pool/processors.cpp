// SPDX-License-Identifier: GPL-2.0-only

#include "processors.h"

#include <algorithm>
#include <map>
#include <set>

#ifdef __linux__
#include <pthread.h>
#include <sched.h>
#endif

namespace TOFU_NS {

#ifdef __linux__

namespace {

  constexpr int MOST_PROCESSORS = 1 << 16;

  // a set of processors of any size; CPU_SET() alone ends at 1024

  class ProcessorSet {
   public:
    ProcessorSet() : set(CPU_ALLOC(MOST_PROCESSORS)) { CPU_ZERO_S(size(), set); }
    ~ProcessorSet() { CPU_FREE(set); }
    ProcessorSet(const ProcessorSet &) = delete;
    ProcessorSet &operator=(const ProcessorSet &) = delete;

    static std::size_t size() { return CPU_ALLOC_SIZE(MOST_PROCESSORS); }
    void add(int processor) { CPU_SET_S(processor, size(), set); }
    bool has(int processor) const { return CPU_ISSET_S(processor, size(), set); }

    cpu_set_t *const set;
  };

  bool bind(pthread_t thread, const std::vector<int> &processors)
  {
    ProcessorSet wanted;
    for (int processor : processors) wanted.add(processor);
    return pthread_setaffinity_np(thread, ProcessorSet::size(), wanted.set) == 0;
  }

}    // namespace

/* ---------------------------------------------------------------------- */

std::vector<int> allowed_processors()
{
  ProcessorSet allowed;
  std::vector<int> processors;
  if (sched_getaffinity(0, ProcessorSet::size(), allowed.set) != 0) return processors;
  for (int processor = 0; processor < MOST_PROCESSORS; processor++)
    if (allowed.has(processor)) processors.push_back(processor);
  return processors;
}

/* ---------------------------------------------------------------------- */

bool bind_this_thread(const std::vector<int> &processors)
{
  return bind(pthread_self(), processors);
}

/* ---------------------------------------------------------------------- */

bool bind_thread(std::thread &thread, const std::vector<int> &processors)
{
  return bind(thread.native_handle(), processors);
}

#else    // no way to bind threads that we know of

std::vector<int> allowed_processors()
{
  std::vector<int> processors(std::thread::hardware_concurrency());
  for (std::size_t i = 0; i < processors.size(); i++) processors[i] = static_cast<int>(i);
  return processors;
}

bool bind_this_thread(const std::vector<int> &)
{
  return false;
}

bool bind_thread(std::thread &, const std::vector<int> &)
{
  return false;
}

#endif

/* ---------------------------------------------------------------------- */

namespace {

  // those that are linked to a process by processors in common, directly or through others

  std::vector<bool> sharing_with(const std::vector<std::vector<int>> &allowed, int me)
  {
    std::vector<bool> shares(allowed.size(), false);
    std::set<int> processors(allowed[me].begin(), allowed[me].end());
    shares[me] = true;
    for (bool more = true; more;) {
      more = false;
      for (std::size_t other = 0; other < allowed.size(); other++) {
        if (shares[other]) continue;
        for (int processor : allowed[other])
          shares[other] = shares[other] || processors.count(processor);
        if (!shares[other]) continue;
        processors.insert(allowed[other].begin(), allowed[other].end());
        more = true;
      }
    }
    return shares;
  }

}    // namespace

/* ----------------------------------------------------------------------
   processes that share take turns, core by core, in the processors that they
   all may use
------------------------------------------------------------------------- */

std::vector<int> processors_for(const std::vector<std::vector<int>> &allowed, int me,
                                const std::function<ProcessorPlace(int)> &place_of)
{
  const std::vector<bool> shares = sharing_with(allowed, me);
  std::size_t nsharing = 0, place = 0;
  std::set<int> common(allowed[me].begin(), allowed[me].end());
  for (std::size_t other = 0; other < allowed.size(); other++) {
    if (!shares[other]) continue;
    if (static_cast<int>(other) < me) place++;
    nsharing++;
    std::set<int> both;
    for (int processor : allowed[other])
      if (common.count(processor)) both.insert(processor);
    common = both;
  }

  std::map<int, std::vector<int>> large, all;    // by core
  for (int processor : common) {
    const ProcessorPlace where = place_of(processor);
    all[where.core].push_back(processor);
    if (!where.small) large[where.core].push_back(processor);
  }
  std::vector<int> by_core;
  for (const auto &one : large.size() >= nsharing ? large : all)
    by_core.insert(by_core.end(), one.second.begin(), one.second.end());

  const std::size_t n = by_core.size();
  const std::vector<int> mine(by_core.begin() + n * place / nsharing,
                              by_core.begin() + n * (place + 1) / nsharing);
  std::set<int> seen;
  std::vector<int> second;    // processors of a core that has one already
  std::vector<int> ordered;
  for (int processor : mine)
    (seen.insert(place_of(processor).core).second ? ordered : second).push_back(processor);
  ordered.insert(ordered.end(), second.begin(), second.end());
  return ordered;
}

}    // namespace TOFU_NS
