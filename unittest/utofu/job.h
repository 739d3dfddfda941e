// SPDX-License-Identifier: GPL-2.0-only
//
// Job: the processes that share a machine, through one block of shared memory.  It has the tables
// of queues and gates of each node, and an inbox for each process.

#ifndef TOFU_EMULATOR_JOB_H
#define TOFU_EMULATOR_JOB_H

#include "packet.h"

#include <atomic>
#include <cstdint>
#include <pthread.h>
#include <string>
#include <vector>

namespace TOFU_EMULATOR {

/** Who has a queue or a gate. */
struct Owner {
  std::int32_t rank = -1;      // -1: nobody
  std::uint64_t serial = 0;    // of the queue, unique in its process
};

class Job {
 public:
  Job();
  Job(const Job &) = delete;
  Job &operator=(const Job &) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  int node() const { return rank_ / per_node_; }
  int nnodes() const { return (size_ + per_node_ - 1) / per_node_; }

  /** Coordinates X, Y, Z, A, B, C of a node, and back; -1 if there is no such node. */
  void coords_of(int node, std::uint8_t coords[6]) const;
  int node_at(const std::uint8_t coords[6]) const;

  /** Take a queue of the hardware for this process, or find the one it has.

      \param exclusive   a further one
      \return            -1 if all are taken */
  int take_cq(int tni, bool exclusive);
  void give_cq(int tni, int cq);

  bool take_vcq(int tni, int cq, int component, std::uint64_t serial);
  void give_vcq(int tni, int cq, int component);
  Owner owner_of_vcq(int node, int tni, int cq, int component);

  bool take_gate(int tni, int gate);
  void give_gate(int tni, int gate);
  Owner owner_of_gate(int node, int tni, int gate);

  /** Put packets into the inbox of a rank.

      \return   # of those that there was room for */
  std::size_t send(int rank, const Packet *packets, std::size_t n);

  /** Take packets from the own inbox. */
  std::size_t receive(std::vector<Packet> &packets);

  /** True if the process of a rank has come and ended. */
  bool is_gone(int rank) const;

  /** Sleep until wake(), or a packet; returns at once if there has been one since the value was
      read.

      \param seen           of wakings()
      \param microseconds   at most; 0: no limit */
  void sleep(std::uint32_t seen, long microseconds);
  std::uint32_t wakings() const;
  void wake(int rank);

  /** To be called by a process that ends. */
  void leave();

 private:
  struct Inbox;
  struct Block;
  class Lock;

  void open_block();
  Inbox &inbox(int rank) const;
  Owner &vcq(int node, int tni, int cq, int component) const;
  Owner &gate(int node, int tni, int number) const;

  int rank_, size_, per_node_;
  int shape_[3] = {1, 1, 1};    // of units of 12 nodes
  std::string name_;
  Block *block_ = nullptr;
};

}    // namespace TOFU_EMULATOR

#endif
