// SPDX-License-Identifier: GPL-2.0-only
//
// On the wire: RegionHeader, RegionAtom[natoms]

#include "region_parcel.h"

#include <algorithm>

namespace TOFU_NS {

namespace {

  constexpr std::uint32_t MARK = 0x54526567;    // where a parcel begins

  struct RegionHeader {
    std::uint32_t mark;
    std::int32_t natoms, ngiven, nowned, boxes[3], padding;
    double shift[3];
    std::int64_t nbytes;    // of the parcel
  };

  static_assert(sizeof(RegionHeader) == 64, "no padding on the wire");

}    // namespace

/* ----------------------------------------------------------------------
   all of a parcel but the atoms

   Returns: where they are to be
------------------------------------------------------------------------- */

char *RegionWriter::append(const DonatedRegion &region, const std::array<double, 3> &shift,
                           const std::array<int, 3> &boxes, std::vector<char> &message)
{
  static_assert(sizeof(RegionAtom) == 48, "no padding on the wire");
  const std::size_t nowned = region.ngiven + region.owned.size();
  const std::size_t natoms = nowned + region.ghosts.size();
  const std::size_t nbytes = sizeof(RegionHeader) + natoms * sizeof(RegionAtom);
  const RegionHeader header{MARK,
                            static_cast<std::int32_t>(natoms),
                            region.ngiven,
                            static_cast<std::int32_t>(nowned),
                            {boxes[0], boxes[1], boxes[2]},
                            0,
                            {shift[0], shift[1], shift[2]},
                            static_cast<std::int64_t>(nbytes)};
  const std::size_t begin = message.size();
  message.resize(begin + nbytes);
  return put_in_parcel(&header, 1, message.data() + begin);
}

/* ---------------------------------------------------------------------- */

void ReceivedRegion::read(const char *message, std::size_t nbytes, std::size_t &cursor)
{
  ParcelReader reader(message, nbytes, cursor);
  const auto header = reader.header<RegionHeader>(MARK);
  if (header.ngiven < 0 || header.nowned < header.ngiven || header.natoms < header.nowned)
    reader.fail("has " + std::to_string(header.natoms) + " atoms, " +
                std::to_string(header.nowned) + " of the donor, " + std::to_string(header.ngiven) +
                " given");
  reader.expect("atom", header.natoms, sizeof(RegionWriter::RegionAtom));

  std::copy_n(header.boxes, 3, boxes_.begin());
  ngiven_ = header.ngiven;
  nowned_ = header.nowned;
  table_.resize(header.natoms);
  x_.resize(3 * table_.size());
  double *x = x_.data();
  for (TableAtom &atom : table_) {
    RegionWriter::RegionAtom from;
    reader.take("atom", 1, &from);
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
