// SPDX-License-Identifier: GPL-2.0-only

#include "stream_copy.h"

#include "message.h"

#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace TOFU_NS {

#if defined(__AVX512F__)

bool stream_available()
{
  return true;
}

void stream_lines(std::byte *dest, const std::byte *source, std::size_t nbytes)
{
  for (std::size_t i = 0; i < nbytes; i += CACHE_LINE)
    _mm512_stream_si512(reinterpret_cast<__m512i *>(dest + i), _mm512_loadu_si512(source + i));
}

void stream_fence()
{
  _mm_sfence();
}

#elif defined(__SSE2__)

bool stream_available()
{
  return true;
}

void stream_lines(std::byte *dest, const std::byte *source, std::size_t nbytes)
{
  for (std::size_t i = 0; i < nbytes; i += sizeof(__m128i))
    _mm_stream_si128(reinterpret_cast<__m128i *>(dest + i),
                     _mm_loadu_si128(reinterpret_cast<const __m128i *>(source + i)));
}

void stream_fence()
{
  _mm_sfence();
}

#else

bool stream_available()
{
  return false;
}

void stream_lines(std::byte *dest, const std::byte *source, std::size_t nbytes)
{
  std::memcpy(dest, source, nbytes);
}

void stream_fence() {}

#endif

}    // namespace TOFU_NS
