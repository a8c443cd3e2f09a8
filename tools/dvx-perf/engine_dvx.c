/* SPDX-License-Identifier: BSD-2-Clause */
/* libdvx's own rings: queues and memory made by DevX. */
#include <stdlib.h>
#include <string.h>
#include <dvx/dvx.h>
#include "loop.h"
#include "tools/cli/exit.h"
#include "tools/cli/library.h"
#include "tools/cli/say.h"

struct ring_queue {
	/* what the hot path touches */
	struct dvx_sq *sq;
	uint64_t raddr;
	uint32_t rkey;
	uint32_t inline_bytes; /* 0: not inline */
	uint32_t sges;
	bool blueflame;
	struct dvx_sge sge[PERF_SGES];
	uint64_t dma_to;
	uint32_t bytes;
	struct dvx_qp *qp;
	struct dvx_ah ah; /* of datagrams */
};

/* A thread's queues. */
struct ring_set {
	struct dvx_sq *only; /* NULL: there are several */
	struct dvx_cq *cq;
	struct dvx_uar *uar;
};

struct ring_near {
	const struct perf_params *p;
	struct ring_queue *queue;
	struct ring_set *set;
	struct dvx_pd *pd;
	struct dvx_mkey *mkey;
};

static void ring_close(void *near)
{
	struct ring_near *r = near;

	for (uint32_t i = 0; r->queue && i < perf_lanes(r->p); i++)
		dvx_qp_destroy(r->queue[i].qp);
	for (uint32_t i = 0; r->set && i < r->p->threads; i++) {
		dvx_cq_destroy(r->set[i].cq);
		dvx_uar_free(r->set[i].uar);
	}
	dvx_mkey_destroy(r->mkey);
	dvx_pd_free(r->pd);
	free(r->queue);
	free(r->set);
	free(r);
}

#define RING_AH_DS (PRM_AV_BYTES / DVX_SEG) /* segments of an address */

/* Blocks of a queue's ring: the largest WQE as often as the window says, and a padded ring's end.
 */
static uint32_t ring_sq_blocks(const struct perf_params *p)
{
	uint32_t pieces = p->sges, one, blocks = 1;

	if (perf_ops[p->op].inlines && p->inline_max && dvx_wqe_inline_ds(p->inline_max) > pieces)
		pieces = dvx_wqe_inline_ds(p->inline_max);
	one = dvx_wqe_blocks((p->transport->qp_type == DVX_QP_UD ? 1 + RING_AH_DS : 2) + pieces);
	while (blocks < p->window * one + (one > 1 ? one : 0))
		blocks *= 2;
	return blocks;
}

static int ring_queue_make(struct ring_near *r, struct ring_set *set, struct ring_queue *q)
{
	const struct perf_params *p = r->p;
	struct dvx_qp_attr attr = {
		.size = sizeof(attr),
		.flags = p->op == PERF_DMA ? DVX_QP_MMO : 0,
		.pd = r->pd,
		.uar = set->uar,
		.send_cq = set->cq,
		.sq_blocks = ring_sq_blocks(p),
		.type = p->transport->qp_type,
	};
	int rc = dvx_qp_create(p->site->dev, &attr, &q->qp);

	if (rc)
		return rc;
	q->sq = dvx_qp_sq(q->qp);
	set->only = p->qps == 1 ? q->sq : NULL;
	return 0;
}

static int ring_set_make(struct ring_near *r, uint32_t thread)
{
	const struct perf_params *p = r->p;
	struct ring_set *set = &r->set[thread];
	struct dvx_cq_attr cq = {.size = sizeof(cq), .entries = p->qps * ring_sq_blocks(p)};
	int rc = dvx_uar_alloc(p->site->dev, DVX_UAR_ANY, &set->uar);

	if (rc)
		return rc;
	cq.uar = set->uar;
	rc = dvx_cq_create(p->site->dev, &cq, &set->cq);
	for (uint32_t i = 0; !rc && i < p->qps; i++)
		rc = ring_queue_make(r, set, &r->queue[thread * p->qps + i]);
	return rc;
}

static int ring_make(struct ring_near *r)
{
	const struct perf_params *p = r->p;
	struct dvx_mkey_attr attr = {.size = sizeof(attr),
				     .access = DVX_LOCAL_WRITE,
				     .addr = p->memory,
				     .len = p->threads * perf_stride(p)};
	int rc = dvx_pd_alloc(p->site->dev, &r->pd);

	if (rc)
		return rc;
	attr.pd = r->pd;
	rc = dvx_mkey_create(p->site->dev, &attr, &r->mkey);
	for (uint32_t i = 0; !rc && i < p->threads; i++)
		rc = ring_set_make(r, i);
	return rc;
}

static int ring_open(const struct perf_params *p, void **near, struct perf_ends *ends)
{
	struct ring_near *r = calloc(1, sizeof(*r));

	if (!r)
		return EXIT_INPUT;
	r->p = p;
	r->queue = calloc(perf_lanes(p), sizeof(*r->queue));
	r->set = calloc(p->threads, sizeof(*r->set));
	if (!r->queue || !r->set || ring_make(r)) {
		say("libdvx can't make its queues: %s",
		    r->queue && r->set ? library_says() : "no memory");
		ring_close(r);
		return EXIT_DEVICE;
	}
	for (uint32_t i = 0; i < ends->n; i++)
		ends->qpn[i] = dvx_qp_number(r->queue[i].qp);
	*near = r;
	return EXIT_DONE;
}

static int ring_connect_one(struct ring_near *r, const struct perf_ends *far, uint32_t i)
{
	const struct perf_site *site = r->p->site;
	struct ring_queue *q = &r->queue[i];
	struct dvx_qp_peer peer = site_peer(far, i);
	int err = site_connect(q->qp, r->p->transport->qp_type, &site->local, far, i);

	return err || r->p->transport->qp_type != DVX_QP_UD
		       ? err
		       : dvx_ah_init(site->dev, &site->local, &peer, &q->ah);
}

static int ring_connect(void *near, const struct perf_ends *far)
{
	struct ring_near *r = near;

	for (uint32_t i = 0; i < far->n; i++) {
		if (ring_connect_one(r, far, i)) {
			say("libdvx can't connect its queues: %s", library_says());
			return EXIT_DEVICE;
		}
		r->queue[i].raddr = far->addr + i / r->p->qps * (uint64_t)r->p->max_size;
		r->queue[i].rkey = far->key;
	}
	return EXIT_DONE;
}

static void ring_resize(void *near)
{
	struct ring_near *r = near;
	const struct perf_params *p = r->p;

	for (uint32_t i = 0; i < perf_lanes(p); i++) {
		struct ring_queue *q = &r->queue[i];
		uint64_t at = dvx_mkey_addr(r->mkey) + i / p->qps * perf_stride(p);

		q->blueflame = p->blueflame;
		q->bytes = p->size;
		q->inline_bytes = perf_inlines(p) ? p->size : 0;
		q->sges = p->sges;
		q->dma_to = at + p->max_size;
		for (uint32_t n = 0; n < p->sges; n++) {
			q->sge[n] = (struct dvx_sge){at, perf_piece(p, n), dvx_mkey_key(r->mkey)};
			at += perf_piece(p, n);
		}
	}
}

static void *ring_queue_of(void *near, uint32_t lane)
{
	return &((struct ring_near *)near)->queue[lane];
}

static void *ring_set_of(void *near, uint32_t thread)
{
	return &((struct ring_near *)near)->set[thread];
}

static inline void ring_begin(void *queue)
{
	(void)queue;
}

#define IMM 1 /* what an immediate carries does not matter */

PERF_INLINE int ring_post_inline(const struct ring_queue *q, enum perf_op op, uint32_t n,
				 uint64_t cookie, uint32_t flags)
{
	const void *data = (const void *)(uintptr_t)q->sge[0].addr;

	switch (op) {
	case PERF_SEND:
		return dvx_post_send_inline(q->sq, data, n, cookie, flags);
	case PERF_SEND_IMM:
		return dvx_post_send_imm_inline(q->sq, IMM, data, n, cookie, flags);
	case PERF_WRITE:
		return dvx_post_write_inline(q->sq, q->raddr, q->rkey, data, n, cookie, flags);
	default:
		return dvx_post_write_imm_inline(q->sq, IMM, q->raddr, q->rkey, data, n, cookie,
						 flags);
	}
}

/* perf_ops[op].inlines, for the compiler */
PERF_INLINE bool perf_ops_inline(enum perf_op op)
{
	return op == PERF_SEND || op == PERF_SEND_IMM || op == PERF_WRITE || op == PERF_WRITE_IMM;
}

/* Where an atomic operation puts what was there. */
PERF_INLINE uint64_t *ring_old(const struct ring_queue *q)
{
	return (uint64_t *)(uintptr_t)q->sge[0].addr;
}

PERF_INLINE int ring_post_one(const struct ring_queue *q, enum perf_op op, uint64_t cookie,
			      uint32_t flags)
{
	const struct dvx_sge *sge = q->sge;

	/*
	 * A program that posts a word inline knows that it is one. Of a copy whose length it does
	 * not know, gcc 12 makes "rep movs", which takes 40 ns from 8 bytes on.
	 */
	if (perf_ops_inline(op) && q->inline_bytes == 8)
		return ring_post_inline(q, op, 8, cookie, flags);
	if (perf_ops_inline(op) && q->inline_bytes)
		return ring_post_inline(q, op, q->inline_bytes, cookie, flags);
	switch (op) {
	case PERF_SEND:
		return dvx_post_send(q->sq, sge, q->sges, cookie, flags);
	case PERF_SEND_IMM:
		return dvx_post_send_imm(q->sq, IMM, sge, q->sges, cookie, flags);
	case PERF_WRITE:
		return dvx_post_write(q->sq, q->raddr, q->rkey, sge, q->sges, cookie, flags);
	case PERF_WRITE_IMM:
		return dvx_post_write_imm(q->sq, IMM, q->raddr, q->rkey, sge, q->sges, cookie,
					  flags);
	case PERF_READ:
		return dvx_post_read(q->sq, q->raddr, q->rkey, sge, q->sges, cookie, flags);
	case PERF_FAA:
		return dvx_post_faa(q->sq, q->raddr, q->rkey, 1, ring_old(q), sge->lkey, cookie,
				    flags);
	case PERF_CAS:
		return dvx_post_cas(q->sq, q->raddr, q->rkey, 0, 1, ring_old(q), sge->lkey, cookie,
				    flags);
	case PERF_NOP:
		return dvx_post_nop(q->sq, cookie, flags);
	default:
		return dvx_post_dma(q->sq, q->dma_to, sge->lkey, sge->addr, sge->lkey, q->bytes,
				    cookie, flags);
	}
}

PERF_INLINE int ring_post_datagram(const struct ring_queue *q, enum perf_op op, uint64_t cookie,
				   uint32_t flags)
{
	const void *data = (const void *)(uintptr_t)q->sge[0].addr;
	uint32_t n = q->inline_bytes;

	if (op == PERF_NOP)
		return dvx_post_nop(q->sq, cookie, flags);
	if (op == PERF_SEND && n == 8) /* as above */
		return dvx_post_ud_send_inline(q->sq, &q->ah, data, 8, cookie, flags);
	if (op == PERF_SEND && n)
		return dvx_post_ud_send_inline(q->sq, &q->ah, data, n, cookie, flags);
	if (op == PERF_SEND)
		return dvx_post_ud_send(q->sq, &q->ah, q->sge, q->sges, cookie, flags);
	if (n)
		return dvx_post_ud_send_imm_inline(q->sq, &q->ah, IMM, data, n, cookie, flags);
	return dvx_post_ud_send_imm(q->sq, &q->ah, IMM, q->sge, q->sges, cookie, flags);
}

static bool ring_refused(int rc)
{
	say("libdvx refuses a message: %s", dvx_strerror(rc));
	return false;
}

PERF_INLINE bool ring_post(void *queue, enum perf_op op, bool signaled, uint64_t cookie)
{
	int rc = ring_post_one(queue, op, cookie, signaled ? DVX_SIGNALED : 0);

	return rc ? ring_refused(rc) : true;
}

PERF_INLINE bool ring_post_ud(void *queue, enum perf_op op, bool signaled, uint64_t cookie)
{
	int rc = ring_post_datagram(queue, op, cookie, signaled ? DVX_SIGNALED : 0);

	return rc ? ring_refused(rc) : true;
}

PERF_INLINE bool ring_ring(void *queue)
{
	const struct ring_queue *q = queue;

	if (q->blueflame)
		dvx_sq_ring_bf(q->sq);
	else
		dvx_sq_ring(q->sq);
	return true;
}

static int ring_failed(const struct dvx_wc *wc)
{
	say("a message failed: %s (vendor 0x%x)", dvx_cqe_strerror(wc->syndrome), wc->vendor);
	return -1;
}

PERF_INLINE int ring_poll(void *set, uint64_t *cookie)
{
	const struct ring_set *s = set;
	struct dvx_wc wc;
	int n = s->only ? dvx_sq_poll(s->only, &wc) : dvx_cq_poll(s->cq, &wc);

	*cookie = wc.wr_id;
	return n < 0 ? ring_failed(&wc) : n;
}

/* The next measurement may have other threads: for debug builds (dvx_sq_leave(3)). */
static int ring_leave(struct perf_thread *t, int result)
{
	for (uint32_t i = 0; i < t->lanes; i++)
		dvx_sq_leave(((struct ring_queue *)t->lane[i].queue)->sq);
	dvx_cq_leave(((struct ring_set *)t->set)->cq);
	return result;
}

static int ring_latency_loop(struct perf_thread *t)
{
	if (t->p->transport->qp_type == DVX_QP_UD)
		LOOP_DATAGRAMS(loop_latency, t, ring_begin, ring_post_ud, ring_ring, ring_poll);
	LOOP_SWITCH(loop_latency, t, ring_begin, ring_post, ring_ring, ring_poll);
}

static int ring_rate_loop(struct perf_thread *t)
{
	if (t->p->transport->qp_type == DVX_QP_UD)
		LOOP_DATAGRAMS(loop_rate, t, ring_begin, ring_post_ud, ring_ring, ring_poll);
	LOOP_SWITCH(loop_rate, t, ring_begin, ring_post, ring_ring, ring_poll);
}

static int ring_latency(struct perf_thread *t)
{
	return ring_leave(t, ring_latency_loop(t));
}

static int ring_rate(struct perf_thread *t)
{
	return ring_leave(t, ring_rate_loop(t));
}

const struct perf_engine engine_dvx = {
	.word = "libdvx",
	.name = "libdvx",
	.ops = PERF_ALL_OPS,
	.open = ring_open,
	.connect = ring_connect,
	.resize = ring_resize,
	.queue = ring_queue_of,
	.set = ring_set_of,
	.latency = ring_latency,
	.rate = ring_rate,
	.close = ring_close,
};
