// SPDX-License-Identifier: GPL-2.0-only
//
// Copies that bypass the cache of the writing core.
//
// Writing a line that another core has just read costs about 25 ns with an ordinary store, since
// the line has to be fetched and invalidated first.  Non-temporal stores of whole lines need no
// fetch: packing into a peer's memory became 5 to 15 times cheaper where two ranks run on two
// physical cores (doc/internals/measures.md).

#ifndef TOFU_TRANSPORT_STREAM_COPY_H
#define TOFU_TRANSPORT_STREAM_COPY_H

#include <cstddef>

namespace TOFU_NS {

/** True if this build has non-temporal stores; otherwise stream_lines() is a memcpy. */
bool stream_available();

/** Copy whole cache lines without reading the destination into the cache.

    \param dest     cache-line aligned
    \param source   any alignment
    \param nbytes   multiple of CACHE_LINE

    Ordinary stores and flags may overtake the data: call stream_fence() before publishing. */
void stream_lines(std::byte *dest, const std::byte *source, std::size_t nbytes);

/** Everything streamed before is visible before anything stored after. */
void stream_fence();

}    // namespace TOFU_NS

#endif
