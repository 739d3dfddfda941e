// SPDX-License-Identifier: GPL-2.0-only
//
// The Fourier transform of a distributed mesh by FFTW on pencils: transform the dimensions that are
// whole on a rank, exchange, transform the next.  PencilPlan defines the exchanges; the spectrum
// stays where the last dimension has been transformed.  Fields of an inverse transform share all
// messages.

#ifndef TOFU_MESH_PENCIL_FFT_H
#define TOFU_MESH_PENCIL_FFT_H

#include "distributed_fft.h"

#include <memory>

namespace TOFU_NS {

/** Throws std::runtime_error if FFTW has no plan. */
template <class Real>
std::unique_ptr<DistributedFft<Real>> make_pencil_fft(const MeshGeometry &geometry);

}    // namespace TOFU_NS

#endif
