// SPDX-License-Identifier: GPL-2.0-only

#ifdef TOFU_OFI

#include "ofi_endpoint.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <poll.h>
#include <random>

namespace TOFU_NS {

void BytesFreer::operator()(std::byte *bytes) const
{
  ::operator delete(bytes, std::align_val_t(4096));
}

/* ---------------------------------------------------------------------- */

std::string ofi_message(const char *what, long status)
{
  return std::string(what) + ": " + fi_strerror(static_cast<int>(std::abs(status)));
}

namespace {

  void require(long status, const char *what)
  {
    if (status < 0) throw TransportError(ofi_message(what, status));
  }

  // zeroed, since some providers want memory that exists

  AlignedBytes make_bytes(std::size_t nbytes)
  {
    auto bytes = static_cast<std::byte *>(::operator new(nbytes, std::align_val_t(4096)));
    std::memset(bytes, 0, nbytes);
    return AlignedBytes(bytes);
  }

  std::uint64_t random_key(std::size_t nbytes)
  {
    std::random_device device;
    const std::uint64_t key = (static_cast<std::uint64_t>(device()) << 32) ^ device();
    return nbytes >= 8 ? key : key & ((std::uint64_t(1) << 8 * nbytes) - 1);
  }

  std::uint32_t make_secret(const fi_domain_attr &attr)
  {
    return attr.cq_data_size < sizeof(std::uint64_t) ? 0 : std::random_device()();
  }

}    // namespace

/* ---------------------------------------------------------------------- */

OfiEvent event_of(std::uint64_t flags, bool own)
{
  if (flags & FI_REMOTE_CQ_DATA) {
    if (flags & FI_REMOTE_WRITE) return OfiEvent::NOTICE;
    if (!own && !(flags & FI_WRITE)) return OfiEvent::NOTICE;
  }
  return own ? OfiEvent::WRITE_DONE : OfiEvent::NOTHING;
}

/* ---------------------------------------------------------------------- */

OfiEndpoint::OfiEndpoint(std::shared_ptr<OfiDomain> domain, std::size_t ncompletions) :
    domain_(std::move(domain)), secret_(make_secret(*domain_->info->domain_attr)),
    max_from_(std::min<int>(domain_->info->tx_attr->iov_limit, OfiIov::MAX_FROM)),
    max_to_(std::min<int>(domain_->info->tx_attr->rma_iov_limit, Landing::MAX_PLACES))
{
  fi_cq_attr queue_attr{};
  queue_attr.format = FI_CQ_FORMAT_DATA;
  queue_attr.wait_obj = FI_WAIT_NONE;
  queue_attr.size = ncompletions;
  fid_cq *queue;
  require(fi_cq_open(domain_->domain.get(), &queue_attr, &queue, nullptr), "completion queue");
  queue_.reset(queue);

  fi_av_attr peers_attr{};
  peers_attr.type = domain_->info->domain_attr->av_type;
  fid_av *peers;
  require(fi_av_open(domain_->domain.get(), &peers_attr, &peers, nullptr), "address vector");
  peers_.reset(peers);

  fid_ep *endpoint;
  require(fi_endpoint(domain_->domain.get(), domain_->info.get(), &endpoint, nullptr), "endpoint");
  endpoint_.reset(endpoint);
  require(fi_ep_bind(endpoint, &peers_->fid, 0), "binding of the address vector");
  require(fi_ep_bind(endpoint, &queue_->fid, FI_TRANSMIT | FI_RECV),
          "binding of the completion queue");
  require(fi_enable(endpoint), "start of the endpoint");
}

/* ----------------------------------------------------------------------
   the endpoint goes before what it is bound to, regions bound to it before it
------------------------------------------------------------------------- */

OfiEndpoint::~OfiEndpoint()
{
  for (FidPtr<fid_mr> *region : {&incoming_mr_, &outgoing_mr_, &landing_mr_, &source_mr_})
    region->reset();
  endpoint_.reset();
}

/* ---------------------------------------------------------------------- */

void OfiEndpoint::set_memory(std::size_t nbytes_in, std::size_t nbytes_out)
{
  incoming_ = make_bytes(nbytes_in);
  outgoing_ = make_bytes(nbytes_out);
  incoming_mr_ = make_region(incoming_.get(), nbytes_in, FI_REMOTE_WRITE);
  if (domain_->info->domain_attr->mr_mode & FI_MR_LOCAL)
    outgoing_mr_ = make_region(outgoing_.get(), nbytes_out, FI_WRITE);
}

/* ----------------------------------------------------------------------
   keys are drawn at random unless the provider makes them, so that no other
   job can guess one; one that is taken is drawn again
------------------------------------------------------------------------- */

FidPtr<fid_mr> OfiEndpoint::make_region(const void *bytes, std::size_t nbytes, std::uint64_t access)
{
  const fi_domain_attr &attr = *domain_->info->domain_attr;
  fid_mr *region = nullptr;
  int status = -FI_ENOKEY;
  for (int trial = 0; trial < 8 && status == -FI_ENOKEY; trial++)
    status = fi_mr_reg(domain_->domain.get(), bytes, nbytes, access, 0,
                       attr.mr_mode & FI_MR_PROV_KEY ? 0 : random_key(attr.mr_key_size), 0, &region,
                       nullptr);
  require(status, "registration of memory");
  FidPtr<fid_mr> owner(region);
  if (attr.mr_mode & FI_MR_ENDPOINT) {
    require(fi_mr_bind(region, &endpoint_->fid, 0), "binding of memory to the endpoint");
    require(fi_mr_enable(region), "start of registered memory");
  }
  return owner;
}

/* ---------------------------------------------------------------------- */

std::uint64_t OfiEndpoint::remote_base() const
{
  return remote_address(incoming_.get(), incoming_.get());
}

/* ----------------------------------------------------------------------
   of a place in a region that begins at base
------------------------------------------------------------------------- */

std::uint64_t OfiEndpoint::remote_address(const void *base, const void *at) const
{
  const bool by_address = domain_->info->domain_attr->mr_mode & FI_MR_VIRT_ADDR;
  return reinterpret_cast<std::uint64_t>(at) -
      (by_address ? 0 : reinterpret_cast<std::uint64_t>(base));
}

/* ----------------------------------------------------------------------
   the old registration goes first: the memory may have been freed, and part
   of it may be in the new one
------------------------------------------------------------------------- */

int OfiEndpoint::set_arrays(const ArrayMemory &landing, const ArrayMemory &source)
{
  int n = 0;
  auto set = [&](ArrayMemory &present, FidPtr<fid_mr> &region, const ArrayMemory &wanted,
                 std::uint64_t access) {
    if (present == wanted) return;
    region.reset();
    present = ArrayMemory();
    if (wanted.nbytes == 0) return;
    region = make_region(wanted.data, wanted.nbytes, access);
    present = wanted;
    n++;
  };
  set(landing_, landing_mr_, landing, FI_REMOTE_WRITE);
  if (outgoing_mr_) set(source_, source_mr_, source, FI_WRITE);
  return n;
}

/* ---------------------------------------------------------------------- */

bool OfiEndpoint::can_leave_from(const void *data, std::size_t nbytes) const
{
  return !outgoing_mr_ || (source_mr_ && source_.contains(data, nbytes));
}

/* ---------------------------------------------------------------------- */

Landing OfiEndpoint::make_offer(const ArrayPieces &pieces) const
{
  if (!landing_mr_ || pieces.npieces > max_to_) return {};
  Landing offer;
  offer.key = fi_mr_key(landing_mr_.get());
  for (int i = 0; i < pieces.npieces; i++) {
    const ArrayMemory &piece = pieces.pieces[i];
    if (!landing_.contains(piece.data, piece.nbytes)) return {};
    offer.places[offer.nplaces++] = {remote_address(landing_.data, piece.data), piece.nbytes};
  }
  return offer;
}

/* ---------------------------------------------------------------------- */

std::vector<std::byte> OfiEndpoint::address() const
{
  std::vector<std::byte> bytes(OfiAddress::MAX_ENDPOINT);
  std::size_t n = bytes.size();
  require(fi_getname(&endpoint_->fid, bytes.data(), &n), "address of the endpoint");
  bytes.resize(n);
  return bytes;
}

/* ---------------------------------------------------------------------- */

fi_addr_t OfiEndpoint::add_peer(const std::byte *address)
{
  fi_addr_t peer = FI_ADDR_UNSPEC;
  const int n = fi_av_insert(peers_.get(), address, 1, &peer, 0, nullptr);
  require(n, "address of a peer");
  if (n != 1) throw TransportError("address of a peer: not understood");
  npeers_++;
  return peer;
}

/* ---------------------------------------------------------------------- */

std::string OfiEndpoint::lack_of_descriptors() const
{
  std::vector<pollfd> none(npeers_ + 1, pollfd{-1, 0, 0});    // providers add one to wake them up
  if (poll(none.data(), none.size(), 0) >= 0 || errno != EINVAL) return "";
  return "this process may have fewer descriptors than it has connections, " +
      std::to_string(npeers_) + "; raise the limit (ulimit -n)";
}

/* ---------------------------------------------------------------------- */

void OfiEndpoint::listen(std::uint32_t index, OfiListener *listener)
{
  if (listeners_.size() <= index) listeners_.resize(index + 1, nullptr);
  listeners_[index] = listener;
}

/* ---------------------------------------------------------------------- */

void *OfiEndpoint::description(const void *data) const
{
  if (!outgoing_mr_) return nullptr;
  const bool in_source = source_mr_ && source_.contains(data, 1);
  return fi_mr_desc(in_source ? source_mr_.get() : outgoing_mr_.get());
}

/* ---------------------------------------------------------------------- */

bool OfiEndpoint::write(OfiWrite &write, const OfiIov &iov, fi_addr_t peer, std::uint64_t notice)
{
  void *descriptions[OfiIov::MAX_FROM];
  for (int i = 0; i < iov.nfrom; i++) descriptions[i] = description(iov.from[i].iov_base);

  write.busy = true;
  ssize_t status;
  if (iov.nfrom == 1 && iov.nto == 1) {
    status = fi_writedata(endpoint_.get(), iov.from[0].iov_base, iov.from[0].iov_len,
                          descriptions[0], notice, peer, iov.to[0].addr, iov.to[0].key, &write);
  } else {
    fi_msg_rma message{};
    message.msg_iov = iov.from;
    message.desc = descriptions;
    message.iov_count = iov.nfrom;
    message.addr = peer;
    message.rma_iov = iov.to;
    message.rma_iov_count = iov.nto;
    message.context = &write;
    message.data = notice;
    status = fi_writemsg(endpoint_.get(), &message, FI_REMOTE_CQ_DATA | FI_COMPLETION);
  }
  if (status == 0) return true;
  write.busy = false;
  if (status != -FI_EAGAIN) throw TransportError(ofi_message("write", status));
  return false;
}

/* ---------------------------------------------------------------------- */

void OfiEndpoint::progress()
{
  static constexpr std::size_t BATCH = 16;
  fi_cq_data_entry entries[BATCH];
  while (true) {
    const auto n = fi_cq_read(queue_.get(), entries, BATCH);
    if (n == -FI_EAGAIN || n == 0) return;
    if (n == -FI_EAVAIL) {
      read_error();
      continue;
    }
    require(n, "completion queue");
    for (ssize_t i = 0; i < n; i++) handle(entries[i]);
    if (n < static_cast<ssize_t>(BATCH)) return;
  }
}

/* ---------------------------------------------------------------------- */

void OfiEndpoint::handle(const fi_cq_data_entry &entry)
{
  OfiWrite *const write = own_write(entry.op_context);
  switch (event_of(entry.flags, write != nullptr)) {
    case OfiEvent::NOTICE: {
      if (secret_ && entry.data >> 32 != secret_) break;
      const OfiNotice notice = OfiNotice::unpack(static_cast<std::uint32_t>(entry.data));
      if (notice.index < listeners_.size() && listeners_[notice.index])
        listeners_[notice.index]->notice(notice);
      break;
    }
    case OfiEvent::WRITE_DONE:
      finish(*write, nullptr);
      break;
    case OfiEvent::NOTHING:
      break;
  }
}

/* ---------------------------------------------------------------------- */

void OfiEndpoint::read_error()
{
  fi_cq_err_entry entry{};
  if (fi_cq_readerr(queue_.get(), &entry, 0) < 0) return;
  const std::string why = ofi_message("write", entry.err);
  if (OfiWrite *const write = own_write(entry.op_context))
    finish(*write, &why);
  else
    throw TransportError("an incoming " + why + "; libfabric provider " + domain_->provider);
}

/* ---------------------------------------------------------------------- */

OfiWrite *OfiEndpoint::own_write(const void *context) const
{
  const auto found = writes_.find(context);
  return found == writes_.end() ? nullptr : found->second.get();
}

/* ---------------------------------------------------------------------- */

void OfiEndpoint::finish(OfiWrite &write, const std::string *why)
{
  write.busy = false;
  if (!write.listener) return;
  if (why)
    write.listener->write_failed(*why);
  else
    write.listener->write_done();
}

/* ---------------------------------------------------------------------- */

OfiWrite *OfiEndpoint::make_write(OfiListener *listener)
{
  auto made = std::make_unique<OfiWrite>();
  OfiWrite *const write = made.get();
  write->listener = listener;
  writes_[write] = std::move(made);
  return write;
}

}    // namespace TOFU_NS

#endif
