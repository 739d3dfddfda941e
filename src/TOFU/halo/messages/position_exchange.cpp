// SPDX-License-Identifier: GPL-2.0-only

#include "position_exchange.h"

#include "base/share.h"
#include "halo/halo_kernels.h"

#include <cstring>
#include <utility>

namespace TOFU_NS {

namespace {

  constexpr int FEWEST_IMAGES = 200;    // of a part, which are worth a fork

  /** Displacement of what a swap sends, bitwise as AtomVec::pack_comm() has it.

    \return   nullptr if it crosses no periodic boundary */
  const double *shift_of(const HaloSwap &swap, const SelfImages::Box &box, double *shift)
  {
    if (!swap.pbc_flag) return nullptr;
    const int *const pbc = swap.pbc;
    shift[0] = pbc[0] * box[0][0] + pbc[5] * box[1][0] + pbc[4] * box[2][0];
    shift[1] = pbc[1] * box[1][1] + pbc[3] * box[2][1];
    shift[2] = pbc[2] * box[2][2];
    return shift;
  }

}    // namespace

/* ---------------------------------------------------------------------- */

PositionExchange::PositionExchange(HaloExchange &halo, PartsOfRank parts, bool forces_in_place) :
    halo_(halo), parts_(std::move(parts)), forces_in_place_(forces_in_place)
{
}

/* ---------------------------------------------------------------------- */

void PositionExchange::forward(double *x, const std::vector<double *> &vectors, int nlocal,
                               const SelfImages::Box &box, const GhostLanding &landing)
{
  const auto put = [&](int i, Link &link) {
    double shift[3];
    const int *const sent = halo_.sent(i);
    put_positions(link, x, sent, halo_.nsent(i), shift_of(halo_.plan().swaps[i], box, shift));
    for (const double *values : vectors) put_positions(link, values, sent, halo_.nsent(i), nullptr);
  };
  const auto get = [&](int i, const std::byte *&cursor) {
    const std::size_t nbytes = halo_.nghosts(i) * 3 * sizeof(double);
    const std::size_t first = 3 * static_cast<std::size_t>(halo_.first_ghost(i));
    const auto get_array = [&](double *values) {
      if (nbytes) std::memcpy(values + first, cursor, nbytes);
      cursor += nbytes;
    };
    get_array(x);
    for (double *values : vectors) get_array(values);
  };
  halo_.forward(
      ReadOrder::ARRIVAL, Callbacks::CONCURRENT, put, get,
      [&](int i) { make_images(i, box, x, vectors, nlocal); }, landing);
}

/* ---------------------------------------------------------------------- */

void PositionExchange::reverse(double *f, int nlocal, const GhostLanding &landing)
{
  halo_.reverse(
      Callbacks::CONCURRENT, [&](int i, Link &link) { put_forces(link, f, i, halo_.nghosts(i)); },
      [&](int i, const std::byte *&cursor) { get_forces(f, i, halo_.nsent(i), cursor); },
      [&](int i) { return_images(i, f, nlocal); }, landing);
}

/* ---------------------------------------------------------------------- */

void PositionExchange::reverse_rows(double *f)
{
  halo_.reverse_rows(
      Callbacks::CONCURRENT,
      [&](int i, Link &link) { put_forces(link, f, i, halo_.nrows_received(i)); },
      [&](int i, const std::byte *&cursor) { get_forces(f, i, halo_.nrows_sent(i), cursor); });
}

/* ---------------------------------------------------------------------- */

void PositionExchange::make_images(int swap, const SelfImages::Box &box, double *x,
                                   const std::vector<double *> &vectors, int nlocal)
{
  const SelfImages &images = halo_.self_images();
  share_images(images.nforward(swap), nlocal, [&](ImageSources sources) {
    images.forward(swap, box, x, sources);
    for (double *values : vectors) images.forward(swap, SelfImages::Box(), values, sources);
  });
}

/* ---------------------------------------------------------------------- */

void PositionExchange::return_images(int swap, double *f, int nlocal) const
{
  const SelfImages &images = halo_.self_images();
  share_images(images.nreverse(swap), nlocal,
               [&](ImageSources sources) { images.reverse(swap, f, sources); });
}

/* ---------------------------------------------------------------------- */

template <class Images>
void PositionExchange::share_images(int nimages, int nlocal, Images &&images) const
{
  if (nimages == 0) return;
  const bool few = nimages < FEWEST_IMAGES || halo_.self_images().in_turn();
  Parts parts = few ? Parts() : parts_();
  if (nimages < FEWEST_IMAGES * parts.n()) parts = Parts();
  const int n = parts.n();
  parts.run([&](int part) {
    ImageSources sources;
    if (part > 0) sources.first = begin_of_share(part, n, nlocal, GRAIN);
    if (part + 1 < n) sources.last = begin_of_share(part + 1, n, nlocal, GRAIN);
    images(sources);
  });
}

/* ----------------------------------------------------------------------
   of the first n ghosts of a swap
------------------------------------------------------------------------- */

void PositionExchange::put_forces(Link &link, const double *f, int swap, int n) const
{
  const double *const forces = f + 3 * static_cast<std::size_t>(halo_.first_ghost(swap));
  const std::size_t nbytes = n * 3 * sizeof(double);
  if (forces_in_place_)
    link.append_in_place(forces, nbytes);
  else
    link.append(forces, nbytes);
}

/* ---------------------------------------------------------------------- */

void PositionExchange::get_forces(double *f, int swap, int n, const std::byte *&cursor) const
{
  add_forces(f, halo_.sent(swap), n, reinterpret_cast<const double *>(cursor));
  cursor += n * 3 * sizeof(double);
}

}    // namespace TOFU_NS
