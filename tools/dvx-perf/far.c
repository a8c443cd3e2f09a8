/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "far.h"
#include "ops.h"
#include "windows.h"
#include "verbs/xrc.h"
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

/* Receives of a set: each of its queues has the same. */
static uint32_t far_receives(const struct far_wish *w)
{
	return w->lanes / w->sets * w->receives;
}

static int far_srq(const struct perf_site *s, struct far *f, struct far_set *set)
{
	struct dvx_srq_attr srq = {
		.size = sizeof(srq), .entries = far_receives(&f->wish), .pd = f->pd};

	if (!f->wish.srq)
		return 0;
	if (!srq.entries) /* there is a target all the same, which needs one */
		srq.entries = 1;
	if (f->xrc)
		return perf_xrc_srq(f->xrc, (uint32_t)(set - f->set), srq.entries, set->cq,
				    &set->srq);
	return dvx_srq_create(s->dev, &srq, &set->srq);
}

/* A DC target is for all initiators of a thread. */
static int far_dct(const struct perf_site *s, struct far *f, struct far_set *set)
{
	struct dvx_dct_attr dct = {.size = sizeof(dct),
				   .key = SITE_DC_KEY,
				   .pd = f->pd,
				   .cq = set->cq,
				   .srq = set->srq};
	struct dvx_qp_local local = s->local;

	if (f->wish.transport->id != PERF_DC)
		return 0;
	local.access = f->wish.access;
	return dvx_dct_create(s->dev, &dct, &local, &set->dct);
}

/* What the queues of a set can complete at once: receives, and a send of each. */
static uint32_t far_cq_entries(const struct far_wish *w)
{
	uint32_t queues = w->lanes / w->sets, sends = queues;

	if (w->windows)
		sends *= power_of_two(windows_blocks(w));
	return sends +
	       (w->srq ? power_of_two(far_receives(w) + 1) : queues * power_of_two(w->receives));
}

static int far_cq(const struct perf_site *s, struct far *f, struct far_set *set)
{
	struct dvx_cq_attr cq = {
		.size = sizeof(cq), .entries = far_cq_entries(&f->wish), .uar = f->uar};

	if (f->xrc)
		return perf_xrc_cq(f->xrc, (uint32_t)(set - f->set), cq.entries, &set->cq);
	return dvx_cq_create(s->dev, &cq, &set->cq);
}

static int far_set_make(const struct perf_site *s, struct far *f, struct far_set *set)
{
	int rc = far_cq(s, f, set);

	set->rq = f->rq;
	set->qp = f->wish.windows ? f->qp : NULL;
	set->all = (struct dvx_sge){f->ends.addr,
				    f->wish.memory < DVX_MAX_SEGMENT ? (uint32_t)f->wish.memory
								     : DVX_MAX_SEGMENT,
				    f->ends.key};
	if (!rc)
		rc = far_srq(s, f, set);
	return rc ? rc : far_dct(s, f, set);
}

static int far_qp(const struct perf_site *s, struct far *f, uint32_t lane)
{
	struct far_set *set = far_set_of(f, lane);
	struct dvx_qp_attr qp = {
		.size = sizeof(qp),
		.pd = f->pd,
		.uar = f->uar,
		.send_cq = set->cq,
		.sq_blocks = f->wish.windows ? windows_blocks(&f->wish) : 1,
		.rq_entries = f->wish.srq ? 0 : f->wish.receives,
		.srq = set->srq,
		.type = f->wish.transport->qp_type,
	};
	int rc = dvx_qp_create(s->dev, &qp, &f->qp[lane]);

	if (rc)
		return rc;
	f->ends.qpn[lane] = dvx_qp_number(f->qp[lane]);
	f->rq[lane] = dvx_qp_rq(f->qp[lane]);
	return 0;
}

static int far_lane(const struct perf_site *s, struct far *f, uint32_t lane)
{
	const struct far_set *set = far_set_of(f, lane);

	if (f->xrc) {
		f->ends.keys[lane] = dvx_srq_number(set->srq);
		return perf_xrc_target(f->xrc, lane, &f->ends.qpn[lane]);
	}
	if (!set->dct)
		return far_qp(s, f, lane);
	f->ends.qpn[lane] = dvx_dct_number(set->dct);
	return 0;
}

static int far_pd(const struct perf_site *s, struct far *f)
{
	if (f->wish.transport->id == PERF_XRC)
		return perf_xrc_open(s, f->wish.lanes, f->wish.sets, &f->xrc, &f->pd);
	return dvx_pd_alloc(s->dev, &f->pd);
}

static int far_fill(const struct perf_site *s, struct far *f)
{
	int rc = far_pd(s, f);

	if (!rc)
		rc = dvx_uar_alloc(s->dev, DVX_UAR_ANY, &f->uar);
	if (!rc)
		rc = far_memory(s, f);
	for (uint32_t i = 0; !rc && i < f->wish.sets; i++)
		rc = far_set_make(s, f, &f->set[i]);
	for (uint32_t i = 0; !rc && i < f->wish.lanes; i++)
		rc = far_lane(s, f, i);
	return rc ? rc : windows_make(s, f);
}

uint32_t far_lane_keys(const struct far_wish *w)
{
	return w->windows ? w->receives : w->transport->id == PERF_XRC;
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
	f->ends.lane_keys = far_lane_keys(w);
	f->ends.keys = calloc((size_t)w->lanes * f->ends.lane_keys + 1, sizeof(*f->ends.keys));
	if (f->set && f->rq && f->qp && f->ends.qpn && f->ends.keys)
		return f;
	far_close(f);
	return NULL;
}

int far_open(const struct perf_site *s, const struct far_wish *w, struct far **out)
{
	struct far *f = NULL;

	if (w->windows && (uint64_t)w->lanes * w->receives > FAR_KEYS) {
		say("%u queues with %u windows each are more than %u windows", w->lanes,
		    w->receives, FAR_KEYS);
		return EXIT_INPUT;
	}
	if (w->windows && windows_blocks(w) > FAR_SQ_BLOCKS) {
		say("%u receives of a queue are more windows than it can bind at once: take a "
		    "smaller --window",
		    w->receives);
		return EXIT_INPUT;
	}
	f = far_alloc(s, w);
	if (!f) {
		say("no memory for %u queues", w->lanes);
		return EXIT_INPUT;
	}
	if (far_fill(s, f)) {
		say("libdvx can't make the far end's queues: %s", perf_xrc_why(f->xrc));
		far_close(f);
		return EXIT_DEVICE;
	}
	*out = f;
	return EXIT_DONE;
}

/*
 * All messages come to the same place: nobody looks at them. The whole ring is filled, which may be
 * larger than what was asked for: dvx_rq_repost() needs that.
 */
static void far_fill_rq(struct far *f, uint32_t lane)
{
	while (dvx_rq_post(f->rq[lane], &far_set_of(f, lane)->all, 1, lane) == 0)
		;
	dvx_rq_ring(f->rq[lane]);
	dvx_rq_leave(f->rq[lane]);
}

/* No more than the CQ has room for. */
static void far_fill_srq(const struct far *f, struct far_set *set)
{
	for (uint32_t i = 0; i < far_receives(&f->wish); i++)
		dvx_srq_post(set->srq, &set->all, 1, 0);
	dvx_srq_ring(set->srq);
	dvx_srq_leave(set->srq);
}

static int far_connect_one(const struct perf_site *s, struct far *f, const struct perf_ends *near,
			   uint32_t lane)
{
	struct dvx_qp_local local = s->local;

	local.access = f->wish.access;
	if (f->xrc)
		return perf_xrc_connect(f->xrc, lane, near, f->wish.access);
	return f->qp[lane] ? site_connect(f->qp[lane], f->wish.transport, &local, near, lane) : 0;
}

int far_connect(const struct perf_site *s, struct far *f, const struct perf_ends *near)
{
	for (uint32_t i = 0; i < f->wish.lanes; i++) {
		if (far_connect_one(s, f, near, i)) {
			say("libdvx can't connect the far end's queues: %s", perf_xrc_why(f->xrc));
			return EXIT_DEVICE;
		}
		if (f->wish.windows && windows_bind(s, f, i)) {
			say("libdvx can't bind the far end's windows: %s", library_says());
			return EXIT_DEVICE;
		}
		if (f->wish.receives && f->rq[i] && !f->wish.windows)
			far_fill_rq(f, i);
	}
	for (uint32_t i = 0; i < f->wish.sets; i++)
		if (f->set[i].srq)
			far_fill_srq(f, &f->set[i]);
	return EXIT_DONE;
}

void far_close(struct far *f)
{
	if (!f)
		return;
	for (uint32_t i = 0; f->qp && i < f->wish.lanes; i++)
		dvx_qp_destroy(f->qp[i]);
	windows_drop(f);
	for (uint32_t i = 0; f->set && i < f->wish.sets; i++) {
		dvx_dct_destroy(f->set[i].dct);
		dvx_srq_destroy(f->set[i].srq);
		dvx_cq_destroy(f->set[i].cq);
	}
	dvx_mkey_destroy(f->mkey);
	dvx_mem_free(f->mem);
	dvx_uar_free(f->uar);
	dvx_pd_free(f->pd);
	perf_xrc_close(f->xrc);
	free(f->ends.qpn);
	free(f->ends.keys);
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
