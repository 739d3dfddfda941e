// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(reaxff/threadpool,PairReaxFFThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_REAXFF_THREADPOOL_H
#define LMP_PAIR_REAXFF_THREADPOOL_H

#include "pair_reaxff.h"

#include "threadpool/pool/work_on_pool.h"

#include <memory>

namespace LAMMPS_NS {

/** pair_style reaxff on the pool.  Commands and files are read by LAMMPS' style, whose data
    structures for other styles (api->lists, api->workspace) get the bonds of owned atoms if such a
    style is defined. */
class PairReaxFFThreadpool : public PairReaxFF, public WorkOnPool {
 public:
  PairReaxFFThreadpool(class LAMMPS *);
  ~PairReaxFFThreadpool() override;
  void init_style() override;
  double init_one(int, int) override;
  void setup() override {}    // LAMMPS' style allocates its lists here
  void compute(int, int) override;
  double memory_usage() override;
  void add_tally_callback(class Compute *) override;

 private:
  const std::unique_ptr<class ReaxFFOnPool> on_pool;
  bool stale = true;           // tables must be filled anew
  bool has_readers = false;    // of bonds
  bool has_warned = false;     // of the taper

  struct Published;
  const std::unique_ptr<Published> published;    // what api points to

  bool list_lacks_pairs() const;
  void fill_tables();
  void fill_elements();
  void fill_pairs();
  void fill_triples();
  void fill_torsions();
  void check_taper();
  void fill_far_pairs();
  const double *potential_of_acks2();
  void publish_bonds();
  void publish_species();
};

}    // namespace LAMMPS_NS

#endif
#endif
