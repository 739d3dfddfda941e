// SPDX-License-Identifier: GPL-2.0-only
//
// Layouts and values of utofu.h that a program is compiled with: they must be those of the machine.

#include "utofu.h"

#include <cstddef>

static_assert(sizeof(utofu_tni_id_t) == 2 && sizeof(utofu_cq_id_t) == 2, "ids are 16 bits");
static_assert(sizeof(utofu_cmp_id_t) == 2 && sizeof(utofu_bg_id_t) == 2, "ids are 16 bits");
static_assert(sizeof(utofu_path_id_t) == 1, "ids of paths are 8 bits");
static_assert(sizeof(utofu_vcq_id_t) == 8 && sizeof(utofu_vbg_id_t) == 8, "queues and gates");
static_assert(sizeof(utofu_stadd_t) == 8 && sizeof(utofu_vcq_hdl_t) == sizeof(void *), "handles");

static_assert(sizeof(utofu_mrq_notice) == 64, "an entry of the receive queue");
static_assert(offsetof(utofu_mrq_notice, vcq_id) == 8, "");
static_assert(offsetof(utofu_mrq_notice, edata) == 16, "");
static_assert(offsetof(utofu_mrq_notice, rmt_value) == 24, "");
static_assert(offsetof(utofu_mrq_notice, lcl_stadd) == 32, "");
static_assert(offsetof(utofu_mrq_notice, rmt_stadd) == 40, "");
static_assert(offsetof(utofu_mrq_notice, reserved) == 48, "");

static_assert(sizeof(utofu_vbg_setting) == 48, "links of a gate");
static_assert(offsetof(utofu_vbg_setting, dst_rmt_vbg_id) == 32, "");
static_assert(offsetof(utofu_vbg_setting, dst_path_coords) == 40, "");

static_assert(sizeof(utofu_onesided_caps) == 88, "what an interface can do");
static_assert(offsetof(utofu_onesided_caps, num_cmp_ids) == 16, "");
static_assert(offsetof(utofu_onesided_caps, cache_line_size) == 24, "");
static_assert(offsetof(utofu_onesided_caps, max_gap) == 80, "");
static_assert(sizeof(utofu_barrier_caps) == 32, "what gates can do");

static_assert(UTOFU_ERR_BUSY == -4 && UTOFU_ERR_FULL == -6, "codes");
static_assert(UTOFU_ERR_TCQ_LENGTH == -132 && UTOFU_ERR_MRQ_RMT_LENGTH == -199, "codes");
static_assert(UTOFU_ERR_BARRIER_MISMATCH == -257 && UTOFU_ERR_INVALID_DATA == -533, "codes");
static_assert(UTOFU_ERR_OUT_OF_MEMORY == -641 && UTOFU_ERR_FATAL == -768, "codes");
static_assert(UTOFU_ONESIDED_FLAG_TCQ_NOTICE == 1UL << 14, "flags");
static_assert(UTOFU_ONESIDED_FLAG_PATH(3) == 3UL << 28, "flags");
static_assert(UTOFU_ONESIDED_FLAG_SPS(15) == 15UL << 24, "flags");
