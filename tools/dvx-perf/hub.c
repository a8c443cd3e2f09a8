/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include "hub.h"
#include "tools/cli/exit.h"
#include "tools/cli/library.h"
#include "tools/cli/message.h"

const char *const hub_mode_names[HUB_MODES] = {"shared queues", "own queues",
					       "own queues and register"};

static int hub_memory(struct hub *h)
{
	const struct hub_request *w = &h->request;
	size_t half = (size_t)w->connections * w->size;
	struct dvx_mkey_attr attr = {.size = sizeof(attr),
				     .access = DVX_LOCAL_WRITE | DVX_REMOTE_WRITE,
				     .pd = h->pd,
				     .len = 2 * half};
	int rc = dvx_mem_alloc(2 * half, NULL, &h->mem);

	if (rc)
		return rc;
	attr.addr = dvx_mem_addr(h->mem);
	rc = dvx_mkey_create(w->site->dev, &attr, &h->mkey);
	if (rc)
		return rc;
	h->key = dvx_mkey_key(h->mkey);
	h->from = dvx_mkey_addr(h->mkey);
	h->to = h->from + half;
	return 0;
}

/*
 * Returns the number of doorbell registers. Shared queues have one each, so that only the queues
 * are shared.
 */
static uint32_t hub_uars(const struct hub_request *w)
{
	return w->mode == HUB_SHARED ? w->queues : w->mode == HUB_OWN ? 1 : w->threads;
}

static struct dvx_uar *hub_uar_of(const struct hub *h, uint32_t queue)
{
	const struct hub_request *w = &h->request;

	if (w->mode == HUB_SHARED)
		return h->uar[queue];
	return h->uar[w->mode == HUB_OWN ? 0 : queue / w->queues];
}

static int hub_queue_make(struct hub *h, uint32_t i)
{
	struct hub_queue *q = &h->queue[i];
	struct dvx_uar *uar = hub_uar_of(h, i);
	struct dvx_cq_attr cq = {.size = sizeof(cq), .entries = h->request.window, .uar = uar};
	struct dvx_qp_attr qp = {
		.size = sizeof(qp), .pd = h->pd, .uar = uar, .sq_blocks = h->request.window};
	int rc = dvx_cq_create(h->request.site->dev, &cq, &q->cq);

	if (rc)
		return rc;
	qp.send_cq = q->cq;
	rc = dvx_qp_create(h->request.site->dev, &qp, &q->qp);
	if (rc)
		return rc;
	q->sq = dvx_qp_sq(q->qp);
	return dvx_qp_connect_self(q->qp, DVX_REMOTE_WRITE);
}

static int hub_make(struct hub *h)
{
	int rc = dvx_pd_alloc(h->request.site->dev, &h->pd);

	if (!rc)
		rc = hub_memory(h);
	for (uint32_t i = 0; !rc && i < h->uars; i++)
		rc = dvx_uar_alloc(h->request.site->dev, DVX_UAR_ANY, &h->uar[i]);
	for (uint32_t i = 0; !rc && i < h->queues; i++)
		rc = hub_queue_make(h, i);
	return rc;
}

/* Deals the connections evenly to the threads. */
static void hub_deal(struct hub *h)
{
	const struct hub_request *w = &h->request;
	uint32_t first = 0;

	for (uint32_t i = 0; i < w->threads; i++) {
		struct hub_thread *t = &h->thread[i];

		t->hub = h;
		t->queue = w->mode == HUB_SHARED ? h->queue : &h->queue[i * w->queues];
		t->first = first;
		t->connections = w->connections / w->threads + (i < w->connections % w->threads);
		first += t->connections;
	}
}

/* Allocates a zeroed array on cache lines that nothing else uses. */
static void *hub_array(size_t n, size_t size)
{
	char *p = aligned_alloc(64, n * size);

	for (size_t i = 0; p && i < n * size; i++)
		p[i] = 0;
	return p;
}

static struct hub *hub_alloc(const struct hub_request *w)
{
	struct hub *h = hub_array(1, sizeof(*h));

	if (!h)
		return NULL;
	h->request = *w;
	h->queues = w->mode == HUB_SHARED ? w->queues : w->threads * w->queues;
	h->uars = hub_uars(w);
	h->thread = hub_array(w->threads, sizeof(*h->thread));
	h->queue = hub_array(h->queues, sizeof(*h->queue));
	h->uar = calloc(h->uars, sizeof(struct dvx_uar *));
	pthread_mutex_init(&h->register_lock.mutex, NULL);
	for (uint32_t i = 0; h->queue && i < h->queues; i++)
		pthread_mutex_init(&h->queue[i].lock.mutex, NULL);
	if (h->thread && h->queue && h->uar)
		return h;
	hub_close(h);
	return NULL;
}

int hub_open(const struct hub_request *w, struct hub **out)
{
	struct hub *h = hub_alloc(w);

	if (!h) {
		message_print("no memory for %u threads", w->threads);
		return EXIT_INPUT;
	}
	if (hub_make(h)) {
		message_print("libdvx can't make queues for %u threads: %s", w->threads,
			      library_error());
		hub_close(h);
		return EXIT_DEVICE;
	}
	hub_deal(h);
	*out = h;
	return EXIT_DONE;
}

void hub_close(struct hub *h)
{
	for (uint32_t i = 0; h->queue && i < h->queues; i++) {
		dvx_qp_destroy(h->queue[i].qp);
		dvx_cq_destroy(h->queue[i].cq);
		pthread_mutex_destroy(&h->queue[i].lock.mutex);
	}
	for (uint32_t i = 0; h->uar && i < h->uars; i++)
		dvx_uar_free(h->uar[i]);
	dvx_mkey_destroy(h->mkey);
	dvx_mem_free(h->mem);
	dvx_pd_free(h->pd);
	pthread_mutex_destroy(&h->register_lock.mutex);
	free(h->uar);
	free(h->queue);
	free(h->thread);
	free(h);
}
