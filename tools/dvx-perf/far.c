/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "far.h"
#include "ops.h"
#include "tools/cli/exit.h"
#include "tools/cli/library.h"
#include "tools/cli/say.h"

static uint32_t power_of_two(uint32_t n)
{
	uint32_t p = 4; /* the least that a receive queue has */

	while (p < n)
		p *= 2;
	return p;
}

static int far_memory(const struct perf_site *s, struct far *f)
{
	struct dvx_mkey_attr attr = {
		.size = sizeof(attr), .access = DVX_LOCAL_WRITE | f->wish.access, .pd = f->pd};
	int rc = dvx_mem_alloc(f->wish.memory, NULL, &f->mem);

	if (rc)
		return rc;
	attr.addr = dvx_mem_addr(f->mem);
	attr.len = f->wish.memory;
	rc = dvx_mkey_create(s->dev, &attr, &f->mkey);
	if (rc)
		return rc;
	f->ends.addr = dvx_mkey_addr(f->mkey);
	f->ends.key = dvx_mkey_key(f->mkey);
	return 0;
}

static int far_cq(const struct perf_site *s, struct far *f, uint32_t set)
{
	uint32_t each = 1 + power_of_two(f->wish.receives);
	struct dvx_cq_attr cq = {
		.size = sizeof(cq), .entries = f->wish.lanes / f->wish.sets * each, .uar = f->uar};

	f->set[set].rq = f->rq;
	return dvx_cq_create(s->dev, &cq, &f->set[set].cq);
}

static int far_qp(const struct perf_site *s, struct far *f, uint32_t lane)
{
	struct dvx_qp_attr qp = {
		.size = sizeof(qp),
		.pd = f->pd,
		.uar = f->uar,
		.send_cq = f->set[lane / (f->wish.lanes / f->wish.sets)].cq,
		.sq_blocks = 1,
		.rq_entries = f->wish.receives,
		.type = f->wish.transport->qp_type,
	};
	int rc = dvx_qp_create(s->dev, &qp, &f->qp[lane]);

	if (rc)
		return rc;
	f->ends.qpn[lane] = dvx_qp_number(f->qp[lane]);
	f->rq[lane] = dvx_qp_rq(f->qp[lane]);
	return 0;
}

static int far_fill(const struct perf_site *s, struct far *f)
{
	int rc = dvx_pd_alloc(s->dev, &f->pd);

	if (!rc)
		rc = dvx_uar_alloc(s->dev, DVX_UAR_ANY, &f->uar);
	if (!rc)
		rc = far_memory(s, f);
	for (uint32_t i = 0; !rc && i < f->wish.sets; i++)
		rc = far_cq(s, f, i);
	for (uint32_t i = 0; !rc && i < f->wish.lanes; i++)
		rc = far_qp(s, f, i);
	return rc;
}

static struct far *far_alloc(const struct perf_site *s, const struct far_wish *w)
{
	struct far *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->wish = *w;
	f->ends = site_ends(s, w->lanes, calloc(w->lanes, sizeof(*f->ends.qpn)));
	f->set = calloc(w->sets, sizeof(*f->set));
	f->rq = calloc(w->lanes, sizeof(*f->rq));
	f->qp = calloc(w->lanes, sizeof(*f->qp));
	if (f->set && f->rq && f->qp && f->ends.qpn)
		return f;
	far_close(f);
	return NULL;
}

int far_open(const struct perf_site *s, const struct far_wish *w, struct far **out)
{
	struct far *f = far_alloc(s, w);

	if (!f) {
		say("no memory for %u queues", w->lanes);
		return EXIT_INPUT;
	}
	if (far_fill(s, f)) {
		say("libdvx can't make the far end's queues: %s", library_says());
		far_close(f);
		return EXIT_DEVICE;
	}
	*out = f;
	return EXIT_DONE;
}

/* All messages come to the same place: nobody looks at them. */
static void far_receives(struct far *f, uint32_t lane)
{
	struct dvx_sge all = {f->ends.addr,
			      f->wish.memory < DVX_MAX_SEGMENT ? (uint32_t)f->wish.memory
							       : DVX_MAX_SEGMENT,
			      f->ends.key};

	/* The whole ring, which may be larger than what was asked for: dvx_rq_repost() needs that.
	 */
	while (dvx_rq_post(f->rq[lane], &all, 1, lane) == 0)
		;
	dvx_rq_ring(f->rq[lane]);
	dvx_rq_leave(f->rq[lane]);
}

int far_connect(const struct perf_site *s, struct far *f, const struct perf_ends *near)
{
	struct dvx_qp_local local = s->local;

	local.access = f->wish.access;
	for (uint32_t i = 0; i < f->wish.lanes; i++) {
		if (site_connect(f->qp[i], f->wish.transport->qp_type, &local, near, i)) {
			say("libdvx can't connect the far end's queues: %s", library_says());
			return EXIT_DEVICE;
		}
		if (f->wish.receives)
			far_receives(f, i);
	}
	return EXIT_DONE;
}

void far_close(struct far *f)
{
	if (!f)
		return;
	for (uint32_t i = 0; f->qp && i < f->wish.lanes; i++)
		dvx_qp_destroy(f->qp[i]);
	for (uint32_t i = 0; f->set && i < f->wish.sets; i++)
		dvx_cq_destroy(f->set[i].cq);
	dvx_mkey_destroy(f->mkey);
	dvx_mem_free(f->mem);
	dvx_uar_free(f->uar);
	dvx_pd_free(f->pd);
	free(f->ends.qpn);
	free(f->qp);
	free(f->rq);
	free(f->set);
	free(f);
}

int far_failed(const struct dvx_wc *wc)
{
	say("a receive failed: %s (vendor 0x%x)", dvx_cqe_strerror(wc->syndrome), wc->vendor);
	return -1;
}
