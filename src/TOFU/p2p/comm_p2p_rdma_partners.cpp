/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// Messages between ranks that hand work to each other, and functions of this style that ghosts
// beyond the pattern need.

#include "comm_p2p_rdma.h"

#include "comm_p2p_rdma-impl.h"

#include "atom.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::set_partners(const RanksOf &partners_of, bool reach,
                               const std::vector<int> &signature)
{
  impl->partners.of = partners_of;
  impl->partners.reach = reach;
  impl->partners.signature.clear();
  append_fingerprint(fingerprint(signature), impl->partners.signature);
  impl->partners.expected = nullptr;
  impl->partners.held.clear();
}

/* ---------------------------------------------------------------------- */

int CommP2PRDMA::nghost_of_pattern() const
{
  return std::min(impl->nghost, atom->nghost);
}

/* ---------------------------------------------------------------------- */

AppendedGhosts &CommP2PRDMA::appended_ghosts()
{
  return *impl->appended;
}

/* ----------------------------------------------------------------------
   a message of no bytes is sent as well: receivers do not know what is coming.
   A message that has to wait for credit is held back until receivers read:
   before that they may be in a collective call of MPI
------------------------------------------------------------------------- */

void CommP2PRDMA::send_messages(const Messages &out, Messages &in)
{
  receive_messages();
  impl->partners.held.clear();
  guarded(Impl::WORK, [&]() {
    for (const auto &[rank, bytes] : out)
      if (impl->transport->link(impl->transport->find(rank)).fits(bytes.size()))
        send_message(rank, bytes);
      else
        impl->partners.held[rank] = &bytes;
  });
  impl->partners.expected = &in;
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::send_message(int rank, const std::vector<char> &bytes)
{
  Link &link = impl->transport->link(impl->transport->find(rank));
  link.open(MessageKind::WORK);
  link.append(bytes.data(), bytes.size());
  link.close();
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::receive_messages()
{
  if (!impl->partners.expected) return;
  Messages &in = *impl->partners.expected;
  impl->partners.expected = nullptr;
  guarded(Impl::WORK, [&]() {
    Transport &transport = *impl->transport;
    for (const auto &[rank, bytes] : impl->partners.held) send_message(rank, *bytes);
    impl->partners.held.clear();
    for (auto &[rank, bytes] : in) {
      const int index = transport.find(rank);
      const Message &message = transport.wait(index, MessageKind::WORK);
      const auto data = reinterpret_cast<const char *>(message.data);
      bytes.assign(data, data + message.nbytes);
      transport.link(index).release();
    }
    transport.settle(Transport::ALL_LANES);
  });
}

/* ---------------------------------------------------------------------- */

HaloPlan &CommP2PRDMA::AppendedHost::plan()
{
  return style.impl->plan;
}

HaloExchange &CommP2PRDMA::AppendedHost::halo()
{
  return style.impl->halo;
}

const std::vector<int> &CommP2PRDMA::AppendedHost::linked_ranks() const
{
  return style.impl->peers;
}

/* ---------------------------------------------------------------------- */

bool CommP2PRDMA::AppendedHost::can_ask(int receiver, int owner) const
{
  if (style.impl->partners.reach) return true;
  const auto neighbors = style.impl->partners.neighbors.find(receiver);
  return neighbors != style.impl->partners.neighbors.end() &&
      std::binary_search(neighbors->second.begin(), neighbors->second.end(), owner);
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::AppendedHost::send_messages(const Messages &out, Messages &in)
{
  style.send_messages(out, in);
}

void CommP2PRDMA::AppendedHost::receive_messages()
{
  style.receive_messages();
}

/* ---------------------------------------------------------------------- */

double *CommP2PRDMA::AppendedHost::packing_buffer(int natoms)
{
  return style.impl->room(static_cast<std::size_t>(natoms) * style.size_border + Impl::EXTRA);
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::AppendedHost::plan_has_changed()
{
  style.impl->halo.bind(&style.impl->plan, style.impl->transport.get(), style.impl->team.get());
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::AppendedHost::ghosts_were_appended()
{
  style.impl->halo.count_atoms();
  if (style.impl->lands()) style.register_arrays();
}
