/* SPDX-License-Identifier: BSD-2-Clause */
/* Completion queues. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/cq.h>
#include <dvx/prm/eqe.h>
#include <dvx/prm/qp.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include "kernel/core/cmd.h"
#include "kernel/core/pages.h"
#include "priv.h"
#include "uverbs/resource.h"

#define EVENT_CQ_ERR 0 /* enum ib_event_type */
#define KNOWN_CREATE (IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION | IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN)
#define KNOWN_CQ_UHW                                                                     \
	(MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX | MLX5_IB_CREATE_CQ_FLAGS_REAL_TIME_TS | \
	 MLX5_IB_CREATE_CQ_FLAGS_CQE_128B_PAD)

static void uverbs_cq_event(struct uobj *u, uint8_t type)
{
	struct uverbs_cq *cq = (struct uverbs_cq *)u;
	const struct ib_uverbs_comp_event_desc comp = {.cq_handle = cq->q.user_handle};

	if (type == PRM_EVENT_COMP && cq->comp) {
		u->events[0]++;
		channel_post(cq->comp, cq, &comp, sizeof(comp));
	} else if (type == PRM_EVENT_CQ_ERROR) {
		uverbs_queue_post(&cq->q, EVENT_CQ_ERR);
	}
}

int uverbs_cq_unread(const struct uverbs_cq *cq)
{
	return cq->comp ? channel_pending(cq->comp, cq) : -1;
}

static int uverbs_cq_release(struct uobj *u)
{
	struct uverbs_cq *cq = (struct uverbs_cq *)u;

	if (cq->comp)
		u->events[0] -= channel_purge(cq->comp, cq);
	uverbs_queue_close(&cq->q);
	channel_put(cq->comp);
	return 0;
}

static void uverbs_cq_describe(struct uobj *u, struct uverbs_resource *r)
{
	const struct uverbs_cq *cq = (const struct uverbs_cq *)u;

	r->kind = RESOURCE_CQ;
	r->id = cq->q.u.number;
	r->cqe = cq->cqe;
}

const struct uobj_class cq_class = {"CQ", UVERBS_OBJECT_CQ, PRM_OPCODE_DESTROY_CQ,
				    uverbs_cq_release, uverbs_cq_describe};

struct cq_plan {
	struct mlx5_ib_create_cq u;
	uint32_t entries; /* a power of two */
	unsigned int log_size;
	uint64_t flags;
	struct pages pages;
};

/* Returns the format of mini CQEs; negative: not supported. */
static int uverbs_cq_mini_format(const struct mlx5_ib_create_cq *u)
{
	switch (u->cqe_comp_res_format) {
	case MLX5_IB_CQE_RES_FORMAT_HASH:
		return PRM_CQC_MINI_CQE_RES_FORMAT_HASH;
	case MLX5_IB_CQE_RES_FORMAT_CSUM:
		return PRM_CQC_MINI_CQE_RES_FORMAT_CSUM;
	case MLX5_IB_CQE_RES_FORMAT_CSUM_STRIDX:
		return PRM_CQC_MINI_CQE_RES_FORMAT_CSUM_STRIDX;
	default:
		return -1;
	}
}

static int uverbs_cq_check_uhw(struct uverbs_file *f, const struct mlx5_ib_create_cq *u)
{
	if (u->flags & ~KNOWN_CQ_UHW || u->reserved0 || u->reserved1)
		return refuse(-EINVAL,
			      "CREATE_CQ: UHW_IN: flags 0x%x or a reserved field is not known",
			      u->flags);
	if (u->cqe_size != 64 && u->cqe_size != 128)
		return refuse(-EINVAL, "CREATE_CQ: cqe_size %u is neither 64 nor 128", u->cqe_size);
	if (u->cqe_comp_en == 1 && uverbs_cq_mini_format(u) < 0)
		return refuse(-EINVAL,
			      "CREATE_CQ: cqe_comp_res_format 0x%x is none of HASH (1), CSUM (2), "
			      "CSUM_STRIDX (4)",
			      u->cqe_comp_res_format);
	if (u->flags & MLX5_IB_CREATE_CQ_FLAGS_CQE_128B_PAD && u->cqe_size != 128)
		return refuse(-EOPNOTSUPP,
			      "CREATE_CQ: flags: CQEs of %u bytes are not padded to 128",
			      u->cqe_size);
	if (!(u->flags & MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX))
		return refuse(
			-EINVAL,
			"CREATE_CQ: flags: without UAR_PAGE_INDEX there is no UAR to arm it by");
	(void)f;
	return 0;
}

static int uverbs_cq_check_size(struct uverbs_file *f, struct cq_plan *p, uint64_t cqe)
{
	unsigned int most = prm_cmd_hca_cap_get_log_max_cq_sz(file_caps(f));

	/* The ring has one entry more than requested, and a power of two of them. */
	if (cqe >= 1ull << most)
		return refuse(-EINVAL, "CREATE_CQ: cqe %llu is not below %llu",
			      (unsigned long long)cqe, 1ull << most);
	while (1ull << p->log_size < cqe + 1)
		p->log_size++;
	p->entries = 1u << p->log_size;
	return 0;
}

static int uverbs_cq_check_memory(struct uverbs_file *f, struct cq_plan *p)
{
	const struct queue_memory ring = {"CREATE_CQ",	 "buf_addr",
					  p->u.buf_addr, (uint64_t)p->entries * p->u.cqe_size,
					  true,		 false};

	return queue_dbrec(f, ring.method, p->u.db_addr, true) ?: queue_pages(&p->pages, f, &ring);
}

static uint8_t cqe_sz_of(const struct mlx5_ib_create_cq *u)
{
	if (u->flags & MLX5_IB_CREATE_CQ_FLAGS_CQE_128B_PAD)
		return PRM_CQC_CQE_SZ_128_PAD;
	return u->cqe_size == 128 ? PRM_CQC_CQE_SZ_128 : PRM_CQC_CQE_SZ_64;
}

static void set_cqc(const struct uverbs_file *f, void *cqc, const struct cq_plan *p)
{
	prm_cqc_set_cqe_sz(cqc, cqe_sz_of(&p->u));
	if (p->u.cqe_comp_en == 1) { /* mlx5_ib ignores other values */
		prm_cqc_set_cqe_comp_en(cqc, 1);
		prm_cqc_set_mini_cqe_res_format(cqc, (uint32_t)uverbs_cq_mini_format(&p->u));
	}
	prm_cqc_set_oi(cqc, !!(p->flags & IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN));
	prm_cqc_set_log_cq_size(cqc, p->log_size);
	prm_cqc_set_uar_page(cqc, p->u.uar_page_index);
	prm_cqc_set_c_eqn_or_apu_element(cqc, file_function(f)->eqn);
	prm_cqc_set_page_offset(cqc, pages_queue_offset(&p->pages));
	prm_cqc_set_log_page_size(cqc, p->pages.log_page - 12);
	prm_cqc_set_dbr_addr(cqc, file_bus(f, p->u.db_addr));
}

static int uverbs_cq_make(struct uverbs_file *f, const struct cq_plan *p, struct uverbs_cq *cq)
{
	void *in =
		pages_command(&p->pages, PRM_OPCODE_CREATE_CQ, f->uid, PRM_CREATE_CQ_IN_BYTES, 0);

	if (!in)
		return -ENOMEM;
	set_cqc(f, prm_create_cq_in_at_cq_context(in), p);
	return pages_create(&p->pages, f->vhca, in, PRM_CREATE_CQ_IN_BYTES, &cq->q.u.number);
}

/* Finds the channels for the CQ's events. */
static int find_channels(struct uverbs_file *f, struct uverbs_request *req, struct channel **comp,
			 struct channel **async)
{
	const struct uverbs_attr *c = attr_find(req, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL);
	int err = 0;

	*comp = NULL;
	if (c)
		err = channel_find(f, c->data, CHANNEL_COMP, comp);
	return err ?: uverbs_queue_find_async(f, req, UVERBS_ATTR_CREATE_CQ_EVENT_FD, async);
}

/* Reads the part that mlx5_ib knows; mlx5_ib does not check that the rest is zero. */
static int uverbs_cq_take_uhw(struct uverbs_request *req, struct mlx5_ib_create_cq *u)
{
	const struct uverbs_attr *a = attr_find(req, UVERBS_ATTR_UHW_IN);
	const size_t len = a && a->in ? a->len : 0;

	memset(u, 0, sizeof(*u));
	if (len < offsetof(struct mlx5_ib_create_cq, flags))
		return refuse(-EINVAL, "CREATE_CQ: UHW_IN has %zu bytes, it ends before flags",
			      len);
	memcpy(u, a->in, len < sizeof(*u) ? len : sizeof(*u));
	return 0;
}

static int uverbs_cq_make_plan(struct uverbs_file *f, struct uverbs_request *req, struct cq_plan *p)
{
	int err = attr_flags(req, UVERBS_ATTR_CREATE_CQ_FLAGS, "CREATE_CQ: FLAGS", KNOWN_CREATE,
			     &p->flags);

	if (!err && attr_value(req, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR))
		err = refuse(-EINVAL, "CREATE_CQ: comp_vector: the device has one, number 0");
	if (!err)
		err = uverbs_cq_check_size(f, p, attr_value(req, UVERBS_ATTR_CREATE_CQ_CQE));
	if (!err)
		err = uverbs_cq_take_uhw(req, &p->u);
	if (!err)
		err = uverbs_cq_check_uhw(f, &p->u);
	return err ?: uverbs_cq_check_memory(f, p);
}

static void uverbs_cq_answer(struct uverbs_request *req, const struct uverbs_cq *cq)
{
	const struct mlx5_ib_create_cq_resp uhw = {.cqn = cq->q.u.number};

	attr_new_handle(req, UVERBS_ATTR_CREATE_CQ_HANDLE, &cq->q.u);
	attr_out(req, UVERBS_ATTR_CREATE_CQ_RESP_CQE, &cq->cqe, sizeof(cq->cqe));
	attr_out(req, UVERBS_ATTR_UHW_OUT, &uhw, sizeof(uhw));
}

static uint8_t cq_ts_requested(const struct cq_plan *p)
{
	if (p->u.flags & MLX5_IB_CREATE_CQ_FLAGS_REAL_TIME_TS)
		return PRM_QPC_TS_FORMAT_REAL_TIME;
	return p->flags & IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION ? PRM_QPC_TS_FORMAT_FREE_RUNNING
								  : PRM_QPC_TS_FORMAT_DEFAULT;
}

/* Follows mlx5_ib's get_ts_format(). */
int cq_ts_format(const struct uverbs_cq *cq, uint8_t formats, const char *method, uint8_t *out)
{
	if (cq->ts_requested == PRM_QPC_TS_FORMAT_REAL_TIME && formats == TS_FORMATS_FREE_RUNNING)
		return refuse(-EOPNOTSUPP,
			      "%s: its CQ has timestamps in real time, which the device lacks for "
			      "this kind of queue (ts_format)",
			      method);
	if (cq->ts_requested == PRM_QPC_TS_FORMAT_FREE_RUNNING && formats == TS_FORMATS_REAL_TIME)
		return refuse(-EOPNOTSUPP,
			      "%s: its CQ has free-running timestamps, which the device lacks for "
			      "this kind of queue (ts_format)",
			      method);
	*out = cq->ts_requested;
	if (*out == PRM_QPC_TS_FORMAT_DEFAULT && formats != TS_FORMATS_REAL_TIME)
		*out = PRM_QPC_TS_FORMAT_FREE_RUNNING;
	return 0;
}

int uverbs_cq_create(struct uverbs_file *f, struct uverbs_request *req)
{
	struct cq_plan p = {.log_size = 0};
	struct channel *comp, *async;
	struct uverbs_cq *cq;
	int err = find_channels(f, req, &comp, &async) ?: uverbs_cq_make_plan(f, req, &p);

	if (err)
		return err;
	cq = uobj_new(f, &cq_class, sizeof(*cq));
	if (!cq)
		return -ENOMEM;
	err = uverbs_cq_make(f, &p, cq);
	if (err)
		return err;
	cq->cqe = p.entries - 1;
	cq->cqe_size = p.u.cqe_size;
	cq->cqe_sz = cqe_sz_of(&p.u);
	cq->ts_requested = cq_ts_requested(&p);
	cq->q.user_handle = attr_value(req, UVERBS_ATTR_CREATE_CQ_USER_HANDLE);
	cq->comp = comp;
	channel_get(comp);
	uverbs_queue_open(&cq->q, async, HW_CQ, uverbs_cq_event);
	uverbs_cq_answer(req, cq);
	return 0;
}
