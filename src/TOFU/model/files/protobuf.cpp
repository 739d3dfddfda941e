// SPDX-License-Identifier: GPL-2.0-only

#include "protobuf.h"

#include "little_endian.h"
#include "model/model_error.h"

namespace TOFU_NS {

[[noreturn]] static void damaged(const std::string &what)
{
  throw ModelError("the file is damaged, or no graph of TensorFlow: " + what);
}

std::uint64_t ProtobufMessage::take_varint(std::string_view &from)
{
  std::uint64_t result = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (from.empty()) damaged("it ends inside a number");
    const auto byte = static_cast<unsigned char>(from.front());
    from.remove_prefix(1);
    result |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return result;
  }
  damaged("a number has too many bytes");
}

std::string_view ProtobufMessage::take(std::uint64_t nbytes)
{
  if (nbytes > rest.size()) damaged("a field is longer than what contains it");
  const std::string_view taken = rest.substr(0, nbytes);
  rest.remove_prefix(nbytes);
  return taken;
}

bool ProtobufMessage::next()
{
  if (rest.empty()) return false;
  const std::uint64_t key = take_varint(rest);
  wire = static_cast<int>(key & 7);
  if (key >> 3 == 0 || key >> 3 > 536870911) damaged("a field has no number");
  number = static_cast<int>(key >> 3);
  switch (wire) {
    case VARINT:
      varint = take_varint(rest);
      break;
    case FIXED64:
      value = take(8);
      break;
    case FIXED32:
      value = take(4);
      break;
    case LENGTH:
      value = take(take_varint(rest));
      break;
    default:
      damaged("a field of unknown kind");
  }
  return true;
}

void ProtobufMessage::expect(int kind) const
{
  if (wire != kind) damaged("field " + std::to_string(number) + " has another kind of value");
}

void ProtobufMessage::refuse_remainder(std::size_t n)
{
  if (n) damaged("an array ends inside a number");
}

std::int64_t ProtobufMessage::integer() const
{
  expect(VARINT);
  return static_cast<std::int64_t>(varint);
}

float ProtobufMessage::single() const
{
  expect(FIXED32);
  return to_number(value.data(), float());
}

double ProtobufMessage::real() const
{
  expect(FIXED64);
  return to_number(value.data(), double());
}

std::string_view ProtobufMessage::bytes() const
{
  expect(LENGTH);
  return value;
}

float ProtobufMessage::to_number(const char *bytes, float)
{
  return read_little_endian<float>(bytes);
}

double ProtobufMessage::to_number(const char *bytes, double)
{
  return read_little_endian<double>(bytes);
}

}    // namespace TOFU_NS
