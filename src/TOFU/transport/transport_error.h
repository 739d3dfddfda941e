// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_TRANSPORT_ERROR_H
#define TOFU_TRANSPORT_ERROR_H

#include <stdexcept>
#include <string>

namespace TOFU_NS {

/** A failure that this rank cannot repair.  The text names the rank, the peer, the finding and the
    remedy; the style above turns it into error->one(). */
class TransportError : public std::runtime_error {
 public:
  explicit TransportError(const std::string &what) : std::runtime_error(what) {}
};

}    // namespace TOFU_NS

#endif
