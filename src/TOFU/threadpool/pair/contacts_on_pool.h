// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_CONTACTS_ON_POOL_H
#define LMP_CONTACTS_ON_POOL_H

#include "pointers.h"

#include "pair_on_pool.h"

#include "base/weighed_shares.h"
#include "kernels/granular/contact_data.h"
#include "lammps/last_build.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace LAMMPS_NS {

/** Contacts of spheres by the threads of a rank.  The list is a half one for any number of parts,
    since each pair has one history.  A part changes its own atoms only.  It keeps reactions for the
    atoms of other parts, which add them when all contacts are computed. */
class ContactsOnPool : protected Pointers {
 public:
  ContactsOnPool(LAMMPS *);
  ~ContactsOnPool() override;

  /** To be called at the end of init_style(). */
  void init(class Pair *);

  /** Whether contacts conduct heat; without this call they do not. */
  void set_conducts(bool yes) { conducts = yes; }

  /** Why contacts cannot be computed here: masses are those of rigid bodies, or atoms have bonds,
      whose partners may have no contact.  Empty if they can.

      \param fix_rigid   that of the pair style; nullptr: none */
  std::string left_to_lammps(const class Fix *fix_rigid) const;

  /** True before the first step of a run: contacts do not slide. */
  bool is_setup() const;

  /** Pairs of one part; virial is nullptr if not wanted. */
  using Kernel = std::function<void(const TOFU_NS::Spheres &, const TOFU_NS::ContactPairs &,
                                    const TOFU_NS::ContactForces &, double *virial)>;

  /** Forces and torques of all contacts.

      \param list               of the pair style
      \param history            of the list; nullptr: contacts have none
      \param nhistory           numbers of a contact in it
      \param freeze_group_bit   of atoms that do not move
      \param virial             [6] added to; nullptr if not wanted */
  void compute(class NeighList *list, class FixNeighHistory *history, int nhistory,
               int freeze_group_bit, double *virial, const Kernel &);

  double memory_usage() const;

 private:
  struct Part;

  PairOnPool on_pool;
  std::vector<std::unique_ptr<Part>> parts;
  TOFU_NS::WeighedShares shares;    // of rows

  class NeighList *list = nullptr;
  class FixNeighHistory *history = nullptr;
  int nhistory = 0;
  int freeze_group_bit = 0;
  bool conducts = false;
  TOFU_NS::LastBuild made_at;    // when parts were made
  const class NeighList *list_of_parts = nullptr;

  bool parts_are_old() const;
  void make_parts();
  void deal_rows();
  int work_of(int row) const;
  void share_atoms();
  void share_pairs(Part &, int first, int last) const;
  void compute_contacts(const Kernel &, bool virial);
  double *heat_flow() const;
  void add_reactions();
};

}    // namespace LAMMPS_NS

#endif
