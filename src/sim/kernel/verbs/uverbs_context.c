/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file's context: objects that mlx5_ib allocates for it, and facts for libmlx5 about the device.
 */
#include <errno.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/misc.h>
#include <dvx/prm/query.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include "fw/fw.h"
#include "host/uar.h"
#include "kernel/core/cmd.h"
#include "priv.h"
#include "obj/device.h"

#define UID_MAX	       0xfffe /* 0xffff: FW_UID_SHARED */
#define LOG_UAR_SIZE   12
#define CQE_VERSION    1
#define CACHE_LINE     64
#define BFREGS_PER_UAR 2u

void context_close(struct uverbs_file *f)
{
	if (!f->context)
		return;
	f->context = false;
	if (mbox_destroy(f->vhca, PRM_OPCODE_DEALLOC_TRANSPORT_DOMAIN, f->uid, f->tdn))
		sim_bug("close: transport domain %u stays", f->tdn);
	if (f->uid)
		fw_uid_reap(f->vhca, f->uid);
	f->uid = 0;
}

/*
 * Fills in the parameters that convert timestamps to time. The device's clock counts nanoseconds at
 * the speed of this computer's clock, so the parameters never change.
 */
static void clock_info_fill(const struct uverbs_file *f)
{
	struct clock *clock = f->vhca->dev->clock;
	struct mlx5_ib_clock_info *info = bar_clock(f->bar);

	*info = (struct mlx5_ib_clock_info){
		.nsec = clock->utc(clock),
		.cycles = clock->now(clock),
		.mult = 1,
		.mask = INT64_MAX,
		.overflow_period = INT64_MAX,
	};
}

static bool has_real_time(const struct profile *p)
{
	return p->sq_ts_format != TS_FORMATS_FREE_RUNNING &&
	       p->rq_ts_format != TS_FORMATS_FREE_RUNNING &&
	       p->qp_ts_format != TS_FORMATS_FREE_RUNNING;
}

static void uverbs_context_fill(const struct uverbs_file *f, struct mlx5_ib_alloc_ucontext_resp *r)
{
	const uint8_t *cap = file_caps(f);

	*r = (struct mlx5_ib_alloc_ucontext_resp){
		.qp_tab_size = 1u << prm_cmd_hca_cap_get_log_max_qp(cap),
		.bf_reg_size = 1u << prm_cmd_hca_cap_get_log_bf_reg_size(cap),
		.cache_line_size = CACHE_LINE,
		.max_sq_desc_sz = (uint16_t)prm_cmd_hca_cap_get_max_wqe_sz_sq(cap),
		.max_rq_desc_sz = (uint16_t)prm_cmd_hca_cap_get_max_wqe_sz_rq(cap),
		.max_send_wqebb = 1u << prm_cmd_hca_cap_get_log_max_qp_sz(cap),
		.max_recv_wr = 1u << prm_cmd_hca_cap_get_log_max_qp_sz(cap),
		.max_srq_recv_wr = 1u << prm_cmd_hca_cap_get_log_max_srq_sz(cap),
		.num_ports = 1,
		.response_length = sizeof(*r),
		.cqe_version = CQE_VERSION,
		.cmds_supp_uhw =
			MLX5_USER_CMDS_SUPP_UHW_QUERY_DEVICE | MLX5_USER_CMDS_SUPP_UHW_CREATE_AH,
		.eth_min_inline = f->vhca->dev->profile->wqe_inline_l2 ? MLX5_USER_INLINE_MODE_L2
								       : MLX5_USER_INLINE_MODE_NONE,
		.hca_core_clock_offset = 0, /* in its page */
		.comp_mask = MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_CORE_CLOCK_OFFSET |
			     (has_real_time(f->vhca->dev->profile)
				      ? MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_REAL_TIME_TS
				      : 0) |
			     (prm_cmd_hca_cap_get_ece_support(file_caps(f))
				      ? MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_ECE
				      : 0),
		.clock_info_versions = 1 << MLX5_IB_CLOCK_INFO_V1,
		.log_uar_size = LOG_UAR_SIZE,
		.num_uars_per_page = 1,
	};
}

/* Returns the mkey for dump fill; 0: the device has none. */
static uint32_t dump_fill_mkey(const struct uverbs_file *f)
{
	uint8_t in[PRM_QUERY_SPECIAL_CONTEXTS_IN_BYTES] = {0};
	uint8_t out[PRM_QUERY_SPECIAL_CONTEXTS_OUT_BYTES];

	if (!prm_cmd_hca_cap_get_dump_fill_mkey(file_caps(f)))
		return 0;
	prm_query_special_contexts_in_set_opcode(in, PRM_OPCODE_QUERY_SPECIAL_CONTEXTS);
	return mbox_exec(f->vhca, in, sizeof(in), out, sizeof(out))
		       ? 0
		       : prm_query_special_contexts_out_get_dump_fill_mkey(out);
}

static void uverbs_context_answer(struct uverbs_file *f, struct uverbs_request *req, uint16_t uhw)
{
	const struct uverbs_attr *a = attr_find(req, uhw);
	struct mlx5_ib_alloc_ucontext_resp resp;

	uverbs_context_fill(f, &resp);
	resp.dump_fill_mkey = dump_fill_mkey(f);
	if (resp.dump_fill_mkey)
		resp.comp_mask |= MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_DUMP_FILL_MKEY;
	if (prm_cmd_hca_cap_get_drain_sigerr(file_caps(f)))
		resp.comp_mask |= MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_SQD2RTS;
	if (a && a->len < resp.response_length)
		resp.response_length = a->len;
	attr_out(req, uhw, &resp, sizeof(resp));
}

static void core_answer(struct uverbs_request *req, uint16_t vectors, uint16_t support)
{
	const uint32_t num_comp_vectors = 1;
	const uint64_t core_support = IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS;

	attr_out(req, vectors, &num_comp_vectors, sizeof(num_comp_vectors));
	attr_out(req, support, &core_support, sizeof(core_support));
}

/* Returns how many bfregs the program gets: whole UARs. */
static uint32_t bfregs_of(const struct mlx5_ib_alloc_ucontext_req_v2 *r)
{
	return (r->total_num_bfregs + BFREGS_PER_UAR - 1) & ~(BFREGS_PER_UAR - 1);
}

/* Checks GET_CONTEXT. Older libraries are refused: they map static UARs, which the device lacks. */
static int check_request(const struct uverbs_file *f, const struct mlx5_ib_alloc_ucontext_req_v2 *r)
{
	if (f->context)
		return refuse(-EINVAL, "GET_CONTEXT: the file has one already");
	if (r->flags & ~(uint32_t)MLX5_IB_ALLOC_UCTX_DEVX)
		return refuse(-EOPNOTSUPP, "GET_CONTEXT: flags 0x%x has unknown bits", r->flags);
	if (r->comp_mask || r->reserved0 || r->reserved1 || r->reserved2)
		return refuse(-EOPNOTSUPP,
			      "GET_CONTEXT: comp_mask or a reserved field is not zero");
	if (r->total_num_bfregs && r->num_low_latency_bfregs >= bfregs_of(r))
		return refuse(-EINVAL,
			      "GET_CONTEXT: num_low_latency_bfregs %u leaves none of %u for others",
			      r->num_low_latency_bfregs, bfregs_of(r));
	if (!(r->lib_caps & MLX5_LIB_CAP_DYN_UAR))
		return refuse(
			-EINVAL,
			"GET_CONTEXT: lib_caps 0x%llx lacks DYN_UAR; libmlx5 is older than 28",
			(unsigned long long)r->lib_caps);
	if (r->max_cqe_version < CQE_VERSION)
		return refuse(-EINVAL,
			      "GET_CONTEXT: max_cqe_version %u, this device writes version 1",
			      r->max_cqe_version);
	return 0;
}

/* Gives a number out again as late as possible, so that stale ones are noticed. */
static int take_uid(struct uverbs_file *f)
{
	struct kernel *k = f->k;

	for (unsigned int tries = 0; tries < UID_MAX; tries++) {
		uint16_t uid = k->next_uid;
		bool taken = false;

		k->next_uid = uid == UID_MAX ? 2 : (uint16_t)(uid + 1);
		for (const struct uverbs_file *o = k->files; o; o = o->next)
			taken = taken || o->uid == uid;
		if (!taken) {
			f->uid = uid;
			return 0;
		}
	}
	return refuse(-ENOMEM, "GET_CONTEXT: all %u DevX user ids are taken", UID_MAX - 1);
}

int uverbs_get_context(struct uverbs_file *f, struct uverbs_request *req)
{
	struct mlx5_ib_alloc_ucontext_req_v2 r;
	int err = attr_in(req, UVERBS_ATTR_UHW_IN, "GET_CONTEXT: UHW_IN", &r, sizeof(r));

	if (!err)
		err = check_request(f, &r);
	if (!err && r.flags & MLX5_IB_ALLOC_UCTX_DEVX)
		err = take_uid(f);
	if (err)
		return err;
	err = mbox_alloc(f->vhca, PRM_OPCODE_ALLOC_TRANSPORT_DOMAIN, f->uid, &f->tdn);
	if (err) {
		f->uid = 0;
		return err;
	}
	f->context = true;
	f->ctxn = ++f->k->contexts;
	clock_info_fill(f);
	core_answer(req, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS,
		    UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT);
	uverbs_context_answer(f, req, UVERBS_ATTR_UHW_OUT);
	return 0;
}

int uverbs_query_context(struct uverbs_file *f, struct uverbs_request *req)
{
	core_answer(req, UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS,
		    UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT);
	uverbs_context_answer(f, req, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX);
	return 0;
}

/* Handles INFO_HANDLES: returns the file's handles of one type, as many as fit. */
int uverbs_info_handles(struct uverbs_file *f, struct uverbs_request *req)
{
	uint64_t object = attr_value(req, UVERBS_ATTR_INFO_OBJECT_ID);
	struct uverbs_attr *list = attr_find(req, UVERBS_ATTR_INFO_HANDLES_LIST);
	uint32_t total = 0;

	if (!list || list->len % sizeof(uint32_t))
		return refuse(-EINVAL, "INFO_HANDLES: HANDLES_LIST must be whole 32-bit numbers");
	if (!method_object(object))
		return refuse(-ENOENT, "INFO_HANDLES: OBJECT_ID 0x%llx is no object",
			      (unsigned long long)object);
	for (uint32_t i = 0; i < f->handles.n && total < list->len / sizeof(uint32_t); i++) {
		const struct uobj *u = f->handles.at[i];

		if (!u || u->class->object != object)
			continue;
		__builtin_memcpy(list->out + 4ull * total++, &i, sizeof(i));
	}
	list->written = (uint32_t)(4 * total);
	list->valid_output = true;
	attr_out(req, UVERBS_ATTR_INFO_TOTAL_HANDLES, &total, sizeof(total));
	return 0;
}
