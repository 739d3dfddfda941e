// SPDX-License-Identifier: GPL-2.0-only

#include "reduction-gates.h"

#include "transport/gates.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <sched.h>
#include <type_traits>

namespace TOFU_NS {

namespace {

  template <class T> constexpr bool IS_WORD = std::is_same_v<T, std::uint64_t>;

  template <class T>
  constexpr std::size_t OF_AN_OPERATION = IS_WORD<T> ? GateChains::NWORDS : GateChains::NDOUBLES;

  template <class T>
  constexpr GateChains::Sum SUM = IS_WORD<T> ? GateChains::Sum::WORDS : GateChains::Sum::DOUBLES;

}    // namespace

/* ---------------------------------------------------------------------- */

template <class T> void GateReduction<T>::bind(Transport &transport)
{
  transport_ = &transport;
  other_->bind(transport);
  if (row_.ranks.size() == 1) return;
  if (!has_gates() || row_.ranks.size() > GateChains::MOST) {    // the same on all ranks
    why_not_ = has_gates() ? "a row of " + std::to_string(row_.ranks.size()) +
            " ranks has more chains than an interface has gates"
                           : "TOFU was built without uTofu";
  } else {
    make_chains();
  }
  if (!chains_ && row_.me == 0)
    transport.warn("sums go by messages instead of gates of the network: " + why_not_);
}

/* ----------------------------------------------------------------------
   each stage is complete on all ranks before the next: all have gates, all have linked them
------------------------------------------------------------------------- */

template <class T> void GateReduction<T>::make_chains()
{
  const int nranks = static_cast<int>(row_.ranks.size());
  std::string why;
  std::unique_ptr<GateChains> chains = make_gate_chains(nranks, row_.me, why);
  News mine{};
  mine.good = chains != nullptr;
  if (chains) std::copy_n(chains->relays().begin(), 2 * nranks, mine.relays);
  std::snprintf(mine.why, sizeof(mine.why), "%s", why.c_str());
  std::vector<News> all = swap(mine);
  if (!all_good(all)) return;

  const auto relays_of = [&](int rank) {
    const std::uint64_t *relays = all[(rank + nranks) % nranks].relays;
    return std::vector<std::uint64_t>(relays, relays + 2 * nranks);
  };
  mine.good = chains->link(relays_of(row_.me - 1), relays_of(row_.me + 1), why);
  std::snprintf(mine.why, sizeof(mine.why), "%s", why.c_str());
  all = swap(mine);
  if (all_good(all)) chains_ = std::move(chains);
}

/* ---------------------------------------------------------------------- */

template <class T>
std::vector<typename GateReduction<T>::News> GateReduction<T>::swap(const News &mine)
{
  std::vector<News> all(row_.ranks.size(), mine);
  for (std::size_t p = 0; p < all.size(); p++) {
    if (static_cast<int>(p) == row_.me) continue;
    Link &link = transport_->link(transport_->find(row_.ranks[p]));
    link.open(MessageKind::MESH);
    link.append(&mine, sizeof(mine));
    link.close();
  }
  for (std::size_t p = 0; p < all.size(); p++) {
    if (static_cast<int>(p) == row_.me) continue;
    const int index = transport_->find(row_.ranks[p]);
    const Message &message = transport_->wait(index, MessageKind::MESH);
    std::memcpy(&all[p], message.data, sizeof(News));
    transport_->link(index).release();
  }
  transport_->settle(Transport::ALL_LANES);
  return all;
}

/* ---------------------------------------------------------------------- */

template <class T> bool GateReduction<T>::all_good(const std::vector<News> &all)
{
  for (std::size_t p = 0; p < all.size(); p++) {
    if (all[p].good) continue;
    why_not_ = "rank " + std::to_string(row_.ranks[p]) + ": " + all[p].why;
    return false;
  }
  return true;
}

/* ----------------------------------------------------------------------
   every rank is the master of a chain, so that each learns from its own whether any has a finding
------------------------------------------------------------------------- */

template <class T>
void GateReduction<T>::sum(const int *cuts, std::size_t nvalues, const T *partial, T *mine,
                           ReductionMark *mark)
{
  if (!chains_) {
    other_->sum(cuts, nvalues, partial, mine, mark);
    return;
  }
  static constexpr unsigned SPINS = 100, PROGRESS_EVERY = 16, CHECK_EVERY = 1 << 14;
  const int nranks = static_cast<int>(row_.ranks.size());
  progress_.assign(row_.ranks.size(), {});
  std::uint64_t findings = 0;
  unsigned nspins = 0;
  for (bool all_done = false; !all_done; nspins++) {
    all_done = true;
    for (int chain = 0; chain < nranks; chain++) {
      const std::size_t n = nvalues * static_cast<std::size_t>(cuts[chain + 1] - cuts[chain]);
      if (!work(chain, partial + (n ? nvalues * cuts[chain] : 0), n, mark != nullptr, mine, mark,
                findings))
        all_done = false;
    }
    if (all_done) break;
    if (nspins > SPINS) sched_yield();
    // messages that have not left yet are what another rank waits for
    if (nspins % PROGRESS_EVERY == 0) transport_->progress(Transport::ALL_LANES);
    if (nspins % CHECK_EVERY == CHECK_EVERY - 1) transport_->expect_all_alive();
  }
  if (findings) other_->sum(cuts, 0, nullptr, nullptr, mark);
}

/* ----------------------------------------------------------------------
   next operation of a chain: the mark first, then the values in turn

   Returns: whether it has done all
------------------------------------------------------------------------- */

template <class T>
bool GateReduction<T>::work(int chain, const T *block, std::size_t n, bool marked, T *mine,
                            ReductionMark *mark, std::uint64_t &findings)
{
  constexpr std::size_t MOST = OF_AN_OPERATION<T>;
  const std::size_t first = marked ? 1 : 0, nall = first + (n + MOST - 1) / MOST;
  Progress &progress = progress_[chain];
  if (progress.nstarted > progress.ndone) {
    const bool is_mark = progress.ndone < first;
    GateChains::Values values;
    if (!chains_->done(chain, is_mark ? GateChains::Sum::LARGEST_WORD : SUM<T>, values))
      return false;
    if (chain == row_.me && is_mark) findings = values.words[0];
    if (chain == row_.me && !is_mark) {
      const std::size_t at = (progress.ndone - first) * MOST;
      for (std::size_t i = at; i < std::min(n, at + MOST); i++) {
        if constexpr (IS_WORD<T>)
          mine[i] = values.words[i - at];
        else
          mine[i] = static_cast<T>(values.doubles[i - at]);
      }
    }
    progress.ndone++;
  }
  if (progress.ndone == nall) return true;
  GateChains::Values values{};
  if (progress.nstarted < first) {
    values.words[0] = mark->set() ? 1 : 0;
    chains_->start(chain, GateChains::Sum::LARGEST_WORD, values, 1);
  } else {
    const std::size_t at = (progress.nstarted - first) * MOST, m = std::min(n - at, MOST);
    for (std::size_t i = 0; i < m; i++) {
      if constexpr (IS_WORD<T>)
        values.words[i] = block[at + i];
      else
        values.doubles[i] = static_cast<double>(block[at + i]);
    }
    chains_->start(chain, SUM<T>, values, m);
  }
  progress.nstarted++;
  return false;
}

template class GateReduction<double>;
template class GateReduction<float>;
template class GateReduction<std::uint64_t>;

}    // namespace TOFU_NS
