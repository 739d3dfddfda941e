// SPDX-License-Identifier: GPL-2.0-only
//
// Common part of all transfers of work: a table of atoms of the donor, with names by which the
// receiver gets those that it does not have.

#ifndef TOFU_BALANCE_TRANSFER_MESSAGE_H
#define TOFU_BALANCE_TRANSFER_MESSAGE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace TOFU_NS {

/** Source of an atom; the caller that fills in the numbers defines their meaning. */
struct AtomSource {
  std::int32_t rank, code, place;
};

/** An atom that the receiver needs. */
struct TableAtom {
  std::int64_t id;
  float x[3];    // distance, in the receiver's frame
  AtomSource source;
};

/** Owned atoms and ghosts of a donor.  Tag is std::int32_t or std::int64_t. */
template <class Tag> struct DonorAtoms {
  int natoms;
  const Tag *tag;     // [natoms]
  const double *x;    // [natoms][3] distance
};

/** The table of a transfer at the receiver. */
class ReceivedTable {
 public:
  /** Box lengths to be added to the donor's coordinates for the receiver's frame. */
  const std::array<int, 3> &box_shift() const { return box_shift_; }

  const std::vector<TableAtom> &table() const { return table_; }

 protected:
  std::array<int, 3> box_shift_{};
  std::vector<TableAtom> table_;
};

/** Empty messages, one for each of these ranks.  Their memory is used again: the system would clear
    new memory, which takes long for large messages. */
inline void make_empty(std::map<int, std::vector<char>> &messages, const std::set<int> &ranks)
{
  for (auto message = messages.begin(); message != messages.end();)
    message = ranks.count(message->first) ? std::next(message) : messages.erase(message);
  for (int rank : ranks) messages[rank].clear();
}

/** Copy n items to a message.

    \return   where the next item goes */
template <class T> char *put_in_message(const T *from, std::size_t n, char *to)
{
  if (n > 0) std::memcpy(to, from, n * sizeof(T));
  return to + n * sizeof(T);
}

/** Reads the parts of a transfer from a message, one after the other.  All functions throw
    std::runtime_error if it does not fit. */
class TransferReader {
 public:
  TransferReader(const char *message, std::size_t nbytes, std::size_t begin) :
      message_(message), begin_(begin), at_(begin), end_(nbytes)
  {
  }

  /** Header has the members mark, the kind of the transfer, and nbytes, its length. */
  template <class Header> Header header(std::uint32_t mark)
  {
    Header header;
    take("header", 1, &header);
    if (header.mark != mark) fail("begins with " + std::to_string(header.mark));
    const std::int64_t rest = static_cast<std::int64_t>(end_ - begin_);
    if (header.nbytes < static_cast<std::int64_t>(sizeof header) || header.nbytes > rest ||
        header.nbytes % 8 != 0)
      fail("says that it has " + std::to_string(header.nbytes) + " bytes where " +
           std::to_string(rest) + " are left");
    end_ = begin_ + static_cast<std::size_t>(header.nbytes);
    return header;
  }

  /** Make sure that n items of a size are left. */
  void expect(const char *what, std::int64_t n, std::size_t nbytes) const
  {
    const std::size_t left = end_ - at_;
    if (static_cast<std::uint64_t>(n) > left / nbytes)    // or below 0
      fail("has " + std::to_string(left) + " bytes for " + std::to_string(n) + " times " + what +
           " of " + std::to_string(nbytes));
  }

  /** Append the next n items to an array; copy them to an array. */
  template <class T> void append(const char *what, std::int64_t n, std::vector<T> &to)
  {
    expect(what, n, sizeof(T));
    const std::size_t size = to.size();
    to.resize(size + static_cast<std::size_t>(n));
    take(what, n, to.data() + size);
  }

  template <class T> void take(const char *what, std::int64_t n, T *to)
  {
    expect(what, n, sizeof(T));
    if (n > 0) std::memcpy(to, message_ + at_, n * sizeof(T));
    at_ += n * sizeof(T);
  }

  /** Pass over bytes that have been expected.

      \return   where they are */
  const char *skip(std::size_t nbytes)
  {
    const char *const here = message_ + at_;
    at_ += nbytes;
    return here;
  }

  /** \return   where the next transfer begins. */
  std::size_t finish() const
  {
    if (at_ != end_) fail("has " + std::to_string(end_ - at_) + " bytes too many");
    return end_;
  }

  [[noreturn]] void fail(const std::string &what) const
  {
    throw std::runtime_error("TOFU: the transfer of neighbor rows at byte " +
                             std::to_string(begin_) + " of a message " + what +
                             "; the message is damaged, or ranks run different versions of TOFU");
  }

 private:
  const char *message_;
  const std::size_t begin_;
  std::size_t at_, end_;
};

}    // namespace TOFU_NS

#endif
