// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(eam/cd/threadpool,PairEAMCDOneSiteThreadpool);
PairStyle(eam/cd/old/threadpool,PairEAMCDTwoSiteThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_EAM_CD_THREADPOOL_H
#define LMP_PAIR_EAM_CD_THREADPOOL_H

#include "pair_eam_cd.h"

#include "lammps/lammps_version.h"
#include "threadpool/manybody/embedded_style.h"

#include "kernels/manybody/eam_cd.h"

namespace LAMMPS_NS {

using BasesOfEAMCD = TOFU_NS::VirtualBases<PairEAM, PairEAMCD>;

class PairEAMCDThreadpool :
    public EmbeddedStyle<PairEAMCD, TOFU_NS::EAMCDAtom::STRIDE, TOFU_NS::EAMCDAtom::STRIDE> {
 public:
  void compute(int, int) override;

 protected:
  template <class... Bases>
  PairEAMCDThreadpool(class LAMMPS *lmp, int version, TOFU_NS::BasesToConstruct<Bases...>) :
      Bases(lmp)..., EmbeddedStyle(lmp, version)
  {
  }

  void fill_tables() override;
  double spline_bytes() const override;

 private:
  TOFU_NS::EAMCDTables tables;

  void allocate_numbers();
  void embed(bool energy);
  void differentiate(int i);
};

class PairEAMCDOneSiteThreadpool : public PairEAMCDThreadpool {
 public:
  PairEAMCDOneSiteThreadpool(class LAMMPS *lmp) : PairEAMCDOneSiteThreadpool(lmp, BasesOfEAMCD()) {}

 private:
  template <class... Bases>
  PairEAMCDOneSiteThreadpool(class LAMMPS *lmp, TOFU_NS::BasesToConstruct<Bases...> bases) :
      Bases(lmp)..., PairEAMCDThreadpool(lmp, 1, bases)
  {
  }
};

class PairEAMCDTwoSiteThreadpool : public PairEAMCDThreadpool {
 public:
  PairEAMCDTwoSiteThreadpool(class LAMMPS *lmp) : PairEAMCDTwoSiteThreadpool(lmp, BasesOfEAMCD()) {}

 private:
  template <class... Bases>
  PairEAMCDTwoSiteThreadpool(class LAMMPS *lmp, TOFU_NS::BasesToConstruct<Bases...> bases) :
      Bases(lmp)..., PairEAMCDThreadpool(lmp, 2, bases)
  {
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
