// SPDX-License-Identifier: GPL-2.0-only
//
// Calls for interfaces, queues, paths, memory and completion.

#include "calls.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace TOFU_EMULATOR;

namespace {

using Lock = std::lock_guard<std::mutex>;

thread_local int last_code = UTOFU_SUCCESS;

bool is_tni(utofu_tni_id_t tni)
{
  return tni < Process::get().settings.ntnis;
}

int list_tnis(utofu_tni_id_t **ids, size_t *n)
{
  if (!ids || !n) return result(UTOFU_ERR_INVALID_POINTER);
  *n = Process::get().settings.ntnis;
  *ids = static_cast<utofu_tni_id_t *>(std::malloc(*n * sizeof(utofu_tni_id_t)));
  for (size_t i = 0; i < *n; i++) (*ids)[i] = static_cast<utofu_tni_id_t>(i);
  return UTOFU_SUCCESS;
}

int create(utofu_tni_id_t tni, int component, unsigned long flags, utofu_vcq_hdl_t *handle)
{
  Process &process = Process::get();
  process.warn_outside_mpi();
  if (!handle) return result(UTOFU_ERR_INVALID_POINTER);
  if (!is_tni(tni)) return result(UTOFU_ERR_INVALID_TNI_ID);
  if (component >= NVCQS) return result(UTOFU_ERR_INVALID_CMP_ID);
  const bool exclusive = flags & UTOFU_VCQ_FLAG_EXCLUSIVE;
  const bool session = flags & UTOFU_VCQ_FLAG_SESSION_MODE;
  if (flags & ~7UL || (exclusive && session) || (component >= 0 && (exclusive || session)))
    return result(UTOFU_ERR_INVALID_FLAGS);
  if (session) return result(UTOFU_ERR_NOT_SUPPORTED);
  const Lock lock(process.mutex);
  return result(process.create(tni, component, flags, handle));
}

/** A STADD that all can compute for a number that a program has chosen. */
std::uint64_t stadd_of(std::uint64_t vcq_id, unsigned stag)
{
  Id id;
  Id::unpack(vcq_id, id);
  const std::uint64_t mixed = Random(id.of_node()).next() >> 47;
  return std::uint64_t(1) << 63 | mixed << 46 | std::uint64_t(stag) << 38;
}

int register_memory(utofu_vcq_hdl_t handle, void *addr, size_t size, int stag, unsigned long flags,
                    utofu_stadd_t *stadd)
{
  Process &process = Process::get();
  process.warn_outside_mpi();
  Vcq *const vcq = process.find(handle);
  if (!vcq) return result(UTOFU_ERR_INVALID_VCQ_HDL);
  if (!stadd) return result(UTOFU_ERR_INVALID_POINTER);
  if (!addr) return result(UTOFU_ERR_INVALID_ADDRESS);
  if (size == 0) return result(UTOFU_ERR_INVALID_SIZE);
  if (flags & ~UTOFU_REG_MEM_FLAG_READ_ONLY) return result(UTOFU_ERR_INVALID_FLAGS);
  if (stag >= 256) return result(UTOFU_ERR_INVALID_STAG);
  if (stag >= 0 && reinterpret_cast<std::uintptr_t>(addr) % LINE)
    return result(UTOFU_ERR_INVALID_ADDRESS);
  if (stag >= 0 && size % LINE) return result(UTOFU_ERR_INVALID_SIZE);
  const Use use(*vcq);
  const Lock lock(process.mutex);
  const Nth &full = process.settings.full_registration;
  if (++process.number_of_registrations == full.n &&
      (full.rank < 0 || full.rank == process.job.rank()))
    return result(UTOFU_ERR_FULL);
  bool used;
  const std::uint64_t base = stag >= 0 ? stadd_of(vcq->id, stag) : 0;
  *stadd = vcq->memory.add(static_cast<unsigned char *>(addr), size,
                           flags & UTOFU_REG_MEM_FLAG_READ_ONLY, stag, base, process.random,
                           process.pages, used);
  return result(used ? UTOFU_ERR_USED : UTOFU_SUCCESS);
}

int take(std::deque<Entry> &queue, std::atomic<std::size_t> &n, std::size_t &of_all, Entry &entry)
{
  if (queue.empty()) return UTOFU_ERR_NOT_FOUND;
  entry = queue.front();
  queue.pop_front();
  n--;
  of_all--;
  return entry.code;
}

}    // namespace

/* ---------------------------------------------------------------------- */

int TOFU_EMULATOR::result(int code)
{
  if (code != UTOFU_SUCCESS) last_code = code;
  return code;
}

bool TOFU_EMULATOR::is_vcq_id(std::uint64_t id)
{
  Id parts;
  return Id::unpack(id, parts) && parts.cq < NCQS && parts.component < NVCQS;
}

/* ---------------------------------------------------------------------- */

extern "C" {

int utofu_get_onesided_tnis(utofu_tni_id_t **tni_ids, size_t *num_tnis)
{
  return list_tnis(tni_ids, num_tnis);
}

int utofu_get_barrier_tnis(utofu_tni_id_t **tni_ids, size_t *num_tnis)
{
  return list_tnis(tni_ids, num_tnis);
}

int utofu_query_onesided_caps(utofu_tni_id_t tni_id, struct utofu_onesided_caps **tni_caps)
{
  static utofu_onesided_caps caps{2,  63,         NVCQS,         256, LINE, LINE,
                                  64, MAX_LENGTH, MAX_PIGGYBACK, 1,   1920, 255};
  if (!is_tni(tni_id)) return result(UTOFU_ERR_INVALID_TNI_ID);
  if (!tni_caps) return result(UTOFU_ERR_INVALID_POINTER);
  *tni_caps = &caps;
  return UTOFU_SUCCESS;
}

int utofu_query_barrier_caps(utofu_tni_id_t tni_id, struct utofu_barrier_caps **tni_caps)
{
  static utofu_barrier_caps caps{0, 0x1fe, 6, 3};
  if (!is_tni(tni_id)) return result(UTOFU_ERR_INVALID_TNI_ID);
  if (!tni_caps) return result(UTOFU_ERR_INVALID_POINTER);
  *tni_caps = &caps;
  return UTOFU_SUCCESS;
}

int utofu_create_vcq(utofu_tni_id_t tni_id, unsigned long flags, utofu_vcq_hdl_t *vcq_hdl)
{
  return create(tni_id, -1, flags, vcq_hdl);
}

int utofu_create_vcq_with_cmp_id(utofu_tni_id_t tni_id, utofu_cmp_id_t cmp_id, unsigned long flags,
                                 utofu_vcq_hdl_t *vcq_hdl)
{
  return create(tni_id, cmp_id, flags, vcq_hdl);
}

int utofu_free_vcq(utofu_vcq_hdl_t vcq_hdl)
{
  Process &process = Process::get();
  process.warn_outside_mpi();
  const Lock lock(process.mutex);
  return result(process.free(vcq_hdl));
}

int utofu_query_vcq_id(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t *vcq_id)
{
  Vcq *const vcq = Process::get().find(vcq_hdl);
  if (!vcq) return result(UTOFU_ERR_INVALID_VCQ_HDL);
  if (!vcq_id) return result(UTOFU_ERR_INVALID_POINTER);
  *vcq_id = vcq->id;
  return UTOFU_SUCCESS;
}

int utofu_construct_vcq_id(uint8_t coords[], utofu_tni_id_t tni_id, utofu_cq_id_t cq_id,
                           utofu_cmp_id_t cmp_id, utofu_vcq_id_t *vcq_id)
{
  if (!coords || !vcq_id) return result(UTOFU_ERR_INVALID_POINTER);
  if (Process::get().job.node_at(coords) < 0) return result(UTOFU_ERR_INVALID_COORDS);
  if (tni_id >= NTNIS) return result(UTOFU_ERR_INVALID_TNI_ID);
  if (cq_id >= NCQS) return result(UTOFU_ERR_INVALID_CQ_ID);
  if (cmp_id >= NVCQS) return result(UTOFU_ERR_INVALID_CMP_ID);
  Id id{{}, tni_id, cq_id, cmp_id, {}};
  std::memcpy(id.coords, coords, sizeof(id.coords));
  *vcq_id = id.of_node();
  return UTOFU_SUCCESS;
}

int utofu_set_vcq_id_path(utofu_vcq_id_t *vcq_id, uint8_t path_coords[])
{
  Id id;
  if (!vcq_id) return result(UTOFU_ERR_INVALID_POINTER);
  if (!is_vcq_id(*vcq_id) || !Id::unpack(*vcq_id, id)) return result(UTOFU_ERR_INVALID_VCQ_ID);
  if (path_coords && (path_coords[0] > 1 || path_coords[1] > 2 || path_coords[2] > 1))
    return result(UTOFU_ERR_INVALID_PATH);
  // automatic: any, but always the same
  const std::uint8_t chosen[3] = {static_cast<std::uint8_t>(1 - id.coords[3]),
                                  static_cast<std::uint8_t>((id.coords[4] + 1) % 3), id.coords[5]};
  std::memcpy(id.abc, path_coords ? path_coords : chosen, sizeof(id.abc));
  *vcq_id = id.pack();
  return UTOFU_SUCCESS;
}

int utofu_query_vcq_info(utofu_vcq_id_t vcq_id, uint8_t coords[], utofu_tni_id_t *tni_id,
                         utofu_cq_id_t *cq_id, uint16_t *extra_val)
{
  Id id;
  if (!is_vcq_id(vcq_id) || !Id::unpack(vcq_id, id)) return result(UTOFU_ERR_INVALID_VCQ_ID);
  if (!coords || !tni_id || !cq_id || !extra_val) return result(UTOFU_ERR_INVALID_POINTER);
  std::memcpy(coords, id.coords, sizeof(id.coords));
  *tni_id = static_cast<utofu_tni_id_t>(id.tni);
  *cq_id = static_cast<utofu_cq_id_t>(id.cq);
  *extra_val = static_cast<uint16_t>(id.component);
  return UTOFU_SUCCESS;
}

int utofu_get_path_id(utofu_vcq_id_t vcq_id, uint8_t path_coords[], utofu_path_id_t *path_id)
{
  if (!path_id) return result(UTOFU_ERR_INVALID_POINTER);
  const int code = utofu_set_vcq_id_path(&vcq_id, path_coords);
  Id id;
  if (code == UTOFU_SUCCESS && Id::unpack(vcq_id, id))
    *path_id = static_cast<utofu_path_id_t>(id.path() + 1);
  return code;
}

int utofu_get_path_coords(utofu_vcq_id_t vcq_id, utofu_path_id_t path_id, uint8_t path_coords[])
{
  if (!is_vcq_id(vcq_id)) return result(UTOFU_ERR_INVALID_VCQ_ID);
  if (!path_coords) return result(UTOFU_ERR_INVALID_POINTER);
  if (path_id < 1 || path_id > 12) return result(UTOFU_ERR_INVALID_PATH_ID);
  path_coords[0] = static_cast<std::uint8_t>((path_id - 1) % 2);
  path_coords[1] = static_cast<std::uint8_t>((path_id - 1) / 2 % 3);
  path_coords[2] = static_cast<std::uint8_t>((path_id - 1) / 6);
  return UTOFU_SUCCESS;
}

/* ---------------------------------------------------------------------- */

int utofu_reg_mem(utofu_vcq_hdl_t vcq_hdl, void *addr, size_t size, unsigned long flags,
                  utofu_stadd_t *stadd)
{
  return register_memory(vcq_hdl, addr, size, -1, flags, stadd);
}

int utofu_reg_mem_with_stag(utofu_vcq_hdl_t vcq_hdl, void *addr, size_t size, unsigned int stag,
                            unsigned long flags, utofu_stadd_t *stadd)
{
  return register_memory(vcq_hdl, addr, size, static_cast<int>(stag < 256 ? stag : 256), flags,
                         stadd);
}

int utofu_query_stadd(utofu_vcq_id_t vcq_id, unsigned int stag, utofu_stadd_t *stadd)
{
  if (!is_vcq_id(vcq_id)) return result(UTOFU_ERR_INVALID_VCQ_ID);
  if (!stadd) return result(UTOFU_ERR_INVALID_POINTER);
  if (stag >= 256) return result(UTOFU_ERR_INVALID_STAG);
  *stadd = stadd_of(vcq_id, stag);
  return UTOFU_SUCCESS;
}

int utofu_dereg_mem(utofu_vcq_hdl_t vcq_hdl, utofu_stadd_t stadd, unsigned long flags)
{
  Process &process = Process::get();
  Vcq *const vcq = process.find(vcq_hdl);
  if (!vcq) return result(UTOFU_ERR_INVALID_VCQ_HDL);
  if (flags) return result(UTOFU_ERR_INVALID_FLAGS);
  const Use use(*vcq);
  const Lock lock(process.mutex);
  if (!vcq->memory.remove(stadd, process.pages))
    end_process("utofu_dereg_mem() of memory that is not registered");
  return UTOFU_SUCCESS;
}

/* ---------------------------------------------------------------------- */

int utofu_poll_tcq(utofu_vcq_hdl_t vcq_hdl, unsigned long flags, void **cbdata)
{
  Process &process = Process::get();
  Vcq *const vcq = process.find(vcq_hdl);
  if (!vcq) return result(UTOFU_ERR_INVALID_VCQ_HDL);
  if (flags) return result(UTOFU_ERR_INVALID_FLAGS);
  if (!cbdata) return result(UTOFU_ERR_INVALID_POINTER);
  const Use use(*vcq);
  if (vcq->ntcq.load() == 0) return result(UTOFU_ERR_NOT_FOUND);
  const Lock lock(process.mutex);
  Entry entry;
  const int code = take(vcq->tcq, vcq->ntcq, vcq->cq->ntcq, entry);
  if (code != UTOFU_ERR_NOT_FOUND) *cbdata = entry.cbdata;
  return result(code);
}

int utofu_poll_mrq(utofu_vcq_hdl_t vcq_hdl, unsigned long flags, struct utofu_mrq_notice *notice)
{
  Process &process = Process::get();
  Vcq *const vcq = process.find(vcq_hdl);
  if (!vcq) return result(UTOFU_ERR_INVALID_VCQ_HDL);
  if (flags) return result(UTOFU_ERR_INVALID_FLAGS);
  if (!notice) return result(UTOFU_ERR_INVALID_POINTER);
  const Use use(*vcq);
  if (vcq->nmrq.load() == 0) return result(UTOFU_ERR_NOT_FOUND);
  const Lock lock(process.mutex);
  Entry entry;
  const int code = take(vcq->mrq, vcq->nmrq, vcq->cq->nmrq, entry);
  if (code != UTOFU_ERR_NOT_FOUND) *notice = entry.notice;
  return result(code);
}

int utofu_query_num_unread_tcq(utofu_vcq_hdl_t vcq_hdl, size_t *count)
{
  Process &process = Process::get();
  Vcq *const vcq = process.find(vcq_hdl);
  if (!vcq) return result(UTOFU_ERR_INVALID_VCQ_HDL);
  if (!count) return result(UTOFU_ERR_INVALID_POINTER);
  const Lock lock(process.mutex);
  *count = vcq->cq->ntcq;
  return UTOFU_SUCCESS;
}

int utofu_query_num_unread_mrq(utofu_vcq_hdl_t vcq_hdl, size_t *count)
{
  Process &process = Process::get();
  Vcq *const vcq = process.find(vcq_hdl);
  if (!vcq) return result(UTOFU_ERR_INVALID_VCQ_HDL);
  if (!count) return result(UTOFU_ERR_INVALID_POINTER);
  const Lock lock(process.mutex);
  *count = vcq->cq->nmrq;
  return UTOFU_SUCCESS;
}

/* ---------------------------------------------------------------------- */

void utofu_query_tofu_version(int *major_ver, int *minor_ver)
{
  *major_ver = 3;
  *minor_ver = 0;
}

void utofu_query_utofu_version(int *major_ver, int *minor_ver)
{
  *major_ver = UTOFU_VERSION_MAJOR;
  *minor_ver = UTOFU_VERSION_MINOR;
}

int utofu_query_my_coords(uint8_t coords[])
{
  if (!coords) return result(UTOFU_ERR_INVALID_POINTER);
  const Job &job = Process::get().job;
  job.coords_of(job.node(), coords);
  return UTOFU_SUCCESS;
}

void utofu_get_last_error(char *text);    // is declared nowhere

void utofu_get_last_error(char *text)
{
  std::snprintf(text, 1024, "emulated uTofu: code %d", last_code);
}

/* ---------------------------------------------------------------------- */

int tofu_emulator_restart(void)
{
  Process &process = Process::get();
  const Lock lock(process.mutex);
  return process.restart();
}

void tofu_emulator_count(struct tofu_emulator_counts *counts)
{
  Process &process = Process::get();
  const Lock lock(process.mutex);
  process.count(*counts);
}

}    // extern "C"
