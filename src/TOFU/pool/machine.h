// SPDX-License-Identifier: GPL-2.0-only
//
// Machine: places of the processors of this host, from hwloc where TOFU was built with it, else
// from Linux' list of cores.

#ifndef TOFU_POOL_MACHINE_H
#define TOFU_POOL_MACHINE_H

#include <memory>

namespace TOFU_NS {

/** Place of a processor. */
struct ProcessorPlace {
  int core;              // processors of one core share its units; with hwloc, cores with near
                         // numbers share caches and memory
  int domain = -1;       // NUMA domain; -1: unknown
  bool small = false;    // a core for little power beside large ones (E core, LITTLE)
};

class Machine {
 public:
  /** Reads the topology of this host, or the description in HWLOC_XMLFILE or HWLOC_SYNTHETIC. */
  Machine();
  ~Machine();

  ProcessorPlace place_of(int processor) const;

  /** This host; its topology is read once. */
  static const Machine &here();

 private:
  struct Topology;
  std::unique_ptr<Topology> topology_;    // of hwloc; nullptr if there is none
};

}    // namespace TOFU_NS

#endif
