// SPDX-License-Identifier: GPL-2.0-only
//
// Parts of links and channels without a channel.

#include "unit/testing.h"

#include "transport/link_slots.h"
#include "transport/lost_watch.h"

using namespace TOFU_NS;

namespace {

std::vector<std::byte> bytes_of(const std::string &text)
{
  auto begin = reinterpret_cast<const std::byte *>(text.data());
  return std::vector<std::byte>(begin, begin + text.size());
}

std::string text_of(const std::byte *data, std::size_t nbytes)
{
  return std::string(reinterpret_cast<const char *>(data), nbytes);
}

void store(StoredMessages &stored, const std::string &text, bool more,
           MessageKind kind = MessageKind::USER)
{
  MessageHeader header{};
  header.kind = kind;
  header.nbytes = text.size();
  header.more = more;
  stored.store(header, bytes_of(text).data());
}

std::string first_of(const StoredMessages &stored)
{
  return text_of(stored.first().data, stored.first().nbytes);
}

}    // namespace

TEST(SlotCounts, SlotsAreUsedInTurnAndTheNumbersOfMessagesGoOn)
{
  SlotCounts counts(3);
  for (int message = 1; message <= 7; message++, counts.advance()) {
    EXPECT_EQ(counts.slot(), (message - 1) % 3);
    EXPECT_EQ(counts.sequence(), static_cast<std::uint64_t>(message));
  }
  EXPECT_EQ(counts.ndone(), 7u);
}

TEST(SlotCounts, ACreditThatComesLateTakesNothingBack)
{
  SlotCounts counts(4);
  for (int k = 0; k < 4; k++) counts.advance();
  EXPECT_EQ(counts.nopen(), 4u);
  counts.set_credit(3);
  counts.set_credit(1);
  EXPECT_EQ(counts.nopen(), 1u);
}

TEST(SlotPayload, PiecesThatTouchAreOneAndAreCopiedToTheEndOfThePayload)
{
  const std::vector<std::byte> array = bytes_of("abcdefgh");
  std::vector<std::byte> slot = bytes_of("12..........");
  SlotPayload payload;
  payload.begin = slot.data();
  payload.nbytes = 2;
  EXPECT_FALSE(payload.continues_piece(array.data()));
  payload.add_piece(array.data() + 5, 3);
  payload.add_piece(array.data(), 2);
  EXPECT_TRUE(payload.continues_piece(array.data() + 2));
  payload.add_piece(array.data() + 2, 2);
  ASSERT_EQ(payload.pieces.size(), 2u);
  EXPECT_EQ(payload.nbytes, 9u);
  EXPECT_EQ(text_of(slot.data(), slot.size()), "12..........") << "not copied yet";

  payload.copy_pieces();
  EXPECT_TRUE(payload.pieces.empty());
  EXPECT_EQ(text_of(slot.data(), slot.size()), "12fghabcd...");
  EXPECT_EQ(payload.end(), slot.data() + 9);
}

TEST(StoredMessages, FragmentsAreJoinedAndMessagesKeepTheirOrder)
{
  StoredMessages stored;
  EXPECT_TRUE(stored.empty());
  EXPECT_FALSE(stored.first_is_complete());
  store(stored, "one ", true, MessageKind::BORDERS);
  EXPECT_FALSE(stored.first_is_complete());
  EXPECT_TRUE(stored.last_is_incomplete());
  store(stored, "message", false, MessageKind::BORDERS);
  EXPECT_TRUE(stored.first_is_complete());
  store(stored, "", false);
  store(stored, "an", true);
  EXPECT_EQ(first_of(stored), "one message");
  EXPECT_EQ(stored.first().kind, MessageKind::BORDERS);

  stored.remove_first();
  EXPECT_TRUE(stored.first_is_complete()) << "a message may be empty";
  EXPECT_EQ(first_of(stored), "");
  stored.remove_first();
  EXPECT_FALSE(stored.empty());
  EXPECT_FALSE(stored.first_is_complete());
  store(stored, "other", false);
  EXPECT_EQ(first_of(stored), "another");
  EXPECT_EQ(stored.first().kind, MessageKind::USER);
}

TEST(LostWatch, OnlyWhatIsMissingInARowIsLost)
{
  LostWatch watch;
  for (int second = 0; second < 20; second++) EXPECT_FALSE(watch.is_lost(second % 5 < 4)) << second;
  for (int second = 0; second < 4; second++) EXPECT_FALSE(watch.is_lost(true)) << second;
  EXPECT_TRUE(watch.is_lost(true));
}

TEST(LostWatch, TheTimeInWhichTheProcessIsStoppedIsOneSecond)
{
  SecondsClock clock;
  const auto now = SecondsClock::Clock::now();
  const auto next_after = [&](int milliseconds) {
    return clock.next(now + std::chrono::milliseconds(milliseconds));
  };
  EXPECT_FALSE(next_after(900));
  EXPECT_TRUE(next_after(1100));
  EXPECT_FALSE(next_after(2000));
  EXPECT_TRUE(next_after(3600000));
  EXPECT_FALSE(next_after(3600900));
}
