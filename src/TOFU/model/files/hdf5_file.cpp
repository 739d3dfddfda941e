// SPDX-License-Identifier: GPL-2.0-only

#include "hdf5_file.h"

#include "little_endian.h"
#include "model/model_error.h"

#include <algorithm>
#include <array>

namespace TOFU_NS {

enum MessageKind : unsigned {
  SHAPE = 0x1,    // "dataspace"
  TYPE = 0x3,
  OUTSIDE = 0x7,    // "external data files"
  STORAGE = 0x8,    // "data layout"
  FILTERS = 0xb,
  ATTRIBUTE = 0xc,
  CONTINUATION = 0x10,
  GROUP = 0x11    // "symbol table"
};
static constexpr unsigned SHARED = 2;         // flag of a message
static constexpr int DEEPEST = 16;            // nodes below nodes
static constexpr std::uint64_t WORD = 8;      // size of places and lengths, which a file may choose
static constexpr std::uint64_t ENTRY = 40;    // size of a symbol table entry
static constexpr unsigned A_LINK = 2;         // entries of this kind are no objects

[[noreturn]] static void damaged(const std::string &what)
{
  throw ModelError("the file in HDF5 is damaged: " + what);
}

[[noreturn]] static void refuse(const std::string &what)
{
  throw ModelError("the file in HDF5 has " + what +
                   ", and deepmd-kit does not write such files. Write it anew: "
                   "dp convert-backend model.dp other.dp");
}

/** A number inside of bytes that are a part of the file. */
template <class T> static T number(std::string_view bytes, std::uint64_t at)
{
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) damaged("a part of it is too short");
  return read_little_endian<T>(bytes.data() + at);
}

static unsigned byte(std::string_view bytes, std::uint64_t at)
{
  return number<std::uint8_t>(bytes, at);
}

static std::string_view rest_of(std::string_view bytes, std::uint64_t at)
{
  if (at > bytes.size()) damaged("a part of it is too short");
  return bytes.substr(at);
}

static std::string_view first_of(std::string_view bytes, std::uint64_t n)
{
  if (n > bytes.size()) damaged("a part of it is too short");
  return bytes.substr(0, n);
}

static std::string up_to_zero(std::string_view bytes)
{
  return std::string(bytes.substr(0, bytes.find('\0')));
}

// ------------------------------------------------------------------------------------------ parts

std::string_view Hdf5File::part(std::uint64_t at, std::uint64_t size) const
{
  if (at > file_.size() || size > file_.size() - at) damaged("it refers to places behind its end");
  return file_.substr(at, size);
}

/** Count a part that is read: a file that is whole has each of them some times at most. */
void Hdf5File::count() const
{
  if (nleft_ == 0) damaged("its parts refer to each other in a circle");
  nleft_--;
}

Hdf5File::Hdf5File(std::string_view file) : file_(file), nleft_(file.size())
{
  root_ = find_root();
  for (const Message &message : messages_of(root_))
    if (message.kind == GROUP) {
      const auto tree = number<std::uint64_t>(message.bytes, 0),
                 heap = number<std::uint64_t>(message.bytes, WORD);
      read_group(tree, names_of(heap), 0);
      return;
    }
  refuse("a group in a later layout");
}

/** Place of the object at the root ("superblock"). */
std::uint64_t Hdf5File::find_root() const
{
  const std::string_view block = part(0, std::min<std::uint64_t>(file_.size(), 128));
  const unsigned version = byte(block, 8);
  if (version > 3) damaged("its version is unknown");
  if (version > 1) refuse("a later layout");
  if (byte(block, 13) != WORD || byte(block, 14) != WORD)
    damaged("places in it have " + std::to_string(byte(block, 13)) + " bytes, not 8");
  const std::uint64_t places = version == 0 ? 24 : 28;
  if (number<std::uint64_t>(block, places) != 0) refuse("a begin that is not that of the file");
  const std::uint64_t entry = places + 4 * WORD;
  return number<std::uint64_t>(block, entry + WORD);
}

/** All messages of an object ("object header"); those behind its own bytes come last. */
Hdf5File::Messages Hdf5File::messages_of(std::uint64_t object) const
{
  const std::string_view header = part(object, 16);
  if (header.substr(0, 4) == "OHDR") refuse("objects in a later layout");
  if (byte(header, 0) != 1) damaged("an object has no header");
  const unsigned most = number<std::uint16_t>(header, 2);
  std::vector<std::string_view> blocks{part(object + 16, number<std::uint32_t>(header, 8))};
  Messages found;
  for (std::size_t block = 0; block < blocks.size(); block++)
    for (std::string_view bytes = blocks[block]; bytes.size() >= 8 && found.size() < most;) {
      count();
      const std::uint64_t size = number<std::uint16_t>(bytes, 2);
      const bool shared = byte(bytes, 4) & SHARED;
      found.push_back({number<std::uint16_t>(bytes, 0), shared, first_of(rest_of(bytes, 8), size)});
      bytes = rest_of(bytes, 8 + size);
      const Message &last = found.back();
      if (last.kind == CONTINUATION)
        blocks.push_back(
            part(number<std::uint64_t>(last.bytes, 0), number<std::uint64_t>(last.bytes, WORD)));
    }
  return found;
}

// ----------------------------------------------------------------------------------------- groups

/** Names of the objects of a group, one after the other ("local heap"). */
std::string_view Hdf5File::names_of(std::uint64_t heap) const
{
  const std::string_view header = part(heap, 8 + 3 * WORD);
  if (header.substr(0, 4) != "HEAP") damaged("a group has no names");
  return part(number<std::uint64_t>(header, 8 + 2 * WORD), number<std::uint64_t>(header, 8));
}

/** Objects below a node of the tree of a group: nodes, or lists of objects ("B-tree"). */
void Hdf5File::read_group(std::uint64_t tree, std::string_view names, int depth)
{
  count();
  const std::string_view header = part(tree, 8 + 2 * WORD);
  if (header.substr(0, 4) != "TREE" || byte(header, 4) != 0 || depth > DEEPEST)
    damaged("a group has no objects");
  const unsigned level = byte(header, 5), nchildren = number<std::uint16_t>(header, 6);
  const std::string_view keys = part(tree + header.size(), (2 * nchildren + 1) * WORD);
  for (unsigned k = 0; k < nchildren; k++) {
    const auto child = number<std::uint64_t>(keys, (2 * k + 1) * WORD);
    if (level)
      read_group(child, names, depth + 1);
    else
      read_entries(child, names);
  }
}

/** The objects of a list ("symbol table node"). */
void Hdf5File::read_entries(std::uint64_t node, std::string_view names)
{
  count();
  const std::string_view header = part(node, 8);
  if (header.substr(0, 4) != "SNOD") damaged("a group has no objects");
  const unsigned nentries = number<std::uint16_t>(header, 6);
  const std::string_view entries = part(node + 8, nentries * ENTRY);
  for (std::uint64_t at = 0; at < entries.size(); at += ENTRY) {
    count();
    if (number<std::uint32_t>(entries, at + 2 * WORD) >= A_LINK) continue;
    const std::string_view name = rest_of(names, number<std::uint64_t>(entries, at));
    objects_[up_to_zero(name.substr(0, 256))] = number<std::uint64_t>(entries, at + WORD);
  }
}

// ------------------------------------------------------------------------------------------ types

namespace {

  /** Of numbers or texts ("datatype"). */
  struct Type {
    enum Kind { INTEGER = 0, REAL = 1, TEXT = 3, ANY_LENGTH = 9 };
    int kind = 0;
    unsigned flags = 0;
    std::uint64_t size = 0;
    std::string_view properties;

    explicit Type(std::string_view bytes) :
        kind(byte(bytes, 0) & 15), flags(byte(bytes, 1)), size(number<std::uint32_t>(bytes, 4)),
        properties(rest_of(bytes, 8))
    {
    }

    bool is_text() const { return kind == TEXT || (kind == ANY_LENGTH && (flags & 15) == 1); }
    bool is_signed() const { return flags & 8; }
  };

  /** Lengths of the dimensions ("dataspace"); a single value has none. */
  struct Shape {
    std::vector<std::uint64_t> lengths;
    std::uint64_t nvalues = 1;

    /** \param most   # of values; more are an error */
    Shape(std::string_view bytes, std::uint64_t most)
    {
      const unsigned version = byte(bytes, 0), ndims = byte(bytes, 1);
      if (version < 1 || version > 2 || ndims > 32) damaged("an array has no shape");
      if (version == 2 && byte(bytes, 3) == 2) nvalues = 0;
      for (unsigned dim = 0; dim < ndims; dim++) {
        lengths.push_back(number<std::uint64_t>(bytes, (version == 1 ? 8 : 4) + dim * WORD));
        if (lengths.back() && nvalues > most / lengths.back())
          damaged("an array is larger than the file");
        nvalues *= lengths.back();
      }
    }
  };

  /** A value with a name that belongs to an object ("attribute"). */
  struct Attribute {
    std::string name;
    std::string_view type, shape, value;

    explicit Attribute(std::string_view bytes)
    {
      const unsigned version = byte(bytes, 0);
      if (version < 1 || version > 3) damaged("a text has an unknown version");
      if (version > 1 && byte(bytes, 1)) refuse("a text whose type is in another object");
      std::string_view rest = rest_of(bytes, version == 3 ? 9 : 8);
      const auto take = [&](std::uint64_t at) {
        const std::uint64_t size = number<std::uint16_t>(bytes, at);
        const std::string_view taken = first_of(rest, size);
        rest = rest_of(
            rest, version == 1 ? std::min<std::uint64_t>((size + 7) / 8 * 8, rest.size()) : size);
        return taken;
      };
      name = up_to_zero(take(2));
      type = take(4);
      shape = take(6);
      value = rest;
    }
  };

}    // namespace

/** Whether a type of numbers is that of a processor, without gaps or another order of bytes. */
static bool is_usual(const Type &type)
{
  if (type.flags & 1 || type.flags & 64) return false;
  const std::string_view with = type.properties;
  if (number<std::uint16_t>(with, 0) != 0 || number<std::uint16_t>(with, 2) != 8 * type.size)
    return false;
  if (type.kind == Type::INTEGER)
    return type.size == 1 || type.size == 2 || type.size == 4 || type.size == 8;
  using Fields = std::array<unsigned, 5>;    // exponent: begin, size; mantissa: begin, size; bias
  const Fields fields{byte(with, 4), byte(with, 5), byte(with, 6), byte(with, 7),
                      number<std::uint32_t>(with, 8)};
  return (type.size == 4 && fields == Fields{23, 8, 0, 23, 127}) ||
      (type.size == 8 && fields == Fields{52, 11, 0, 52, 1023});
}

template <class T> static void convert(std::string_view bytes, std::vector<double> &numbers)
{
  for (std::size_t k = 0; k < numbers.size(); k++)
    numbers[k] = static_cast<double>(read_little_endian<T>(bytes.data() + k * sizeof(T)));
}

static void convert_all(const Type &type, std::string_view bytes, std::vector<double> &numbers)
{
  if (type.kind == Type::REAL)
    return type.size == 4 ? convert<float>(bytes, numbers) : convert<double>(bytes, numbers);
  switch (type.size * (type.is_signed() ? 10 : 1)) {
    case 1:
      return convert<std::uint8_t>(bytes, numbers);
    case 2:
      return convert<std::uint16_t>(bytes, numbers);
    case 4:
      return convert<std::uint32_t>(bytes, numbers);
    case 8:
      return convert<std::uint64_t>(bytes, numbers);
    case 10:
      return convert<std::int8_t>(bytes, numbers);
    case 20:
      return convert<std::int16_t>(bytes, numbers);
    case 40:
      return convert<std::int32_t>(bytes, numbers);
    default:
      return convert<std::int64_t>(bytes, numbers);
  }
}

// ----------------------------------------------------------------------------------------- values

/** A text of any length: it is in a collection of them ("global heap"). */
std::string_view Hdf5File::text_in_heap(std::string_view reference) const
{
  const auto length = number<std::uint32_t>(reference, 0),
             wanted = number<std::uint32_t>(reference, 4 + WORD);
  const auto heap = number<std::uint64_t>(reference, 4);
  const std::string_view header = part(heap, 8 + WORD);
  const auto size = number<std::uint64_t>(header, 8);
  if (header.substr(0, 4) != "GCOL" || size < header.size()) damaged("its texts are absent");
  for (std::string_view rest = rest_of(part(heap, size), header.size()); rest.size() >= 16;) {
    count();
    const unsigned index = number<std::uint16_t>(rest, 0);
    const auto nbytes = number<std::uint64_t>(rest, 8);
    if (index == 0) break;    // what follows is free
    const std::string_view bytes = first_of(rest_of(rest, 16), nbytes);
    if (index == wanted) return first_of(bytes, length);
    rest = rest_of(rest, std::min<std::uint64_t>(16 + (nbytes + 7) / 8 * 8, rest.size()));
  }
  damaged("a text is absent");
}

std::string Hdf5File::text(const std::string &name) const
{
  for (const Message &message : messages_of(root_)) {
    if (message.kind != ATTRIBUTE || message.shared) continue;
    const Attribute one(message.bytes);
    if (one.name != name) continue;
    const Type type(one.type);
    if (!type.is_text() || Shape(one.shape, 1).nvalues != 1) damaged("'" + name + "' is no text");
    return up_to_zero(type.kind == Type::TEXT ? first_of(one.value, type.size)
                                              : text_in_heap(one.value));
  }
  damaged("it has no text '" + name + "'");
}

/** The bytes of an array, which are in the file itself, one after the other ("data layout").

    \param layout   the message that says where
    \param size     # of bytes that are wanted */
std::string_view Hdf5File::storage_of(std::string_view layout, std::uint64_t size,
                                      const std::string &what) const
{
  enum { COMPACT = 0, CONTIGUOUS = 1 };
  const unsigned version = byte(layout, 0), kind = byte(layout, 1);
  if (version < 3 || version > 4 || kind > CONTIGUOUS)
    refuse("the " + what + " packed, or in pieces");
  if (kind == COMPACT) return first_of(rest_of(layout, 4), size);
  if (number<std::uint64_t>(layout, 2 + WORD) < size) damaged(what + " is larger than its place");
  return size ? part(number<std::uint64_t>(layout, 2), size) : std::string_view();
}

Tensor Hdf5File::numbers(const std::string &path) const
{
  const std::string what = "array '" + path + "'";
  const auto object = path.empty() ? objects_.end() : objects_.find(path.substr(1));
  if (object == objects_.end() || path[0] != '/') damaged("it has no " + what);
  std::map<unsigned, std::string_view> known;
  for (const Message &message : messages_of(object->second)) {
    if (message.kind == FILTERS || message.kind == OUTSIDE)
      refuse("the " + what + " packed, or in another file");
    if (message.shared) refuse("the " + what + " with parts in another object");
    known.emplace(message.kind, message.bytes);
  }
  if (!known.count(TYPE) || !known.count(SHAPE) || !known.count(STORAGE))
    damaged("it has no " + what);

  const Type type(known[TYPE]);
  if ((type.kind != Type::INTEGER && type.kind != Type::REAL) || type.size < 1)
    damaged(what + " has no numbers");
  if (type.kind == Type::REAL && type.size < 4) refuse_model("numbers in half precision");
  if (!is_usual(type)) refuse("the " + what + " with numbers in an unusual form");
  const Shape shape(known[SHAPE], file_.size() / type.size);
  const std::string_view bytes = storage_of(known[STORAGE], shape.nvalues * type.size, what);
  Tensor result;
  result.shape.assign(shape.lengths.begin(), shape.lengths.end());
  result.single_precision = type.kind == Type::REAL && type.size == 4;
  result.numbers.resize(shape.nvalues);
  convert_all(type, bytes, result.numbers);
  return result;
}

}    // namespace TOFU_NS
