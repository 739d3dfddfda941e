// SPDX-License-Identifier: GPL-2.0-only
//
// The functions of libfabric that programs call by name, taken from the library that MPI has
// loaded, else from that of the system.  All other calls go through tables that these functions
// return.  A second copy of libfabric in a process would take the place of that of MPI, so the
// wheel brings none.  Without any, there is no provider, and TOFU sends messages by MPI.

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>

#include <cstdint>
#include <dlfcn.h>

#define HIDDEN \
  __attribute__((visibility("hidden")))    // others must not find these in place of libfabric's

namespace {

/** Version of fi_info and what it points to in the headers that TOFU was compiled with;
    nullptr: that of the library. */
constexpr const char *structures()
{
  constexpr std::uint32_t headers = FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION);
  return headers < FI_VERSION(1, 20) ? "FABRIC_1.3"
      : headers < FI_VERSION(2, 0)   ? "FABRIC_1.7"
                                     : nullptr;
}

void *loaded_library()
{
  static void *const library = dlopen("libfabric.so.1", RTLD_NOW | RTLD_LOCAL);
  return library;
}

/** A function of the library; nullptr without library. */
template <class Function> Function *found(const char *name, const char *version)
{
  void *library = loaded_library();
  if (!library) return nullptr;
  void *place = version ? dlvsym(library, name, version) : nullptr;
  return reinterpret_cast<Function *>(place ? place : dlsym(library, name));
}

/** Structures to fill in while there is no library; nobody frees them. */
fi_info *unused_hints()
{
  static fi_tx_attr tx;
  static fi_rx_attr rx;
  static fi_ep_attr ep;
  static fi_domain_attr domain;
  static fi_fabric_attr fabric;
  static fi_info info;
  info.tx_attr = &tx;
  info.rx_attr = &rx;
  info.ep_attr = &ep;
  info.domain_attr = &domain;
  info.fabric_attr = &fabric;
  return &info;
}

}    // namespace

extern "C" {

HIDDEN int fi_getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,
                      const fi_info *hints, fi_info **info)
{
  static auto *const call = found<decltype(fi_getinfo)>("fi_getinfo", structures());
  return call ? call(version, node, service, flags, hints, info) : -FI_ENOSYS;
}

HIDDEN void fi_freeinfo(fi_info *info)
{
  static auto *const call = found<decltype(fi_freeinfo)>("fi_freeinfo", structures());
  if (call) call(info);
}

HIDDEN fi_info *fi_dupinfo(const fi_info *info)
{
  static auto *const call = found<decltype(fi_dupinfo)>("fi_dupinfo", structures());
  return call ? call(info) : unused_hints();
}

HIDDEN int fi_fabric(fi_fabric_attr *attr, fid_fabric **fabric, void *context)
{
  static auto *const call = found<decltype(fi_fabric)>("fi_fabric", nullptr);
  return call ? call(attr, fabric, context) : -FI_ENOSYS;
}

HIDDEN const char *fi_strerror(int number)
{
  static auto *const call = found<decltype(fi_strerror)>("fi_strerror", nullptr);
  return call ? call(number) : "there is no libfabric.so.1 on this machine";
}
}
