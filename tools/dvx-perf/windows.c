/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include "windows.h"

uint32_t windows_blocks(const struct responder_request *w)
{
	return (w->receives + 1) * dvx_wqe_blocks(DVX_UMR_DS + dvx_umr_room(1));
}

int windows_make(const struct perf_site *s, struct responder *f)
{
	uint32_t n = f->request.lanes * f->request.receives;

	if (!f->request.windows)
		return 0;
	f->window = calloc(n, sizeof(*f->window));
	if (!f->window)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		int rc = dvx_mkey_create_window(s->dev, f->pd, &f->window[i]);

		if (rc)
			return rc;
		f->ends.keys[i] = dvx_key_next(dvx_mkey_key(f->window[i]));
	}
	return 0;
}

static int windows_wait(const struct perf_site *s, const struct responder_set *set)
{
	uint32_t idle = 0;
	struct dvx_wc wc;
	int rc;

	while (!(rc = dvx_cq_poll(set->cq, &wc)))
		if (site_must_give_up(s, &idle))
			return -EIO;
	return rc < 0 ? site_failed("receive", &wc) : 0;
}

int windows_bind(const struct perf_site *s, struct responder *f, uint32_t lane)
{
	struct responder_set *set = responder_set_of(f, lane);
	struct dvx_sq *sq = dvx_qp_sq(f->qp[lane]);
	uint32_t n = f->request.receives, first = lane * n;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < n; i++)
		rc = dvx_post_bind(sq, dvx_mkey_key(f->window[first + i]), f->ends.keys[first + i],
				   DVX_REMOTE_READ, &set->all, set->all.addr, lane,
				   i + 1 == n ? DVX_SIGNALED : 0);
	dvx_sq_ring(sq);
	if (!rc)
		rc = windows_wait(s, set);
	dvx_sq_leave(sq);
	for (uint32_t i = 0; !rc && i < n; i++)
		rc = dvx_rq_post(f->rq[lane], &set->all, 1, lane);
	dvx_rq_ring(f->rq[lane]);
	dvx_rq_leave(f->rq[lane]);
	dvx_cq_leave(set->cq);
	return rc;
}

void windows_drop(struct responder *f)
{
	for (uint32_t i = 0; f->window && i < f->request.lanes * f->request.receives; i++)
		dvx_mkey_destroy(f->window[i]);
	free(f->window);
}
