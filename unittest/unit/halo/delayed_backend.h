// SPDX-License-Identifier: GPL-2.0-only
//
// A backend around another one, for ranks that are threads of one process, whose messages take the
// time of a LogGP network that is slowed down so much that the program's own time does not matter:
// the exchanges of the program run as they would on that network.
//
// The environment variable TOFU_DELAYS has its figures: latency, put, notice [us], bandwidth
// [bytes/us], and the factor by which all times are longer here.

#ifndef TOFU_TEST_DELAYED_BACKEND_H
#define TOFU_TEST_DELAYED_BACKEND_H

#include "unit/testing.h"

#include "transport/backend.h"

#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

namespace TOFU_TEST {

using namespace TOFU_NS;

/** Figures of the network, and times that are slowed down. */
struct Delays {
  double latency = 0.0, put = 0.0, notice = 0.0;    // us
  double bandwidth = 1.0;                           // bytes/us
  double factor = 1.0;

  static const Delays &get()
  {
    static const Delays delays = from_environment();
    return delays;
  }

  /** Seconds that so many microseconds take here. */
  double here(double us) const { return 1e-6 * factor * us; }

 private:
  static Delays from_environment()
  {
    Delays d;
    const char *const text = std::getenv("TOFU_DELAYS");
    if (!text ||
        std::sscanf(text, "%lf,%lf,%lf,%lf,%lf", &d.latency, &d.put, &d.notice, &d.bandwidth,
                    &d.factor) != 5)
      throw std::runtime_error("TOFU_DELAYS must be latency,put,notice,bandwidth,factor");
    return d;
  }
};

/** The time of a thread that does nothing but sleep: until when it is busy.  A sleep that was too
    long does not delay what comes next, unless something waits for it. */
class SlowClock {
 public:
  static double now()
  {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
  }

  /** Be busy for some microseconds of the slow network. */
  static void work(double us) { sleep_until(busy() += Delays::get().here(us)); }

  /** Go on at this time [s] at the earliest. */
  static void await(double time)
  {
    busy() = std::max(busy(), time);
    sleep_until(busy());
  }

  /** What another thread has done comes before what this one does. */
  static void begin_at(double time) { busy() = time; }

  static double &busy()
  {
    static thread_local double until = 0.0;
    return until;
  }

 private:
  static void sleep_until(double time)
  {
    const double left = time - now();
    if (left > 0.0) std::this_thread::sleep_for(std::chrono::duration<double>(left));
  }
};

/** When messages arrive, by sender, receiver and sequence number. */
class Arrivals {
 public:
  static Arrivals &get()
  {
    static Arrivals all;
    return all;
  }

  void set(int from, int to, std::uint64_t sequence, double time)
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    times_[{from, to, sequence}] = time;
  }

  double find(int from, int to, std::uint64_t sequence)
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    return times_.at({from, to, sequence});
  }

 private:
  std::mutex mutex_;
  std::map<std::tuple<int, int, std::uint64_t>, double> times_;
};

/** An endpoint, which sends one message after the other. */
struct Port {
  double free = 0.0;
};

class DelayedChannel : public Channel {
 public:
  DelayedChannel(std::unique_ptr<Channel> inner, int me, int peer, std::shared_ptr<Port> port) :
      inner_(std::move(inner)), me_(me), peer_(peer), port_(std::move(port))
  {
  }

  void put(int slot, const MessageHeader &header) override
  {
    const Delays &d = Delays::get();
    SlowClock::work(d.put);
    port_->free = std::max(SlowClock::busy(), port_->free) +
        d.here(static_cast<double>(header.nbytes) / d.bandwidth);
    Arrivals::get().set(me_, peer_, header.sequence, port_->free + d.here(d.latency));
    inner_->put(slot, header);
  }

  const MessageHeader *poll(int slot, std::uint64_t sequence) override
  {
    const MessageHeader *const header = inner_->poll(slot, sequence);
    if (!header || noticed_ >= sequence) return header;
    const double arrival = Arrivals::get().find(peer_, me_, sequence);
    if (SlowClock::now() < arrival) return nullptr;
    noticed_ = sequence;
    SlowClock::await(arrival);
    SlowClock::work(Delays::get().notice);
    return header;
  }

  const char *name() const override { return inner_->name(); }
  std::byte *send_payload(int slot) override { return inner_->send_payload(slot); }
  std::size_t send_capacity() const override { return inner_->send_capacity(); }
  bool remote_stores() const override { return false; }
  ArrayAccess *arrays() override { return nullptr; }
  const std::byte *recv_payload(int slot) const override { return inner_->recv_payload(slot); }
  void release(int slot) override { inner_->release(slot); }
  void post_credit(std::uint64_t nreleased) override { inner_->post_credit(nreleased); }
  std::uint64_t poll_credit() override { return inner_->poll_credit(); }
  void start_contact() override { inner_->start_contact(); }
  bool in_contact() override { return inner_->in_contact(); }
  void start_close() override { inner_->start_close(); }
  bool closed() override { return inner_->closed(); }
  void progress() override { inner_->progress(); }
  bool settled() override { return inner_->settled(); }
  void check_peer() override { inner_->check_peer(); }

 private:
  const std::unique_ptr<Channel> inner_;
  const int me_, peer_;
  const std::shared_ptr<Port> port_;
  std::uint64_t noticed_ = 0;    // last sequence number that was handed over
};

class DelayedBackend : public Backend {
 public:
  DelayedBackend(std::unique_ptr<Backend> inner, int me) : inner_(std::move(inner)), me_(me) {}

  bool prepare(const std::vector<PeerNeed> &peers, std::byte *addresses, std::string &why) override
  {
    peers_ = peers;
    return inner_->prepare(peers, addresses, why);
  }

  std::unique_ptr<Channel> open(std::size_t i, const std::byte *theirs, std::string &why) override
  {
    auto channel = inner_->open(i, theirs, why);
    std::shared_ptr<Port> &port = ports_[peers_[i].endpoint];
    if (!port) port = std::make_shared<Port>();
    return channel ? std::make_unique<DelayedChannel>(std::move(channel), me_, peers_[i].peer, port)
                   : nullptr;
  }

  void all_opened() override { inner_->all_opened(); }
  std::string detail() const override { return inner_->detail(); }
  RegisteredMemory registered() const override { return inner_->registered(); }

 private:
  const std::unique_ptr<Backend> inner_;
  const int me_;
  std::vector<PeerNeed> peers_;
  std::map<int, std::shared_ptr<Port>> ports_;    // by endpoint
};

}    // namespace TOFU_TEST

#endif
