// SPDX-License-Identifier: GPL-2.0-only
//
// Exchanges of ghosts by all ranks of a grid over a slow LogGP network (delayed_backend.h), for the
// comparison with the model of tools/tofu predict.  Packing an atom is a sleep, too.
//
//   TOFU_DELAYS=... delayed_exchange < CASE
//
// CASE: PATTERN (full, half or staged) NX NY NZ LX LY LZ CUT; number of lanes; times to pack and
// to unpack an atom [us]; longest sleep between two looks [s]; number of swaps and the part of a
// rank's atoms that each sends; atoms of each rank; begin of each rank [us].  Ranks are numbered
// along z first.  A line for each rank: when it had ended a forward, and a reverse [us].

#include "delayed_backend.h"
#include "unit/transport/queue_backend.h"
#include "unit/transport/world.h"

#include "halo/halo_exchange.h"

#include <cmath>
#include <iostream>

using namespace TOFU_TEST;

namespace {

struct Case {
  std::string pattern;
  std::array<int, 3> grid{};
  std::array<double, 3> box{};
  double cut = 0.0, pack = 0.0, unpack = 0.0, nap = 0.0;
  int nlanes = 1;
  std::vector<double> shares, atoms, starts;

  int size() const { return grid[0] * grid[1] * grid[2]; }
  int sent(int swap, int rank) const
  {
    return static_cast<int>(std::lround(shares[swap] * atoms[rank]));
  }
};

std::istream &operator>>(std::istream &in, Case &c)
{
  in >> c.pattern;
  for (int &n : c.grid) in >> n;
  for (double &length : c.box) in >> length;
  std::size_t nswaps = 0;
  in >> c.cut >> c.nlanes >> c.pack >> c.unpack >> c.nap >> nswaps;
  c.shares.resize(nswaps);
  c.atoms.resize(c.size());
  c.starts.resize(c.size());
  for (auto *values : {&c.shares, &c.atoms, &c.starts})
    for (double &value : *values) in >> value;
  return in;
}

HaloPlan make_plan(const Case &c, int rank)
{
  HaloGeometry geometry;
  geometry.procgrid = c.grid;
  geometry.myloc = {rank / (c.grid[1] * c.grid[2]), rank / c.grid[2] % c.grid[1], rank % c.grid[2]};
  std::array<std::vector<double>, 3> splits;
  for (int dim = 0; dim < 3; dim++) {
    for (int i = 0; i <= c.grid[dim]; i++)
      splits[dim].push_back(static_cast<double>(i) / c.grid[dim]);
    geometry.split[dim] = splits[dim].data();
    geometry.prd[dim] = geometry.boxhi[dim] = c.box[dim];
    geometry.cutghost[dim] = c.cut;
  }
  const RankMap ranks(c.grid,
                      [&](int x, int y, int z) { return (x * c.grid[1] + y) * c.grid[2] + z; });
  return c.pattern == "staged" ? HaloPlan::staged(geometry, rank, ranks)
                               : HaloPlan::direct(geometry, rank, ranks, c.pattern == "half");
}

std::unique_ptr<Backend> make_delayed_queues(const BackendResources &resources)
{
  return std::make_unique<DelayedBackend>(make_queue_backend(resources),
                                          resources.bootstrap.rank());
}

const BackendTable &delayed_queues()
{
  static const BackendTable table{
      {"queue", "slow queues", Reach::NODE, true, sizeof(void *), make_delayed_queues}};
  return table;
}

/** All ranks wait for each other, and get a time a little later. */
class CommonBegin {
 public:
  explicit CommonBegin(int nranks) : nranks_(nranks) {}

  double agree()
  {
    std::unique_lock<std::mutex> lock(mutex_);
    const int turn = turn_;
    if (++narrived_ == nranks_) {
      narrived_ = 0;
      turn_++;
      begin_ = SlowClock::now() + 0.05;
      all_here_.notify_all();
    }
    all_here_.wait(lock, [&]() { return turn_ != turn; });
    return begin_;
  }

 private:
  const int nranks_;
  std::mutex mutex_;
  std::condition_variable all_here_;
  int narrived_ = 0, turn_ = 0;
  double begin_ = 0.0;
};

class SlowRank {
 public:
  SlowRank(const Case &c, int rank, Bootstrap &bootstrap, CommonBegin &common) :
      case_(c), rank_(rank), common_(common), plan_(make_plan(c, rank)),
      transport_(bootstrap, nullptr, options(), delayed_queues()), team_(c.nlanes, true)
  {
    const auto report = transport_.connect(
        plan_.neighbors, std::vector<std::size_t>(plan_.neighbors.size(), 1 << 16), plan_.hops);
    if (!report.error.empty()) throw std::runtime_error(report.error);
    transport_.set_nap(c.nap);
    halo_.bind(&plan_, &transport_, c.nlanes > 1 ? &team_ : nullptr);
    make_lists();
  }

  double forward()
  {
    return timed([&]() {
      halo_.forward(
          ReadOrder::FIXED, Callbacks::CONCURRENT,
          [&](int i, Link &link) { put(link, halo_.nsent(i)); },
          [&](int i, const std::byte *&cursor) { get(cursor, halo_.nghosts(i)); },
          [&](int i) { SlowClock::work(case_.pack * halo_.nsent(i)); });
    });
  }

  double reverse()
  {
    return timed([&]() {
      halo_.reverse(
          Callbacks::CONCURRENT, [&](int i, Link &link) { put(link, halo_.nghosts(i)); },
          [&](int i, const std::byte *&cursor) { get(cursor, halo_.nsent(i)); },
          [&](int i) { SlowClock::work(case_.unpack * halo_.nsent(i)); });
    });
  }

 private:
  TransportOptions options() const
  {
    TransportOptions result;
    result.nlanes = result.nendpoints = case_.nlanes;
    result.backend = "queue";
    result.warn_seconds = 60.0;
    return result;
  }

  void make_lists()
  {
    const int nswaps = static_cast<int>(plan_.swaps.size());
    if (plan_.swaps.size() != case_.shares.size())
      throw std::runtime_error("wrong number of swaps");
    halo_.begin(nswaps);
    int nall = static_cast<int>(case_.atoms[rank_]);
    for (int i = 0; i < nswaps; i++) {
      const std::vector<int> sent(case_.sent(i, rank_), 0);
      halo_.new_lists().add(sent.data(), static_cast<int>(sent.size()));
      halo_.new_lists().finish_swap();
    }
    for (int i = 0; i < nswaps; i++) {
      const int nghosts = case_.sent(i, plan_.swaps[i].recvproc);
      halo_.set_ghosts(i, nghosts, nall);
      nall += nghosts;
    }
    halo_.count_atoms();
  }

  /** Returns: us of the slow network from the common begin to the end. */
  template <class Work> double timed(Work &&work)
  {
    const double begin = common_.agree();
    begin_ = begin + Delays::get().here(case_.starts[rank_]);
    SlowClock::begin_at(begin_);
    SlowClock::work(0.0);
    work();
    return (std::max(SlowClock::now(), SlowClock::busy()) - begin) / Delays::get().here(1.0);
  }

  void put(Link &link, int n)
  {
    SlowClock::busy() = std::max(SlowClock::busy(), begin_);    // a thread of the team
    SlowClock::work(case_.pack * n);
    const std::vector<double> x(3 * static_cast<std::size_t>(n), 1.0);
    link.append(x.data(), x.size() * sizeof(double));
  }

  void get(const std::byte *&cursor, int n)
  {
    SlowClock::work(case_.unpack * n);
    cursor += n * 3 * sizeof(double);
  }

  const Case &case_;
  const int rank_;
  CommonBegin &common_;
  double begin_ = 0.0;
  HaloPlan plan_;
  Transport transport_;
  CommTeam team_;
  HaloExchange halo_;
};

}    // namespace

int main()
{
  Case c;
  if (!(std::cin >> c)) {
    std::fprintf(stderr, "delayed_exchange: cannot read the case\n");
    return 1;
  }
  Delays::get();
  ThreadPost post;
  CommonBegin common(c.size());
  std::vector<std::pair<double, double>> ends(c.size());
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < c.size(); rank++)
    ranks.emplace_back([&, rank]() {
      ThreadBootstrap bootstrap(post, rank, c.size());
      SlowRank slow(c, rank, bootstrap, common);
      ends[rank].first = slow.forward();
      ends[rank].second = slow.reverse();
      common.agree();    // before links are closed
    });
  for (std::thread &thread : ranks) thread.join();
  for (const auto &[forward, reverse] : ends) std::printf("%.6f %.6f\n", forward, reverse);
  return 0;
}
