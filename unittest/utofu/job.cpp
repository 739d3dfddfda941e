// SPDX-License-Identifier: GPL-2.0-only

#include "job.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace TOFU_EMULATOR {

namespace {

  constexpr std::size_t ROOM = 1024;    // packets of an inbox
  constexpr std::uint64_t READY = 0x7466656d75303031ULL;

  long first_number(std::initializer_list<const char *> names, long absent)
  {
    for (const char *name : names)
      if (const char *text = std::getenv(name))
        if (*text) return environment_number(name, absent);
    return absent;
  }

  /** State letter and start time of a process; '?' if there is none. */
  char process_state(long pid, unsigned long long &start)
  {
    char path[64], text[512];
    std::snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
    std::FILE *file = std::fopen(path, "r");
    if (!file) return '?';
    const std::size_t n = std::fread(text, 1, sizeof(text) - 1, file);
    std::fclose(file);
    text[n] = '\0';
    const char *rest = std::strrchr(text, ')');
    char state = '?';
    start = 0;
    if (rest)
      std::sscanf(
          rest + 1,
          " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
          &state, &start);
    return state;
  }

  // processes of one launcher have one parent

  std::string job_name(int size)
  {
    if (const char *name = std::getenv("TOFU_EMULATOR_JOB"))
      return std::string("/emulated-interconnect-") + name;
    const long pid = size > 1 ? getppid() : getpid();
    unsigned long long start = 0;
    process_state(pid, start);
    return "/emulated-interconnect-" + std::to_string(pid) + "-" + std::to_string(start);
  }

}    // namespace

/* ---------------------------------------------------------------------- */

struct Job::Inbox {
  std::atomic<std::int32_t> pid{0};
  std::atomic<std::int32_t> left{0};
  std::atomic<std::uint32_t> wakings{0};
  std::atomic<std::uint32_t> asleep{0};
  pthread_mutex_t mutex;
  std::atomic<std::uint64_t> first{0}, end{0};    // of the packets; ring
  Packet packets[ROOM];
};

struct Job::Block {
  std::atomic<std::uint64_t> ready;
  pthread_mutex_t mutex;    // of the tables
  int nranks, nattached, nleft;
  std::size_t nbytes;

  // by node: owners of queues of the hardware [NTNIS * NCQS], of virtual queues, of gates; then the
  // inboxes

  Owner tables[1];
};

class Job::Lock {
 public:
  explicit Lock(pthread_mutex_t &mutex) : mutex_(mutex)
  {
    if (pthread_mutex_lock(&mutex_) == EOWNERDEAD) pthread_mutex_consistent(&mutex_);
  }
  ~Lock() { pthread_mutex_unlock(&mutex_); }
  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;

  static void make(pthread_mutex_t &mutex)
  {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
  }

 private:
  pthread_mutex_t &mutex_;
};

namespace {

  constexpr std::size_t CQS_OF_NODE = NTNIS * NCQS;
  constexpr std::size_t VCQS_OF_NODE = CQS_OF_NODE * NVCQS;
  constexpr std::size_t GATES_OF_NODE = NTNIS * NGATES;
  constexpr std::size_t OWNERS_OF_NODE = CQS_OF_NODE + VCQS_OF_NODE + GATES_OF_NODE;

}    // namespace

/* ---------------------------------------------------------------------- */

Job::Job() :
    rank_(first_number({"TOFU_EMULATOR_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK"}, 0)),
    size_(first_number({"TOFU_EMULATOR_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}, 1)),
    per_node_(first_number({"TOFU_EMULATOR_RANKS_PER_NODE"}, 4)), name_(job_name(size_))
{
  if (size_ < 1 || rank_ < 0 || rank_ >= size_ || per_node_ < 1)
    end_process("rank " + std::to_string(rank_) + " of " + std::to_string(size_) + ", " +
                std::to_string(per_node_) + " a node, is no rank of a job");
  shape_[0] = (nnodes() + 11) / 12;
  if (const char *shape = std::getenv("TOFU_EMULATOR_SHAPE")) {
    const int n = std::sscanf(shape, "%dx%dx%d", &shape_[0], &shape_[1], &shape_[2]);
    if (n != 3 || 12L * shape_[0] * shape_[1] * shape_[2] < nnodes())
      end_process("TOFU_EMULATOR_SHAPE=" + std::string(shape) + " has no room for " +
                  std::to_string(nnodes()) + " nodes, 12 in a unit; expected XxYxZ");
  }
  open_block();
}

/* ---------------------------------------------------------------------- */

void Job::open_block()
{
  const std::size_t tables = sizeof(Block) + sizeof(Owner) * OWNERS_OF_NODE * nnodes();
  const std::size_t nbytes = (tables + 4095) / 4096 * 4096 + sizeof(Inbox) * size_;
  int fd = shm_open(name_.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  const bool first = fd >= 0;
  if (!first) fd = shm_open(name_.c_str(), O_RDWR, 0600);
  if (fd < 0 || (first && ftruncate(fd, static_cast<off_t>(nbytes)) != 0))
    end_process("shared memory " + name_ + ": " + std::strerror(errno));
  struct stat status {};
  while (fstat(fd, &status) == 0 && status.st_size < static_cast<off_t>(nbytes)) sched_yield();
  void *at = mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (at == MAP_FAILED) end_process("shared memory " + name_ + ": " + std::strerror(errno));
  block_ = static_cast<Block *>(at);
  if (first) {
    block_->nbytes = nbytes;
    block_->nranks = size_;
    Lock::make(block_->mutex);
    for (std::size_t i = 0; i < OWNERS_OF_NODE * nnodes(); i++) block_->tables[i] = Owner();
    for (int rank = 0; rank < size_; rank++) Lock::make(inbox(rank).mutex);
    block_->ready.store(READY);
  }
  while (block_->ready.load() != READY) sched_yield();
  const Lock lock(block_->mutex);
  if (block_->nranks != size_ || inbox(rank_).pid != 0)
    end_process("two processes are rank " + std::to_string(rank_) + " of job " + name_ +
                "; set TOFU_EMULATOR_JOB, _RANK and _SIZE");
  inbox(rank_).pid = getpid();
  if (++block_->nattached == size_) shm_unlink(name_.c_str());
}

/* ---------------------------------------------------------------------- */

void Job::leave()
{
  const Lock lock(block_->mutex);
  inbox(rank_).left = 1;
  for (std::size_t i = 0; i < OWNERS_OF_NODE * nnodes(); i++)
    if (block_->tables[i].rank == rank_) block_->tables[i] = Owner();
  if (++block_->nleft == block_->nattached && block_->nattached < size_) shm_unlink(name_.c_str());
}

/* ---------------------------------------------------------------------- */

Job::Inbox &Job::inbox(int rank) const
{
  const std::size_t tables = sizeof(Block) + sizeof(Owner) * OWNERS_OF_NODE * nnodes();
  char *at = reinterpret_cast<char *>(block_) + (tables + 4095) / 4096 * 4096;
  return reinterpret_cast<Inbox *>(at)[rank];
}

/* ---------------------------------------------------------------------- */

Owner &Job::vcq(int node, int tni, int cq, int component) const
{
  return block_
      ->tables[node * OWNERS_OF_NODE + CQS_OF_NODE + (tni * NCQS + cq) * NVCQS + component];
}

Owner &Job::gate(int node, int tni, int number) const
{
  return block_->tables[node * OWNERS_OF_NODE + CQS_OF_NODE + VCQS_OF_NODE + tni * NGATES + number];
}

/* ----------------------------------------------------------------------
   A, B and C first: 2 x 3 x 2 nodes are a unit
------------------------------------------------------------------------- */

void Job::coords_of(int node, std::uint8_t coords[6]) const
{
  const int unit = node / 12, inside = node % 12;
  coords[0] = static_cast<std::uint8_t>(unit % shape_[0]);
  coords[1] = static_cast<std::uint8_t>(unit / shape_[0] % shape_[1]);
  coords[2] = static_cast<std::uint8_t>(unit / shape_[0] / shape_[1]);
  coords[3] = static_cast<std::uint8_t>(inside % 2);
  coords[4] = static_cast<std::uint8_t>(inside / 2 % 3);
  coords[5] = static_cast<std::uint8_t>(inside / 6);
}

int Job::node_at(const std::uint8_t coords[6]) const
{
  for (int d = 0; d < 3; d++)
    if (coords[d] >= shape_[d]) return -1;
  if (coords[3] > 1 || coords[4] > 2 || coords[5] > 1) return -1;
  const int unit = coords[0] + shape_[0] * (coords[1] + shape_[1] * coords[2]);
  const int node = 12 * unit + coords[3] + 2 * coords[4] + 6 * coords[5];
  return node < nnodes() ? node : -1;
}

/* ----------------------------------------------------------------------
   numbers that a process gets need not begin at 0, nor be the same on all interfaces
------------------------------------------------------------------------- */

int Job::take_cq(int tni, bool exclusive)
{
  const Lock lock(block_->mutex);
  Owner *const owners = block_->tables + node() * OWNERS_OF_NODE + tni * NCQS;
  for (int cq = 0; cq < NCQS && !exclusive; cq++)
    if (owners[cq].rank == rank_ && owners[cq].serial == 0) return cq;
  for (int k = 0; k < NCQS; k++) {
    const int cq = (k + 3 * rank_ + tni) % NCQS;
    if (owners[cq].rank >= 0) continue;
    owners[cq].rank = rank_;
    owners[cq].serial = exclusive ? 1 : 0;
    return cq;
  }
  return -1;
}

void Job::give_cq(int tni, int cq)
{
  const Lock lock(block_->mutex);
  block_->tables[node() * OWNERS_OF_NODE + tni * NCQS + cq] = Owner();
}

/* ---------------------------------------------------------------------- */

bool Job::take_vcq(int tni, int cq, int component, std::uint64_t serial)
{
  const Lock lock(block_->mutex);
  Owner &owner = vcq(node(), tni, cq, component);
  if (owner.rank >= 0) return false;
  owner.rank = rank_;
  owner.serial = serial;
  return true;
}

void Job::give_vcq(int tni, int cq, int component)
{
  const Lock lock(block_->mutex);
  vcq(node(), tni, cq, component) = Owner();
}

Owner Job::owner_of_vcq(int node, int tni, int cq, int component)
{
  const Lock lock(block_->mutex);
  return vcq(node, tni, cq, component);
}

/* ---------------------------------------------------------------------- */

bool Job::take_gate(int tni, int number)
{
  const Lock lock(block_->mutex);
  Owner &owner = gate(node(), tni, number);
  if (owner.rank >= 0) return false;
  owner.rank = rank_;
  return true;
}

void Job::give_gate(int tni, int number)
{
  const Lock lock(block_->mutex);
  gate(node(), tni, number) = Owner();
}

Owner Job::owner_of_gate(int node, int tni, int number)
{
  const Lock lock(block_->mutex);
  return gate(node, tni, number);
}

/* ---------------------------------------------------------------------- */

std::size_t Job::send(int rank, const Packet *packets, std::size_t n)
{
  Inbox &box = inbox(rank);
  std::size_t done = 0;
  {
    const Lock lock(box.mutex);
    const std::uint64_t first = box.first, end = box.end;
    for (; done < n && end + done - first < ROOM; done++)
      std::memcpy(&box.packets[(end + done) % ROOM], &packets[done], sizeof(Packet));
    box.end = end + done;
  }
  if (done) wake(rank);
  return done;
}

std::size_t Job::receive(std::vector<Packet> &packets)
{
  Inbox &box = inbox(rank_);
  if (box.first.load() == box.end.load()) return 0;
  const Lock lock(box.mutex);
  const std::uint64_t first = box.first, end = box.end;
  for (std::uint64_t i = first; i < end; i++) packets.push_back(box.packets[i % ROOM]);
  box.first = end;
  return end - first;
}

/* ---------------------------------------------------------------------- */

bool Job::is_gone(int rank) const
{
  const Inbox &box = inbox(rank);
  if (box.left) return true;
  const std::int32_t pid = box.pid;
  if (pid == 0) return false;
  unsigned long long start;
  const char state = process_state(pid, start);
  return state == '?' || state == 'Z' || state == 'X';
}

/* ---------------------------------------------------------------------- */

std::uint32_t Job::wakings() const
{
  return inbox(rank_).wakings;
}

void Job::wake(int rank)
{
  Inbox &box = inbox(rank);
  box.wakings++;
  if (box.asleep.load())
    syscall(SYS_futex, reinterpret_cast<std::uint32_t *>(&box.wakings), FUTEX_WAKE, INT_MAX,
            nullptr, nullptr, 0);
}

void Job::sleep(std::uint32_t seen, long microseconds)
{
  Inbox &box = inbox(rank_);
  const timespec limit{microseconds / 1000000, microseconds % 1000000 * 1000};
  box.asleep = 1;
  if (box.wakings.load() == seen)
    syscall(SYS_futex, reinterpret_cast<std::uint32_t *>(&box.wakings), FUTEX_WAIT, seen,
            microseconds ? &limit : nullptr, nullptr, 0);
  box.asleep = 0;
}

}    // namespace TOFU_EMULATOR
