// SPDX-License-Identifier: GPL-2.0-only
//
// The wire format of Protocol Buffers, for reading: a message is a sequence of fields, each a
// number and a value.  https://protobuf.dev/programming-guides/encoding

#ifndef TOFU_MODEL_PROTOBUF_H
#define TOFU_MODEL_PROTOBUF_H

#include <cstdint>
#include <string>
#include <string_view>

namespace TOFU_NS {

/** Fields of a message, in the order of the file.  The bytes belong to the caller.

    \throws ModelError   the bytes are not a message, or a value has another type than requested */
class ProtobufMessage {
 public:
  explicit ProtobufMessage(std::string_view bytes) : rest(bytes) {}

  /** Go to the next field; false at the end. */
  bool next();

  int field() const { return number; }

  /** The value of the current field. */
  std::int64_t integer() const;
  float single() const;
  double real() const;
  std::string_view bytes() const;    // string, message or packed numbers
  std::string text() const { return std::string(bytes()); }

  /** call(value) for each number of a field that may be packed or not; INTEGER, SINGLE or REAL. */
  template <class Call> void for_integers(Call call) const
  {
    if (wire == VARINT) return call(integer());
    std::string_view packed = bytes();
    while (!packed.empty()) call(static_cast<std::int64_t>(take_varint(packed)));
  }
  template <class Call> void for_singles(Call call) const
  {
    if (wire == FIXED32) return call(single());
    for_packed<float>(call);
  }
  template <class Call> void for_reals(Call call) const
  {
    if (wire == FIXED64) return call(real());
    for_packed<double>(call);
  }

 private:
  enum Wire { VARINT = 0, FIXED64 = 1, LENGTH = 2, FIXED32 = 5 };
  std::string_view rest, value;
  int number = 0, wire = VARINT;
  std::uint64_t varint = 0;

  static std::uint64_t take_varint(std::string_view &from);
  std::string_view take(std::uint64_t nbytes);
  void expect(int kind) const;
  static void refuse_remainder(std::size_t n);
  static float to_number(const char *bytes, float);
  static double to_number(const char *bytes, double);

  template <class T, class Call> void for_packed(Call call) const
  {
    const std::string_view packed = bytes();
    refuse_remainder(packed.size() % sizeof(T));
    for (std::size_t k = 0; k < packed.size(); k += sizeof(T))
      call(to_number(packed.data() + k, T()));
  }
};

}    // namespace TOFU_NS

#endif
