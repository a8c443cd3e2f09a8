/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A multicast group: three UD queues are members. Each price is sent once, and all members get it;
 * one leaves, and gets no more. The sender need not be a member.
 *
 *	dvx-sim run -- ./multicast
 */
#include "example.h"

enum { MEMBERS = 3, PRICES = 2, ROOM = 64, Q_KEY = 0x11ee7 };

/* 239.192.0.7, one of the addresses for use inside an organization (RFC 2365). */
static const uint8_t group[16] = {[10] = 0xff, 0xff, 239, 192, 0, 7};

struct member {
	struct dvx_qp *qp;
	struct dvx_cq *cq;
	struct dvx_mcast *joined;
	char room[PRICES][ROOM]; /* 40 bytes of header and the message */
};

static void open_queue(struct example *x, struct member *m, const struct dvx_qp_local *local)
{
	struct dvx_qp_attr attr = {.size = sizeof(attr),
				   .type = DVX_QP_UD,
				   .pd = x->pd,
				   .uar = x->uar,
				   .sq_blocks = 16,
				   .rq_entries = PRICES};

	m->cq = attr.send_cq = example_cq(x);
	must(dvx_qp_create(x->dev, &attr, &m->qp), "qp");
	must(dvx_qp_connect(m->qp, local, NULL), "connect");
}

static void join(struct example *x, struct member *m)
{
	uint32_t key = example_key(x, m->room, sizeof(m->room), DVX_LOCAL_WRITE);

	for (int i = 0; i < PRICES; i++) {
		struct dvx_sge room = {(uintptr_t)m->room[i], ROOM, key};

		must(dvx_rq_post(dvx_qp_rq(m->qp), &room, 1, (uint64_t)i), "receive");
	}
	dvx_rq_ring(dvx_qp_rq(m->qp));
	/* Between hosts, the switches must learn of it, too: see rdma_join_multicast(3). */
	must(dvx_mcast_attach(m->qp, group, &m->joined), "join");
}

/* Makes the group's address handle: its MAC follows from its GID. */
static struct dvx_ah address(struct example *x, const struct dvx_qp_local *local)
{
	struct dvx_qp_peer all = {.size = sizeof(all), .qpn = DVX_QPN_GROUP, .q_key = Q_KEY};
	struct dvx_ah ah;

	memcpy(all.gid, group, sizeof(group));
	must(dvx_ah_init(x->dev, local, &all, &ah), "address");
	return ah;
}

static void tell(struct member *sender, const struct dvx_ah *all, uint32_t price)
{
	must(dvx_post_ud_send_imm_inline(dvx_qp_sq(sender->qp), all, price, "gold", 5, price,
					 DVX_SIGNALED),
	     "send");
	dvx_sq_ring(dvx_qp_sq(sender->qp));
	example_wait(sender->cq, price);
}

static void take_price(struct member *m, int number)
{
	struct dvx_wc wc;

	if (example_next(m->cq, &wc) != 1)
		exit(1);
	printf("member %d: %s %u\n", number, m->room[wc.wr_id] + DVX_GRH_BYTES, wc.imm);
}

int main(int argc, char **argv)
{
	static struct member sender, member[MEMBERS];
	struct dvx_qp_local local;
	struct example x;
	struct dvx_ah all;
	struct dvx_wc wc;

	example_open(&x, argc > 1 ? argv[1] : NULL);
	local = example_local(&x, 0);
	local.q_key = Q_KEY;
	open_queue(&x, &sender, &local);
	for (int i = 0; i < MEMBERS; i++) {
		open_queue(&x, &member[i], &local);
		join(&x, &member[i]);
	}
	all = address(&x, &local);
	tell(&sender, &all, 1900);
	for (int i = 0; i < MEMBERS; i++)
		take_price(&member[i], i);
	must(dvx_mcast_detach(member[1].joined), "leave");
	tell(&sender, &all, 1901);
	take_price(&member[0], 0);
	take_price(&member[2], 2);
	printf("member 1: %s\n", dvx_cq_poll(member[1].cq, &wc) ? "still there" : "heard nothing");
	return 0; /* all objects end with the process */
}
