// SPDX-License-Identifier: GPL-2.0-only

#include "atom_matcher.h"

#include <cmath>

namespace TOFU_NS {

namespace {

  std::uint64_t hash_value(std::int64_t id)
  {
    return static_cast<std::uint64_t>(id) * 0x9e3779b97f4a7c15u;    // 2^64 by the golden ratio
  }

  /** Smallest number of bits that have at least n values; at least one. */
  int bits_for(std::size_t n)
  {
    int bits = 1;
    while ((std::size_t{1} << bits) < n) bits++;
    return bits;
  }

  template <class Real> bool near(const float *a, const Real *b, double tolerance)
  {
    bool agree = true;
    for (int dim = 0; dim < 3; dim++) agree &= std::fabs(a[dim] - b[dim]) <= tolerance;
    return agree;
  }

}    // namespace

/* ---------------------------------------------------------------------- */

void AtomMatcher::list_entries(const Tables &transfers, const std::vector<std::vector<int>> &local)
{
  entries_.clear();
  for (std::size_t p = 0; p < transfers.size(); p++)
    for (std::size_t k = 0; k < transfers[p]->table().size(); k++) {
      const TableAtom &atom = transfers[p]->table()[k];
      entries_.push_back({atom.id, {atom.x[0], atom.x[1], atom.x[2]}, -1, local[p][k]});
    }
}

/* ---------------------------------------------------------------------- */

template <class Tag>
void AtomMatcher::find(const Tables &transfers, int natoms, const Tag *tag, const double *x,
                       double tolerance, int nextra, std::vector<std::vector<int>> &local)
{
  list_entries(transfers, local);
  hash();
  for (int i = 0; i < natoms; i++) {
    const std::uint64_t bit = hash_value(tag[i]) >> filter_shift_;
    if (!(filter_[bit / 64] >> bit % 64 & 1)) continue;
    for (int n = slot_of(tag[i]); n >= 0; n = entries_[n].next) {
      Entry &entry = entries_[n];
      if (entry.atom == UNKNOWN && near(entry.x, x + 3 * static_cast<std::size_t>(i), tolerance))
        entry.atom = i;
    }
  }
  list_missing(transfers, tolerance, nextra);

  std::size_t n = 0;
  for (std::vector<int> &table : local)
    for (int &atom : table) atom = entries_[n++].atom;
}

/* ----------------------------------------------------------------------
   a quarter of the slots and a 32nd of the bits at most are in use, so that
   one bit rejects nearly all atoms that are not searched for
------------------------------------------------------------------------- */

void AtomMatcher::hash()
{
  const int slot_bits = bits_for(4 * entries_.size()), filter_bits = slot_bits + 3;
  slot_shift_ = 64 - slot_bits;
  filter_shift_ = 64 - filter_bits;
  slots_.assign(std::size_t{1} << slot_bits, -1);
  filter_.assign(((std::size_t{1} << filter_bits) + 63) / 64, 0);

  for (std::size_t n = 0; n < entries_.size(); n++) {
    Entry &entry = entries_[n];
    int &slot = slot_of(entry.id);
    entry.next = slot;
    slot = static_cast<int>(n);
    if (entry.atom != UNKNOWN) continue;    // only for find_missing()
    const std::uint64_t bit = hash_value(entry.id) >> filter_shift_;
    filter_[bit / 64] |= std::uint64_t{1} << bit % 64;
  }
}

/* ---------------------------------------------------------------------- */

int &AtomMatcher::slot_of(std::int64_t id)
{
  std::size_t slot = hash_value(id) >> slot_shift_;
  while (slots_[slot] >= 0 && entries_[slots_[slot]].id != id)
    slot = (slot + 1) & (slots_.size() - 1);
  return slots_[slot];
}

/* ---------------------------------------------------------------------- */

void AtomMatcher::list_missing(const Tables &transfers, double tolerance, int nextra)
{
  std::size_t n = 0;
  for (std::size_t p = 0; p < transfers.size(); p++)
    for (const TableAtom &atom : transfers[p]->table()) {
      Entry &entry = entries_[n++];
      if (entry.atom != UNKNOWN) continue;
      entry.atom = find_missing(entry, tolerance);
      if (entry.atom != UNKNOWN) continue;
      entry.atom = ~(nextra + static_cast<int>(missing_.size()));
      missing_.push_back({atom, transfers[p]->box_shift(), static_cast<int>(p)});
    }
}

/* ---------------------------------------------------------------------- */

int AtomMatcher::find_missing(const Entry &entry, double tolerance)
{
  for (int n = slot_of(entry.id); n >= 0; n = entries_[n].next) {
    const Entry &other = entries_[n];
    if (other.atom < 0 && other.atom != UNKNOWN && near(other.x, entry.x, tolerance))
      return other.atom;
  }
  return UNKNOWN;
}

/* ---------------------------------------------------------------------- */

void AtomMatcher::set_missing(const std::vector<int> &ghost, std::vector<std::vector<int>> &local)
{
  for (std::vector<int> &table : local)
    for (int &atom : table)
      if (atom < 0) atom = ghost[~atom];
}

template void AtomMatcher::find(const Tables &, int, const std::int32_t *, const double *, double,
                                int, std::vector<std::vector<int>> &);
template void AtomMatcher::find(const Tables &, int, const std::int64_t *, const double *, double,
                                int, std::vector<std::vector<int>> &);

}    // namespace TOFU_NS
