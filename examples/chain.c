/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cross-channel: a token travels round a ring of nodes without any processor. Each node prepares
 * its sends in a managed queue, and a master queue, which waits for the token and then starts the
 * next send. Here all nodes are in this process; between hosts it works in the same way.
 *
 *	dvx-sim run -- ./chain
 */
#include "example.h"

enum { NODES = 4, ROUNDS = 3, TOKEN = 32 };

struct node {
	struct dvx_cq *sends, *receives, *starts;
	struct dvx_qp *out, *in; /* to the next node, from the previous one */
	struct dvx_qp *master;
};

static char token[NODES][TOKEN];

static struct dvx_qp *open_queue(struct example *x, struct dvx_cq *sends, struct dvx_cq *receives,
				 uint32_t flags)
{
	struct dvx_qp_attr attr = {.size = sizeof(attr),
				   .pd = x->pd,
				   .uar = x->uar,
				   .send_cq = sends,
				   .recv_cq = receives,
				   .sq_blocks = 64,
				   .rq_entries = ROUNDS,
				   .flags = flags};
	struct dvx_qp *qp;

	must(dvx_qp_create(x->dev, &attr, &qp), "qp");
	return qp;
}

static void open_node(struct example *x, struct node *n)
{
	n->sends = example_cq(x);
	n->receives = example_cq(x);
	n->starts = example_cq(x);
	n->out = open_queue(x, n->sends, n->sends, DVX_QP_MANAGED_SEND);
	n->in = open_queue(x, n->sends, n->receives, 0);
	n->master = open_queue(x, n->starts, n->starts, DVX_QP_MASTER);
	must(dvx_qp_connect_self(n->master, 0), "master");
}

/*
 * Prepares all of the node's work: each time that the token arrives, it is sent to the next node.
 * Node 0 sends it first, and keeps it at the end.
 */
static void prepare(struct node *n, int number, uint32_t key)
{
	struct dvx_sq *out = dvx_qp_sq(n->out), *master = dvx_qp_sq(n->master);
	struct dvx_sge piece = {(uintptr_t)token[number], TOKEN, key};

	for (uint32_t round = 0; round < ROUNDS; round++) {
		uint32_t before = number ? round + 1 : round; /* arrivals before this send */

		must(dvx_rq_post(dvx_qp_rq(n->in), &piece, 1, round), "receive");
		must(dvx_post_send(out, &piece, 1, round, DVX_SIGNALED), "send");
		must(dvx_post_wait(master, n->receives->cqn, before, round, 0), "wait");
		must(dvx_post_send_enable(master, dvx_qp_number(n->out), out->pi, round,
					  DVX_SIGNALED),
		     "start");
	}
	dvx_rq_ring(dvx_qp_rq(n->in));
}

/* Takes what has completed. Work that fails ends the program: the token would not come back. */
static unsigned int take(struct dvx_cq *cq)
{
	struct dvx_wc wc;
	unsigned int taken = 0;
	int n;

	for (; (n = dvx_cq_poll(cq, &wc)); taken++)
		must(n < 0 ? n : 0, "the chain");
	return taken;
}

/* Waits until the token has been round the ring, and all nodes are done. Looks at all of them. */
static void wait_for_token(struct node *node)
{
	unsigned int rounds = 0, done = 0;

	while (rounds < ROUNDS || done < 2 * ROUNDS * NODES) {
		for (int i = 0; i < NODES; i++) {
			unsigned int came = take(node[i].receives);

			done += take(node[i].sends) + take(node[i].starts);
			for (; !i && came--; rounds++)
				printf("round %u: \"%s\" came back to node 0\n", rounds + 1,
				       token[0]);
		}
	}
}

static void close_node(struct node *n)
{
	must(dvx_qp_destroy(n->master), "master");
	must(dvx_qp_destroy(n->in), "in");
	must(dvx_qp_destroy(n->out), "out");
	must(dvx_cq_destroy(n->starts), "cq");
	must(dvx_cq_destroy(n->receives), "cq");
	must(dvx_cq_destroy(n->sends), "cq");
}

int main(int argc, char **argv)
{
	struct dvx_qp_local local;
	struct node node[NODES];
	struct example x;
	uint32_t key;

	example_open(&x, argc > 1 ? argv[1] : NULL);
	local = example_local(&x, 0);
	key = example_key(&x, token, sizeof(token), DVX_LOCAL_WRITE);
	for (int i = 0; i < NODES; i++)
		open_node(&x, &node[i]);
	for (int i = 0; i < NODES; i++)
		example_join(node[i].out, &local, node[(i + 1) % NODES].in, &local);
	for (int i = 0; i < NODES; i++)
		prepare(&node[i], i, key);
	strcpy(token[0], "the token");
	/* One doorbell for each node. That of node 0, the last one, starts the token. */
	for (int i = NODES; i--;)
		dvx_sq_ring(dvx_qp_sq(node[i].master));
	wait_for_token(node);
	for (int i = 0; i < NODES; i++)
		close_node(&node[i]);
	return 0;
}
