/* SPDX-License-Identifier: BSD-2-Clause */
/* The loops on libdvx's own rings: queue and memory made by DevX. */
#include <stdlib.h>
#include <dvx/dvx.h>
#include "loop.h"
#include "tools/cli/exit.h"
#include "tools/cli/library.h"
#include "tools/cli/say.h"

struct perf_ring {
	/* what the hot path touches */
	struct dvx_sq *sq;
	struct dvx_cq *cq;
	uint64_t raddr;
	uint32_t rkey;
	struct dvx_sge sge;
	/* what was made, in this order */
	struct dvx_dev *dev;
	struct dvx_pd *pd;
	struct dvx_uar *uar;
	struct dvx_mem *mem;
	struct dvx_mkey *mkey;
	struct dvx_qp *qp;
};

static void ring_close(void *ring)
{
	struct perf_ring *r = ring;

	dvx_qp_destroy(r->qp);
	dvx_cq_destroy(r->cq);
	dvx_mkey_destroy(r->mkey);
	dvx_mem_free(r->mem);
	dvx_uar_free(r->uar);
	dvx_pd_free(r->pd);
	dvx_dev_close(r->dev);
	free(r);
}

static int make_memory(struct perf_ring *r, const struct perf_params *p)
{
	struct dvx_mkey_attr attr = { .size = sizeof(attr),
				      .access = DVX_LOCAL_WRITE | DVX_REMOTE_WRITE };
	int rc = dvx_mem_alloc(2 * (size_t)p->size, NULL, &r->mem);

	if (rc)
		return rc;
	attr.pd = r->pd;
	attr.addr = dvx_mem_addr(r->mem);
	attr.len = 2 * (size_t)p->size;
	rc = dvx_mkey_create(r->dev, &attr, &r->mkey);
	if (rc)
		return rc;
	r->rkey = dvx_mkey_key(r->mkey);
	r->raddr = dvx_mkey_addr(r->mkey) + p->size;
	r->sge = (struct dvx_sge){ dvx_mkey_addr(r->mkey), p->size, r->rkey };
	return 0;
}

static int dvx_make_queue(struct perf_ring *r, const struct perf_params *p)
{
	struct dvx_cq_attr cq = { .size = sizeof(cq), .entries = p->window, .uar = r->uar };
	struct dvx_qp_attr qp = { .size = sizeof(qp), .pd = r->pd, .uar = r->uar,
				  .sq_blocks = p->window };
	int rc = dvx_cq_create(r->dev, &cq, &r->cq);

	if (rc)
		return rc;
	qp.send_cq = r->cq;
	rc = dvx_qp_create(r->dev, &qp, &r->qp);
	if (rc)
		return rc;
	r->sq = dvx_qp_sq(r->qp);
	return dvx_qp_connect_self(r->qp, DVX_REMOTE_WRITE);
}

static int ring_open(const struct perf_params *p, void **ring)
{
	struct perf_ring *r = calloc(1, sizeof(*r));
	int rc;

	if (!r) {
		say("no memory for a queue");
		return EXIT_INPUT;
	}
	if (dvx_dev_open(p->device, &r->dev)) {
		say("%s", library_says());
		free(r);
		return EXIT_INPUT;
	}
	rc = dvx_pd_alloc(r->dev, &r->pd);
	if (!rc)
		rc = dvx_uar_alloc(r->dev, DVX_UAR_ANY, &r->uar);
	if (!rc)
		rc = make_memory(r, p);
	if (!rc)
		rc = dvx_make_queue(r, p);
	if (rc) {
		say("libdvx can't make its queue: %s", library_says());
		ring_close(r);
		return EXIT_DEVICE;
	}
	*ring = r;
	return 0;
}

static inline bool ring_post(void *ring)
{
	struct perf_ring *r = ring;
	int rc = r->sge.length <= INLINE_MAX ?
			 dvx_post_write_inline(r->sq, r->raddr, r->rkey,
					       (const void *)(uintptr_t)r->sge.addr, r->sge.length,
					       0, DVX_SIGNALED) :
			 dvx_post_write(r->sq, r->raddr, r->rkey, &r->sge, 1, 0, DVX_SIGNALED);

	if (rc)
		return false;
	dvx_sq_ring_bf(r->sq);
	return true;
}

static int dvx_failed(const struct dvx_wc *wc)
{
	say("a message failed: %s (vendor 0x%x)", dvx_cqe_strerror(wc->syndrome), wc->vendor);
	return -1;
}

static inline int ring_poll(void *ring)
{
	struct perf_ring *r = ring;
	struct dvx_wc wc;
	int n = dvx_sq_poll(r->sq, &wc);

	return n < 0 ? dvx_failed(&wc) : n;
}

static int ring_latency(void *ring, const struct perf_params *p, struct samples *s)
{
	return loop_latency(ring, p, s, ring_post, ring_poll);
}

static int ring_burst(void *ring, const struct perf_params *p, struct samples *s)
{
	return loop_burst(ring, p, s, ring_post, ring_poll);
}

const char *ring_device(const void *ring)
{
	return dvx_dev_name(((const struct perf_ring *)ring)->dev);
}

const struct perf_engine engine_dvx = {"libdvx", ring_open, ring_latency, ring_burst, ring_close};
