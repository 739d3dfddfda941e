// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_MODEL_MODEL_ERROR_H
#define TOFU_MODEL_MODEL_ERROR_H

#include <stdexcept>
#include <string>

namespace TOFU_NS {

/** A file that is damaged, or has a model that is not supported.  The text says which, and what to
    do. */
class ModelError : public std::runtime_error {
 public:
  explicit ModelError(const std::string &what) : std::runtime_error(what) {}
};

}    // namespace TOFU_NS

#endif
