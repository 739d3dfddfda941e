// SPDX-License-Identifier: GPL-2.0-only
//
// Traffic with messages of all forms: from and to slots, fragments, from arrays, into arrays that
// grow, bursts in one direction.  Whatever arrives is compared.

#ifndef TOFU_TEST_UTOFU_TRAFFIC_H
#define TOFU_TEST_UTOFU_TRAFFIC_H

#include "process_world.h"

#include <algorithm>
#include <memory>

namespace TOFU_TEST {

/** One rank's part; all ranks call the same functions. */
class Traffic {
 public:
  Traffic(World &world, Transport &transport) : world_(world), transport_(transport) {}

  /** A number of rounds of everything. */
  void run(int nrounds)
  {
    for (int round = 0; round < nrounds; round++) {
      exchange(round, 1 + round * 37 % 600);
      if (round % 4 == 1) exchange(round, 3000);    // fragments
      if (round % 3 == 0) grow_arrays(100 + 61 * static_cast<std::size_t>(round));
      land(round);
      leave_from_arrays(round);
      if (round % 4 == 2) burst(round, 20);
    }
    transport_.settle(Transport::ALL_LANES);
  }

  /** A message of so many values to and from each peer. */
  void exchange(int round, std::size_t n)
  {
    for (int k = 0; k < transport_.npeers(); k++) {
      std::vector<std::uint64_t> values(n);
      for (std::size_t i = 0; i < n; i++) values[i] = mark(world_.rank, peer(k), round, i);
      Link &link = transport_.link(k);
      link.open(MessageKind::USER);
      link.append(values.data(), n * 8);
      link.close();
    }
    for (int k = 0; k < transport_.npeers(); k++) expect(k, round, 0, n);
    transport_.settle(Transport::ALL_LANES);
  }

  /** Messages to one side only, so that credit goes alone. */
  void burst(int round, int nmessages)
  {
    for (int message = 0; message < nmessages; message++)
      for (int k = 0; k < transport_.npeers(); k++) {
        const std::uint64_t value = mark(world_.rank, peer(k), round, message);
        if (world_.rank > peer(k)) {
          Link &link = transport_.link(k);
          link.open(MessageKind::USER);
          link.append(&value, sizeof(value));
          link.close();
        } else {
          expect(k, round, message, 1);
        }
      }
  }

  /** New memory for the arrays, registered in place of the old. */
  void grow_arrays(std::size_t n)
  {
    const auto npeers = static_cast<std::size_t>(transport_.npeers());
    n_ = n;
    auto landing = std::make_unique<std::vector<std::uint64_t>>(2 * n * npeers + 8);
    auto source = std::make_unique<std::vector<std::uint64_t>>(2 * n * npeers + 8);
    nregistered += transport_.set_arrays({landing->data(), landing->size() * 8},
                                         {source->data(), source->size() * 8});
    landing_ = std::move(landing);
    source_ = std::move(source);
  }

  /** Every rank tells where a message may land, in two places; what is beside them stays. */
  void land(int round)
  {
    std::fill(landing_->begin(), landing_->end(), UNTOUCHED);
    std::vector<Landing> offers(transport_.npeers());
    for (int k = 0; k < transport_.npeers(); k++) {
      Link &link = transport_.link(k);
      ArrayPieces pieces;
      pieces.npieces = 2;
      pieces.pieces[0] = {landing_->data() + first(k) + 1, nfirst() * 8};
      pieces.pieces[1] = {landing_->data() + first(k) + n_ + 2, nsecond() * 8};
      const Landing offer = link.takes_offers() ? link.arrays()->make_offer(pieces) : Landing();
      link.open(MessageKind::REVERSE);
      link.append(&offer, sizeof(offer));
      link.close();
    }
    for (int k = 0; k < transport_.npeers(); k++) {
      const Message &got = transport_.wait(k, MessageKind::REVERSE);
      std::memcpy(&offers[k], got.data, sizeof(Landing));
      transport_.link(k).release();
    }
    for (int k = 0; k < transport_.npeers(); k++) {
      std::vector<std::uint64_t> values(nfirst() + nsecond());
      for (std::size_t i = 0; i < values.size(); i++)
        values[i] = mark(world_.rank, peer(k), round, i);
      Link &link = transport_.link(k);
      const bool lands =
          offers[k].nplaces > 0 && values.size() * 8 <= link.channel().send_capacity();
      link.open(MessageKind::FORWARD, lands ? &offers[k] : nullptr);
      link.append(values.data(), values.size() * 8);
      link.close();
    }
    for (int k = 0; k < transport_.npeers(); k++) {
      const Message &got = transport_.wait(k, MessageKind::FORWARD);
      if (got.landed) {
        nlanded++;
        check_landed(k, round);
      }
      transport_.link(k).release();
    }
    transport_.settle(Transport::ALL_LANES);
  }

  /** Messages that end with two pieces of an array. */
  void leave_from_arrays(int round)
  {
    for (int k = 0; k < transport_.npeers(); k++) {
      for (std::size_t i = 0; i < 2 * n_; i++)
        (*source_)[first(k) + i] = mark(world_.rank, peer(k), round, i + 1);
      Link &link = transport_.link(k);
      const std::uint64_t before = mark(world_.rank, peer(k), round, 0);
      link.open(MessageKind::USER);
      link.append(&before, sizeof(before));
      link.append_in_place(source_->data() + first(k), 40 * 8);
      link.append_in_place(source_->data() + first(k) + 50, 45 * 8);
      link.close();
    }
    transport_.settle(Transport::ALL_LANES);
    std::fill(source_->begin(), source_->end(), UNTOUCHED);    // it may be used again
    for (int k = 0; k < transport_.npeers(); k++) {
      const Message &got = transport_.wait(k, MessageKind::USER);
      ASSERT_EQ(got.nbytes, 86 * 8u);
      int wrong = 0;
      for (std::size_t i = 0; i < 86; i++) {
        std::uint64_t value;
        std::memcpy(&value, got.data + 8 * i, 8);
        wrong += value != mark(peer(k), world_.rank, round, i < 41 ? i : i + 10);
      }
      EXPECT_EQ(wrong, 0) << "values that left an array of rank " << peer(k);
      transport_.link(k).release();
    }
  }

  int nlanded = 0, nregistered = 0;

 private:
  static constexpr std::uint64_t UNTOUCHED = 0x1122334455667788ULL;

  static std::uint64_t mark(int from, int to, int round, std::size_t place)
  {
    return ((static_cast<std::uint64_t>(from) * 100 + to) * 10000 + round) * 1000000 + place;
  }
  int peer(int k) { return transport_.link(k).peer(); }
  std::size_t first(int k) const { return 2 * n_ * static_cast<std::size_t>(k); }
  std::size_t nfirst() const { return std::min<std::size_t>(n_ / 2, 200); }
  std::size_t nsecond() const { return std::min<std::size_t>(n_ / 3, 100); }

  void expect(int k, int round, std::size_t begin, std::size_t n)
  {
    const Message &got = transport_.wait(k, MessageKind::USER);
    ASSERT_EQ(got.nbytes, n * 8);
    int wrong = 0;
    for (std::size_t i = 0; i < n; i++) {
      std::uint64_t value;
      std::memcpy(&value, got.data + 8 * i, 8);
      wrong += value != mark(peer(k), world_.rank, round, begin + i);
    }
    EXPECT_EQ(wrong, 0) << "of " << n << " values of rank " << peer(k);
    transport_.link(k).release();
  }

  void check_landed(int k, int round)
  {
    const std::uint64_t *at = landing_->data() + first(k);
    int wrong = 0, touched = 0;
    for (std::size_t i = 0; i < nfirst(); i++)
      wrong += at[1 + i] != mark(peer(k), world_.rank, round, i);
    for (std::size_t i = 0; i < nsecond(); i++)
      wrong += at[n_ + 2 + i] != mark(peer(k), world_.rank, round, nfirst() + i);
    touched += at[0] != UNTOUCHED;
    for (std::size_t i = 1 + nfirst(); i < n_ + 2; i++) touched += at[i] != UNTOUCHED;
    EXPECT_EQ(wrong, 0) << "values of rank " << peer(k) << " that landed";
    EXPECT_EQ(touched, 0) << "values beside those of rank " << peer(k);
  }

  World &world_;
  Transport &transport_;
  std::size_t n_ = 0;
  std::unique_ptr<std::vector<std::uint64_t>> landing_, source_;
};

/** A transport over uTofu between all ranks. */
struct UtofuTransport {
  UtofuTransport(World &world, const TransportOptions &options) :
      transport(world.bootstrap, nullptr, options)
  {
    const auto peers = all_others(world.rank, world.size);
    report = transport.connect(peers, std::vector<std::size_t>(peers.size(), Link::BLOCK));
  }
  Transport transport;
  ConnectReport report;
};

inline TransportOptions utofu_options(const World &world, int nslots = 4)
{
  TransportOptions options = world.options();
  options.backend = "utofu";
  options.link.nslots = nslots;
  return options;
}

}    // namespace TOFU_TEST

#endif
