// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_CENTERS_STYLE_H
#define LMP_CENTERS_STYLE_H

#include "centers_on_pool.h"
#include "threadpool/pool/work_on_pool.h"

#include "atom.h"

#include <string>
#include <vector>

namespace LAMMPS_NS {

/** A potential of triples of elements on the pool: Base with another compute().

    A style derives from it, fills tables, and has a kernel.  Base computes in steps in which a
    compute tallies pairs, or wants stresses about centroids, and with settings that the kernel does
    not have. */
template <class Base> class CentersStyle : public Base, public WorkOnPool {
 public:
  CentersStyle(class LAMMPS *lmp) : Base(lmp), on_pool(lmp) {}

  void init_style() override
  {
    Base::init_style();
    on_pool.adjust_request(this);
    stale = true;
  }

  double init_one(int i, int j) override
  {
    stale = true;
    return Base::init_one(i, j);
  }

  void compute(int eflag, int vflag) override
  {
    this->ev_init(eflag, vflag);
    if (stale) fill_tables();
    stale = false;
    if (!refused_settings().empty() || this->cvflag_atom || this->num_tally_compute) {
      Base::compute(eflag, vflag);
      return;
    }
    prepare_step();
    // several elements are told apart by the map of the style
    on_pool.compute(this, this->list, this->nelements > 1 ? this->map : nullptr, cutoff(),
                    [this](const CenterJob &job) { kernel(job); });
    if (this->vflag_fdotr) this->virial_fdotr_compute();
  }

  double memory_usage() override { return Base::memory_usage() + on_pool.memory_usage(); }

  std::string left_to_lammps() const override
  {
    return this->num_tally_compute ? "a compute tallies single pairs" : refused_settings();
  }

 protected:
  using CenterJob = TOFU_NS::CenterJob;

  CentersOnPool on_pool;
  bool stale = true;    // tables must be filled anew

  /** Copy LAMMPS' coefficients, which may have changed. */
  virtual void fill_tables() = 0;

  /** Settings that the tables have no place for, in a few words; empty if there are none. */
  virtual std::string refused_settings() const { return ""; }

  /** Set what changes from step to step. */
  virtual void prepare_step() {}

  /** Of all neighbors that count. */
  virtual double cutoff() const { return this->cutmax; }

  virtual void kernel(const CenterJob &) = 0;

  /** [natoms] atom IDs for kernels. */
  const double *tags_as_numbers()
  {
    const auto *const atom = this->atom;
    tags.assign(atom->tag, atom->tag + atom->nlocal + atom->nghost);
    return tags.data();
  }

  const typename Base::Param &param(int i, int j, int k) const
  {
    return this->params[this->elem3param[i][j][k]];
  }

  /** call(i, j) for each pair of elements, call(i, j, k) for each triple. */
  template <class Call> void for_pairs(Call call) const
  {
    for (int i = 0; i < this->nelements; i++)
      for (int j = 0; j < this->nelements; j++) call(i, j);
  }
  template <class Call> void for_triples(Call call) const
  {
    for_pairs([&](int i, int j) {
      for (int k = 0; k < this->nelements; k++) call(i, j, k);
    });
  }

 private:
  std::vector<double> tags;
};

}    // namespace LAMMPS_NS

#endif
