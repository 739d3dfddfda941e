// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_CONTACTS_STYLE_H
#define LMP_CONTACTS_STYLE_H

#include "contacts_on_pool.h"
#include "threadpool/pool/work_on_pool.h"

#include "kernels/granular/contacts.h"

namespace LAMMPS_NS {

using TOFU_NS::ContactLaw;

/** A style of contacts of spheres, derived from PairGranHookeHistory, by the threads of a rank. */
template <class Base, ContactLaw LAW> class ContactsStyle : public Base, public WorkOnPool {
 public:
  ContactsStyle(class LAMMPS *lmp) : Base(lmp), contacts(lmp)
  {
    // LAMMPS sets it in settings() alone, which read_restart does not call

    this->limit_damping = 0;
  }

  void compute(int eflag, int vflag) override
  {
    this->ev_init(eflag, vflag);

    if (this->vflag_atom || !left_to_lammps().empty()) {
      Base::compute(eflag, vflag);
      return;
    }
    const TOFU_NS::ContactCoefficients c = coefficients();
    const int nlocal = this->atom->nlocal;
    contacts.compute(
        this->list, this->fix_history, 3, this->freeze_group_bit,
        this->vflag_global ? this->virial : nullptr,
        [&c, nlocal](const auto &spheres, const auto &pairs, const auto &forces, double *virial) {
          TOFU_NS::contacts(c, spheres, pairs, forces, nlocal, virial);
        });
    if (this->vflag_fdotr) this->virial_fdotr_compute();
  }

  void init_style() override
  {
    Base::init_style();
    contacts.init(this);
  }

  double memory_usage() override { return Base::memory_usage() + contacts.memory_usage(); }

  /** Stress by atom is left to LAMMPS, too, in those steps that want it. */
  std::string left_to_lammps() const override { return contacts.left_to_lammps(this->fix_rigid); }

 private:
  ContactsOnPool contacts;

  TOFU_NS::ContactCoefficients coefficients() const
  {
    TOFU_NS::ContactCoefficients c;
    c.law = LAW;
    c.kn = this->kn;
    c.kt = this->kt;
    c.gamman = this->gamman;
    c.gammat = this->gammat;
    c.xmu = this->xmu;
    c.dt = contacts.is_setup() ? 0.0 : this->dt;
    c.limit_damping = this->limit_damping != 0;
    return c;
  }
};

}    // namespace LAMMPS_NS

#endif
