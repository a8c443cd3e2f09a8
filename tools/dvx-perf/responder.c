/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "responder.h"
#include "ops.h"
#include "windows.h"
#include "verbs/xrc.h"
#include "tools/cli/exit.h"
#include "tools/cli/library.h"
#include "tools/cli/message.h"

static uint32_t power_of_two(uint32_t n)
{
	uint32_t p = 4; /* the smallest receive queue */

	while (p < n)
		p *= 2;
	return p;
}

static int responder_memory(const struct perf_site *s, struct responder *f)
{
	struct dvx_mkey_attr attr = {
		.size = sizeof(attr), .access = DVX_LOCAL_WRITE | f->request.access, .pd = f->pd};
	int rc = dvx_mem_alloc(f->request.memory, NULL, &f->mem);

	if (rc)
		return rc;
	attr.addr = dvx_mem_addr(f->mem);
	attr.len = f->request.memory;
	rc = dvx_mkey_create(s->dev, &attr, &f->mkey);
	if (rc)
		return rc;
	f->ends.addr = dvx_mkey_addr(f->mkey);
	f->ends.key = dvx_mkey_key(f->mkey);
	return 0;
}

/* Returns the number of receives of a set; all its queues have the same. */
static uint32_t responder_receives(const struct responder_request *w)
{
	return w->lanes / w->sets * w->receives;
}

static int responder_srq(const struct perf_site *s, struct responder *f, struct responder_set *set)
{
	struct dvx_srq_attr srq = {
		.size = sizeof(srq), .entries = responder_receives(&f->request), .pd = f->pd};

	if (!f->request.srq)
		return 0;
	if (!srq.entries) /* a DC target needs an SRQ, even an unused one */
		srq.entries = 1;
	if (f->xrc)
		return perf_xrc_srq(f->xrc, (uint32_t)(set - f->set), srq.entries, set->cq,
				    &set->srq);
	return dvx_srq_create(s->dev, &srq, &set->srq);
}

/* Makes a DC target, which serves all initiators of a thread. */
static int responder_dct(const struct perf_site *s, struct responder *f, struct responder_set *set)
{
	struct dvx_dct_attr dct = {.size = sizeof(dct),
				   .key = SITE_DC_KEY,
				   .pd = f->pd,
				   .cq = set->cq,
				   .srq = set->srq};
	struct dvx_qp_local local = s->local;

	if (f->request.transport->id != PERF_DC)
		return 0;
	local.access = f->request.access;
	return dvx_dct_create(s->dev, &dct, &local, &set->dct);
}

/*
 * Returns how many completions a set can have at once: its receives, and the sends of each queue.
 */
static uint32_t responder_cq_entries(const struct responder_request *w)
{
	uint32_t queues = w->lanes / w->sets, sends = queues;

	if (w->windows)
		sends *= power_of_two(windows_blocks(w));
	return sends + (w->srq ? power_of_two(responder_receives(w) + 1)
			       : queues * power_of_two(w->receives));
}

static int responder_cq(const struct perf_site *s, struct responder *f, struct responder_set *set)
{
	struct dvx_cq_attr cq = {
		.size = sizeof(cq), .entries = responder_cq_entries(&f->request), .uar = f->uar};

	if (f->xrc)
		return perf_xrc_cq(f->xrc, (uint32_t)(set - f->set), cq.entries, &set->cq);
	return dvx_cq_create(s->dev, &cq, &set->cq);
}

static int responder_set_make(const struct perf_site *s, struct responder *f,
			      struct responder_set *set)
{
	int rc = responder_cq(s, f, set);

	set->rq = f->rq;
	set->qp = f->request.windows ? f->qp : NULL;
	set->all = (struct dvx_sge){
		f->ends.addr,
		f->request.memory < DVX_MAX_SEGMENT ? (uint32_t)f->request.memory : DVX_MAX_SEGMENT,
		f->ends.key};
	if (!rc)
		rc = responder_srq(s, f, set);
	return rc ? rc : responder_dct(s, f, set);
}

static int responder_qp(const struct perf_site *s, struct responder *f, uint32_t lane)
{
	struct responder_set *set = responder_set_of(f, lane);
	struct dvx_qp_attr qp = {
		.size = sizeof(qp),
		.pd = f->pd,
		.uar = f->uar,
		.send_cq = set->cq,
		.sq_blocks = f->request.windows ? windows_blocks(&f->request) : 1,
		.rq_entries = f->request.srq ? 0 : f->request.receives,
		.srq = set->srq,
		.type = f->request.transport->qp_type,
	};
	int rc = dvx_qp_create(s->dev, &qp, &f->qp[lane]);

	if (rc)
		return rc;
	f->ends.qpn[lane] = dvx_qp_number(f->qp[lane]);
	f->rq[lane] = dvx_qp_rq(f->qp[lane]);
	return 0;
}

static int responder_lane(const struct perf_site *s, struct responder *f, uint32_t lane)
{
	const struct responder_set *set = responder_set_of(f, lane);

	if (f->xrc) {
		f->ends.keys[lane] = dvx_srq_number(set->srq);
		return perf_xrc_target(f->xrc, lane, &f->ends.qpn[lane]);
	}
	if (!set->dct)
		return responder_qp(s, f, lane);
	f->ends.qpn[lane] = dvx_dct_number(set->dct);
	return 0;
}

static int responder_pd(const struct perf_site *s, struct responder *f)
{
	if (f->request.transport->id == PERF_XRC)
		return perf_xrc_open(s, f->request.lanes, f->request.sets, &f->xrc, &f->pd);
	return dvx_pd_alloc(s->dev, &f->pd);
}

static int responder_fill(const struct perf_site *s, struct responder *f)
{
	int rc = responder_pd(s, f);

	if (!rc)
		rc = dvx_uar_alloc(s->dev, DVX_UAR_ANY, &f->uar);
	if (!rc)
		rc = responder_memory(s, f);
	for (uint32_t i = 0; !rc && i < f->request.sets; i++)
		rc = responder_set_make(s, f, &f->set[i]);
	for (uint32_t i = 0; !rc && i < f->request.lanes; i++)
		rc = responder_lane(s, f, i);
	return rc ? rc : windows_make(s, f);
}

uint32_t responder_lane_keys(const struct responder_request *w)
{
	return w->windows ? w->receives : w->transport->id == PERF_XRC;
}

static struct responder *responder_alloc(const struct perf_site *s,
					 const struct responder_request *w)
{
	struct responder *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->request = *w;
	f->ends = site_ends(s, w->lanes, calloc(w->lanes, sizeof(*f->ends.qpn)));
	f->set = calloc(w->sets, sizeof(*f->set));
	f->rq = calloc(w->lanes, sizeof(*f->rq));
	f->qp = calloc(w->lanes, sizeof(*f->qp));
	f->ends.lane_keys = responder_lane_keys(w);
	f->ends.keys = calloc((size_t)w->lanes * f->ends.lane_keys + 1, sizeof(*f->ends.keys));
	if (f->set && f->rq && f->qp && f->ends.qpn && f->ends.keys)
		return f;
	responder_close(f);
	return NULL;
}

int responder_open(const struct perf_site *s, const struct responder_request *w,
		   struct responder **out)
{
	struct responder *f = NULL;

	if (w->windows && (uint64_t)w->lanes * w->receives > RESPONDER_KEYS) {
		message_print("%u queues with %u windows each are more than %u windows", w->lanes,
			      w->receives, RESPONDER_KEYS);
		return EXIT_INPUT;
	}
	if (w->windows && windows_blocks(w) > RESPONDER_SQ_BLOCKS) {
		message_print(
			"%u receives of a queue are more windows than it can bind at once: take a "
			"smaller --window",
			w->receives);
		return EXIT_INPUT;
	}
	f = responder_alloc(s, w);
	if (!f) {
		message_print("no memory for %u queues", w->lanes);
		return EXIT_INPUT;
	}
	if (responder_fill(s, f)) {
		message_print("libdvx can't make the far end's queues: %s", perf_xrc_why(f->xrc));
		responder_close(f);
		return EXIT_DEVICE;
	}
	*out = f;
	return EXIT_DONE;
}

/*
 * Posts receives that all share one buffer: the data is not read. Fills the whole ring, which may
 * be larger than requested: dvx_rq_repost() needs a full ring.
 */
static void responder_fill_rq(struct responder *f, uint32_t lane)
{
	while (dvx_rq_post(f->rq[lane], &responder_set_of(f, lane)->all, 1, lane) == 0)
		;
	dvx_rq_ring(f->rq[lane]);
	dvx_rq_leave(f->rq[lane]);
}

/* Posts receives, but no more than the CQ has room for. */
static void responder_fill_srq(const struct responder *f, struct responder_set *set)
{
	for (uint32_t i = 0; i < responder_receives(&f->request); i++)
		dvx_srq_post(set->srq, &set->all, 1, 0);
	dvx_srq_ring(set->srq);
	dvx_srq_leave(set->srq);
}

static int responder_connect_one(const struct perf_site *s, struct responder *f,
				 const struct perf_ends *requester, uint32_t lane)
{
	struct dvx_qp_local local = s->local;

	local.access = f->request.access;
	if (f->xrc)
		return perf_xrc_connect(f->xrc, lane, requester, f->request.access);
	return f->qp[lane]
		       ? site_connect(f->qp[lane], f->request.transport, &local, requester, lane)
		       : 0;
}

int responder_connect(const struct perf_site *s, struct responder *f,
		      const struct perf_ends *requester)
{
	for (uint32_t i = 0; i < f->request.lanes; i++) {
		if (responder_connect_one(s, f, requester, i)) {
			message_print("libdvx can't connect the far end's queues: %s",
				      perf_xrc_why(f->xrc));
			return EXIT_DEVICE;
		}
		if (f->request.windows && windows_bind(s, f, i)) {
			message_print("libdvx can't bind the far end's windows: %s",
				      library_error());
			return EXIT_DEVICE;
		}
		if (f->request.receives && f->rq[i] && !f->request.windows)
			responder_fill_rq(f, i);
	}
	for (uint32_t i = 0; i < f->request.sets; i++)
		if (f->set[i].srq)
			responder_fill_srq(f, &f->set[i]);
	return EXIT_DONE;
}

void responder_close(struct responder *f)
{
	if (!f)
		return;
	for (uint32_t i = 0; f->qp && i < f->request.lanes; i++)
		dvx_qp_destroy(f->qp[i]);
	windows_drop(f);
	for (uint32_t i = 0; f->set && i < f->request.sets; i++) {
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
