// SPDX-License-Identifier: GPL-2.0-only
//
// PackedExchange: values that a routine packs for the atoms of each swap, from owners to ghosts or
// back.
//
// A routine may pack fewer values than the largest number per atom, so that their number is in
// front of them.  One thread calls all routines, in the plan's order.

#ifndef TOFU_HALO_PACKED_EXCHANGE_H
#define TOFU_HALO_PACKED_EXCHANGE_H

#include "halo/halo_exchange.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace TOFU_NS {

/** Memory that routines pack into; grows, never shrinks. */
class PackingBuffer {
 public:
  /** # of values that a routine may write behind those it was expected to write. */
  static constexpr int EXTRA = 1024;

  /** Room for nvalues, valid until the next call; what was there may be lost. */
  double *room(std::size_t nvalues)
  {
    if (values_.size() < nvalues) values_.resize(nvalues + nvalues / 2);
    return values_.data();
  }

  const double *data() const { return values_.data(); }

  /** Append a number of values, then the values themselves, to a message. */
  void append_to(Link &link, int nvalues) const
  {
    const std::int64_t count = nvalues;
    link.append(&count, sizeof(count));
    link.append(values_.data(), nvalues * sizeof(double));
  }

  double nbytes() const { return static_cast<double>(values_.capacity() * sizeof(double)); }

 private:
  std::vector<double> values_;
};

/** Values with their number in front of them.

    \param cursor   at the number; behind the values afterwards
    \return         the values, for routines that take them as not const */
inline double *get_counted(const std::byte *&cursor)
{
  std::int64_t count;
  std::memcpy(&count, cursor, sizeof(count));
  const auto values = reinterpret_cast<const double *>(cursor + sizeof(count));
  cursor += sizeof(count) + count * sizeof(double);
  return const_cast<double *>(values);
}

class PackedExchange {
 public:
  /** Both must outlive this object. */
  PackedExchange(HaloExchange &halo, PackingBuffer &buffer) : halo_(halo), buffer_(buffer) {}

  PackingBuffer &buffer() { return buffer_; }

  /** From owners to ghosts.

      \param nmost    largest # of values per atom
      \param pack     n = pack(natoms, list, values, pbc_flag, pbc)
      \param unpack   unpack(natoms, first, values) */
  template <class Pack, class Unpack> void forward(int nmost, Pack &&pack, Unpack &&unpack)
  {
    const auto pack_swap = [&](int i) {
      HaloSwap &swap = halo_.plan().swaps[i];
      double *const values = room(nmost, halo_.nsent(i));
      return pack(halo_.nsent(i), halo_.sent(i), values, swap.pbc_flag, swap.pbc);
    };
    halo_.forward(
        ReadOrder::FIXED, Callbacks::SERIAL,
        [&](int i, Link &link) { buffer_.append_to(link, pack_swap(i)); },
        [&](int i, const std::byte *&cursor) {
          unpack(halo_.nghosts(i), halo_.first_ghost(i), get_counted(cursor));
        },
        [&](int i) {
          pack_swap(i);
          unpack(halo_.nghosts(i), halo_.first_ghost(i), buffer_.room(0));
        });
  }

  /** From ghosts to owners.

      \param nmost    largest # of values per ghost
      \param pack     n = pack(natoms, first, values)
      \param unpack   unpack(natoms, list, values) */
  template <class Pack, class Unpack> void reverse(int nmost, Pack &&pack, Unpack &&unpack)
  {
    const auto pack_swap = [&](int i) {
      double *const values = room(nmost, halo_.nghosts(i));
      return pack(halo_.nghosts(i), halo_.first_ghost(i), values);
    };
    halo_.reverse(
        Callbacks::SERIAL, [&](int i, Link &link) { buffer_.append_to(link, pack_swap(i)); },
        [&](int i, const std::byte *&cursor) {
          unpack(halo_.nsent(i), halo_.sent(i), get_counted(cursor));
        },
        [&](int i) {
          pack_swap(i);
          unpack(halo_.nsent(i), halo_.sent(i), buffer_.room(0));
        });
  }

 private:
  double *room(int nmost, int natoms)
  {
    return buffer_.room(static_cast<std::size_t>(nmost) * natoms + PackingBuffer::EXTRA);
  }

  HaloExchange &halo_;
  PackingBuffer &buffer_;
};

}    // namespace TOFU_NS

#endif
