// SPDX-License-Identifier: GPL-2.0-only

#include "unit/testing.h"

#include "transport/message.h"
#include "transport/stream_copy.h"

using namespace TOFU_NS;

TEST(Message, ChecksumSeesEverySingleFlippedBit)
{
  std::vector<std::byte> data(83);
  for (std::size_t i = 0; i < data.size(); i++) data[i] = static_cast<std::byte>(i * 37);
  const auto good = message_checksum(data.data(), data.size());
  for (std::size_t i = 0; i < data.size(); i++)
    for (int bit = 0; bit < 8; bit++) {
      data[i] ^= static_cast<std::byte>(1 << bit);
      EXPECT_NE(message_checksum(data.data(), data.size()), good) << "byte " << i << " bit " << bit;
      data[i] ^= static_cast<std::byte>(1 << bit);
    }
  EXPECT_EQ(message_checksum(data.data(), data.size()), good);
}

TEST(Message, ChecksumOfNothingIsNotTheMarkForNoChecksum)
{
  EXPECT_NE(message_checksum(nullptr, 0), 0u);
}

TEST(Message, LinesAreRoundedUp)
{
  EXPECT_EQ(round_to_lines(0), 0u);
  EXPECT_EQ(round_to_lines(1), 64u);
  EXPECT_EQ(round_to_lines(64), 64u);
  EXPECT_EQ(round_to_lines(65), 128u);
}

TEST(StreamCopy, CopiesWholeLinesFromAnyAlignmentAndNothingElse)
{
  alignas(CACHE_LINE) std::byte dest[8 * CACHE_LINE];
  std::byte source[8 * CACHE_LINE];
  for (std::size_t i = 0; i < sizeof(source); i++) source[i] = static_cast<std::byte>(i * 7 + 1);
  for (std::size_t shift : {0, 1, 8, 13}) {
    for (auto &byte : dest) byte = std::byte{0xee};
    stream_lines(dest + CACHE_LINE, source + shift, 3 * CACHE_LINE);
    stream_fence();
    for (std::size_t i = 0; i < sizeof(dest); i++) {
      const bool inside = i >= CACHE_LINE && i < 4 * CACHE_LINE;
      EXPECT_EQ(dest[i], inside ? source[i - CACHE_LINE + shift] : std::byte{0xee}) << i;
    }
  }
}
