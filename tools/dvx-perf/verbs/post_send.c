/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine on ibv_post_send(): a batch is a list of work requests. */
#include "verbs.h"

PERF_INLINE void send_begin(void *queue)
{
	((struct verbs_queue *)queue)->filled = 0;
}

/* Posts a message. Only the flags are set: verbs_resize() has filled in the rest. */
PERF_INLINE bool send_post(void *queue, enum perf_op op, bool signaled, uint64_t cookie)
{
	struct verbs_queue *q = queue;
	struct ibv_send_wr *wr = &q->wr[q->filled++];

	if (op == PERF_SEND_INVAL)
		wr->invalidate_rkey = keys_next(&q->keys);
	wr->wr_id = cookie;
	wr->send_flags = (signaled ? (unsigned int)IBV_SEND_SIGNALED : 0) |
			 (q->inline_bytes ? (unsigned int)IBV_SEND_INLINE : 0);
	wr->next = wr + 1;
	return true;
}

PERF_INLINE bool send_ring(void *queue)
{
	struct verbs_queue *q = queue;
	struct ibv_send_wr *bad;
	int rc;

	q->wr[q->filled - 1].next = NULL;
	rc = ibv_post_send(q->qp, q->wr, &bad);
	return rc ? verbs_refused(rc) : true;
}

static int send_latency(struct perf_thread *t)
{
	LOOP_SWITCH(loop_latency, t, send_begin, send_post, send_ring, verbs_poll);
}

static int send_rate(struct perf_thread *t)
{
	LOOP_SWITCH(loop_rate, t, send_begin, send_post, send_ring, verbs_poll);
}

const struct perf_engine engine_post_send = {
	.word = "ibv_post_send",
	.name = "ibv_post_send",
	.ops = {[PERF_RC] = VERBS_OPS,
		[PERF_UC] = VERBS_OPS,
		[PERF_UD] = VERBS_OPS,
		[PERF_XRC] = VERBS_OPS},
	.open = verbs_open,
	.connect = verbs_connect,
	.resize = verbs_resize,
	.queue = verbs_queue_of,
	.set = verbs_set_of,
	.latency = send_latency,
	.rate = send_rate,
	.close = verbs_close,
};
