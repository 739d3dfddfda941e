// SPDX-License-Identifier: GPL-2.0-only

#include "partner_links.h"

#include "halo/rank_map.h"

#include <algorithm>
#include <utility>

namespace TOFU_NS {

void PartnerLinks::set(RanksOf partners_of, bool with_senders_to_partners,
                       const std::vector<int> &signature)
{
  partners_of_ = std::move(partners_of);
  with_senders_ = with_senders_to_partners;
  signature_.clear();
  append_fingerprint(fingerprint(signature), signature_);
}

/* ---------------------------------------------------------------------- */

std::vector<int> PartnerLinks::signature() const
{
  std::vector<int> numbers{partners_of_ ? 1 + with_senders_ : 0};
  numbers.insert(numbers.end(), signature_.begin(), signature_.end());
  return numbers;
}

/* ----------------------------------------------------------------------
   neighbors of the plan; partners; with_senders also all ranks that send ghosts to
   a partner, since an atom that a partner has as a ghost may be wanted here.
   Neighbors and partners are symmetric; the last two loops are the two sides of
   one relation
------------------------------------------------------------------------- */

std::map<int, int> PartnerLinks::wanted(const HaloPlan &plan, int me, const RanksOf &neighbors_of)
{
  std::map<int, int> hops;
  for (std::size_t i = 0; i < plan.neighbors.size(); i++) hops[plan.neighbors[i]] = plan.hops[i];

  neighbors_.clear();
  if (!partners_of_) return hops;
  const int far = hops.empty() ? 1 : *std::max_element(plan.hops.begin(), plan.hops.end()) + 1;
  for (const int partner : partners_of_(me)) {
    hops.insert({partner, far});
    neighbors_[partner] = neighbors_of(partner);
    if (!with_senders_) continue;
    for (const int other : neighbors_[partner]) hops.insert({other, far});
  }
  if (with_senders_)
    for (const int neighbor : plan.neighbors)
      for (const int other : partners_of_(neighbor)) hops.insert({other, far});
  hops.erase(me);
  return hops;
}

/* ---------------------------------------------------------------------- */

bool PartnerLinks::links_receiver_to_owner(int receiver, int owner) const
{
  if (with_senders_) return true;
  const auto found = neighbors_.find(receiver);
  return found != neighbors_.end() &&
      std::binary_search(found->second.begin(), found->second.end(), owner);
}

}    // namespace TOFU_NS
