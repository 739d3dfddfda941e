// SPDX-License-Identifier: GPL-2.0-only
//
// FftChoice: the distributed FFTs that can do a mesh, and which of them does.

#ifndef TOFU_MESH_FFT_CHOICE_H
#define TOFU_MESH_FFT_CHOICE_H

#include "distributed_fft.h"
#include "partial_fft.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace TOFU_NS {

enum class FftMethod { AUTO, PARTIAL, PENCIL, REPLICATED };

struct FftSettings {
  FftMethod method = FftMethod::AUTO;    // AUTO: the fastest
  PartialOptions partial;
};

struct FftTime {
  const char *name;
  double seconds;    // of a step's transforms, on the slowest rank
};

template <class Real> class FftChoice {
 public:
  /** Make the candidates: all transforms that can do the mesh, or the requested one.

      \throws std::invalid_argument with the reason if that one cannot. */
  FftChoice(const MeshGeometry &geometry, const FftSettings &settings);

  /** Whether there is more than one candidate, for decide(). */
  bool has_alternatives() const { return candidates_.size() > 1; }

  /** As DistributedFft::add_traffic() and bind(), for all candidates. */
  void add_traffic(int nfields, std::vector<std::size_t> &nbytes) const;
  void bind(Transport &transport);

  /** Time all candidates on the real mesh and keep the fastest.  All ranks.

      \param nfields          of an inverse transform
      \param max_over_ranks   the largest of what all ranks give */
  void decide(int nfields, const std::function<double(double)> &max_over_ranks);

  /** The one that was chosen, the first before decide(). */
  DistributedFft<Real> &fft() { return *candidates_[chosen_].fft; }
  FftMethod method() const { return candidates_[chosen_].method; }

  std::vector<FftTime> times() const;    // results of decide()

 private:
  struct Candidate {
    FftMethod method;
    std::unique_ptr<DistributedFft<Real>> fft;
    double seconds;
  };

  std::vector<Candidate> candidates_;
  std::size_t chosen_ = 0;
  std::size_t nfield_points_;    // of this rank
};

}    // namespace TOFU_NS

#endif
