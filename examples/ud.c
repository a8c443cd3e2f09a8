/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Datagrams: one UD queue answers three clients, which it first knows by their messages. There are
 * no connections; each message has an address handle.
 *
 *	dvx-sim run -- ./ud
 */
#include "example.h"

enum { CLIENTS = 3, TIMES = 2, ROOM = 256, Q_KEY = 0x11ee7, LISTEN = 100 };

struct end {
	struct dvx_qp *qp;
	struct dvx_cq *cq;
	uint32_t key; /* of its room */
	_Alignas(64) char room[CLIENTS * TIMES][ROOM];
};

static void receive(struct end *e, int i)
{
	struct dvx_sge room = {(uintptr_t)e->room[i], ROOM, e->key};

	must(dvx_rq_post(dvx_qp_rq(e->qp), &room, 1, LISTEN + (uint64_t)i), "receive");
	dvx_rq_ring(dvx_qp_rq(e->qp));
}

/* Makes a UD queue, which is ready at once, since it has no peer. */
static void open_end(struct example *x, struct end *e, const struct dvx_qp_local *local)
{
	struct dvx_qp_attr attr = {.size = sizeof(attr),
				   .type = DVX_QP_UD,
				   .pd = x->pd,
				   .uar = x->uar,
				   .sq_blocks = 64,
				   .rq_entries = 16};

	e->cq = attr.send_cq = example_cq(x);
	must(dvx_qp_create(x->dev, &attr, &e->qp), "qp");
	must(dvx_qp_connect(e->qp, local, NULL), "connect");
	e->key = example_key(x, e->room, sizeof(e->room), DVX_LOCAL_WRITE);
}

static void say(struct end *e, const struct dvx_ah *to, const char *text)
{
	must(dvx_post_ud_send_inline(dvx_qp_sq(e->qp), to, text, (uint32_t)strlen(text) + 1, 0,
				     DVX_SIGNALED),
	     "send");
	dvx_sq_ring(dvx_qp_sq(e->qp));
}

/* Waits for the next datagram: its first 40 bytes are the packet's header, the message follows. */
static const char *receive_next(struct end *e, struct dvx_wc *wc)
{
	do {
		if (example_next(e->cq, wc) == 1)
			continue;
		fprintf(stderr, "%s\n", dvx_cqe_strerror(wc->syndrome));
		exit(1);
	} while (wc->wr_id < LISTEN); /* skips completions of sends */
	return e->room[wc->wr_id - LISTEN];
}

/* A client that the server knows. Its address is kept, since making it needs the kernel. */
struct known {
	uint32_t qpn;
	int questions;
	struct dvx_ah ah;
};

static struct known *know(struct example *x, const struct dvx_qp_local *local, struct known *list,
			  const char *header, const struct dvx_wc *wc)
{
	struct known *k = list;

	while (k->qpn && k->qpn != wc->src_qp)
		k++;
	if (!k->qpn)
		must(dvx_ah_answer(x->dev, local, header, wc->src_qp, Q_KEY, &k->ah), "answer");
	k->qpn = wc->src_qp;
	return k;
}

static void serve(struct example *x, const struct dvx_qp_local *local, struct end *server,
		  struct known *list)
{
	struct dvx_wc wc;
	const char *got = receive_next(server, &wc);
	struct known *k = know(x, local, list, got, &wc);
	char text[64];

	snprintf(text, sizeof(text), "answer %d to \"%.20s\"", ++k->questions, got + DVX_GRH_BYTES);
	say(server, &k->ah, text);
}

int main(int argc, char **argv)
{
	static struct end server, client[CLIENTS];
	static struct known list[CLIENTS + 1];
	uint8_t blob[DVX_QP_BLOB_BYTES];
	struct dvx_qp_local local;
	struct dvx_qp_peer peer;
	struct example x;
	struct dvx_ah to;
	struct dvx_wc wc;
	char text[32];

	example_open(&x, argc > 1 ? argv[1] : NULL);
	local = example_local(&x, 0);
	local.q_key = Q_KEY; /* datagrams without it are dropped */
	open_end(&x, &server, &local);
	for (int i = 0; i < CLIENTS * TIMES; i++)
		receive(&server, i);
	/* Programs would send the server's blob by any channel: a file, a name service. */
	must(dvx_qp_blob_write(server.qp, &local, blob), "blob");
	for (int i = 0; i < CLIENTS; i++) {
		open_end(&x, &client[i], &local);
		for (int k = 0; k < TIMES; k++)
			receive(&client[i], k);
		must(dvx_qp_blob_read(client[i].qp, blob, sizeof(blob), &peer), "blob");
	}
	must(dvx_ah_init(x.dev, &local, &peer, &to), "address");
	for (int i = 0; i < CLIENTS * TIMES; i++) {
		snprintf(text, sizeof(text), "question %d", i);
		say(&client[i % CLIENTS], &to, text);
		serve(&x, &local, &server, list);
		printf("client %d: %s\n", i % CLIENTS,
		       receive_next(&client[i % CLIENTS], &wc) + DVX_GRH_BYTES);
	}
	return 0; /* all objects end with the process */
}
