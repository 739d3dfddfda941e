// SPDX-License-Identifier: GPL-2.0-only
//
// Calls that post orders, or prepare them.

#include "calls.h"

#include <cstring>

using namespace TOFU_EMULATOR;

namespace {

constexpr unsigned long SPS_BITS = 0xfUL << 24, PATH_BITS = 0xffUL << 28;
constexpr unsigned long KNOWN_FLAGS = UTOFU_ONESIDED_FLAG_STRONG_ORDER |
    UTOFU_ONESIDED_FLAG_PACKET_RESPONSE | UTOFU_ONESIDED_FLAG_REMOTE_MRQ_NOTICE |
    UTOFU_ONESIDED_FLAG_PADDING | UTOFU_ONESIDED_FLAG_CACHE_INJECTION |
    UTOFU_ONESIDED_FLAG_DELAY_START | UTOFU_ONESIDED_FLAG_TCQ_NOTICE |
    UTOFU_ONESIDED_FLAG_LOCAL_MRQ_NOTICE | SPS_BITS | PATH_BITS;

/** An order as a program keeps it. */
struct Descriptor {
  static constexpr std::uint16_t MARK = 0x7d05;

  std::uint16_t mark;
  std::uint8_t kind, edata;
  std::uint32_t length;    // bit 31: piggyback
  std::uint64_t rmt_vcq, rmt, flags;
  union {
    unsigned char data[MAX_PIGGYBACK];
    struct {
      std::uint64_t lcl;
      std::uint32_t op, width;
      std::uint64_t value[2];
    };
  };
};
static_assert(sizeof(Descriptor) == 64, "a descriptor is 64 bytes");

Descriptor descriptor_of(const Order &order)
{
  Descriptor d{};
  d.mark = Descriptor::MARK;
  d.kind = order.kind;
  d.edata = static_cast<std::uint8_t>(order.edata);
  d.length = static_cast<std::uint32_t>(order.length) | (order.piggyback ? 1u << 31 : 0);
  d.rmt_vcq = order.rmt_vcq;
  d.rmt = order.rmt;
  d.flags = order.flags;
  if (order.piggyback) {
    std::memcpy(d.data, order.data, sizeof(d.data));
  } else {
    d.lcl = order.lcl;
    d.op = order.op;
    d.width = order.width;
    std::memcpy(d.value, order.value, sizeof(d.value));
  }
  return d;
}

Order order_of(const Descriptor &d)
{
  Order order;
  order.kind = static_cast<Order::Kind>(d.kind);
  order.edata = d.edata;
  order.length = d.length & 0x7fffffffu;
  order.piggyback = d.length >> 31;
  order.rmt_vcq = d.rmt_vcq;
  order.rmt = d.rmt;
  order.flags = d.flags;
  if (order.piggyback) {
    std::memcpy(order.data, d.data, sizeof(d.data));
  } else {
    order.lcl = d.lcl;
    order.op = d.op;
    order.width = d.width;
    std::memcpy(order.value, d.value, sizeof(d.value));
  }
  return order;
}

/* ---------------------------------------------------------------------- */

int objection_to(const Order &order)
{
  const unsigned long flags = order.flags;
  if (flags & ~KNOWN_FLAGS) return UTOFU_ERR_INVALID_FLAGS;
  if (flags & UTOFU_ONESIDED_FLAG_PADDING &&
      !(order.piggyback && flags & UTOFU_ONESIDED_FLAG_CACHE_INJECTION))
    return UTOFU_ERR_INVALID_FLAGS;
  if (flags & SPS_BITS && order.kind != Order::PUT) return UTOFU_ERR_INVALID_FLAGS;
  if (order.kind == Order::NOP) return UTOFU_SUCCESS;
  if ((flags & PATH_BITS) >> 28 > 12) return UTOFU_ERR_INVALID_PATH_ID;
  if (!is_vcq_id(order.rmt_vcq)) return UTOFU_ERR_INVALID_VCQ_ID;
  if (order.edata > 255) return UTOFU_ERR_INVALID_EDATA;
  if (order.kind == Order::ARMW)
    return order.rmt % order.width ? UTOFU_ERR_INVALID_STADD : UTOFU_SUCCESS;
  if (order.length == 0 || order.length > MAX_LENGTH) return UTOFU_ERR_INVALID_SIZE;
  return UTOFU_SUCCESS;
}

Order moved(Order::Kind kind, utofu_vcq_id_t rmt_vcq, utofu_stadd_t lcl, utofu_stadd_t rmt,
            size_t length, uint64_t edata, unsigned long flags)
{
  Order order;
  order.kind = kind;
  order.rmt_vcq = rmt_vcq;
  order.lcl = lcl;
  order.rmt = rmt;
  order.length = length;
  order.edata = edata;
  order.flags = flags;
  return order;
}

Order piggyback(utofu_vcq_id_t rmt_vcq, const void *data, utofu_stadd_t rmt, size_t length,
                uint64_t edata, unsigned long flags)
{
  Order order = moved(Order::PUT, rmt_vcq, 0, rmt, length, edata, flags);
  order.piggyback = true;
  std::memcpy(order.data, data, length);
  return order;
}

Order atomic(utofu_vcq_id_t rmt_vcq, std::uint32_t op, std::uint32_t width, std::uint64_t value,
             std::uint64_t old_value, utofu_stadd_t rmt, uint64_t edata, unsigned long flags)
{
  Order order = moved(Order::ARMW, rmt_vcq, 0, rmt, width, edata, flags);
  order.op = op;
  order.width = width;
  order.value[0] = value;
  order.value[1] = old_value;
  return order;
}

/** Where orders go: to the queue at once, or into descriptors. */
struct Post {
  void *cbdata;
  int operator()(Process &process, Vcq &vcq, const std::vector<Order> &orders) const
  {
    return process.post(vcq, orders, cbdata);
  }
};

struct Prepare {
  void *desc;
  size_t *desc_size;
  int operator()(Process &, Vcq &, const std::vector<Order> &orders) const
  {
    if (!desc || !desc_size) return UTOFU_ERR_INVALID_POINTER;
    if (reinterpret_cast<std::uintptr_t>(desc) % 8) return UTOFU_ERR_INVALID_DESC;
    for (std::size_t i = 0; i < orders.size(); i++) {
      const Descriptor d = descriptor_of(orders[i]);
      std::memcpy(static_cast<char *>(desc) + i * sizeof(d), &d, sizeof(d));
    }
    *desc_size = orders.size() * sizeof(Descriptor);
    return UTOFU_SUCCESS;
  }
};

template <class Target>
int carry_out(utofu_vcq_hdl_t handle, const std::vector<Order> &orders, const Target &target)
{
  Process &process = Process::get();
  Vcq *const vcq = process.find(handle);
  if (!vcq) return result(UTOFU_ERR_INVALID_VCQ_HDL);
  for (const Order &order : orders)
    if (const int code = objection_to(order)) return result(code);
  const Use use(*vcq);
  const std::lock_guard<std::mutex> lock(process.mutex);
  return result(target(process, *vcq, orders));
}

bool is_rate(size_t mtu, size_t gap)
{
  return mtu > 0 && mtu <= 1920 && gap <= 255;
}

template <class Target>
int move_blocks(Order::Kind kind, utofu_vcq_hdl_t handle, utofu_vcq_id_t rmt_vcq, utofu_stadd_t lcl,
                utofu_stadd_t rmt, size_t length, size_t stride, size_t num_blocks, uint64_t edata,
                unsigned long flags, const Target &target)
{
  if (num_blocks == 0) return result(UTOFU_ERR_INVALID_NUMBER);
  std::vector<Order> orders;
  for (size_t i = 0; i < num_blocks; i++)
    orders.push_back(
        moved(kind, rmt_vcq, lcl + i * stride, rmt + i * stride, length, edata, flags));
  return carry_out(handle, orders, target);
}

template <class Target>
int put_small(utofu_vcq_hdl_t handle, utofu_vcq_id_t rmt_vcq, const void *data, utofu_stadd_t rmt,
              size_t length, size_t most, uint64_t edata, unsigned long flags, const Target &target)
{
  if (!data) return result(UTOFU_ERR_INVALID_POINTER);
  if (length > most) return result(UTOFU_ERR_INVALID_SIZE);
  return carry_out(handle, {piggyback(rmt_vcq, data, rmt, length, edata, flags)}, target);
}

template <class Target>
int operate(utofu_vcq_hdl_t handle, const Order &order, bool known, const Target &target)
{
  return known ? carry_out(handle, {order}, target) : result(UTOFU_ERR_INVALID_OP);
}

bool is_op(utofu_armw_op op)
{
  return op >= UTOFU_ARMW_OP_SWAP && op <= UTOFU_ARMW_OP_OR;
}

}    // namespace

/* ---------------------------------------------------------------------- */

// each order twice: FORM is the name of the call, TAIL its last parameters, TARGET where it goes

#define CALLS_FOR_ORDERS(FORM, TARGET, ...)                                                        \
  int FORM##put(utofu_vcq_hdl_t hdl, utofu_vcq_id_t rmt_vcq, utofu_stadd_t lcl, utofu_stadd_t rmt, \
                size_t length, uint64_t edata, unsigned long flags, __VA_ARGS__)                   \
  {                                                                                                \
    return move_blocks(Order::PUT, hdl, rmt_vcq, lcl, rmt, length, 0, 1, edata, flags, TARGET);    \
  }                                                                                                \
  int FORM##put_stride(utofu_vcq_hdl_t hdl, utofu_vcq_id_t rmt_vcq, utofu_stadd_t lcl,             \
                       utofu_stadd_t rmt, size_t length, size_t stride, size_t n, uint64_t edata,  \
                       unsigned long flags, __VA_ARGS__)                                           \
  {                                                                                                \
    return move_blocks(Order::PUT, hdl, rmt_vcq, lcl, rmt, length, stride, n, edata, flags,        \
                       TARGET);                                                                    \
  }                                                                                                \
  int FORM##put_gap(utofu_vcq_hdl_t hdl, utofu_vcq_id_t rmt_vcq, utofu_stadd_t lcl,                \
                    utofu_stadd_t rmt, size_t length, uint64_t edata, unsigned long flags,         \
                    size_t mtu, size_t gap, __VA_ARGS__)                                           \
  {                                                                                                \
    if (!is_rate(mtu, gap)) return result(UTOFU_ERR_INVALID_ARG);                                  \
    return move_blocks(Order::PUT, hdl, rmt_vcq, lcl, rmt, length, 0, 1, edata, flags, TARGET);    \
  }                                                                                                \
  int FORM##put_stride_gap(utofu_vcq_hdl_t hdl, utofu_vcq_id_t rmt_vcq, utofu_stadd_t lcl,         \
                           utofu_stadd_t rmt, size_t length, size_t stride, size_t n,              \
                           uint64_t edata, unsigned long flags, size_t mtu, size_t gap,            \
                           __VA_ARGS__)                                                            \
  {                                                                                                \
    if (!is_rate(mtu, gap)) return result(UTOFU_ERR_INVALID_ARG);                                  \
    return move_blocks(Order::PUT, hdl, rmt_vcq, lcl, rmt, length, stride, n, edata, flags,        \
                       TARGET);                                                                    \
  }                                                                                                \
  int FORM##put_piggyback(utofu_vcq_hdl_t hdl, utofu_vcq_id_t rmt_vcq, void *data,                 \
                          utofu_stadd_t rmt, size_t length, uint64_t edata, unsigned long flags,   \
                          __VA_ARGS__)                                                             \
  {                                                                                                \
    return put_small(hdl, rmt_vcq, data, rmt, length, MAX_PIGGYBACK, edata, flags, TARGET);        \
  }                                                                                                \
  int FORM##put_piggyback8(utofu_vcq_hdl_t hdl, utofu_vcq_id_t rmt_vcq, uint64_t data,             \
                           utofu_stadd_t rmt, size_t length, uint64_t edata, unsigned long flags,  \
                           __VA_ARGS__)                                                            \
  {                                                                                                \
    return put_small(hdl, rmt_vcq, &data, rmt, length, sizeof(data), edata, flags, TARGET);        \
  }                                                                                                \
  int FORM##get(utofu_vcq_hdl_t hdl, utofu_vcq_id_t rmt_vcq, utofu_stadd_t lcl, utofu_stadd_t rmt, \
                size_t length, uint64_t edata, unsigned long flags, __VA_ARGS__)                   \
  {                                                                                                \
    return move_blocks(Order::GET, hdl, rmt_vcq, lcl, rmt, length, 0, 1, edata, flags, TARGET);    \
  }                                                                                                \
  int FORM##get_stride(utofu_vcq_hdl_t hdl, utofu_vcq_id_t rmt_vcq, utofu_stadd_t lcl,             \
                       utofu_stadd_t rmt, size_t length, size_t stride, size_t n, uint64_t edata,  \
                       unsigned long flags, __VA_ARGS__)                                           \
  {                                                                                                \
    return move_blocks(Order::GET, hdl, rmt_vcq, lcl, rmt, length, stride, n, edata, flags,        \
                       TARGET);                                                                    \
  }                                                                                                \
  int FORM##get_gap(utofu_vcq_hdl_t hdl, utofu_vcq_id_t rmt_vcq, utofu_stadd_t lcl,                \
                    utofu_stadd_t rmt, size_t length, uint64_t edata, unsigned long flags,         \
                    size_t mtu, size_t gap, __VA_ARGS__)                                           \
  {                                                                                                \
    if (!is_rate(mtu, gap)) return result(UTOFU_ERR_INVALID_ARG);                                  \
    return move_blocks(Order::GET, hdl, rmt_vcq, lcl, rmt, length, 0, 1, edata, flags, TARGET);    \
  }                                                                                                \
  int FORM##get_stride_gap(utofu_vcq_hdl_t hdl, utofu_vcq_id_t rmt_vcq, utofu_stadd_t lcl,         \
                           utofu_stadd_t rmt, size_t length, size_t stride, size_t n,              \
                           uint64_t edata, unsigned long flags, size_t mtu, size_t gap,            \
                           __VA_ARGS__)                                                            \
  {                                                                                                \
    if (!is_rate(mtu, gap)) return result(UTOFU_ERR_INVALID_ARG);                                  \
    return move_blocks(Order::GET, hdl, rmt_vcq, lcl, rmt, length, stride, n, edata, flags,        \
                       TARGET);                                                                    \
  }                                                                                                \
  int FORM##armw4(utofu_vcq_hdl_t hdl, utofu_vcq_id_t rmt_vcq, enum utofu_armw_op op,              \
                  uint32_t value, utofu_stadd_t rmt, uint64_t edata, unsigned long flags,          \
                  __VA_ARGS__)                                                                     \
  {                                                                                                \
    return operate(hdl, atomic(rmt_vcq, op, 4, value, 0, rmt, edata, flags), is_op(op), TARGET);   \
  }                                                                                                \
  int FORM##armw8(utofu_vcq_hdl_t hdl, utofu_vcq_id_t rmt_vcq, enum utofu_armw_op op,              \
                  uint64_t value, utofu_stadd_t rmt, uint64_t edata, unsigned long flags,          \
                  __VA_ARGS__)                                                                     \
  {                                                                                                \
    return operate(hdl, atomic(rmt_vcq, op, 8, value, 0, rmt, edata, flags), is_op(op), TARGET);   \
  }                                                                                                \
  int FORM##cswap4(utofu_vcq_hdl_t hdl, utofu_vcq_id_t rmt_vcq, uint32_t old_value,                \
                   uint32_t new_value, utofu_stadd_t rmt, uint64_t edata, unsigned long flags,     \
                   __VA_ARGS__)                                                                    \
  {                                                                                                \
    return operate(hdl, atomic(rmt_vcq, 0, 4, new_value, old_value, rmt, edata, flags), true,      \
                   TARGET);                                                                        \
  }                                                                                                \
  int FORM##cswap8(utofu_vcq_hdl_t hdl, utofu_vcq_id_t rmt_vcq, uint64_t old_value,                \
                   uint64_t new_value, utofu_stadd_t rmt, uint64_t edata, unsigned long flags,     \
                   __VA_ARGS__)                                                                    \
  {                                                                                                \
    return operate(hdl, atomic(rmt_vcq, 0, 8, new_value, old_value, rmt, edata, flags), true,      \
                   TARGET);                                                                        \
  }                                                                                                \
  int FORM##nop(utofu_vcq_hdl_t hdl, unsigned long flags, __VA_ARGS__)                             \
  {                                                                                                \
    Order order;                                                                                   \
    order.flags = flags;                                                                           \
    return carry_out(hdl, {order}, TARGET);                                                        \
  }

extern "C" {

CALLS_FOR_ORDERS(utofu_, Post{cbdata}, void *cbdata)

#define DESCRIPTORS \
  Prepare           \
  {                 \
    desc, desc_size \
  }
CALLS_FOR_ORDERS(utofu_prepare_, DESCRIPTORS, void *desc, size_t *desc_size)

int utofu_post_toq(utofu_vcq_hdl_t vcq_hdl, void *desc, size_t desc_size, void *cbdata)
{
  if (desc_size % sizeof(Descriptor)) return result(UTOFU_ERR_INVALID_SIZE);
  if (desc_size && !desc) return result(UTOFU_ERR_INVALID_POINTER);
  if (reinterpret_cast<std::uintptr_t>(desc) % 8) return result(UTOFU_ERR_INVALID_DESC);
  std::vector<Order> orders;
  for (size_t at = 0; at < desc_size; at += sizeof(Descriptor)) {
    Descriptor d;
    std::memcpy(&d, static_cast<char *>(desc) + at, sizeof(d));
    if (d.mark != Descriptor::MARK) return result(UTOFU_ERR_INVALID_DESC);
    orders.push_back(order_of(d));
  }
  return carry_out(vcq_hdl, orders, Post{cbdata});
}

}    // extern "C"
