// SPDX-License-Identifier: GPL-2.0-only
//
// Process: the interfaces as one process has them.  A thread plays them: it reads what the process
// has posted, line by line, and writes what others have sent into the memory of this process.
//
// One lock is for all of it; functions with _locked in their comment are called with it.

#ifndef TOFU_EMULATOR_PROCESS_H
#define TOFU_EMULATOR_PROCESS_H

#include "gates.h"
#include "job.h"
#include "memory.h"
#include "tofu_emulator.h"
#include "utofu.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>
#include <vector>

namespace TOFU_EMULATOR {

struct ControlQueue;

/** Parts of an id of a queue or a gate; abc is the path, at first that of the node. */
struct Id {
  std::uint8_t coords[6];
  int tni, cq, component;
  std::uint8_t abc[3];

  std::uint64_t pack() const;

  /** \return   false if the number is no id */
  static bool unpack(std::uint64_t id, Id &result);
  std::uint64_t of_node() const;    // with the path to the node itself
  int path() const { return abc[0] + 2 * abc[1] + 6 * abc[2]; }
};

/** An entry of a completion queue. */
struct Entry {
  int code;
  void *cbdata;               // TCQ
  utofu_mrq_notice notice;    // MRQ
};

/** What is left to be done of a put or get, of the order's bytes. */
struct Piece {
  std::uint64_t offset;
  std::uint32_t nbytes;
};

struct Vcq;

/** What a program posts: one descriptor. */
struct Order {
  enum Kind : std::uint8_t { PUT, GET, ARMW, NOP };

  Kind kind = NOP;
  bool piggyback = false;
  std::uint64_t rmt_vcq = 0, lcl = 0, rmt = 0, length = 0, edata = 0, flags = 0;
  std::uint32_t op = 0, width = 0;
  std::uint64_t value[2] = {0, 0};
  unsigned char data[MAX_PIGGYBACK] = {};

  // while it is carried out

  void *cbdata = nullptr;
  Vcq *vcq = nullptr;
  std::uint64_t number = 0, sequence = 0, ordinal = NONE;
  std::uint64_t to_vcq = 0;    // of the node's own path
  Owner to;
  int path = 0;
  std::vector<Piece> unread;
  std::size_t npieces = 0;
  std::uint64_t last_offset = 0;    // of the piece that ends last
  int hold = 0;
  int code = UTOFU_SUCCESS;    // of its failure here
  bool started = false, read = false;
};

/** Orders of one local queue for one remote queue along one path. */
struct Stream {
  std::uint64_t nposted = 0, nnotices = 0;
  std::deque<std::pair<std::uint64_t, bool>> local;    // orders with a local notice; is it here?
  std::map<std::uint64_t, Entry> ready;
};

struct Vcq {
  utofu_vcq_hdl_t handle;
  std::uint64_t id, serial;    // the latter is unique among all processes
  ControlQueue *cq;
  int component;
  bool thread_safe, exclusive;
  Memory memory;
  std::deque<Entry> tcq, mrq;
  std::atomic<std::size_t> ntcq{0}, nmrq{0};                  // for a quick look
  std::map<std::pair<std::uint64_t, int>, Stream> streams;    // by serial of the other, path
};

struct ControlQueue {
  int tni, number;
  std::deque<std::unique_ptr<Order>> toq;
  std::size_t ntcq = 0, nmrq = 0;    // unread, of all its virtual queues
  std::size_t most_toq = 0, most_tcq = 0, most_mrq = 0;
  std::atomic<int> busy{0};    // threads in a call for a queue that is not thread-safe
};

/** An order that waits for an answer. */
struct Awaited {
  std::uint64_t serial;    // of the queue here
  std::pair<std::uint64_t, int> stream;
  int rank;
  Order order;
  std::size_t nfetched = 0;
};

/** An order of another process, as far as it is here. */
struct Arriving {
  std::uint64_t nwritten = 0;
  int code = UTOFU_SUCCESS;
  bool cancelled = false;
};

/** Orders that come from one queue to one queue along one path. */
struct Arrivals {
  std::uint64_t ndone = 0;    // of the first of them all is written
  std::set<std::uint64_t> done;
  std::map<std::uint64_t, Arriving> open;
  std::uint64_t nnotices = 0;                              // given to the program
  std::map<std::uint64_t, std::pair<int, Entry>> ready;    // by ordinal: steps to wait, entry
};

class Process {
 public:
  /** That of this program; starts at the first call. */
  static Process &get();

  std::mutex mutex;
  Settings settings;
  Job job;
  Random random;

  // ---- queues, _locked

  int create(int tni, int component, unsigned long flags, utofu_vcq_hdl_t *handle);
  int free(utofu_vcq_hdl_t handle);

  /** nullptr if there is no such queue.  Needs no lock. */
  Vcq *find(utofu_vcq_hdl_t handle) const;

  // ---- orders, _locked

  /** \return   code of utofu; BUSY: nothing was posted */
  int post(Vcq &vcq, const std::vector<Order> &orders, void *cbdata);
  bool has_orders(const Vcq &vcq) const;

  int restart();
  void count(tofu_emulator_counts &counts);
  int number_of_registrations = 0;
  PinnedPages pages;
  GateTable gates;
  void send_to(int rank, const Packet &packet);
  void wake() { job.wake(job.rank()); }
  bool shuffled() const { return settings.seed != 0; }
  void warn_outside_mpi();

 private:
  Process();
  static void at_exit();
  void stop();
  void report();

  void run();
  bool step();
  bool read_some(ControlQueue &cq);
  void read_piece(Order &order);
  bool may_read(const ControlQueue &cq, std::size_t index) const;
  void start(Order &order);
  void fail(Order &order, int code);
  void finish_reads(Order &order);
  Packet packet_of(const Order &order, Packet::Kind kind) const;
  bool retire(ControlQueue &cq);
  void enter_tcq(Vcq &vcq, const Entry &entry);
  void enter_mrq(Vcq &vcq, const Entry &entry);
  bool flush();
  bool take_arrivals();
  void delay(Packet &packet);
  bool apply_some();
  bool apply(const Packet &packet);
  bool may_write(const Packet &packet, const Arrivals &arrivals) const;
  int write(const Packet &packet, Vcq &vcq, std::uint64_t &old_value);
  int write_bytes(const Packet &packet, Vcq &vcq);
  int operate(const Packet &packet, Vcq &vcq, std::uint64_t &old_value);
  int fetch(const Packet &packet, Vcq &vcq);
  void complete(const Packet &packet, Vcq *vcq, Arrivals &arrivals, const Arriving &arriving,
                std::uint64_t old_value);
  std::size_t waiting_for(int rank) const;
  void lose(const Order &order);
  void answer(const Packet &packet, int code, std::uint64_t value);
  void hear_answer(const Packet &packet);
  void write_fetched(const Packet &packet);
  void settle(std::uint64_t number, int code, std::uint64_t value);
  bool deliver();
  void look_after_peers();
  Vcq *by_serial(std::uint64_t serial);

  std::map<std::pair<int, int>, std::unique_ptr<ControlQueue>> cqs_;    // by TNI and number
  static constexpr std::size_t MAX_VCQS = 4096;
  std::atomic<Vcq *> table_[MAX_VCQS] = {};     // by the lowest bits of the handle
  std::map<std::uint64_t, Vcq *> by_serial_;    // those that exist
  std::vector<std::unique_ptr<Vcq>> all_;       // those that were freed as well
  std::uint64_t nserials_ = 0, norders_ = 0;
  int ncreated_ = 0;
  std::map<std::uint64_t, Awaited> awaited_;    // by number of the order
  using Key = std::tuple<std::uint64_t, std::uint64_t, int>;
  std::map<Key, Arrivals> arrivals_;    // by serial of the queue here, of the other, path
  std::size_t nready_ = 0;              // notices that the program has not got
  std::uint64_t nsteps_ = 0;
  std::vector<Packet> pool_;    // have come and are not applied
  std::map<int, std::deque<Packet>> outgoing_;
  std::set<int> gone_;
  std::chrono::steady_clock::time_point last_look_;
  tofu_emulator_counts counts_{};
  const int pid_;
  bool stopping_ = false;
  std::thread thread_;
};

}    // namespace TOFU_EMULATOR

#endif
