// SPDX-License-Identifier: GPL-2.0-only
//
// On the wire: RegionHeader, AtomSource[nnamed], 4 bytes more if their number is odd,
// RegionAtom[natoms-nnamed]

#include "region_transfer.h"

#include <algorithm>

namespace TOFU_NS {

namespace {

  constexpr std::uint32_t MARK = 0x54526567;    // where a transfer begins

  struct RegionHeader {
    std::uint32_t mark;
    std::int32_t natoms, ngiven, nowned, box_shift[3], nnamed, nseam, padding;
    double shift[3];
    std::int64_t nbytes;    // of the transfer
  };

  static_assert(sizeof(RegionHeader) == 72 && sizeof(AtomSource) == 12, "no padding on the wire");

  std::size_t nbytes_of_named(std::int64_t n)
  {
    return (n * sizeof(AtomSource) + 7) / 8 * 8;
  }

}    // namespace

/* ---------------------------------------------------------------------- */

void RegionWriter::append_header(const TransferredRegion &region,
                                 const std::array<double, 3> &shift,
                                 const std::array<int, 3> &box_shift, std::vector<char> &message)
{
  static_assert(sizeof(RegionAtom) == 48, "no padding on the wire");
  const std::size_t nowned = region.ngiven + region.owned.size();
  const std::size_t natoms = nowned + region.ghosts.size();
  const std::size_t nbytes = sizeof(RegionHeader) + nbytes_of_named(region.nnamed) +
      (natoms - region.nnamed) * sizeof(RegionAtom);
  const RegionHeader header{MARK,
                            static_cast<std::int32_t>(natoms),
                            region.ngiven,
                            static_cast<std::int32_t>(nowned),
                            {box_shift[0], box_shift[1], box_shift[2]},
                            region.nnamed,
                            region.ngiven + region.nseam,
                            0,
                            {shift[0], shift[1], shift[2]},
                            static_cast<std::int64_t>(nbytes)};
  const auto *const bytes = reinterpret_cast<const char *>(&header);
  message.insert(message.end(), bytes, bytes + sizeof(header));
}

/* ---------------------------------------------------------------------- */

void ReceivedRegion::read(const char *message, std::size_t nbytes, std::size_t &cursor)
{
  TransferReader reader(message, nbytes, cursor);
  const auto header = reader.header<RegionHeader>(MARK);
  if (header.ngiven < 0 || header.nseam < header.ngiven || header.nowned < header.nseam ||
      header.natoms < header.nowned)
    reader.fail("has " + std::to_string(header.natoms) + " atoms, " +
                std::to_string(header.nowned) + " of the donor, " + std::to_string(header.ngiven) +
                " given, seam up to " + std::to_string(header.nseam));
  if (header.nnamed < 0 || header.nnamed > header.natoms)
    reader.fail("has " + std::to_string(header.natoms) + " atoms, " +
                std::to_string(header.nnamed) + " named");
  reader.expect("name", static_cast<std::int64_t>(nbytes_of_named(header.nnamed)), 1);
  const char *next = reader.skip(nbytes_of_named(header.nnamed));

  std::copy_n(header.box_shift, 3, box_shift_.begin());
  ngiven_ = header.ngiven;
  nseam_ = header.nseam;
  nowned_ = header.nowned;
  nnamed_ = header.nnamed;
  const int nothers = header.natoms - header.nnamed;
  reader.expect("atom", nothers, sizeof(RegionAtom));
  table_.resize(header.natoms);
  for (int n = 0; n < nnamed_; n++, next += sizeof(AtomSource)) {
    table_[n] = TableAtom{};
    std::memcpy(&table_[n].source, next, sizeof(AtomSource));
  }
  next = reader.skip(nothers * sizeof(RegionAtom));
  x_.resize(3 * table_.size());
  double *x = x_.data() + 3 * static_cast<std::size_t>(nnamed_);
  for (int n = nnamed_; n < header.natoms; n++) {
    TableAtom &atom = table_[n];
    RegionAtom from;
    std::memcpy(&from, next, sizeof from);
    next += sizeof from;
    atom.id = from.id;
    atom.source = from.source;
    for (int dim = 0; dim < 3; dim++, x++) {
      *x = from.x[dim];
      atom.x[dim] = static_cast<float>(from.x[dim] + header.shift[dim]);
    }
  }
  cursor = reader.finish();
}

}    // namespace TOFU_NS
