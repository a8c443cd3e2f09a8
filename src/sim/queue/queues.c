/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include "base/hostile.h"
#include "priv.h"

#define BUFFERS_KEPT 64u

void *queue_buffer_get(struct queues *qs)
{
	union queue_buffer *b = qs->free_buffer;

	if (!b)
		return malloc(sizeof(*b));
	qs->free_buffer = b->next;
	qs->nfree_buffers--;
	return b;
}

void queue_buffer_put(struct queues *qs, void *buffer)
{
	union queue_buffer *b = buffer;

	if (!b || qs->nfree_buffers >= BUFFERS_KEPT) {
		free(b);
		return;
	}
	b->next = qs->free_buffer;
	qs->free_buffer = b;
	qs->nfree_buffers++;
}

static void queue_buffers_free(struct queues *qs)
{
	union queue_buffer *b;

	while ((b = qs->free_buffer)) {
		qs->free_buffer = b->next;
		free(b);
	}
}

int queues_init(struct device *dev)
{
	struct queues *qs = calloc(1, sizeof(*qs));

	if (!qs)
		return -ENOMEM;
	qs->dev = dev;
	qs->host = dev->host;
	TAILQ_INIT(&qs->sweep);
	TAILQ_INIT(&qs->ready);
	TAILQ_INIT(&qs->flush);
	TAILQ_INIT(&qs->dirty);
	dev->queues = qs;
	return 0;
}

void queues_fini(struct device *dev)
{
	struct queues *qs = dev->queues;
	struct send_wr *wr;

	if (!qs)
		return;
	uar_free_all(qs);
	while ((wr = qs->free_wr)) {
		qs->free_wr = wr->next;
		free(wr);
	}
	queue_buffers_free(qs);
	free(qs);
	dev->queues = NULL;
}

bool queues_fetch(struct device *dev)
{
	bool did = uar_sweep(dev->queues);

	return sq_run(dev->queues) || did;
}

bool queues_settle(struct device *dev)
{
	bool any = dev->queues && post_waiting(dev->queues);

	if (any)
		post_flush(dev->queues);
	return any;
}

void queues_settle_all(struct device *dev)
{
	if (hostile() && dev->queues)
		hostile_settle(dev->queues);
	queues_settle(dev);
}

bool queues_flush(struct device *dev, uint64_t now)
{
	struct queues *qs = dev->queues;
	bool did = !TAILQ_EMPTY(&qs->flush) && queue_flush_run(qs);

	if (!TAILQ_EMPTY(&qs->dirty))
		did |= cq_flush_all(qs);
	if (post_waiting(qs))
		did |= post_end_turn(qs, now);
	return did || !TAILQ_EMPTY(&qs->ready) || !TAILQ_EMPTY(&qs->sweep) ||
	       !TAILQ_EMPTY(&qs->flush);
}
