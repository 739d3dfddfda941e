// SPDX-License-Identifier: GPL-2.0-only
//
// DistributedFft: interface of the Fourier transforms of pppm/offload, for a mesh that ranks hold
// in boxes.
//
// The input is real numbers, the output is half a spectrum: one dimension has only the points 0 to
// n/2, the others are their complex conjugates.  Ghost points are part of the transform: forward()
// adds the values that ranks have at images of the same point, inverse() fills ghost points.  So
// the exchange of ghost points and that of the first and last transposition are one.
//
// A backend for a network that can sum (uTofu's hardware reduction, DPLR paper, sec. 3.1) has its
// place in mesh/exchange/reduction.h.

#ifndef TOFU_MESH_DISTRIBUTED_FFT_H
#define TOFU_MESH_DISTRIBUTED_FFT_H

#include "base/parts.h"
#include "mesh/exchange/mesh_layout.h"
#include "transport/transport.h"

#include <utility>
#include <vector>

namespace TOFU_NS {

/** Assignment of the mesh to ranks, the same on all ranks. */
struct MeshGeometry {
  int me;                         // this rank
  std::array<int, 3> npoints;     // of the mesh
  std::vector<MeshBox> bricks;    // [nranks] disjoint, together the mesh; may be empty
  std::vector<MeshBox> boxes;     // [nranks] each brick with its ghost points, as arrays have it,
                                  // x fastest
};

template <class Real> class DistributedFft {
 public:
  virtual ~DistributedFft() = default;
  DistributedFft() = default;
  DistributedFft(const DistributedFft &) = delete;
  DistributedFft &operator=(const DistributedFft &) = delete;

  virtual const char *name() const = 0;    // "partial", "pencil", "replicated"

  /** Dimension of which only the points 0 to n/2 are there. */
  virtual int half_dim() const = 0;

  /** Part of the spectrum that this rank holds; points count from 0 to n-1, in half_dim() to
      n/2. */
  virtual const MeshLayout &spectrum() const = 0;

  /** Points of spectrum(), in the order of memory, that this rank is to count in sums over the
      spectrum, from first up to, not including, second: over all ranks each point once. */
  virtual std::pair<std::size_t, std::size_t> counted() const
  {
    return {0, spectrum().box.npoints()};
  }

  /** As MeshExchange::add_traffic(), for so many fields at once. */
  virtual void add_traffic(int nfields, std::vector<std::size_t> &nbytes) const = 0;

  /** To be called once, before the transforms, by one thread at a time of the process; the
      transport outlives the use. */
  virtual void bind(Transport &transport) = 0;

  /** Sum of density(r) exp(-2 pi i k r / n), not normalized.  All ranks together, as inverse().

      \param density    [boxes[me].npoints()] owned and ghost points
      \param spectrum   [spectrum().box.npoints()][2] real and imaginary parts
      \param parts      may share work that takes no messages; results do not depend on them
      \throws TransportError, and std::runtime_error for values that cannot be represented */
  virtual void forward(const Real *density, Real *spectrum, const Parts &parts) = 0;
  void forward(const Real *density, Real *spectrum) { forward(density, spectrum, Parts()); }

  /** Sum of spectrum(k) exp(2 pi i k r / n) over the whole spectrum, not normalized, for several
      fields whose messages travel together.

      \param nfields   # of fields
      \param spectra   [nfields][spectrum().box.npoints()][2]; they are lost
      \param fields    [nfields][boxes[me].npoints()] owned and ghost points
      \param parts     as for forward() */
  virtual void inverse(int nfields, Real *const *spectra, Real *const *fields,
                       const Parts &parts) = 0;
  void inverse(int nfields, Real *const *spectra, Real *const *fields)
  {
    inverse(nfields, spectra, fields, Parts());
  }
};

}    // namespace TOFU_NS

#endif
