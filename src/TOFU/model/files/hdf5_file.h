// SPDX-License-Identifier: GPL-2.0-only
//
// A file in HDF5 as far as models need it: a text at its root, and arrays of numbers.
//
// libhdf5 is not used, since some damaged files crash it.  h5py, by which deepmd-kit writes files,
// uses the first layout of the format, of HDF5 1.0 to 1.6, by default; others are refused.  Source:
// HDF5 File Format Specification 3.0; its names are in parentheses.

#ifndef TOFU_MODEL_HDF5_FILE_H
#define TOFU_MODEL_HDF5_FILE_H

#include "tensor.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace TOFU_NS {

class Hdf5File {
 public:
  /** \param file   all bytes, which must stay as long as this object
      \throws ModelError   they are damaged, or in a later layout */
  explicit Hdf5File(std::string_view file);

  /** A text at the root.  Throws ModelError: it is absent, or no text. */
  std::string text(const std::string &name) const;

  /** Numbers at a path from the root, "/name".  Throws ModelError: absent, or no numbers. */
  Tensor numbers(const std::string &path) const;

 private:
  /** A part of what is known about an object, such as its shape. */
  struct Message {
    unsigned kind = 0;
    bool shared = false;    // it is in another object
    std::string_view bytes;
  };
  using Messages = std::vector<Message>;

  const std::string_view file_;
  mutable std::size_t nleft_;    // parts that may still be read, so that cycles end
  std::uint64_t root_ = 0;       // place of the object at the root
  std::map<std::string, std::uint64_t> objects_;    // places of those in it

  std::string_view part(std::uint64_t at, std::uint64_t size) const;
  void count() const;
  std::uint64_t find_root() const;
  Messages messages_of(std::uint64_t object) const;
  void read_group(std::uint64_t tree, std::string_view names, int depth);
  void read_entries(std::uint64_t node, std::string_view names);
  std::string_view names_of(std::uint64_t heap) const;
  std::string_view text_in_heap(std::string_view reference) const;
  std::string_view storage_of(std::string_view layout, std::uint64_t size,
                              const std::string &what) const;
};

}    // namespace TOFU_NS

#endif
