/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <dvx/prm/wqe.h>
#include "priv.h"

static uint8_t dp_gather(struct qp *qp, const struct send_wr *wr, uint64_t off, size_t len,
			 void *to)
{
	const uint8_t *end, *p = wr_segs(wr, &end);

	return segs_gather(qp, p, end, off, len, to);
}

static uint8_t dp_scatter(struct qp *qp, const struct send_wr *wr, uint64_t off, size_t len,
			  const void *from)
{
	const uint8_t *end, *p = wr_segs(wr, &end);

	return segs_scatter(qp, p, end, off, len, from);
}

static int local(struct qp *qp, struct send_wr *wr)
{
	return wr->opcode == PRM_WQE_OPCODE_MMO ? mmo_step(qp, wr) : 0;
}

static const struct net_ops net_ops = {
	.gather = dp_gather,
	.scatter = dp_scatter,
	.local = local,
	.self = self_copy,
	.send_done = sq_done,
	.send_failed = sq_failed,
	.more = sq_more,
	.recv_start = rq_start,
	.recv_scatter = rq_scatter,
	.recv_end = rq_end,
	.remote_check = remote_check,
	.remote_write = remote_write,
	.remote_read = remote_read,
	.qp_error = qp_error,
	.drained = qp_drained,
};

int dp_init(struct device *dev)
{
	struct dp *dp = calloc(1, sizeof(*dp));

	if (!dp)
		return -ENOMEM;
	dp->dev = dev;
	TAILQ_INIT(&dp->sweep);
	TAILQ_INIT(&dp->ready);
	TAILQ_INIT(&dp->flush);
	TAILQ_INIT(&dp->dirty);
	dev->dp = dp;
	net_set_ops(dev->net, &net_ops);
	return 0;
}

void dp_fini(struct device *dev)
{
	struct dp *dp = dev->dp;
	struct send_wr *wr;

	if (!dp)
		return;
	uar_free_all(dp);
	while ((wr = dp->free_wr)) {
		dp->free_wr = wr->next;
		free(wr);
	}
	free(dp);
	dev->dp = NULL;
}

bool dp_fetch(struct device *dev)
{
	bool did = uar_sweep(dev->dp);

	return sq_run(dev->dp) || did;
}

bool dp_settle(struct device *dev)
{
	bool any = dev->dp && dev->dp->posts.n;

	if (any)
		post_flush(dev->dp);
	return any;
}

bool dp_flush(struct device *dev, uint64_t now)
{
	bool did;

	did = qp_flush_run(dev->dp);
	did |= cq_flush_all(dev->dp);
	did |= post_end_turn(dev->dp, now);
	return did || !TAILQ_EMPTY(&dev->dp->ready) || !TAILQ_EMPTY(&dev->dp->sweep) ||
	       !TAILQ_EMPTY(&dev->dp->flush);
}
