// SPDX-License-Identifier: GPL-2.0-only
//
// Values as integers of 32 bits, two in a word of 64 bits, so that sums of words are words of sums
// (DPLR paper, sec. 3.1 and Figure 4c): a network that can add integers of 64 bits adds both at
// once.
//
// A word is second * 2^32 + first, with both signed: a negative first borrows from the second, and
// the borrow is undone when they are separated.  Sums of integers are exact, so that their order
// does not matter.

#ifndef TOFU_MESH_QUANTIZE_H
#define TOFU_MESH_QUANTIZE_H

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace TOFU_NS {

/** Words that so many values take. */
constexpr std::size_t words_of(std::size_t nvalues)
{
  return (nvalues + 1) / 2;
}

class Quantizer {
 public:
  /** \param scale   integers per unit
      \param nsums   # of values that are added up; none of them may be so large that the sum
                     of as many like it is more than an integer of 32 bits holds */
  Quantizer(double scale, int nsums) :
      scale_(scale), limit_(std::numeric_limits<std::int32_t>::max() / nsums + 0.5)
  {
  }

  /** Values have to be smaller than this. */
  double limit() const { return limit_ / scale_; }

  /** \param values   [n]
      \param n        # of values
      \param words    [words_of(n)]
      \return   false if a value is not finite or not below the limit; words are of no use then */
  template <class Real> bool pack(const Real *values, std::size_t n, std::uint64_t *words) const
  {
    std::uint64_t largest = 0;
    for (std::size_t i = 0; i + 1 < n; i += 2)
      words[i / 2] = word(round(values[i], largest), round(values[i + 1], largest));
    if (n % 2) words[n / 2] = word(round(values[n - 1], largest), 0);
    return largest < bits_of(limit_);
  }

  /** Sums of words back to values. */
  template <class Real> void unpack(const std::uint64_t *words, std::size_t n, Real *values) const
  {
    const double unit = 1.0 / scale_;
    for (std::size_t i = 0; i + 1 < n; i += 2) {
      values[i] = static_cast<Real>(unit * first_of(words[i / 2]));
      values[i + 1] = static_cast<Real>(unit * second_of(words[i / 2]));
    }
    if (n % 2) values[n - 1] = static_cast<Real>(unit * first_of(words[n / 2]));
  }

  /** The value that is farthest from what pack() takes; not a number counts as that. */
  template <class Real> double worst(const Real *values, std::size_t n) const
  {
    double found = 0.0;
    for (std::size_t i = 0; i < n; i++)
      if (magnitude_bits(values[i]) > magnitude_bits(found)) found = values[i];
    return found;
  }

  static std::uint64_t word(std::int64_t first, std::int64_t second)
  {
    return (static_cast<std::uint64_t>(second) << 32) + static_cast<std::uint64_t>(first);
  }
  static std::int32_t first_of(std::uint64_t word) { return static_cast<std::int32_t>(word); }
  static std::int32_t second_of(std::uint64_t word)
  {
    const auto first = static_cast<std::int64_t>(first_of(word));
    return static_cast<std::int32_t>((word - static_cast<std::uint64_t>(first)) >> 32);
  }

 private:
  static std::uint64_t bits_of(double value)
  {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
  }

  // bits of numbers that are not negative have their order; infinity and what is no number come
  // last, with any options of the compiler

  static std::uint64_t magnitude_bits(double value)
  {
    return bits_of(value) & std::numeric_limits<std::int64_t>::max();
  }

  // 1.5 * 2^52 leaves no room for a fraction: the sum is rounded to an integer, ties to even, which
  // then stands in the lowest bits; vectors of all processors can do that

  std::int64_t round(double value, std::uint64_t &largest) const
  {
    constexpr double MAGIC = 6755399441055744.0;
    const double scaled = scale_ * value;
    const std::uint64_t magnitude = magnitude_bits(scaled);
    largest = magnitude > largest ? magnitude : largest;
    return static_cast<std::int64_t>(bits_of(scaled + MAGIC) - bits_of(MAGIC));
  }

  double scale_, limit_;
};

}    // namespace TOFU_NS

#endif
