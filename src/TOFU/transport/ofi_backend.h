// SPDX-License-Identifier: GPL-2.0-only
//
// OfiBackend: libfabric on the side of this rank.  RMA writes with remote completion data between
// reliable-datagram endpoints, over any provider that has both.
//
// Built without libfabric, open() says so and all ranks use MPI.  The vendor's headers stay out
// of this file.

#ifndef TOFU_TRANSPORT_OFI_BACKEND_H
#define TOFU_TRANSPORT_OFI_BACKEND_H

#include "channel.h"
#include "ofi_options.h"

#include <memory>
#include <string>
#include <vector>

namespace TOFU_NS {

class OfiBackend {
 public:
  virtual ~OfiBackend() = default;

  /** Args:
        why   gets the reason if nothing is returned */
  static std::unique_ptr<OfiBackend> open(const OfiOptions &options, std::string &why);

  virtual const std::string &provider() const = 0;

  /** Make the endpoints, allocate and register the slots of all peers: one region for writes from
      peers per endpoint, and one to send from if the provider asks for that.  Once.

      Returns: false if that failed, with the reason in `why` */
  virtual bool prepare(const std::vector<OfiNeed> &needs, std::string &why) = 0;

  virtual OfiWindow window(int i) const = 0;    // for the i-th of the peers
  virtual std::uint64_t nregistered() const = 0;
  virtual std::uint64_t nbytes_registered() const = 0;

  /** The channel keeps what it needs alive.  Throws TransportError. */
  virtual std::unique_ptr<Channel> make_channel(int i, const OfiWindow &theirs) = 0;
};

}    // namespace TOFU_NS

#endif
