// SPDX-License-Identifier: GPL-2.0-only

#include "atom_migration.h"

namespace TOFU_NS {

int AtomMigration::unlinked_destination(const Transport &transport) const
{
  for (const std::vector<int> &leaving : leaving_)
    for (const int i : leaving)
      if (destination_[i] != NO_RANK && transport.find(destination_[i]) < 0) return destination_[i];
  return NO_RANK;
}

/* ---------------------------------------------------------------------- */

void AtomMigration::send(Transport &transport) const
{
  for (int k = 0; k < transport.npeers(); k++) {
    Link &link = transport.link(k);
    link.open(MessageKind::EXCHANGE);
    link.append(outgoing_[k].data(), outgoing_[k].size() * sizeof(double));
    link.close();
  }
}

/* ---------------------------------------------------------------------- */

double AtomMigration::nbytes() const
{
  std::size_t nbytes = destination_.capacity() * sizeof(int);
  for (const std::vector<int> &atoms : leaving_) nbytes += atoms.capacity() * sizeof(int);
  for (const std::vector<double> &values : outgoing_) nbytes += values.capacity() * sizeof(double);
  return static_cast<double>(nbytes);
}

}    // namespace TOFU_NS
