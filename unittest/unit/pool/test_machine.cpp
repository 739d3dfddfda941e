// SPDX-License-Identifier: GPL-2.0-only

#include "unit/testing.h"

#include "pool/machine.h"
#include "pool/processors.h"

#include <fstream>
#include <unistd.h>

using namespace TOFU_NS;

TEST(Machine, EachProcessorOfThisProcessIsOnACore)
{
  const Machine machine;
  for (const int processor : allowed_processors()) EXPECT_GE(machine.place_of(processor).core, 0);
}

TEST(Machine, AProcessorThatIsNotThereHasAPlaceOfItsOwn)
{
  EXPECT_EQ(Machine().place_of(100000).core, 100000);
}

#ifdef TOFU_HWLOC
#include <hwloc.h>

namespace {

/** A machine that is described to hwloc. */
class MachineOfHwloc : public testing::Test {
 protected:
  ~MachineOfHwloc() override
  {
    unsetenv("HWLOC_SYNTHETIC");
    unsetenv("HWLOC_XMLFILE");
  }
};

}    // namespace

TEST_F(MachineOfHwloc, ProcessorsOfACoreHaveOnePlaceAndThoseOfACacheFollowEachOther)
{
  // two NUMA domains with a cache and two cores each; second processors of cores have numbers from
  // 4 on, and even ones are in the first domain
  setenv("HWLOC_SYNTHETIC", "numa:2 l3:1 core:2(indexes=3,0,2,1) pu:2(indexes=0,4,2,6,1,5,3,7)", 1);
  const Machine machine;
  EXPECT_EQ(machine.place_of(0).core, machine.place_of(4).core);
  EXPECT_EQ(machine.place_of(3).core, machine.place_of(7).core);
  EXPECT_EQ(std::abs(machine.place_of(0).core - machine.place_of(2).core), 1);
  EXPECT_EQ(machine.place_of(6).domain, machine.place_of(0).domain);
  EXPECT_NE(machine.place_of(1).domain, machine.place_of(0).domain);
  std::set<int> cores;
  for (int processor = 0; processor < 8; processor++) {
    cores.insert(machine.place_of(processor).core);
    EXPECT_FALSE(machine.place_of(processor).small);
  }
  EXPECT_EQ(cores, (std::set<int>{0, 1, 2, 3}));
}

TEST_F(MachineOfHwloc, SmallCoresAreToldFromLargeOnesAndFrequenciesDoNotCount)
{
  struct Kind {
    const char *name;
    const char *values[3];    // of the cores 0-1, 2-3, 4-5
    bool small[3];
  };
  const Kind kinds[] = {{"CoreType", {"IntelCore", "IntelAtom", "IntelAtom"}, {false, true, true}},
                        {"LinuxCapacity", {"1024", "1000", "400"}, {false, false, true}},
                        {"FrequencyMaxMHz", {"5000", "4000", "2000"}, {false, false, false}}};
  for (const Kind &kind : kinds) {
    hwloc_topology_t described;
    ASSERT_EQ(hwloc_topology_init(&described), 0);
    ASSERT_EQ(hwloc_topology_set_synthetic(described, "core:6 pu:1"), 0);
    ASSERT_EQ(hwloc_topology_load(described), 0);
    for (unsigned n = 0; n < 3; n++) {
      hwloc_bitmap_t cores = hwloc_bitmap_alloc();
      hwloc_bitmap_set_range(cores, 2 * n, static_cast<int>(2 * n + 1));
      hwloc_info_s info = {const_cast<char *>(kind.name), const_cast<char *>(kind.values[n])};
      ASSERT_EQ(hwloc_cpukinds_register(described, cores, -1, 1, &info, 0), 0);
      hwloc_bitmap_free(cores);
    }
    const std::string path = "/tmp/tofu-machine-" + std::to_string(getpid()) + ".xml";
    ASSERT_EQ(hwloc_topology_export_xml(described, path.c_str(), 0), 0);
    hwloc_topology_destroy(described);
    setenv("HWLOC_XMLFILE", path.c_str(), 1);
    const Machine machine;
    for (int core = 0; core < 6; core++)
      EXPECT_EQ(machine.place_of(core).small, kind.small[core / 2]) << kind.name << " " << core;
    unlink(path.c_str());
  }
}

#endif
