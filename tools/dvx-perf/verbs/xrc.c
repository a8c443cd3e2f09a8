/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "connect.h"
#include "xrc.h"
#include "tools/cli/library.h"

struct perf_xrc {
	const struct perf_site *site;
	struct ibv_pd *pd;
	struct ibv_xrcd *xrcd; /* the domain of targets */
	uint32_t lanes, sets;
	struct ibv_qp **qp;
	struct ibv_cq **cq;
	struct ibv_srq **srq;
	char why[128]; /* libibverbs' error; empty: libdvx's */
};

static int xrc_refused(struct perf_xrc *x, const char *call, int err)
{
	snprintf(x->why, sizeof(x->why), "%s: %s", call, strerror(err ? err : EIO));
	return -1;
}

int perf_xrc_open(const struct perf_site *s, uint32_t lanes, uint32_t sets, struct perf_xrc **out,
		  struct dvx_pd **pd)
{
	struct perf_xrc *x = calloc(1, sizeof(*x));

	*out = x;
	if (!x)
		return -ENOMEM;
	x->site = s;
	x->lanes = lanes;
	x->sets = sets;
	x->qp = calloc(lanes, sizeof(*x->qp));
	x->cq = calloc(sets, sizeof(*x->cq));
	x->srq = calloc(sets, sizeof(*x->srq));
	if (!x->qp || !x->cq || !x->srq)
		return xrc_refused(x, "XRC queues", ENOMEM);
	x->pd = ibv_alloc_pd(dvx_dev_ibv(s->dev));
	return x->pd ? dvx_pd_adopt(s->dev, x->pd, pd) : xrc_refused(x, "ibv_alloc_pd", errno);
}

/* Blocks per request in libmlx5's send rings; libdvx needs a CQ entry for each block. */
#define XRC_BLOCKS 4u

int perf_xrc_cq(struct perf_xrc *x, uint32_t set, uint32_t entries, struct dvx_cq **out)
{
	x->cq[set] = ibv_create_cq(dvx_dev_ibv(x->site->dev), (int)(XRC_BLOCKS * entries), NULL, NULL, 0);
	return x->cq[set] ? dvx_cq_adopt(x->site->dev, x->cq[set], out)
			  : xrc_refused(x, "ibv_create_cq", errno);
}

int perf_xrc_initiator(struct perf_xrc *x, uint32_t lane, uint32_t set, uint32_t blocks,
		       struct dvx_qp **out)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_XRC_SEND,
		.cap = {.max_send_wr = blocks, .max_send_sge = 1}, /* at least a block each */
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = x->pd,
		.send_cq = x->cq[set],
	};

	x->qp[lane] = ibv_create_qp_ex(dvx_dev_ibv(x->site->dev), &attr);
	return x->qp[lane] ? dvx_qp_adopt(x->site->dev, x->qp[lane], out)
			   : xrc_refused(x, "ibv_create_qp_ex", errno);
}

/* Opens a domain that no other process shares. */
static int xrc_domain(struct perf_xrc *x)
{
	struct ibv_xrcd_init_attr attr = {.comp_mask = IBV_XRCD_INIT_ATTR_FD |
						       IBV_XRCD_INIT_ATTR_OFLAGS,
					  .fd = -1,
					  .oflags = O_CREAT};

	if (!x->xrcd)
		x->xrcd = ibv_open_xrcd(dvx_dev_ibv(x->site->dev), &attr);
	return x->xrcd ? 0 : xrc_refused(x, "ibv_open_xrcd", errno);
}

int perf_xrc_srq(struct perf_xrc *x, uint32_t set, uint32_t entries, struct dvx_cq *cq,
		 struct dvx_srq **out)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = {.max_wr = entries, .max_sge = 1},
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC,
		.pd = x->pd,
		.cq = x->cq[set],
	};

	if (xrc_domain(x))
		return -1;
	attr.xrcd = x->xrcd;
	x->srq[set] = ibv_create_srq_ex(dvx_dev_ibv(x->site->dev), &attr);
	return x->srq[set] ? dvx_srq_adopt_xrc(x->site->dev, x->srq[set], cq, out)
			   : xrc_refused(x, "ibv_create_srq_ex", errno);
}

int perf_xrc_target(struct perf_xrc *x, uint32_t lane, uint32_t *qpn)
{
	struct ibv_qp_init_attr_ex attr = {.qp_type = IBV_QPT_XRC_RECV,
					   .comp_mask = IBV_QP_INIT_ATTR_XRCD};

	if (xrc_domain(x))
		return -1;
	attr.xrcd = x->xrcd;
	x->qp[lane] = ibv_create_qp_ex(dvx_dev_ibv(x->site->dev), &attr);
	if (!x->qp[lane])
		return xrc_refused(x, "ibv_create_qp_ex", errno);
	*qpn = x->qp[lane]->qp_num;
	return 0;
}

int perf_xrc_connect(struct perf_xrc *x, uint32_t lane, const struct perf_ends *peer,
		     uint32_t access)
{
	int err = verbs_connect_qp(x->site, x->qp[lane], peer, lane, access);

	return err ? xrc_refused(x, "ibv_modify_qp", err) : 0;
}

const char *perf_xrc_why(const struct perf_xrc *x)
{
	return x && *x->why ? x->why : library_error();
}

void perf_xrc_close(struct perf_xrc *x)
{
	if (!x)
		return;
	for (uint32_t i = 0; x->qp && i < x->lanes; i++)
		if (x->qp[i])
			ibv_destroy_qp(x->qp[i]);
	for (uint32_t i = 0; x->srq && i < x->sets; i++)
		if (x->srq[i])
			ibv_destroy_srq(x->srq[i]);
	for (uint32_t i = 0; x->cq && i < x->sets; i++)
		if (x->cq[i])
			ibv_destroy_cq(x->cq[i]);
	if (x->xrcd)
		ibv_close_xrcd(x->xrcd);
	if (x->pd)
		ibv_dealloc_pd(x->pd);
	free(x->qp);
	free(x->srq);
	free(x->cq);
	free(x);
}
