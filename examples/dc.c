/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dynamically connected transport: one initiator sends to any number of targets, reliably. Each
 * message names its target, and has the target's key. Each stream has its own connection, so that
 * messages to different targets do not wait for each other.
 *
 *	dvx-sim run -- ./dc
 */
#include "example.h"

enum { TARGETS = 3, RECEIVES = 4, ROOM = 64, SENT = 9 };
#define SECRET 0x5ec2e7u

static _Alignas(4096) char room[TARGETS][RECEIVES][ROOM];

/* A receiving program. Here all are in this process. */
struct target {
	struct dvx_cq *cq;
	struct dvx_srq *srq;
	struct dvx_dct *dct;
	struct dvx_ah ah; /* the target's address, for the initiator */
};

static void open_target(struct example *x, struct target *t, uint32_t key, int number)
{
	struct dvx_srq_attr sa = {.size = sizeof(sa), .entries = RECEIVES, .pd = x->pd};
	struct dvx_dct_attr da = {.size = sizeof(da), .key = SECRET, .pd = x->pd};
	struct dvx_qp_local local = example_local(x, 0);
	struct dvx_qp_peer peer = {.size = sizeof(peer)};

	t->cq = da.cq = example_cq(x);
	must(dvx_srq_create(x->dev, &sa, &t->srq), "srq");
	da.srq = t->srq;
	must(dvx_dct_create(x->dev, &da, &local, &t->dct), "target");
	for (uint64_t i = 0; i < RECEIVES; i++) {
		struct dvx_sge piece = {(uintptr_t)room[number][i], ROOM, key};

		must(dvx_srq_post(t->srq, &piece, 1, i), "receive");
	}
	dvx_srq_ring(t->srq);

	/* At the initiator, once for each target: it needs the target's number and GID. */
	peer.qpn = dvx_dct_number(t->dct);
	must(dvx_dev_gid(x->dev, local.port, local.gid_index, peer.gid), "gid");
	must(dvx_ah_init(x->dev, &local, &peer, &t->ah), "address");
	dvx_ah_set_dct(&t->ah, peer.qpn, SECRET);
}

static struct dvx_qp *open_initiator(struct example *x, struct dvx_cq *cq)
{
	struct dvx_qp_attr attr = {.size = sizeof(attr),
				   .pd = x->pd,
				   .uar = x->uar,
				   .send_cq = cq,
				   .sq_blocks = 64,
				   .type = DVX_QP_DCI,
				   .log_dci_streams = 2,
				   .log_dci_errored = 1}; /* the queue outlives a failed stream */
	struct dvx_qp_local local = example_local(x, 0);
	struct dvx_qp *qp;

	must(dvx_qp_create(x->dev, &attr, &qp), "initiator");
	must(dvx_qp_connect(qp, &local, NULL), "ready"); /* it has no peer */
	return qp;
}

static void send_text(struct dvx_qp *qp, const struct target *t, uint16_t stream, const char *text)
{
	must(dvx_post_dc_send_inline(dvx_qp_sq(qp), &t->ah, stream, text,
				     (uint32_t)strlen(text) + 1, SENT, DVX_SIGNALED),
	     "send");
	dvx_sq_ring(dvx_qp_sq(qp));
}

int main(int argc, char **argv)
{
	struct target target[TARGETS];
	struct example x;
	struct dvx_wc wc;
	char text[ROOM];

	example_open(&x, argc > 1 ? argv[1] : NULL);

	uint32_t key = example_key(&x, room, sizeof(room), DVX_LOCAL_WRITE);
	struct dvx_cq *cq = example_cq(&x);
	struct dvx_qp *qp = open_initiator(&x, cq);

	for (int i = 0; i < TARGETS; i++)
		open_target(&x, &target[i], key, i);
	for (int i = 0; i < 2 * TARGETS; i++) {
		struct target *t = &target[i % TARGETS];

		snprintf(text, sizeof(text), "message %d", i);
		send_text(qp, t, (uint16_t)(i % TARGETS), text);
		example_wait(cq, SENT);
		must(example_next(t->cq, &wc) == 1 ? 0 : -EIO, "message");
		printf("target %d: \"%s\"\n", i % TARGETS, room[i % TARGETS][wc.wr_id]);
	}

	/* A request with another key is not answered, and its stream stops; others go on. */
	dvx_ah_set_dct(&target[0].ah, dvx_dct_number(target[0].dct), SECRET + 1);
	send_text(qp, &target[0], 0, "let me in");
	if (example_next(cq, &wc) == -EIO)
		printf("with another key: %s\n", dvx_cqe_strerror(wc.syndrome));
	send_text(qp, &target[1], 1, "still here");
	example_wait(cq, SENT);
	must(example_next(target[1].cq, &wc) == 1 ? 0 : -EIO, "message");
	printf("target 1: \"%s\"\n", room[1][wc.wr_id]);
	must(dvx_dci_reset_stream(qp, 0), "stream");
	dvx_ah_set_dct(&target[0].ah, dvx_dct_number(target[0].dct), SECRET);
	send_text(qp, &target[0], 0, "again");
	example_wait(cq, SENT);
	must(example_next(target[0].cq, &wc) == 1 ? 0 : -EIO, "message");
	printf("target 0: \"%s\"\n", room[0][wc.wr_id]);
	return 0;
}
