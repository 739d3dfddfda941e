// SPDX-License-Identifier: GPL-2.0-only

#include "node_gather.h"

#include <cstring>

namespace TOFU_NS {

namespace {

  constexpr std::size_t OF_ATOM = 4 * sizeof(double);       // position and charge
  constexpr std::size_t OF_RESULT = 10 * sizeof(double);    // field, potential, virial

  void append(Link &link, const double *values, std::size_t n)
  {
    link.append(values, n * sizeof(double));
  }

  const std::byte *read(const std::byte *from, std::size_t n, double *values)
  {
    std::memcpy(values, from, n * sizeof(double));
    return from + n * sizeof(double);
  }

}    // namespace

/* ---------------------------------------------------------------------- */

NodeGather::NodeGather(int me, const std::vector<int> &members) : me_(me), members_(members) {}

/* ---------------------------------------------------------------------- */

void NodeGather::add_traffic(std::size_t natoms, std::vector<std::size_t> &nbytes) const
{
  if (is_leader())
    for (int member : members_) nbytes[member] = std::max(nbytes[member], 1 + natoms * OF_RESULT);
  else
    nbytes[members_.front()] = std::max(nbytes[members_.front()], 1 + natoms * OF_ATOM);
}

/* ---------------------------------------------------------------------- */

void NodeGather::bind(Transport &transport)
{
  transport_ = &transport;
  links_.clear();
  if (is_leader())
    for (int member : members_) {
      if (member != me_) links_.push_back(transport.find(member));
    }
  else
    links_.push_back(transport.find(members_.front()));
}

/* ---------------------------------------------------------------------- */

const MeshRequest &NodeGather::gather(const MeshRequest &own)
{
  const std::size_t nmine = own.natoms;
  all_ = own;
  if (!is_leader()) {
    Link &link = transport_->link(links_[0]);
    link.open(MessageKind::MESH);
    append(link, own.x, 3 * nmine);
    append(link, own.q, nmine);
    link.close();
    transport_->settle(Transport::ALL_LANES);
    all_.natoms = 0;
    return all_;
  }

  x_.assign(own.x, own.x + 3 * nmine);
  q_.assign(own.q, own.q + nmine);
  natoms_.clear();
  for (int index : links_) {
    const Message &message = transport_->wait(index, MessageKind::MESH);
    const std::size_t n = message.nbytes / OF_ATOM, before = q_.size();
    x_.resize(3 * (before + n));
    q_.resize(before + n);
    read(read(message.data, 3 * n, x_.data() + 3 * before), n, q_.data() + before);
    natoms_.push_back(static_cast<int>(n));
    transport_->link(index).release();
  }
  all_.natoms = static_cast<int>(q_.size());
  all_.x = x_.data();
  all_.q = q_.data();
  return all_;
}

/* ---------------------------------------------------------------------- */

MeshResults NodeGather::scatter(const MeshRequest &own, const MeshResults &all)
{
  const std::size_t nmine = own.natoms;
  if (is_leader()) {
    std::size_t first = nmine;
    for (std::size_t i = 0; i < links_.size(); i++) {
      const std::size_t n = natoms_[i];
      Link &link = transport_->link(links_[i]);
      link.open(MessageKind::MESH);
      append(link, all.field + 3 * first, 3 * n);
      if (own.atom_energy) append(link, all.potential + first, n);
      if (own.atom_virial) append(link, all.virial + 6 * first, 6 * n);
      link.close();
      first += n;
    }
    transport_->settle(Transport::ALL_LANES);
    return all;
  }

  field_.resize(3 * nmine);
  if (own.atom_energy) potential_.resize(nmine);
  if (own.atom_virial) virial_.resize(6 * nmine);
  const Message &message = transport_->wait(links_[0], MessageKind::MESH);
  const std::byte *from = read(message.data, 3 * nmine, field_.data());
  if (own.atom_energy) from = read(from, nmine, potential_.data());
  if (own.atom_virial) read(from, 6 * nmine, virial_.data());
  transport_->link(links_[0]).release();
  return {field_.data(), potential_.data(), virial_.data()};
}

}    // namespace TOFU_NS
