// SPDX-License-Identifier: GPL-2.0-only
//
// A file in HDF5 as far as models need it: a text at its root, and arrays of numbers.  It is in
// memory, and libhdf5 reads it from there.
//
// Arrays that are packed, or are outside of the file, are refused, so that no file can make the
// library load a filter, open another file, or ask for more memory than the file has.

#ifndef TOFU_MODEL_HDF5_FILE_H
#define TOFU_MODEL_HDF5_FILE_H

#include "tensor.h"

#include <memory>
#include <string>
#include <string_view>

namespace TOFU_NS {

class Hdf5File {
 public:
  /** \param file   all bytes; they are copied
      \throws ModelError   they are not in HDF5, or TOFU has been built without libhdf5 */
  explicit Hdf5File(std::string_view file);
  ~Hdf5File();
  Hdf5File(const Hdf5File &) = delete;
  Hdf5File &operator=(const Hdf5File &) = delete;

  /** A text at the root.  Throws ModelError: it is absent, or no text. */
  std::string text(const std::string &name) const;

  /** Numbers at a path from the root, "/name".  Throws ModelError: absent, or no numbers. */
  Tensor numbers(const std::string &path) const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}    // namespace TOFU_NS

#endif
