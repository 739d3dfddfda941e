// SPDX-License-Identifier: GPL-2.0-only

#include "fft_choice.h"

#include "pencil_fft.h"
#include "replicated_fft.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace TOFU_NS {

namespace {

  constexpr int NTRIALS = 7;    // of which the fastest counts: others are interrupted by the system

  // beyond these a mesh on every rank costs more than any other transform, and so would the links
  // to all

  constexpr int MOST_REPLICAS = 64;
  constexpr std::size_t MOST_REPLICATED_POINTS = 48 * 48 * 48;

  template <class Real>
  double seconds_of(DistributedFft<Real> &fft, int nfields, std::size_t npoints)
  {
    using Clock = std::chrono::steady_clock;
    const std::size_t nspectrum = 2 * fft.spectrum().box.npoints();
    std::vector<Real> density(npoints), transformed(nspectrum), fields(nfields * npoints),
        spectra(nfields * nspectrum);
    std::vector<Real *> from, to;
    for (int field = 0; field < nfields; field++) {
      from.push_back(spectra.data() + field * nspectrum);
      to.push_back(fields.data() + field * npoints);
    }
    double fastest = 1e30;
    for (int trial = 0; trial < NTRIALS; trial++) {
      const auto start = Clock::now();
      fft.forward(density.data(), transformed.data());
      fft.inverse(nfields, from.data(), to.data());
      fastest = std::min(fastest, std::chrono::duration<double>(Clock::now() - start).count());
    }
    return fastest;
  }

}    // namespace

/* ---------------------------------------------------------------------- */

template <class Real>
FftChoice<Real>::FftChoice(const MeshGeometry &geometry, const FftSettings &settings) :
    nfield_points_(geometry.boxes[geometry.me].npoints())
{
  const std::size_t nranks = geometry.bricks.size();
  const bool any = settings.method == FftMethod::AUTO;
  if (settings.method == FftMethod::PENCIL || any)
    candidates_.push_back({FftMethod::PENCIL, make_pencil_fft<Real>(geometry), 0.0});
  if (any && nranks == 1) return;    // there they are all the same

  if (settings.method == FftMethod::PARTIAL || any) {
    std::string why_not;
    auto fft = make_partial_fft<Real>(geometry, settings.partial, why_not);
    if (fft)
      candidates_.push_back({FftMethod::PARTIAL, std::move(fft), 0.0});
    else if (!any)
      throw std::invalid_argument(why_not);
  }
  const bool small =
      nranks <= MOST_REPLICAS && whole_mesh(geometry.npoints).npoints() <= MOST_REPLICATED_POINTS;
  if (settings.method == FftMethod::REPLICATED || (any && small))
    candidates_.push_back({FftMethod::REPLICATED, make_replicated_fft<Real>(geometry), 0.0});
}

/* ---------------------------------------------------------------------- */

template <class Real>
void FftChoice<Real>::add_traffic(int nfields, std::vector<std::size_t> &nbytes) const
{
  for (const Candidate &one : candidates_) one.fft->add_traffic(nfields, nbytes);
}

/* ---------------------------------------------------------------------- */

template <class Real> void FftChoice<Real>::bind(Transport &transport)
{
  for (Candidate &one : candidates_) one.fft->bind(transport);
}

/* ---------------------------------------------------------------------- */

template <class Real>
void FftChoice<Real>::decide(int nfields, const std::function<double(double)> &max_over_ranks)
{
  for (Candidate &one : candidates_)
    one.seconds = max_over_ranks(seconds_of(*one.fft, nfields, nfield_points_));
  chosen_ = std::min_element(
                candidates_.begin(), candidates_.end(),
                [](const Candidate &a, const Candidate &b) { return a.seconds < b.seconds; }) -
      candidates_.begin();
}

/* ---------------------------------------------------------------------- */

template <class Real> std::vector<FftTime> FftChoice<Real>::times() const
{
  std::vector<FftTime> found;
  for (const Candidate &one : candidates_) found.push_back({one.fft->name(), one.seconds});
  return found;
}

template class FftChoice<double>;
template class FftChoice<float>;

}    // namespace TOFU_NS
