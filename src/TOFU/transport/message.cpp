// SPDX-License-Identifier: GPL-2.0-only

#include "message.h"

#include <cstring>

namespace TOFU_NS {

const char *message_kind_name(MessageKind kind)
{
  switch (kind) {
    case MessageKind::FORWARD:
      return "forward";
    case MessageKind::REVERSE:
      return "reverse";
    case MessageKind::BORDERS:
      return "borders";
    case MessageKind::EXCHANGE:
      return "exchange";
    case MessageKind::USER:
      return "user";
    case MessageKind::MESH:
      return "mesh";
    case MessageKind::WORK:
      return "work";
  }
  return "unknown";
}

/* ---------------------------------------------------------------------- */

std::uint64_t message_checksum(const std::byte *data, std::size_t nbytes)
{
  static constexpr std::uint64_t FNV_OFFSET = 0xcbf29ce484222325ULL;
  static constexpr std::uint64_t FNV_PRIME = 0x100000001b3ULL;

  std::uint64_t hash = FNV_OFFSET;
  std::size_t i = 0;
  for (; i + 8 <= nbytes; i += 8) {
    std::uint64_t word;
    std::memcpy(&word, data + i, 8);
    hash = (hash ^ word) * FNV_PRIME;
  }
  for (; i < nbytes; i++) hash = (hash ^ static_cast<std::uint64_t>(data[i])) * FNV_PRIME;
  return hash ? hash : 1;
}

}    // namespace TOFU_NS
