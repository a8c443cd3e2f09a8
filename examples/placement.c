/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Placement of rings and buffers: on the device's NUMA node and on hugepages, if there are any. The
 * NIC reads a ring on its own node without crossing to another socket, and a buffer of few large
 * pages has fewer misses in the translation caches of NIC and CPU.
 *
 *	dvx-sim run -- ./placement
 *	echo 16 >/proc/sys/vm/nr_hugepages	as root: gives hugepages
 */
#include "example.h"

enum { BYTES = 4 << 20 };

/* Returns the best possible place; prints what is missing, and why. */
static struct dvx_place best_place(struct dvx_dev *dev)
{
	struct dvx_place place = {.flags = DVX_PLACE_NODE | DVX_PLACE_HUGE,
				  .node = dvx_dev_node(dev)};
	struct dvx_mem *probe;
	int err;

	if (place.node < 0) {
		printf("%s has no NUMA node: memory is taken where the thread runs\n",
		       dvx_dev_name(dev));
		place = (struct dvx_place){.flags = DVX_PLACE_HUGE};
	}
	err = dvx_mem_alloc(BYTES, &place, &probe);
	if (err) {
		printf("no hugepages: %s; ordinary pages do, too\n", dvx_strerror(err));
		place.flags &= ~(uint32_t)DVX_PLACE_HUGE;
		err = dvx_mem_alloc(BYTES, &place, &probe);
	}
	if (err) {
		printf("not on node %d: %s; any node does\n", place.node, dvx_strerror(err));
		place = (struct dvx_place){.flags = 0};
	} else {
		dvx_mem_free(probe);
	}
	return place;
}

/* Makes a CQ and a queue pair with their rings at this place. */
static struct dvx_qp *place_queue(struct example *x, struct dvx_place ring, struct dvx_cq **cq)
{
	struct dvx_cq_attr cq_attr = {
		.size = sizeof(cq_attr), .entries = 128, .uar = x->uar, .place = ring};
	struct dvx_qp_attr qp_attr = {.size = sizeof(qp_attr),
				      .pd = x->pd,
				      .uar = x->uar,
				      .sq_blocks = 64,
				      .place = ring};
	struct dvx_qp *qp;

	must(dvx_cq_create(x->dev, &cq_attr, cq), "cq");
	qp_attr.send_cq = *cq;
	must(dvx_qp_create(x->dev, &qp_attr, &qp), "qp");
	must(dvx_qp_connect_self(qp, DVX_REMOTE_WRITE), "connect");
	return qp;
}

int main(int argc, char **argv)
{
	struct dvx_mem *mem;
	struct dvx_qp *qp;
	struct dvx_cq *cq;
	struct example x;
	struct dvx_wc wc;
	uint8_t *bytes;
	uint32_t key;

	example_open(&x, argc > 1 ? argv[1] : NULL);

	struct dvx_place place = best_place(x.dev), ring = place;

	/* Rings are small: a hugepage for each would waste memory, so it is only tried. */
	ring.flags &= ~(uint32_t)DVX_PLACE_HUGE;
	qp = place_queue(&x, ring, &cq);
	must(dvx_mem_alloc(BYTES, &place, &mem), "buffer");
	bytes = dvx_mem_addr(mem);
	printf("rings: %s; buffer: %zu bytes on %s, %s\n",
	       ring.flags & DVX_PLACE_NODE ? "on the device's node" : "anywhere", dvx_mem_len(mem),
	       dvx_mem_huge(mem) ? "hugepages" : "ordinary pages",
	       place.flags & DVX_PLACE_NODE ? "on the device's node" : "anywhere");

	key = example_key(&x, bytes, BYTES, DVX_LOCAL_WRITE | DVX_REMOTE_WRITE);
	strcpy((char *)bytes, "moved");

	struct dvx_sge piece = {(uintptr_t)bytes, BYTES / 2, key};

	must(dvx_post_write(dvx_qp_sq(qp), piece.addr + BYTES / 2, key, &piece, 1, 1, DVX_SIGNALED),
	     "write");
	dvx_sq_ring(dvx_qp_sq(qp));
	if (example_next(cq, &wc) < 0)
		return 1;
	printf("%d bytes \"%s\"\n", BYTES / 2, (char *)bytes + BYTES / 2);
	return 0; /* all objects end with the process */
}
