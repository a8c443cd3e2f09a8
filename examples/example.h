/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The beginning of most examples: a device, its objects, a check of errors. post_poll.c does the
 * same step by step; read that first.
 */
#ifndef EXAMPLES_EXAMPLE_H
#define EXAMPLES_EXAMPLE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/dvx.h>

struct example {
	struct dvx_dev *dev;
	struct dvx_pd *pd;
	struct dvx_uar *uar;
};

/* Ends the program on an error. The library never prints; dvx_strerror() describes the error. */
static inline void must(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "%s: %s\n", what, dvx_strerror(err));
	exit(1);
}

static inline void example_open(struct example *x, const char *device)
{
	must(dvx_dev_open(device, &x->dev), "open");
	must(dvx_pd_alloc(x->dev, &x->pd), "pd");
	must(dvx_uar_alloc(x->dev, DVX_UAR_ANY, &x->uar), "uar");
}

static inline struct dvx_cq *example_cq(struct example *x)
{
	struct dvx_cq_attr attr = {.size = sizeof(attr), .entries = 128, .uar = x->uar};
	struct dvx_cq *cq;

	must(dvx_cq_create(x->dev, &attr, &cq), "cq");
	return cq;
}

/* Makes an RC queue pair; receives may be 0. */
static inline struct dvx_qp *example_qp(struct example *x, struct dvx_cq *cq, uint32_t receives)
{
	struct dvx_qp_attr attr = {.size = sizeof(attr),
				   .pd = x->pd,
				   .uar = x->uar,
				   .send_cq = cq,
				   .sq_blocks = 64,
				   .rq_entries = receives};
	struct dvx_qp *qp;

	must(dvx_qp_create(x->dev, &attr, &qp), "qp");
	return qp;
}

/* Lets the NIC access memory with these rights; the key is lkey and rkey. */
static inline uint32_t example_key(struct example *x, void *addr, size_t len, uint32_t access)
{
	struct dvx_mkey_attr attr = {
		.size = sizeof(attr), .pd = x->pd, .addr = addr, .len = len, .access = access};
	struct dvx_mkey *mkey;

	must(dvx_mkey_create(x->dev, &attr, &mkey), "mkey");
	return dvx_mkey_key(mkey);
}

/* Returns the local side of a connection, which the caller may change. */
static inline struct dvx_qp_local example_local(struct example *x, uint32_t access)
{
	struct dvx_qp_local local;

	must(dvx_qp_local_init(x->dev, 1, &local), "port 1");
	local.access = access;
	return local;
}

/* Connects two queues of this process. Two programs send each other the blobs: exchange.h. */
static inline void example_join(struct dvx_qp *a, const struct dvx_qp_local *of_a, struct dvx_qp *b,
				const struct dvx_qp_local *of_b)
{
	uint8_t blob_a[DVX_QP_BLOB_BYTES], blob_b[DVX_QP_BLOB_BYTES];
	struct dvx_qp_peer peer;

	must(dvx_qp_blob_write(a, of_a, blob_a), "blob");
	must(dvx_qp_blob_write(b, of_b, blob_b), "blob");
	must(dvx_qp_blob_read(a, blob_b, sizeof(blob_b), &peer), "blob");
	must(dvx_qp_connect(a, of_a, &peer), "connect");
	must(dvx_qp_blob_read(b, blob_a, sizeof(blob_a), &peer), "blob");
	must(dvx_qp_connect(b, of_b, &peer), "connect");
}

/* Waits for the next completion. Returns 1, or -EIO if its work failed. */
static inline int example_next(struct dvx_cq *cq, struct dvx_wc *wc)
{
	int n;

	while (!(n = dvx_cq_poll(cq, wc)))
		;
	if (n < 0 && n != -EIO)
		must(n, "poll");
	return n;
}

/* Takes completions up to the one with this cookie. Work that fails ends the program. */
static inline struct dvx_wc example_wait(struct dvx_cq *cq, uint64_t cookie)
{
	struct dvx_wc wc;

	do {
		if (example_next(cq, &wc) == 1)
			continue;
		fprintf(stderr, "work %d: %s\n", (int)wc.wr_id, dvx_cqe_strerror(wc.syndrome));
		exit(1);
	} while (wc.wr_id != cookie);
	return wc;
}

#endif
