// SPDX-License-Identifier: GPL-2.0-only
//
// The Fourier transform of a small mesh by each rank for itself: all get the sum of all charges and
// transform it, and on the way back there is nothing to send (Glaser et al., Unified memory in
// HOOMD-blue improves node-level strong scaling, Comput. Mater. Sci., sec. 2.4.5).

#ifndef TOFU_MESH_REPLICATED_FFT_H
#define TOFU_MESH_REPLICATED_FFT_H

#include "distributed_fft.h"

#include <memory>

namespace TOFU_NS {

/** Throws std::runtime_error if FFTW has no plan. */
template <class Real>
std::unique_ptr<DistributedFft<Real>> make_replicated_fft(const MeshGeometry &geometry);

}    // namespace TOFU_NS

#endif
