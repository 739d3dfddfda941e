// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "exchange_calls.h"

#include "peer_links.h"

#include <utility>

using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

ExchangeCalls::ExchangeCalls(PeerLinks &links_in,
                             std::function<void(const std::string &)> fail_in) :
    links(links_in),
    fail(std::move(fail_in))
{
}

/* ---------------------------------------------------------------------- */

void ExchangeCalls::begin_run()
{
  of_run = Counts();
}

/* ---------------------------------------------------------------------- */

void ExchangeCalls::send_messages(const PartnerMessages::Messages &out,
                                  PartnerMessages::Messages &in)
{
  receive_messages();
  time(WORK, [&]() { messages.send(links.transport(), out, in); });
}

/* ---------------------------------------------------------------------- */

void ExchangeCalls::receive_messages()
{
  if (!messages.are_under_way()) return;
  time(WORK, [&]() { messages.receive(links.transport()); });
}

/* ---------------------------------------------------------------------- */

void ExchangeCalls::end_with(const TransportError &failure)
{
  if (links.exist()) links.transport().mark_broken();
  fail(failure.what());
}
