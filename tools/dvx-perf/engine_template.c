/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine on the same rings with templates: each block of the ring holds a request already, and
 * a post stores only what differs.
 */
#include "rings.h"

/* Inline data of a request of one block. */
#define TEMPLATE_INLINE (DVX_BLOCK - 2 * DVX_SEG - PRM_WQE_INLINE_SEG_BYTES)

static int template_make(const struct perf_params *p, struct ring_queue *q)
{
	if (p->op == PERF_READ)
		return dvx_template_read(q->sq, q->rkey, q->sge->lkey, q->bytes, DVX_SIGNALED,
					 &q->made);
	if (q->inline_bytes)
		return dvx_template_write_inline(q->sq, q->rkey, q->inline_bytes, DVX_SIGNALED,
						 &q->made);
	return dvx_template_write(q->sq, q->rkey, q->sge->lkey, q->bytes, DVX_SIGNALED, &q->made);
}

PERF_INLINE bool template_post(void *queue, enum perf_op op, bool signaled, uint64_t cookie)
{
	struct ring_queue *q = queue;
	const void *data = (const void *)(uintptr_t)q->sge->addr;
	uint32_t n = q->inline_bytes;
	int rc;

	(void)op;	/* part of the template */
	(void)signaled; /* all requests are signaled */
	if (!n)
		rc = dvx_template_post(q->sq, &q->made, q->raddr, q->sge->addr, cookie);
	else if (n == 8) /* constant length, see engine_dvx.c */
		rc = dvx_template_post_inline(q->sq, &q->made, q->raddr, data, 8, cookie);
	else
		rc = dvx_template_post_inline(q->sq, &q->made, q->raddr, data, n, cookie);
	return rc ? ring_refused(rc) : true;
}

static int template_latency_loop(struct perf_thread *t)
{
	return loop_latency(t, t->p->op, ring_begin, template_post, ring_ring, ring_poll);
}

static int template_rate_loop(struct perf_thread *t)
{
	return loop_rate(t, t->p->op, ring_begin, template_post, ring_ring, ring_poll);
}

/* Writes the templates for one measurement: the next one may have another size. */
static int template_measure(struct perf_thread *t, int (*loop)(struct perf_thread *))
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < t->lanes; i++)
		rc = template_make(t->p, t->lane[i].queue);
	if (rc) {
		ring_refused(rc);
		return -1;
	}
	rc = loop(t);
	for (uint32_t i = 0; !rc && i < t->lanes; i++)
		rc = dvx_template_end(((struct ring_queue *)t->lane[i].queue)->sq);
	return ring_leave(t, rc);
}

static int template_latency(struct perf_thread *t)
{
	return template_measure(t, template_latency_loop);
}

static int template_rate(struct perf_thread *t)
{
	return template_measure(t, template_rate_loop);
}

const struct perf_engine engine_template = {
	.word = "template",
	.name = "template",
	.ops = {[PERF_RC] = PERF_OP_BIT(PERF_WRITE) | PERF_OP_BIT(PERF_READ),
		[PERF_UC] = PERF_OP_BIT(PERF_WRITE)},
	.inline_max = TEMPLATE_INLINE,
	.sges = 1,
	.signal = 1,
	.open = ring_open,
	.connect = ring_connect,
	.resize = ring_resize,
	.queue = ring_queue_of,
	.set = ring_set_of,
	.latency = template_latency,
	.rate = template_rate,
	.close = ring_close,
};
