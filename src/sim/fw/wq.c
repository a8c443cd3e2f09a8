/* SPDX-License-Identifier: BSD-2-Clause */
/* The wq structure, which stands at the end of SQ, RQ and RMP contexts. */
#include "cmd.h"
#include "obj/ring.h"

#define ADAPTER_PAGE_SHIFT 12
#define LOG_NEXT_SEG	   4u
#define WQ_LOG_STRIDES	   9u /* of log_wqe_num_of_strides 0 */
/* [I] With cap.ext_stride_num_range; libmlx5 and DPDK use at least this. */
#define WQ_LOG_STRIDES_LEAST 3u

static int fw_wq_check_type(struct fw_cmd *c, const void *wq, uint32_t types)
{
	uint32_t type = prm_wq_get_wq_type(wq);

	if (types & 1u << type)
		return 0;
	return fw_refuse(c, FW_SYN_UNSUPPORTED, "wq.wq_type %u: this queue takes %s1 (cyclic)%s",
			 type, types & 1u << PRM_WQ_TYPE_LINKED_LIST ? "0 (linked list) or " : "",
			 types & 1u << PRM_WQ_TYPE_CYCLIC_STRIDING_RQ ? " or 3 (cyclic, strides)"
								      : "");
}

unsigned int fw_wq_log_strides(const void *wq)
{
	const unsigned int code = prm_wq_get_log_wqe_num_of_strides(wq);

	return WQ_LOG_STRIDES + code - (code & 8 ? 16 : 0);
}

static int check_strides(struct fw_cmd *c, const void *wq)
{
	const unsigned int log = fw_wq_log_strides(wq);

	if (prm_wq_get_wq_type(wq) != PRM_WQ_TYPE_CYCLIC_STRIDING_RQ)
		return 0;
	if (prm_wq_get_log_wq_stride(wq) <= LOG_NEXT_SEG)
		return fw_refuse(c, FW_SYN_SIZE,
				 "wq.log_wq_stride %u: behind its 16 bytes for the next one's "
				 "number, a striding entry needs a data segment",
				 prm_wq_get_log_wq_stride(wq));
	if (log < WQ_LOG_STRIDES_LEAST)
		return fw_refuse(
			c, FW_SYN_SIZE,
			"wq.log_wqe_num_of_strides %u means 2^%d strides, the least is 2^%u",
			prm_wq_get_log_wqe_num_of_strides(wq), (int)log, WQ_LOG_STRIDES_LEAST);
	return 0;
}

int fw_wq_check(struct fw_cmd *c, const void *wq, const struct fw_wq_rules *r)
{
	const struct fw_absent features[] = {
		FW_ABSENT(wq, wq_signature, "cap.wq_signature is 0"),
		/* Linux's mlx5e asks for 1 without reading cap.end_pad; it has no effect here. */
		{prm_wq_get_end_padding_mode(wq) > 1, "wq.end_padding_mode", "it is reserved"},
		{r->managed ? 0 : prm_wq_get_cd_slave(wq), "wq.cd_slave",
		 "only send queues and queue pairs are started by others"},
		FW_ABSENT(wq, hds_skip_first_sge, "headers are not split"),
		FW_ABSENT(wq, log2_hds_buf_size, "headers are not split"),
		{r->lwm ? 0 : prm_wq_get_lwm(wq), "wq.lwm", "limit events are of RMPs"},
		{prm_wq_get_wq_type(wq) == PRM_WQ_TYPE_CYCLIC_STRIDING_RQ
			 ? 0
			 : prm_wq_get_two_byte_shift_en(wq),
		 "wq.two_byte_shift_en", "it is for striding queues"},
		FW_ABSENT(wq, shampo_enable, "cap.shampo is 0"),
	};
	unsigned int log_stride = prm_wq_get_log_wq_stride(wq);

	if (FW_CHECK_ABSENT(c, features) || fw_wq_check_type(c, wq, r->types) ||
	    check_strides(c, wq))
		return -1;
	if (prm_wq_get_log_wq_sz(wq) > r->log_most)
		return fw_refuse(c, FW_SYN_SIZE, "wq.log_wq_sz %u is more than the capability's %u",
				 prm_wq_get_log_wq_sz(wq), r->log_most);
	if (log_stride < r->log_stride_least || log_stride > r->log_stride_most)
		return fw_refuse(c, FW_SYN_SIZE, "wq.log_wq_stride %u is not within %u..%u",
				 log_stride, r->log_stride_least, r->log_stride_most);
	return 0;
}

int fw_wq_take(struct fw_cmd *c, const void *wq, size_t pas_at, struct ring *ring, uint64_t *dbrec,
	       struct umem **dbr_umem)
{
	uint64_t len = 1ull << (prm_wq_get_log_wq_sz(wq) + prm_wq_get_log_wq_stride(wq));
	struct fw_buffer b = {
		.umem_valid = prm_wq_get_wq_umem_valid(wq),
		.umem_id = prm_wq_get_wq_umem_id(wq),
		.umem_offset = prm_wq_get_wq_umem_offset(wq),
		.page_offset = prm_wq_get_page_offset(wq),
		.log_page = prm_wq_get_log_wq_pg_sz(wq) + ADAPTER_PAGE_SHIFT,
		.pas = (const uint8_t *)c->in + pas_at,
		.pas_at = pas_at,
	};

	if (fw_ring(c, &b, len, ring))
		return -1;
	return fw_dbrec(c, prm_wq_get_dbr_umem_valid(wq), prm_wq_get_dbr_umem_id(wq),
			prm_wq_get_dbr_addr(wq), dbrec, dbr_umem);
}

int fw_ts_check(struct fw_cmd *c, uint32_t format, uint8_t formats, const char *field)
{
	if (format > PRM_QPC_TS_FORMAT_REAL_TIME)
		return fw_refuse(c, FW_SYN_RESERVED, "%s 3 is reserved", field);
	if (format == PRM_QPC_TS_FORMAT_REAL_TIME && formats == TS_FORMATS_FREE_RUNNING)
		return fw_refuse(c, FW_SYN_CAP_CLEAR,
				 "%s is 2 (real time), but the capability for this kind of queue "
				 "is 0: free-running only",
				 field);
	if (format == PRM_QPC_TS_FORMAT_FREE_RUNNING && formats == TS_FORMATS_REAL_TIME)
		return fw_refuse(c, FW_SYN_CAP_CLEAR,
				 "%s is 0 (free running), but the capability for this kind of "
				 "queue is 1: real time only",
				 field);
	return 0;
}

/* Returns true for real time. [I] The default is the free-running clock if the queue has both. */
bool fw_ts_is_utc(uint32_t format, uint8_t formats)
{
	return format == PRM_QPC_TS_FORMAT_REAL_TIME ||
	       (format == PRM_QPC_TS_FORMAT_DEFAULT && formats == TS_FORMATS_REAL_TIME);
}
