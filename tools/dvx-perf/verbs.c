/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The baseline: the same loops through libibverbs, by ibv_post_send and by ibv_wr_*. The only file
 * of the tools that uses libibverbs alone.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/verbs.h>
#include "loop.h"
#include "tools/cli/exit.h"
#include "tools/cli/say.h"

#define GID_INDEX 1 /* RoCE v2, link-local */

struct verbs {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_qp_ex *qpx;
	struct ibv_mr *mr;
	uint8_t *buf;
	struct ibv_sge sge;
	struct ibv_send_wr wr;
	uint32_t size;
};

static void verbs_close(void *ring)
{
	struct verbs *v = ring;

	if (v->qp)
		ibv_destroy_qp(v->qp);
	if (v->cq)
		ibv_destroy_cq(v->cq);
	if (v->mr)
		ibv_dereg_mr(v->mr);
	if (v->pd)
		ibv_dealloc_pd(v->pd);
	if (v->ctx)
		ibv_close_device(v->ctx);
	free(v->buf);
	free(v);
}

static struct ibv_context *verbs_open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;

	for (unsigned int i = 0; list && list[i] && !ctx; i++)
		if (!name || !strcmp(name, ibv_get_device_name(list[i])))
			ctx = ibv_open_device(list[i]);
	if (list)
		ibv_free_device_list(list);
	return ctx;
}

static int connect_to_itself(struct verbs *v)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT,
				 .port_num = 1,
				 .qp_access_flags = IBV_ACCESS_REMOTE_WRITE };
	int rc = ibv_modify_qp(v->qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
						  IBV_QP_ACCESS_FLAGS);
	struct ibv_qp_attr rtr = { .qp_state = IBV_QPS_RTR,
				   .path_mtu = IBV_MTU_1024,
				   .dest_qp_num = v->qp->qp_num,
				   .max_dest_rd_atomic = 1,
				   .min_rnr_timer = 12,
				   .ah_attr = { .is_global = 1,
						.port_num = 1,
						.grh = { .sgid_index = GID_INDEX,
							 .hop_limit = 64 } } };
	struct ibv_qp_attr rts = { .qp_state = IBV_QPS_RTS,
				   .timeout = 14,
				   .retry_cnt = 7,
				   .rnr_retry = 7,
				   .max_rd_atomic = 1 };

	if (!rc)
		rc = ibv_query_gid(v->ctx, 1, GID_INDEX, &rtr.ah_attr.grh.dgid);
	if (!rc)
		rc = ibv_modify_qp(v->qp, &rtr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
							IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
							IBV_QP_MAX_DEST_RD_ATOMIC |
							IBV_QP_MIN_RNR_TIMER);
	if (!rc)
		rc = ibv_modify_qp(v->qp, &rts, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
							IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
							IBV_QP_MAX_QP_RD_ATOMIC);
	return rc;
}

static int verbs_make_queue(struct verbs *v, const struct perf_params *p)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = p->window, .max_recv_wr = 1, .max_send_sge = 1,
			 .max_recv_sge = 1, .max_inline_data = 64 },
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE,
	};

	v->ctx = verbs_open_device(p->device);
	if (!v->ctx || !(v->pd = ibv_alloc_pd(v->ctx)))
		return -1;
	v->mr = ibv_reg_mr(v->pd, v->buf, 2 * (size_t)p->size,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	v->cq = ibv_create_cq(v->ctx, (int)p->window, NULL, NULL, 0);
	if (!v->mr || !v->cq)
		return -1;
	attr.pd = v->pd;
	attr.send_cq = attr.recv_cq = v->cq;
	v->qp = ibv_create_qp_ex(v->ctx, &attr);
	if (!v->qp)
		return -1;
	v->qpx = ibv_qp_to_qp_ex(v->qp);
	return connect_to_itself(v);
}

static int verbs_open(const struct perf_params *p, void **ring)
{
	struct verbs *v = calloc(1, sizeof(*v));

	if (!v) {
		say("no memory for a queue");
		return EXIT_INPUT;
	}
	v->buf = calloc(2, p->size);
	v->size = p->size;
	if (!v->buf || verbs_make_queue(v, p)) {
		say("libibverbs can't make the baseline's queue: %s",
		    strerror(errno ? errno : EIO));
		verbs_close(v);
		return EXIT_DEVICE;
	}
	v->sge = (struct ibv_sge){ (uintptr_t)v->buf, p->size, v->mr->lkey };
	v->wr = (struct ibv_send_wr){
		.sg_list = &v->sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED | (p->size <= INLINE_MAX ? (unsigned)IBV_SEND_INLINE : 0),
		.wr.rdma = { (uintptr_t)v->buf + p->size, v->mr->rkey },
	};
	*ring = v;
	return 0;
}

static inline bool post_send(void *ring)
{
	struct verbs *v = ring;
	struct ibv_send_wr *bad;

	return ibv_post_send(v->qp, &v->wr, &bad) == 0;
}

static inline bool wr_post(void *ring)
{
	struct verbs *v = ring;
	struct ibv_qp_ex *q = v->qpx;

	ibv_wr_start(q);
	q->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(q, v->mr->rkey, (uintptr_t)v->buf + v->size);
	if (v->size <= INLINE_MAX)
		ibv_wr_set_inline_data(q, v->buf, v->size);
	else
		ibv_wr_set_sge(q, v->mr->lkey, (uintptr_t)v->buf, v->size);
	return ibv_wr_complete(q) == 0;
}

static inline int poll_cq(void *ring)
{
	struct verbs *v = ring;
	struct ibv_wc wc;
	int n = ibv_poll_cq(v->cq, 1, &wc);

	if (n > 0 && wc.status != IBV_WC_SUCCESS) {
		say("a message failed: %s (vendor 0x%x)", ibv_wc_status_str(wc.status),
		    wc.vendor_err);
		return -1;
	}
	return n;
}

static int send_latency(void *ring, const struct perf_params *p, struct samples *s)
{
	return loop_latency(ring, p, s, post_send, poll_cq);
}

static int send_burst(void *ring, const struct perf_params *p, struct samples *s)
{
	return loop_burst(ring, p, s, post_send, poll_cq);
}

static int wr_latency(void *ring, const struct perf_params *p, struct samples *s)
{
	return loop_latency(ring, p, s, wr_post, poll_cq);
}

static int wr_burst(void *ring, const struct perf_params *p, struct samples *s)
{
	return loop_burst(ring, p, s, wr_post, poll_cq);
}

const struct perf_engine engine_post_send = {"ibv_post_send", verbs_open, send_latency, send_burst,
					     verbs_close};
const struct perf_engine engine_wr = {"ibv_wr_*", verbs_open, wr_latency, wr_burst, verbs_close};
