/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The smallest program that posts to an mlx5 NIC by hand: one RDMA_WRITE from a buffer into itself.
 *
 *	dvx-sim run -- ./post_poll		no NIC needed
 *	./post_poll mlx5_0			on a NIC
 *
 * Read it from top to bottom, then include/dvx/sq.h, where the bytes are written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/dvx.h>

/* Ends the program on an error. The library never prints; dvx_strerror() describes the error. */
static void must(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "post_poll: %s: %s\n", what, dvx_strerror(err));
	exit(1);
}

int main(int argc, char **argv)
{
	static _Alignas(4096) char memory[4096] = "hello from the send queue";
	char *from = memory, *to = memory + 2048;
	struct dvx_dev *dev;
	struct dvx_pd *pd;
	struct dvx_uar *uar;
	struct dvx_cq *cq;
	struct dvx_qp *qp;
	struct dvx_mkey *mkey;

	/* A device, by name, PCI address or GUID; NULL: the first one. */
	must(dvx_dev_open(argc > 1 ? argv[1] : NULL, &dev), "open");

	/* Queues need a protection domain and a doorbell register. */
	must(dvx_pd_alloc(dev, &pd), "pd");
	must(dvx_uar_alloc(dev, DVX_UAR_ANY, &uar), "uar");

	/* A completion queue, and a queue pair whose completions go to it. */
	struct dvx_cq_attr cq_attr = {.size = sizeof(cq_attr), .entries = 64, .uar = uar};

	must(dvx_cq_create(dev, &cq_attr, &cq), "cq");

	struct dvx_qp_attr qp_attr = {
		.size = sizeof(qp_attr),
		.pd = pd,
		.send_cq = cq,
		.uar = uar,
		.sq_blocks = 64,
	};

	must(dvx_qp_create(dev, &qp_attr, &qp), "qp");

	/* Connects the QP to itself: it is requester and responder. */
	must(dvx_qp_connect_self(qp, DVX_REMOTE_WRITE), "connect");

	/* The NIC accesses memory only through a key. This one allows remote writes. */
	struct dvx_mkey_attr mkey_attr = {
		.size = sizeof(mkey_attr),
		.access = DVX_LOCAL_WRITE | DVX_REMOTE_WRITE,
		.pd = pd,
		.addr = memory,
		.len = sizeof(memory),
	};

	must(dvx_mkey_create(dev, &mkey_attr, &mkey), "mkey");

	/* Post: writes the work request into the ring. The NIC does not know of it yet. */
	struct dvx_sq *sq = dvx_qp_sq(qp);
	uint32_t key = dvx_mkey_key(mkey);
	struct dvx_sge piece = {(uintptr_t)from, (uint32_t)strlen(from) + 1, key};
	struct dvx_wc wc;
	int n;

	must(dvx_post_write(sq, (uintptr_t)to, key, &piece, 1, 42, DVX_SIGNALED), "post");

	/* The doorbell tells the NIC. */
	dvx_sq_ring(sq);

	/* Poll: returns the cookie of the completed work request and frees its blocks. */
	while (!(n = dvx_cq_poll(cq, &wc)))
		;
	if (n < 0) {
		fprintf(stderr, "post_poll: %s\n", dvx_cqe_strerror(wc.syndrome));
		return 1;
	}
	printf("work request %llu on %s is done: \"%s\"\n", (unsigned long long)wc.wr_id,
	       dvx_dev_name(dev), to);

	/* Destroy in the opposite order: an object that is in use can't be destroyed. */
	must(dvx_mkey_destroy(mkey), "mkey");
	must(dvx_qp_destroy(qp), "qp");
	must(dvx_cq_destroy(cq), "cq");
	must(dvx_uar_free(uar), "uar");
	must(dvx_pd_free(pd), "pd");
	must(dvx_dev_close(dev), "close");
	return 0;
}
