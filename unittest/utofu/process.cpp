// SPDX-License-Identifier: GPL-2.0-only
//
// Begin and end of a process, its queues, and the thread that plays the interfaces.

#include "process.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

namespace TOFU_EMULATOR {

namespace {

  Process *the_process = nullptr;
  constexpr std::uint64_t MARK = 0x5a;    // of an id

}    // namespace

/* ---------------------------------------------------------------------- */

std::uint64_t Id::pack() const
{
  std::uint64_t id = MARK << 56;
  for (int d = 0; d < 3; d++) id |= std::uint64_t(coords[d]) << 8 * d;
  id |= std::uint64_t(coords[3] | coords[4] << 1 | coords[5] << 3) << 24;
  id |= std::uint64_t(tni) << 28 | std::uint64_t(cq) << 32 | std::uint64_t(component) << 40;
  return id | std::uint64_t(abc[0] | abc[1] << 1 | abc[2] << 3) << 48;
}

bool Id::unpack(std::uint64_t id, Id &result)
{
  if (id >> 56 != MARK) return false;
  for (int d = 0; d < 3; d++) result.coords[d] = id >> 8 * d & 0xff;
  result.coords[3] = id >> 24 & 1;
  result.coords[4] = id >> 25 & 3;
  result.coords[5] = id >> 27 & 1;
  result.tni = id >> 28 & 0xf;
  result.cq = id >> 32 & 0xff;
  result.component = id >> 40 & 0xff;
  result.abc[0] = id >> 48 & 1;
  result.abc[1] = id >> 49 & 3;
  result.abc[2] = id >> 51 & 1;
  return result.tni < NTNIS && result.coords[4] < 3 && result.abc[1] < 3;
}

std::uint64_t Id::of_node() const
{
  Id same = *this;
  for (int d = 0; d < 3; d++) same.abc[d] = coords[3 + d];
  return same.pack();
}

/* ---------------------------------------------------------------------- */

Process &Process::get()
{
  static std::once_flag once;
  std::call_once(once, []() {
    the_process = new Process;    // used until the very end of the program
    std::atexit(at_exit);
  });
  if (the_process->pid_ != getpid()) end_process("a call of uTofu in a child process");
  return *the_process;
}

Process::Process() :
    settings(Settings::read()), random(settings.seed * 1000003 + job.rank()), gates(*this),
    last_look_(std::chrono::steady_clock::now()), pid_(getpid())
{
  thread_ = std::thread([this]() { run(); });
}

/* ---------------------------------------------------------------------- */

void Process::at_exit()
{
  if (the_process->pid_ == getpid()) the_process->stop();
}

void Process::stop()
{
  for (int looks = 0; looks < 1000; looks++) {    // answers of the hardware need no program
    {
      const std::lock_guard<std::mutex> lock(mutex);
      bool idle = pool_.empty();
      for (const auto &[rank, packets] : outgoing_) idle = idle && packets.empty();
      if (idle) break;
    }
    usleep(1000);
  }
  {
    const std::lock_guard<std::mutex> lock(mutex);
    stopping_ = true;
  }
  wake();
  thread_.join();
  report();
  job.leave();
}

/* ----------------------------------------------------------------------
   always what was forgotten, all of it on request
------------------------------------------------------------------------- */

void Process::report()
{
  tofu_emulator_counts n;
  count(n);
  std::string text;
  if (n.vcqs) text += "; " + std::to_string(n.vcqs) + " queues not freed";
  if (n.registrations) text += "; " + std::to_string(n.registrations) + " registrations left";
  if (n.gates) text += "; " + std::to_string(n.gates) + " gates not freed";
  text += gates.unfinished();
  if (settings.report)
    text += "; " + std::to_string(n.orders) + " orders, " + std::to_string(n.busy) +
        " were BUSY, " + std::to_string(n.notices) + " notices; unread " +
        std::to_string(n.unread_tcq) + " TCQ, " + std::to_string(n.unread_mrq) + " MRQ; at most " +
        std::to_string(n.most_toq) + " TOQ, " + std::to_string(n.most_tcq) + " TCQ, " +
        std::to_string(n.most_mrq) + " MRQ";
  if (!text.empty())
    std::fprintf(stderr, "tofu emulator, rank %d, end%s\n", job.rank(), text.c_str());
}

/* ---------------------------------------------------------------------- */

void Process::count(tofu_emulator_counts &counts)
{
  counts = counts_;
  counts.vcqs = by_serial_.size();
  counts.gates = gates.size();
  for (const auto &vcq : all_) {
    counts.registrations += vcq->memory.size();
    counts.unread_tcq += vcq->tcq.size();
    counts.unread_mrq += vcq->mrq.size();
  }
  for (const auto &[number, cq] : cqs_) {
    counts.most_toq = std::max(counts.most_toq, cq->most_toq);
    counts.most_tcq = std::max(counts.most_tcq, cq->most_tcq);
    counts.most_mrq = std::max(counts.most_mrq, cq->most_mrq);
  }
}

int Process::restart()
{
  if (!by_serial_.empty()) return -1;
  settings = Settings::read();
  random = Random(settings.seed * 1000003 + job.rank());
  counts_ = {};
  number_of_registrations = ncreated_ = 0;
  norders_ = 0;
  for (auto &[number, cq] : cqs_) cq->most_toq = cq->most_tcq = cq->most_mrq = 0;
  for (auto &vcq : all_) vcq->tcq.clear(), vcq->mrq.clear();
  return 0;
}

/* ---------------------------------------------------------------------- */

void Process::warn_outside_mpi()
{
  if (!settings.check_mpi) return;
  using Query = int (*)(int *);
  const auto initialized = reinterpret_cast<Query>(dlsym(RTLD_DEFAULT, "MPI_Initialized"));
  const auto finalized = reinterpret_cast<Query>(dlsym(RTLD_DEFAULT, "MPI_Finalized"));
  int began = 1, ended = 0;
  if (initialized) initialized(&began);
  if (finalized) finalized(&ended);
  if (began && !ended) return;
  std::fprintf(stderr, "tofu emulator, rank %d: a call of uTofu %s\n", job.rank(),
               ended ? "after MPI_Finalize()" : "before MPI_Init()");
}

/* ---------------------------------------------------------------------- */

Vcq *Process::find(utofu_vcq_hdl_t handle) const
{
  Vcq *const vcq = table_[handle % MAX_VCQS].load();
  return vcq && vcq->handle == handle ? vcq : nullptr;
}

Vcq *Process::by_serial(std::uint64_t serial)
{
  const auto found = by_serial_.find(serial);
  return found == by_serial_.end() ? nullptr : found->second;
}

/* ---------------------------------------------------------------------- */

int Process::create(int tni, int component, unsigned long flags, utofu_vcq_hdl_t *handle)
{
  const Nth &full = settings.full_queue;
  if (++ncreated_ >= full.n && full.n && (full.rank < 0 || full.rank == job.rank()))
    return UTOFU_ERR_FULL;
  const bool exclusive = flags & UTOFU_VCQ_FLAG_EXCLUSIVE;
  if (exclusive) {
    int n = 0;
    for (const auto &[serial, vcq] : by_serial_) n += vcq->exclusive;
    if (n >= settings.nexclusive) return UTOFU_ERR_NOT_AVAILABLE;
  }
  const int number = job.take_cq(tni, exclusive);
  if (number < 0) return exclusive ? UTOFU_ERR_NOT_AVAILABLE : UTOFU_ERR_FULL;
  auto &cq = cqs_[{tni, number}];
  if (!cq) cq = std::make_unique<ControlQueue>();
  cq->tni = tni;
  cq->number = number;

  const std::uint64_t serial = (std::uint64_t(job.rank()) + 1) << 40 | ++nserials_;
  int taken = -1;
  for (int c = 0; c < settings.nvcqs && taken < 0; c++)
    if ((component < 0 || component == c) && job.take_vcq(tni, number, c, serial)) taken = c;
  if (taken < 0) return component < 0 ? UTOFU_ERR_FULL : UTOFU_ERR_USED;

  std::size_t at = 1;
  while (at < MAX_VCQS && table_[at].load() && by_serial_.count(table_[at].load()->serial)) at++;
  if (at == MAX_VCQS) return UTOFU_ERR_FULL;
  Id id{{}, tni, number, taken, {}};
  job.coords_of(job.node(), id.coords);
  auto vcq = std::make_unique<Vcq>();
  vcq->handle = nserials_ * MAX_VCQS + at;
  vcq->id = id.of_node();
  vcq->serial = serial;
  vcq->cq = cq.get();
  vcq->component = taken;
  vcq->exclusive = exclusive;
  vcq->thread_safe = flags & UTOFU_VCQ_FLAG_THREAD_SAFE;
  *handle = vcq->handle;
  by_serial_[serial] = vcq.get();
  table_[at] = vcq.get();
  all_.push_back(std::move(vcq));
  return UTOFU_SUCCESS;
}

/* ---------------------------------------------------------------------- */

int Process::free(utofu_vcq_hdl_t handle)
{
  Vcq *const vcq = find(handle);
  if (!vcq) return UTOFU_ERR_INVALID_VCQ_HDL;
  if (!by_serial_.count(vcq->serial)) end_process("utofu_free_vcq() for a queue that was freed");
  if (has_orders(*vcq)) end_process("utofu_free_vcq() with orders in flight");
  vcq->cq->ntcq -= vcq->tcq.size();
  vcq->cq->nmrq -= vcq->mrq.size();
  job.give_vcq(vcq->cq->tni, vcq->cq->number, vcq->component);
  if (vcq->exclusive) job.give_cq(vcq->cq->tni, vcq->cq->number);
  for (auto &[key, arrivals] : arrivals_)
    if (std::get<0>(key) == vcq->serial) nready_ -= arrivals.ready.size();
  for (auto &[key, stream] : vcq->streams) nready_ -= stream.ready.size();
  vcq->streams.clear();
  arrivals_.erase(arrivals_.lower_bound({vcq->serial, 0, 0}),
                  arrivals_.lower_bound({vcq->serial + 1, 0, 0}));
  for (auto one = awaited_.begin(); one != awaited_.end();)
    one = one->second.serial == vcq->serial ? awaited_.erase(one) : std::next(one);
  by_serial_.erase(vcq->serial);
  return UTOFU_SUCCESS;
}

bool Process::has_orders(const Vcq &vcq) const
{
  for (const auto &order : vcq.cq->toq)
    if (order->vcq == &vcq) return true;
  return false;
}

/* ---------------------------------------------------------------------- */

int Process::post(Vcq &vcq, const std::vector<Order> &orders, void *cbdata)
{
  ControlQueue &cq = *vcq.cq;
  if (cq.toq.size() + cq.ntcq + orders.size() > settings.toq || (shuffled() && random.one_in(8))) {
    counts_.busy++;
    return UTOFU_ERR_BUSY;
  }
  for (const Order &posted : orders) {
    auto order = std::make_unique<Order>(posted);
    order->cbdata = cbdata;
    order->vcq = &vcq;
    order->number = ++norders_;
    counts_.orders++;
    const Nth &death = settings.death;
    if (death.n && norders_ == static_cast<std::uint64_t>(death.n) &&
        (death.rank < 0 || death.rank == job.rank()))
      ::kill(getpid(), SIGKILL);
    if (shuffled()) order->hold = static_cast<int>(random.one_in(3) ? random.below(12) : 0);
    if (order->kind != Order::NOP) {
      Id id;
      Id::unpack(order->rmt_vcq, id);
      const int by_flag = static_cast<int>(order->flags >> 28 & 0xff);
      order->path = by_flag ? by_flag - 1 : id.path();
      order->to_vcq = id.of_node();
      const int node = job.node_at(id.coords);
      if (node >= 0) order->to = job.owner_of_vcq(node, id.tni, id.cq, id.component);
      Stream &stream = vcq.streams[{order->to.serial, order->path}];
      order->sequence = stream.nposted++;
      if (order->flags & UTOFU_ONESIDED_FLAG_REMOTE_MRQ_NOTICE) order->ordinal = stream.nnotices++;
      const bool local = order->flags & UTOFU_ONESIDED_FLAG_LOCAL_MRQ_NOTICE;
      if (local) stream.local.emplace_back(order->number, false);
      if (local || order->kind != Order::PUT)
        awaited_[order->number] = {
            vcq.serial, {order->to.serial, order->path}, order->to.rank, *order, 0};
    }
    cq.toq.push_back(std::move(order));
    cq.most_toq = std::max(cq.most_toq, cq.toq.size());
  }
  wake();
  return UTOFU_SUCCESS;
}

/* ---------------------------------------------------------------------- */

void Process::run()
{
  std::unique_lock<std::mutex> lock(mutex);
  while (!stopping_) {
    const std::uint32_t seen = job.wakings();
    const bool progress = step();
    bool idle = pool_.empty() && nready_ == 0;
    for (const auto &[number, cq] : cqs_) idle = idle && cq->toq.empty();
    for (const auto &[rank, packets] : outgoing_) idle = idle && packets.empty();
    const bool awaits = !awaited_.empty();
    lock.unlock();
    if (idle)
      job.sleep(seen, awaits ? 50000 : 0);
    else if (progress || nsteps_ % 4)
      sched_yield();
    else
      job.sleep(seen, 30);
    lock.lock();
  }
}

/* ---------------------------------------------------------------------- */

bool Process::step()
{
  nsteps_++;
  look_after_peers();
  bool progress = take_arrivals();
  for (auto &[number, cq] : cqs_) {
    if (cq->toq.empty()) continue;
    if (read_some(*cq)) progress = true;
    if (retire(*cq)) progress = true;
  }
  if (flush()) progress = true;
  if (apply_some()) progress = true;
  if (nready_ && deliver()) progress = true;
  return progress;
}

}    // namespace TOFU_EMULATOR
