// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_MODEL_LITTLE_ENDIAN_H
#define TOFU_MODEL_LITTLE_ENDIAN_H

#include <cstring>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "TOFU reads models on processors with little-endian numbers alone"
#endif

namespace TOFU_NS {

/** A little-endian number at any address. */
template <class T> T read_little_endian(const char *bytes)
{
  T number;
  std::memcpy(&number, bytes, sizeof(T));
  return number;
}

}    // namespace TOFU_NS

#endif
