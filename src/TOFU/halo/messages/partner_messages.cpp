// SPDX-License-Identifier: GPL-2.0-only

#include "partner_messages.h"

#include <utility>

namespace TOFU_NS {

namespace {

  void send_message(Link &link, const std::vector<char> &bytes)
  {
    link.open(MessageKind::WORK);
    link.append(bytes.data(), bytes.size());
    link.close();
  }

}    // namespace

/* ---------------------------------------------------------------------- */

void PartnerMessages::clear()
{
  expected_ = nullptr;
  unsent_.clear();
}

/* ---------------------------------------------------------------------- */

void PartnerMessages::send(Transport &transport, const Messages &out, Messages &in)
{
  unsent_.clear();
  for (const auto &[rank, bytes] : out) {
    Link &link = transport.link(transport.find(rank));
    if (link.fits(bytes.size()))
      send_message(link, bytes);
    else
      unsent_[rank] = &bytes;
  }
  expected_ = &in;
}

/* ---------------------------------------------------------------------- */

void PartnerMessages::receive(Transport &transport)
{
  Messages *const in = std::exchange(expected_, nullptr);
  if (!in) return;
  for (const auto &[rank, bytes] : unsent_)
    send_message(transport.link(transport.find(rank)), *bytes);
  unsent_.clear();
  for (auto &[rank, bytes] : *in) {
    const int index = transport.find(rank);
    const Message &message = transport.wait(index, MessageKind::WORK);
    const auto data = reinterpret_cast<const char *>(message.data);
    bytes.assign(data, data + message.nbytes);
    transport.link(index).release();
  }
  transport.settle(Transport::ALL_LANES);
}

}    // namespace TOFU_NS
