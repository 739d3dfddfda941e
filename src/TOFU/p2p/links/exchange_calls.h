// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// Calls from LAMMPS that communicate: their time, and what becomes of a failure of the transport.

#ifndef TOFU_EXCHANGE_CALLS_H
#define TOFU_EXCHANGE_CALLS_H

#include "halo/messages/partner_messages.h"
#include "lmptype.h"

#include <array>
#include <chrono>
#include <functional>
#include <string>

namespace TOFU_NS {

class PeerLinks;

class ExchangeCalls {
 public:
  enum Phase {
    EXCHANGE,
    BORDERS,
    FORWARD,
    REVERSE,
    STYLES,    // forward_comm() and reverse_comm() of styles
    WORK,      // messages between partners
    NPHASES
  };

  /** \param links   must outlive this object
      \param fail    gets the text of a failure that the transport cannot repair; does not return */
  ExchangeCalls(PeerLinks &links, std::function<void(const std::string &)> fail);

  /** Do work() as part of a phase.  Messages between partners, which were sent before, are received
      first. */
  template <class Work> void run(Phase phase, Work &&work)
  {
    receive_messages();
    time(phase, work);
  }

  /** PartnerMessages::send(), receive() and clear(), with the time of phase WORK. */
  void send_messages(const PartnerMessages::Messages &out, PartnerMessages::Messages &in);
  void receive_messages();
  void forget_messages() { messages.clear(); }

  /** Set all counts to 0. */
  void begin_run();

  struct Counts {    // by phase, since begin_run()
    std::array<double, NPHASES> seconds{};
    std::array<LAMMPS_NS::bigint, NPHASES> ncalls{};
  };
  const Counts &counts() const { return of_run; }

 private:
  PeerLinks &links;
  const std::function<void(const std::string &)> fail;
  PartnerMessages messages;
  Counts of_run;

  void end_with(const TransportError &failure);

  template <class Work> void time(Phase phase, Work &&work)
  {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    try {
      work();
    } catch (const TransportError &failure) {
      end_with(failure);
    }
    of_run.seconds[phase] += std::chrono::duration<double>(Clock::now() - start).count();
    of_run.ncalls[phase]++;
  }
};

}    // namespace TOFU_NS

#endif
