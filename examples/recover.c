/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recovery of a queue pair after an error. A client posts five WRITEs at once, the third with a
 * wrong rkey. It fails, the two behind it are flushed, and the server's queue fails, too. Both ends
 * drain their queues and connect again; the client posts the failed WRITEs again.
 *
 *	dvx-sim run -- ./recover
 *
 * Both ends are in this process. Between two programs, the same steps need one message each way:
 * the new blob, when the queue is in RST (dvx_qp_connect(3), "Recovery").
 */
#include "example.h"

enum { WORKS = 5, WRONG = 2, ROOM = 16, RECEIVES = 2, MARKER = 99 };

struct end {
	const char *name;
	struct dvx_cq *cq;
	struct dvx_qp *qp;
	bool lost[WORKS]; /* by cookie */
};

static _Alignas(4096) char memory[4096]; /* the server's */

/*
 * Connects both queues: RST -> INIT -> RTR -> RTS. Two programs would send each other the blobs.
 * Each has a new random PSN, so that old packets are not taken for new ones.
 */
static void connect_ends(struct dvx_dev *dev, struct end *a, struct end *b)
{
	struct end *ends[2] = {a, b};
	uint8_t blob[2][DVX_QP_BLOB_BYTES];
	struct dvx_qp_local local[2];
	struct dvx_qp_peer peer;

	for (int i = 0; i < 2; i++) {
		must(dvx_qp_local_init(dev, 1, &local[i]), "port 1");
		local[i].access = DVX_REMOTE_WRITE;
		must(dvx_qp_blob_write(ends[i]->qp, &local[i], blob[i]), "own blob");
	}
	for (int i = 0; i < 2; i++) {
		struct dvx_qp *qp = ends[i]->qp;

		must(dvx_qp_blob_read(qp, blob[!i], sizeof(blob[!i]), &peer), "peer's blob");
		must(dvx_qp_to_init(qp, &local[i]), "INIT");	  /* receives may be posted */
		must(dvx_qp_to_rtr(qp, &local[i], &peer), "RTR"); /* it receives */
		must(dvx_qp_to_rts(qp, &local[i], &peer), "RTS"); /* it sends */
	}
}

static void post_receives(struct dvx_rq *rq, uint32_t key)
{
	struct dvx_sge room = {(uintptr_t)memory + 2048, ROOM, key};

	for (uint64_t i = 0; i < RECEIVES; i++)
		must(dvx_rq_post(rq, &room, 1, i), "receive");
	dvx_rq_ring(rq);
}

static void post_write(struct dvx_sq *sq, uint64_t i, uint32_t key)
{
	static const char pieces[WORKS][ROOM] = {"all ", "five ", "writes ", "are ", "there"};

	must(dvx_post_write_inline(sq, (uintptr_t)memory + i * ROOM, key, pieces[i], ROOM, i,
				   DVX_SIGNALED),
	     "write");
}

/* Prints the next completion. False if its work failed. */
static bool print_next(struct end *e, struct dvx_wc *wc)
{
	int n = example_next(e->cq, wc);
	bool write = wc->opcode == PRM_CQE_OPCODE_REQ || wc->opcode == PRM_CQE_OPCODE_REQ_ERR;

	if (wc->wr_id == MARKER)
		return false;
	printf("%s: %s %d: %s\n", e->name, write ? "write" : "receive", (int)wc->wr_id,
	       n < 0 ? dvx_cqe_strerror(wc->syndrome) : "done");
	if (n < 0)
		e->lost[wc->wr_id] = true;
	return n == 1;
}

/*
 * Takes all outstanding completions: posts a marker, which completes last, since flushing keeps the
 * order. The queue goes to ERR first: else a marker in the receive queue would wait for a message.
 */
static void drain(struct end *e)
{
	struct dvx_rq *rq = dvx_qp_rq(e->qp);
	int markers = rq ? 2 : 1;
	struct dvx_wc wc;

	must(dvx_qp_to_err(e->qp), "ERR");
	must(dvx_post_nop(dvx_qp_sq(e->qp), MARKER, DVX_SIGNALED), "marker");
	dvx_sq_ring(dvx_qp_sq(e->qp));
	if (rq) {
		must(dvx_rq_post(rq, NULL, 0, MARKER), "marker");
		dvx_rq_ring(rq);
	}
	while (markers)
		if (!print_next(e, &wc) && wc.wr_id == MARKER)
			markers--;
}

int main(int argc, char **argv)
{
	struct end client = {.name = "client"}, server = {.name = "server"};
	struct example x;
	struct dvx_wc wc;
	uint32_t key;

	example_open(&x, argc > 1 ? argv[1] : NULL);
	key = example_key(&x, memory, sizeof(memory), DVX_LOCAL_WRITE | DVX_REMOTE_WRITE);
	client.cq = example_cq(&x);
	client.qp = example_qp(&x, client.cq, 0);
	server.cq = example_cq(&x);
	server.qp = example_qp(&x, server.cq, 16);
	connect_ends(x.dev, &client, &server);

	post_receives(dvx_qp_rq(server.qp), key);
	for (uint64_t i = 0; i < WORKS; i++)
		post_write(dvx_qp_sq(client.qp), i, i == WRONG ? key + 1 : key);
	dvx_sq_ring(dvx_qp_sq(client.qp));
	while (print_next(&client, &wc))
		;
	drain(&client);
	drain(&server);

	must(dvx_qp_to_rst(client.qp), "RST");
	must(dvx_qp_to_rst(server.qp), "RST");
	connect_ends(x.dev, &client, &server);
	printf("both ends are connected again\n");

	post_receives(dvx_qp_rq(server.qp), key);
	for (uint64_t i = 0; i < WORKS; i++)
		if (client.lost[i])
			post_write(dvx_qp_sq(client.qp), i, key);
	dvx_sq_ring(dvx_qp_sq(client.qp));
	for (uint64_t i = 0; i < WORKS; i++)
		if (client.lost[i] && !print_next(&client, &wc))
			return 1;
	printf("the server has \"");
	for (int i = 0; i < WORKS; i++)
		printf("%s", memory + i * ROOM);
	printf("\"\n");
	return 0; /* all objects end with the process */
}
