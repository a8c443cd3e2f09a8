/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scatter at the receiver: a peer WRITEs records as one range, and the device stores them in
 * columns. A work request (UMR) makes a key for these pieces without a system call; another one
 * invalidates it.
 *
 *	dvx-sim run -- ./umr_scatter
 */
#include "example.h"

enum { ROWS = 4, NAME = 8, PRICE = 5, ROW = NAME + PRICE };

/* A table stored by columns. */
static struct {
	char name[ROWS][NAME];
	char price[ROWS][PRICE];
} table;

static const char records[ROWS][ROW + 1] = {"copper  1.20 ", "gold    9.99 ", "iron    0.30 ",
					    "silver  4.75 "};

/* Makes a key in which name 0, price 0, name 1, ... are at bytes 0, 8, 13, ... */
static void make_list(struct dvx_sq *sq, uint32_t list, uint32_t key)
{
	struct dvx_sge pieces[2 * ROWS];

	for (int i = 0; i < ROWS; i++) {
		pieces[2 * i] = (struct dvx_sge){(uintptr_t)table.name[i], NAME, key};
		pieces[2 * i + 1] = (struct dvx_sge){(uintptr_t)table.price[i], PRICE, key};
	}
	must(dvx_post_umr_list(sq, list, DVX_LOCAL_WRITE | DVX_REMOTE_WRITE, pieces, 2 * ROWS, 1,
			       DVX_SIGNALED),
	     "list");
	dvx_sq_ring(sq);
}

int main(int argc, char **argv)
{
	struct dvx_mkey *list;
	struct dvx_qp *qp[2]; /* the table's owner, its peer */
	struct dvx_cq *cq[2];
	struct example x;
	struct dvx_wc wc;

	example_open(&x, argc > 1 ? argv[1] : NULL);

	struct dvx_qp_local local = example_local(&x, DVX_REMOTE_WRITE);
	uint32_t key = example_key(&x, &table, sizeof(table), DVX_LOCAL_WRITE | DVX_REMOTE_WRITE);
	uint32_t sent = example_key(&x, (void *)(uintptr_t)records, sizeof(records), 0);
	struct dvx_sge row[ROWS];

	for (int i = 0; i < 2; i++) {
		cq[i] = example_cq(&x);
		qp[i] = example_qp(&x, cq[i], 0);
	}
	example_join(qp[0], &local, qp[1], &local);
	must(dvx_mkey_create_list(x.dev, x.pd, 2 * ROWS, &list), "mkey");
	make_list(dvx_qp_sq(qp[0]), dvx_mkey_key(list), key);
	example_wait(cq[0], 1); /* from now on a peer may use the key */

	for (int i = 0; i < ROWS; i++)
		row[i] = (struct dvx_sge){(uintptr_t)records[i], ROW, sent};
	must(dvx_post_write(dvx_qp_sq(qp[1]), 0, dvx_mkey_key(list), row, ROWS, 2, DVX_SIGNALED),
	     "write");
	dvx_sq_ring(dvx_qp_sq(qp[1]));
	example_wait(cq[1], 2);
	printf("names:  %.*s\nprices: %.*s\n", ROWS * NAME, table.name[0], ROWS * PRICE - 1,
	       table.price[0]);

	must(dvx_post_local_inval(dvx_qp_sq(qp[0]), dvx_mkey_key(list), 3, DVX_SIGNALED),
	     "invalidate");
	dvx_sq_ring(dvx_qp_sq(qp[0]));
	example_wait(cq[0], 3);
	must(dvx_post_write(dvx_qp_sq(qp[1]), 0, dvx_mkey_key(list), row, 1, 4, DVX_SIGNALED),
	     "write");
	dvx_sq_ring(dvx_qp_sq(qp[1]));
	if (example_next(cq[1], &wc) == -EIO)
		printf("after the invalidation: %s\n", dvx_cqe_strerror(wc.syndrome));
	return 0;
}
