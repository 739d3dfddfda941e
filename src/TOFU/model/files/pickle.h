// SPDX-License-Identifier: GPL-2.0-only
//
// Python objects in a pickle, read as data.  No function is called: a call in the pickle is an
// object with the name of the function and its arguments.
//
// Source: https://docs.python.org/3/library/pickletools.html

#ifndef TOFU_MODEL_PICKLE_H
#define TOFU_MODEL_PICKLE_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace TOFU_NS {

/** Objects may contain each other; all belong to their Pickle. */
struct PickleObject {
  enum Kind { NONE, BOOL, INTEGER, REAL, TEXT, LIST, TUPLE, DICT, NAME, INSTANCE, PERSISTENT };
  Kind kind = NONE;
  std::int64_t integer = 0;    // BOOL, too
  double real = 0.0;
  std::string text;    // NAME: module and name, with a blank between; INSTANCE: those of the class
  std::vector<const PickleObject *> items;               // LIST, TUPLE; INSTANCE: the arguments
  std::map<std::string, const PickleObject *> fields;    // of a DICT with texts or integers as keys
  const PickleObject *state = nullptr;                   // INSTANCE: argument of BUILD
};

class Pickle {
 public:
  /** Throws ModelError: damaged, or with an operation that PyTorch's models do not have. */
  explicit Pickle(std::string_view bytes);

  const PickleObject &root() const { return *root_; }

 private:
  std::vector<std::unique_ptr<PickleObject>> all_;
  const PickleObject *root_ = nullptr;

  friend class PickleMachine;
};

}    // namespace TOFU_NS

#endif
