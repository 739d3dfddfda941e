// SPDX-License-Identifier: GPL-2.0-only
//
// Machine: where the processors of this host are, by hwloc where TOFU was built with it, else by
// what Linux tells about cores.

#ifndef TOFU_POOL_MACHINE_H
#define TOFU_POOL_MACHINE_H

#include <memory>

namespace TOFU_NS {

/** Where a processor is. */
struct ProcessorPlace {
  int core;              // processors of one core share its units; cores with near numbers share
                         // caches and memory, if hwloc tells
  int domain = -1;       // NUMA domain; -1: not known
  bool small = false;    // a core for little power beside large ones (E core, LITTLE)
};

class Machine {
 public:
  /** Looks at this host, or at the description in HWLOC_XMLFILE or HWLOC_SYNTHETIC. */
  Machine();
  ~Machine();

  ProcessorPlace place_of(int processor) const;

  /** This host, looked at once. */
  static const Machine &here();

 private:
  struct Topology;
  std::unique_ptr<Topology> topology_;    // of hwloc; nullptr if there is none
};

}    // namespace TOFU_NS

#endif
