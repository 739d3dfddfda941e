// SPDX-License-Identifier: GPL-2.0-only

#include "machine.h"

#include <cstdio>

#ifdef TOFU_HWLOC
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <hwloc.h>
#endif

namespace TOFU_NS {

namespace {

  /** Without hwloc: the lowest processor of its core; the processor itself where the system does
      not tell. */
  int lowest_sibling(int processor)
  {
    char name[96];
    std::snprintf(name, sizeof(name), "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
                  processor);
    int lowest = processor;
    if (FILE *file = std::fopen(name, "r")) {
      if (std::fscanf(file, "%d", &lowest) != 1) lowest = processor;
      std::fclose(file);
    }
    return lowest;
  }

}    // namespace

#if defined(TOFU_HWLOC) && HWLOC_API_VERSION >= 0x20400

struct Machine::Topology {
  hwloc_topology_t machine = nullptr;
  bool loaded = false;
  double largest_capacity = 0.0;    // of a core, by Linux; 0: not told

  Topology()
  {
    if (hwloc_topology_init(&machine) != 0) return;
    loaded = hwloc_topology_load(machine) == 0;
    const int nkinds = loaded ? hwloc_cpukinds_get_nr(machine, 0) : 0;
    for (int kind = 0; kind < nkinds; kind++)
      largest_capacity = std::max(largest_capacity, capacity(kind));
  }

  ~Topology()
  {
    if (machine) hwloc_topology_destroy(machine);
  }

  ProcessorPlace place_of(hwloc_obj_t processor) const
  {
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_CORE, processor);
    ProcessorPlace place;
    place.core = static_cast<int>((core ? core : processor)->logical_index);
    place.domain = hwloc_bitmap_first(processor->nodeset);
    place.small = is_small(hwloc_cpukinds_get_by_cpuset(machine, processor->cpuset, 0));
    return place;
  }

 private:
  const char *told(int kind, const char *name) const
  {
    unsigned ninfos = 0;
    hwloc_info_s *infos = nullptr;
    if (hwloc_cpukinds_get_info(machine, kind, nullptr, nullptr, &ninfos, &infos, 0) != 0)
      return "";
    for (unsigned i = 0; i < ninfos; i++)
      if (std::strcmp(infos[i].name, name) == 0) return infos[i].value;
    return "";
  }

  double capacity(int kind) const { return std::atof(told(kind, "LinuxCapacity")); }

  // frequencies do not count: equal cores may differ in their highest one

  bool is_small(int kind) const
  {
    if (kind < 0) return false;
    return std::strcmp(told(kind, "CoreType"), "IntelAtom") == 0
        ? hwloc_cpukinds_get_nr(machine, 0) > 1
        : capacity(kind) < 0.75 * largest_capacity;
  }
};

/* ---------------------------------------------------------------------- */

Machine::Machine() : topology_(std::make_unique<Topology>())
{
  if (!topology_->loaded) topology_.reset();
}

/* ---------------------------------------------------------------------- */

ProcessorPlace Machine::place_of(int processor) const
{
  const hwloc_obj_t found = topology_
      ? hwloc_get_pu_obj_by_os_index(topology_->machine, static_cast<unsigned>(processor))
      : nullptr;
  return found ? topology_->place_of(found) : ProcessorPlace{lowest_sibling(processor)};
}

#else

struct Machine::Topology {};

Machine::Machine() = default;

ProcessorPlace Machine::place_of(int processor) const
{
  return ProcessorPlace{lowest_sibling(processor)};
}

#endif

/* ---------------------------------------------------------------------- */

Machine::~Machine() = default;

/* ---------------------------------------------------------------------- */

const Machine &Machine::here()
{
  static const Machine machine;
  return machine;
}

}    // namespace TOFU_NS
