// SPDX-License-Identifier: GPL-2.0-only
//
// Calls for barrier gates.

#include "calls.h"

#include <cstring>

using namespace TOFU_EMULATOR;

namespace {

using Lock = std::lock_guard<std::mutex>;

int start(utofu_vbg_id_t id, unsigned long flags, const GateValue &value)
{
  if (flags) return result(UTOFU_ERR_INVALID_FLAGS);
  Process &process = Process::get();
  const Lock lock(process.mutex);
  return result(process.gates.start(id, value));
}

int poll(utofu_vbg_id_t id, unsigned long flags, bool is_double, bool is_barrier, GateValue &value)
{
  if (flags) return result(UTOFU_ERR_INVALID_FLAGS);
  Process &process = Process::get();
  const Lock lock(process.mutex);
  return result(process.gates.poll(id, is_double, is_barrier, value));
}

}    // namespace

extern "C" {

int utofu_alloc_vbg(utofu_tni_id_t tni_id, size_t num_vbgs, unsigned long flags,
                    utofu_vbg_id_t vbg_ids[])
{
  Process &process = Process::get();
  if (tni_id >= process.settings.ntnis) return result(UTOFU_ERR_INVALID_TNI_ID);
  if (num_vbgs == 0) return result(UTOFU_ERR_INVALID_NUMBER);
  if (flags & ~UTOFU_VBG_FLAG_THREAD_SAFE) return result(UTOFU_ERR_INVALID_FLAGS);
  if (!vbg_ids) return result(UTOFU_ERR_INVALID_POINTER);
  const Lock lock(process.mutex);
  return result(process.gates.allocate(tni_id, num_vbgs, vbg_ids));
}

int utofu_free_vbg(utofu_vbg_id_t vbg_ids[], size_t num_vbgs)
{
  if (!vbg_ids) return result(UTOFU_ERR_INVALID_POINTER);
  if (num_vbgs == 0) return result(UTOFU_ERR_INVALID_NUMBER);
  Process &process = Process::get();
  const Lock lock(process.mutex);
  return result(process.gates.release(vbg_ids, num_vbgs));
}

int utofu_set_vbg(struct utofu_vbg_setting vbg_settings[], size_t num_vbg_settings)
{
  if (!vbg_settings) return result(UTOFU_ERR_INVALID_POINTER);
  if (num_vbg_settings == 0) return result(UTOFU_ERR_INVALID_NUMBER);
  Process &process = Process::get();
  const Lock lock(process.mutex);
  return result(process.gates.set(vbg_settings, num_vbg_settings));
}

int utofu_query_vbg_info(utofu_vbg_id_t vbg_id, uint8_t coords[], utofu_tni_id_t *tni_id,
                         utofu_bg_id_t *bg_id, uint16_t *extra_val)
{
  Id id;
  if (!Id::unpack(vbg_id, id) || is_vcq_id(vbg_id)) return result(UTOFU_ERR_INVALID_VBG_ID);
  if (!coords || !tni_id || !bg_id || !extra_val) return result(UTOFU_ERR_INVALID_POINTER);
  std::memcpy(coords, id.coords, sizeof(id.coords));
  *tni_id = static_cast<utofu_tni_id_t>(id.tni);
  *bg_id = static_cast<utofu_bg_id_t>(id.cq);
  *extra_val = 0;
  return UTOFU_SUCCESS;
}

int utofu_barrier(utofu_vbg_id_t vbg_id, unsigned long flags)
{
  GateValue value{};
  value.op = UTOFU_REDUCE_OP_BARRIER;
  return start(vbg_id, flags, value);
}

int utofu_reduce_uint64(utofu_vbg_id_t vbg_id, enum utofu_reduce_op op, uint64_t data[],
                        size_t num_data, unsigned long flags)
{
  if (op < UTOFU_REDUCE_OP_BAND || op > UTOFU_REDUCE_OP_SUM) return result(UTOFU_ERR_INVALID_OP);
  if (num_data == 0 || num_data > 6 || (op == UTOFU_REDUCE_OP_MAXLOC && num_data % 2))
    return result(UTOFU_ERR_INVALID_NUMBER);
  if (!data) return result(UTOFU_ERR_INVALID_POINTER);
  GateValue value{};
  value.op = op;
  value.n = static_cast<std::uint16_t>(num_data);
  std::memcpy(value.words, data, num_data * sizeof(data[0]));
  return start(vbg_id, flags, value);
}

int utofu_reduce_double(utofu_vbg_id_t vbg_id, enum utofu_reduce_op op, double data[],
                        size_t num_data, unsigned long flags)
{
  if (op != UTOFU_REDUCE_OP_BFPSUM) return result(UTOFU_ERR_INVALID_OP);
  if (num_data == 0 || num_data > 3) return result(UTOFU_ERR_INVALID_NUMBER);
  if (!data) return result(UTOFU_ERR_INVALID_POINTER);
  GateValue value{};
  value.op = op;
  value.n = static_cast<std::uint16_t>(num_data);
  value.is_double = 1;
  for (size_t i = 0; i < num_data; i++) put_double(value.words + 10 * i, data[i]);
  return start(vbg_id, flags, value);
}

int utofu_poll_barrier(utofu_vbg_id_t vbg_id, unsigned long flags)
{
  GateValue value;
  return poll(vbg_id, flags, false, true, value);
}

int utofu_poll_reduce_uint64(utofu_vbg_id_t vbg_id, unsigned long flags, uint64_t data[])
{
  if (!data) return result(UTOFU_ERR_INVALID_POINTER);
  GateValue value;
  const int code = poll(vbg_id, flags, false, false, value);
  if (code == UTOFU_SUCCESS) std::memcpy(data, value.words, value.n * sizeof(data[0]));
  return code;
}

int utofu_poll_reduce_double(utofu_vbg_id_t vbg_id, unsigned long flags, double data[])
{
  if (!data) return result(UTOFU_ERR_INVALID_POINTER);
  GateValue value;
  const int code = poll(vbg_id, flags, true, false, value);
  for (int i = 0; code == UTOFU_SUCCESS && i < value.n; i++)
    data[i] = get_double(value.words + 10 * i);
  return code;
}

}    // extern "C"
