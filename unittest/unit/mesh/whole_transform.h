// SPDX-License-Identifier: GPL-2.0-only
//
// Transforms of whole meshes term by term, and ranks with transforms, for tests of distributed
// transforms.

#ifndef TOFU_TEST_WHOLE_TRANSFORM_H
#define TOFU_TEST_WHOLE_TRANSFORM_H

#include "mesh_ranks.h"

#include "mesh/fft/distributed_fft.h"

#include <complex>

namespace TOFU_TEST {

using Complex = std::complex<double>;

constexpr double PI = 3.14159265358979323846;

/** Sum of values(r) exp(sign 2 pi i k r / n), one dimension after the other. */
inline std::vector<Complex> whole_dft(const std::array<int, 3> &npoints,
                                      std::vector<Complex> values, int sign)
{
  std::ptrdiff_t stride = 1;
  for (int n : npoints) {
    std::vector<Complex> phase(n), line(n);
    for (int k = 0; k < n; k++) phase[k] = std::polar(1.0, sign * 2.0 * PI * k / n);
    for (std::size_t first = 0; first < values.size(); first++) {
      if (first / stride % n) continue;
      for (int k = 0; k < n; k++) {
        line[k] = 0.0;
        for (int r = 0; r < n; r++) line[k] += values[first + r * stride] * phase[r * k % n];
      }
      for (int k = 0; k < n; k++) values[first + k * stride] = line[k];
    }
    stride *= n;
  }
  return values;
}

/** Call body(fft, rank) on all ranks, with links for nfields fields.

    \param make   rank -> transform */
template <class Make, class Body>
void on_ranks_with_fft(int nranks, const Make &make, int nfields, std::uint64_t shuffle_seed,
                       const Body &body)
{
  on_threads(nranks, [&](Bootstrap &bootstrap, SharedMemory &memory) {
    const auto fft = make(bootstrap.rank());
    ASSERT_TRUE(fft);
    std::vector<std::size_t> nbytes(nranks, 0);
    fft->add_traffic(nfields, nbytes);
    TransportOptions options;
    options.shuffle_seed = shuffle_seed;
    const auto transport = connect_mesh(bootstrap, memory, nbytes, options);
    fft->bind(*transport);
    body(*fft, bootstrap.rank());
  });
}

}    // namespace TOFU_TEST

#endif
