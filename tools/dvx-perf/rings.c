/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "rings.h"
#include "verbs/xrc.h"
#include "tools/cli/exit.h"
#include "tools/cli/library.h"
#include "tools/cli/message.h"

struct ring_requester {
	const struct perf_params *p;
	struct ring_queue *queue;
	struct ring_set *set;
	struct dvx_pd *pd;
	struct dvx_mkey *mkey;
	struct perf_xrc *xrc; /* NULL: libdvx made all queues */
};

static void ring_queue_drop(struct ring_queue *q)
{
	dvx_qp_destroy(q->qp);
	dvx_mkey_destroy(q->list);
}

void ring_close(void *requester)
{
	struct ring_requester *r = requester;

	for (uint32_t i = 0; r->queue && i < perf_lanes(r->p); i++)
		ring_queue_drop(&r->queue[i]);
	for (uint32_t i = 0; r->set && i < r->p->threads; i++) {
		dvx_cq_destroy(r->set[i].cq);
		dvx_uar_free(r->set[i].uar);
	}
	dvx_mkey_destroy(r->mkey);
	dvx_pd_free(r->pd);
	perf_xrc_close(r->xrc);
	free(r->queue);
	free(r->set);
	free(r);
}

/* Returns the segments of the largest WQE. */
static uint32_t ring_wqe_ds(const struct perf_params *p)
{
	uint32_t pieces = p->sges;

	if (p->op == PERF_UMR)
		return DVX_UMR_DS + dvx_umr_room(pieces);
	if (p->op == PERF_MASKED_CAS)
		return 3 + PRM_ATOMIC_MASKED_CSWAP64_SEG_BYTES / DVX_SEG;
	if (perf_ops[p->op].inlines && p->inline_max && dvx_wqe_inline_ds(p->inline_max) > pieces)
		pieces = dvx_wqe_inline_ds(p->inline_max);
	return 2 + p->transport->to_ds + pieces;
}

/* Returns the blocks of a queue's ring: a window of the largest WQEs, and a padded end. */
static uint32_t ring_sq_blocks(const struct perf_params *p)
{
	uint32_t one = dvx_wqe_blocks(ring_wqe_ds(p)), blocks = 1;

	while (blocks < p->window * one + (one > 1 ? one : 0))
		blocks *= 2;
	return blocks;
}

/* Makes the mkey that UMR requests of this queue redefine. */
static int ring_list_make(struct ring_requester *r, struct ring_queue *q)
{
	int rc = dvx_mkey_create_list(r->p->site->dev, r->pd, r->p->sges, &q->list);

	if (!rc)
		q->list_key = dvx_mkey_key(q->list);
	return rc;
}

static int ring_qp(struct ring_requester *r, const struct ring_set *set, uint32_t lane)
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

	if (r->xrc)
		return perf_xrc_initiator(r->xrc, lane, lane / p->qps, attr.sq_blocks,
					  &r->queue[lane].qp);
	return dvx_qp_create(p->site->dev, &attr, &r->queue[lane].qp);
}

static int ring_queue_make(struct ring_requester *r, struct ring_set *set, uint32_t lane)
{
	const struct perf_params *p = r->p;
	struct ring_queue *q = &r->queue[lane];
	int rc = ring_qp(r, set, lane);

	if (rc)
		return rc;
	q->sq = dvx_qp_sq(q->qp);
	set->only = p->qps == 1 ? q->sq : NULL;
	return p->op == PERF_UMR ? ring_list_make(r, q) : 0;
}

static int ring_cq_make(struct ring_requester *r, uint32_t thread)
{
	const struct perf_params *p = r->p;
	struct ring_set *set = &r->set[thread];
	struct dvx_cq_attr cq = {.size = sizeof(cq), .entries = p->qps * ring_sq_blocks(p)};
	int rc;

	if (r->xrc)
		return perf_xrc_cq(r->xrc, thread, cq.entries, &set->cq);
	rc = dvx_uar_alloc(p->site->dev, DVX_UAR_ANY, &set->uar);
	cq.uar = set->uar;
	return rc ? rc : dvx_cq_create(p->site->dev, &cq, &set->cq);
}

static int ring_set_make(struct ring_requester *r, uint32_t thread)
{
	const struct perf_params *p = r->p;
	int rc = ring_cq_make(r, thread);

	for (uint32_t i = 0; !rc && i < p->qps; i++)
		rc = ring_queue_make(r, &r->set[thread], thread * p->qps + i);
	return rc;
}

static int ring_pd(struct ring_requester *r)
{
	const struct perf_params *p = r->p;

	if (p->transport->id == PERF_XRC)
		return perf_xrc_open(p->site, perf_lanes(p), p->threads, &r->xrc, &r->pd);
	return dvx_pd_alloc(p->site->dev, &r->pd);
}

static int ring_make(struct ring_requester *r)
{
	const struct perf_params *p = r->p;
	struct dvx_mkey_attr attr = {.size = sizeof(attr),
				     .access = DVX_LOCAL_WRITE,
				     .addr = p->memory,
				     .len = p->threads * perf_stride(p)};
	int rc = ring_pd(r);

	if (rc)
		return rc;
	attr.pd = r->pd;
	rc = dvx_mkey_create(p->site->dev, &attr, &r->mkey);
	for (uint32_t i = 0; !rc && i < p->threads; i++)
		rc = ring_set_make(r, i);
	return rc;
}

int ring_open(const struct perf_params *p, void **requester, struct perf_ends *ends)
{
	struct ring_requester *r = calloc(1, sizeof(*r));

	if (!r)
		return EXIT_INPUT;
	r->p = p;
	r->queue = calloc(perf_lanes(p), sizeof(*r->queue));
	r->set = calloc(p->threads, sizeof(*r->set));
	if (!r->queue || !r->set || ring_make(r)) {
		message_print("libdvx can't make its queues: %s",
			      r->queue && r->set ? perf_xrc_why(r->xrc) : "no memory");
		ring_close(r);
		return EXIT_DEVICE;
	}
	for (uint32_t i = 0; i < ends->n; i++)
		ends->qpn[i] = dvx_qp_number(r->queue[i].qp);
	*requester = r;
	return EXIT_DONE;
}

static int ring_connect_one(struct ring_requester *r, const struct perf_ends *responder, uint32_t i)
{
	const struct perf_site *site = r->p->site;
	const struct perf_transport *t = r->p->transport;
	struct ring_queue *q = &r->queue[i];
	struct dvx_qp_peer peer = site_peer(responder, i);
	int err;

	q->keys = keys_of(responder, i);
	if (r->xrc) {
		q->srqn = *q->keys.key;
		return perf_xrc_connect(r->xrc, i, responder, 0);
	}
	err = site_connect(q->qp, t, &site->local, responder, i);
	if (!err && t->addressed)
		err = dvx_ah_init(site->dev, &site->local, &peer, &q->ah);
	if (!err && t->id == PERF_DC)
		dvx_ah_set_dct(&q->ah, peer.qpn, SITE_DC_KEY);
	return err;
}

int ring_connect(void *requester, const struct perf_ends *responder)
{
	struct ring_requester *r = requester;

	for (uint32_t i = 0; i < responder->n; i++) {
		if (ring_connect_one(r, responder, i)) {
			message_print("libdvx can't connect its queues: %s", perf_xrc_why(r->xrc));
			return EXIT_DEVICE;
		}
		r->queue[i].raddr = responder->addr + i / r->p->qps * (uint64_t)r->p->max_size;
		r->queue[i].rkey = responder->key;
	}
	return EXIT_DONE;
}

void ring_resize(void *requester)
{
	struct ring_requester *r = requester;
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

void *ring_queue_of(void *requester, uint32_t lane)
{
	return &((struct ring_requester *)requester)->queue[lane];
}

void *ring_set_of(void *requester, uint32_t thread)
{
	return &((struct ring_requester *)requester)->set[thread];
}

int ring_leave(struct perf_thread *t, int result)
{
	for (uint32_t i = 0; i < t->lanes; i++)
		dvx_sq_leave(((struct ring_queue *)t->lane[i].queue)->sq);
	dvx_cq_leave(((struct ring_set *)t->set)->cq);
	return result;
}

bool ring_refused(int rc)
{
	message_print("libdvx refuses a message: %s", dvx_strerror(rc));
	return false;
}
