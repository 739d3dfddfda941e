// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_MODEL_MODEL_ERROR_H
#define TOFU_MODEL_MODEL_ERROR_H

#include <stdexcept>
#include <string>

namespace TOFU_NS {

/** A file that is damaged, or has a model that is not supported.  The text has the cause and a
    remedy. */
class ModelError : public std::runtime_error {
 public:
  explicit ModelError(const std::string &what) : std::runtime_error(what) {}
};

/** Throw the error for a feature that is not supported, with a remedy. */
[[noreturn]] inline void refuse_model(const std::string &what)
{
  throw ModelError("the model has " + what +
                   ", which pair_style deepmd/threadpool does not support. Use pair_style deepmd "
                   "of deepmd-kit: write 'suffix off' before that command, and 'suffix on' behind "
                   "it");
}

}    // namespace TOFU_NS

#endif
