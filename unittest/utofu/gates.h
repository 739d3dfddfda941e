// SPDX-License-Identifier: GPL-2.0-only
//
// Barrier gates: a data flow.  A start/end gate sends the value of its process and gets the result;
// a relay waits for a signal of a gate of its interface and a packet of any gate, combines both and
// sends the sum on.  Each gate is played by itself: a wrong circuit gives partial sums, or hangs.

#ifndef TOFU_EMULATOR_GATES_H
#define TOFU_EMULATOR_GATES_H

#include "packet.h"
#include "utofu.h"

#include <deque>
#include <map>
#include <string>

namespace TOFU_EMULATOR {

class Process;

/** A value on its way: up to six integers, or three sums of doubles as integers of 640 bits, whose
    result does not depend on the order. */
struct GateValue {
  std::uint32_t op;
  std::uint16_t n;
  std::uint8_t is_double, mismatch;
  std::uint64_t words[30];
};
static_assert(sizeof(GateValue) <= LINE, "a value goes in one packet");

void put_double(std::uint64_t words[10], double value);
double get_double(const std::uint64_t words[10]);
void combine(GateValue &sum, const GateValue &other);

/** The gates that this process has.  All functions are called with the lock of the process. */
class GateTable {
 public:
  explicit GateTable(Process &process) : process_(process) {}

  int allocate(int tni, std::size_t n, utofu_vbg_id_t ids[]);
  int release(const utofu_vbg_id_t ids[], std::size_t n);
  int set(const utofu_vbg_setting settings[], std::size_t n);
  int start(utofu_vbg_id_t id, const GateValue &value);

  /** \return   as utofu_poll_barrier(); result gets the value */
  int poll(utofu_vbg_id_t id, bool is_double, bool is_barrier, GateValue &result);

  void arrive(const Packet &packet);
  std::size_t size() const { return gates_.size(); }

  /** What hangs, for the report at the end; empty: nothing. */
  std::string unfinished() const;

 private:
  struct Gate {
    bool is_end = false, is_set = false, running = false;
    std::uint64_t allocation = 0;
    utofu_vbg_setting links{};
    std::deque<GateValue> signals, packets;
    std::map<std::uint64_t, GateValue> early;    // packets by number, of which some may be missing
    std::uint64_t nsent = 0, narrived = 0;       // packets, since the gate was set
    GateValue started{};
  };

  void line_up(Gate &gate);
  bool work(utofu_vbg_id_t id, Gate &gate);
  void run();
  void pass_on(utofu_vbg_id_t id, Gate &gate, const GateValue &value);

  Process &process_;
  std::map<utofu_vbg_id_t, Gate> gates_;
  std::uint64_t nallocations_ = 0;
};

}    // namespace TOFU_EMULATOR

#endif
