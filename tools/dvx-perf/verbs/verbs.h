/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_VERBS_H
#define DVX_PERF_VERBS_H

/* Declarations that the two engines on libibverbs, the baselines, share. */
#include <infiniband/verbs.h>
#include "tools/dvx-perf/loop.h"

struct verbs_queue {
	struct ibv_qp *qp;
	struct ibv_qp_ex *qpx;
	uint64_t raddr;
	uint32_t rkey;
	int sges;
	uint32_t inline_bytes; /* 0: not inline */
	struct ibv_sge sge[PERF_SGES];
	struct ibv_send_wr *wr; /* a linked batch, for ibv_post_send() only */
	uint32_t filled;
	struct ibv_ah *ah; /* of messages that carry an address; and the queue or target there */
	uint32_t remote_qpn;
	uint32_t srqn; /* the XRC SRQ that messages go to */
	struct perf_keys keys;
	struct mlx5dv_qp_ex *dv; /* for DC initiators and UMR; NULL: verbs' calls are used */
	bool dc;
	struct mlx5dv_mkey *list; /* the mkey that a UMR redefines */
};

struct verbs_requester {
	const struct perf_params *p;
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct verbs_queue *queue; /* by lane */
	struct ibv_cq **cq;	   /* by thread */
};

/* The operations that verbs have, if the transport has them. */
#define VERBS_OPS                                                                           \
	(PERF_SENDS | PERF_OP_BIT(PERF_SEND_INVAL) | PERF_WRITES | PERF_OP_BIT(PERF_READ) | \
	 PERF_PLAIN_ATOMICS)

#define VERBS_IMM 1 /* the value of an immediate does not matter */

int verbs_open(const struct perf_params *, void **requester, struct perf_ends *);
int verbs_connect(void *requester, const struct perf_ends *responder);
void verbs_resize(void *requester);
void verbs_close(void *requester);
void *verbs_queue_of(void *requester, uint32_t lane);
void *verbs_set_of(void *requester, uint32_t thread);

/* Print an error message and return the failure. */
bool verbs_refused(int rc);
int verbs_failed(const struct ibv_wc *);

PERF_INLINE int verbs_poll(void *set, uint64_t *cookie)
{
	struct ibv_wc wc;
	int n = ibv_poll_cq(set, 1, &wc);

	if (n > 0 && wc.status != IBV_WC_SUCCESS)
		return verbs_failed(&wc);
	*cookie = wc.wr_id;
	return n;
}

#endif
