// SPDX-License-Identifier: GPL-2.0-only
//
// PartnerLinks: links between ranks that hand work to each other, partners, beside those of a plan.

#ifndef TOFU_HALO_PARTNER_LINKS_H
#define TOFU_HALO_PARTNER_LINKS_H

#include "halo/halo_plan.h"

#include <functional>
#include <map>
#include <vector>

namespace TOFU_NS {

class PartnerLinks {
 public:
  using RanksOf = std::function<std::vector<int>(int rank)>;

  /** \param partners_of   partners of a rank, which each have it among theirs; the same function on
                           all ranks, valid as long as it is set; nullptr: no rank has partners
      \param with_senders_to_partners   whether ranks are linked to all ranks that send ghosts to
                                        their partners, too
      \param signature     numbers that differ when partners do; the same on all ranks */
  void set(RanksOf partners_of, bool with_senders_to_partners, const std::vector<int> &signature);

  /** Numbers that differ when partners, or the links that they need, do; the same on all ranks. */
  std::vector<int> signature() const;

  /** Ranks that a rank is to be linked to.  The relation is symmetric.

      \param plan           of this rank
      \param me             this rank
      \param neighbors_of   neighbors of another rank in its plan, ascending
      \return               rank -> how many sub-boxes away */
  std::map<int, int> wanted(const HaloPlan &plan, int me, const RanksOf &neighbors_of);

  /** Whether a partner, the receiver of rows, has a link to the owner of an atom, as of the last
      wanted(). */
  bool links_receiver_to_owner(int receiver, int owner) const;

  bool is_partner(int rank) const { return neighbors_.count(rank) > 0; }
  int npartners() const { return static_cast<int>(neighbors_.size()); }

 private:
  RanksOf partners_of_;
  bool with_senders_ = false;
  std::vector<int> signature_;                   // of partners, in short
  std::map<int, std::vector<int>> neighbors_;    // of each partner, ascending
};

}    // namespace TOFU_NS

#endif
