/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How each error completion arises: what keys, rights, protection domains, lengths and retries
 * protect from, and which end hears of it.
 *
 *	dvx-sim run -- ./keys
 */
#include <stdbool.h>
#include "tutorial.h"

enum { BYTES = 4096, HALF = BYTES / 2 };
enum which { ALL, READABLE, OTHER_PD, GONE, UNKNOWN, KEYS };

struct ends {
	struct tutorial t;
	struct ibv_pd *other_pd;
	struct ibv_mr *mr[KEYS];
	uint32_t lkey[KEYS], rkey[KEYS];
	char *memory;
	struct ibv_cq *cq[2];
	struct ibv_qp *qp[2]; /* sender, receiver */
};

struct mistake {
	const char *what;
	enum ibv_wr_opcode opcode;
	enum which local, remote; /* keys of the request */
	uint32_t offset;	  /* where a WRITE or READ begins */
	uint32_t room;		  /* bytes of the posted receive; 0: none is posted */
	enum which room_key;
	int heard[2];  /* completions that the sender and the receiver get */
	bool deaf;     /* the receiver's QP is reset */
	bool one_more; /* a second request behind the first */
};

static const struct mistake mistakes[] = {
	{"an lkey that nobody has", IBV_WR_SEND, UNKNOWN, .heard = {1, 0}},
	{"an lkey of another PD", IBV_WR_SEND, OTHER_PD, .heard = {1, 0}},
	{"a receive into memory without LOCAL_WRITE", IBV_WR_SEND, .room = 64, .room_key = READABLE,
	 .heard = {1, 1}},
	{"a receive that is too small", IBV_WR_SEND, .room = 63, .heard = {1, 1}},
	{"an rkey that nobody has", IBV_WR_RDMA_WRITE, .remote = UNKNOWN, .heard = {1, 0}},
	{"an rkey of a region that is deregistered", IBV_WR_RDMA_WRITE, .remote = GONE,
	 .heard = {1, 0}},
	{"an rkey of another PD than the peer's QP", IBV_WR_RDMA_WRITE, .remote = OTHER_PD,
	 .heard = {1, 0}},
	{"a WRITE past the region's end", IBV_WR_RDMA_WRITE, .offset = BYTES - 63, .heard = {1, 0}},
	{"a WRITE to a region without REMOTE_WRITE", IBV_WR_RDMA_WRITE, .remote = READABLE,
	 .heard = {1, 0}},
	{"a SEND without a receive, rnr_retry 0", IBV_WR_SEND, .heard = {1, 0}},
	{"a SEND to a QP that does not answer", IBV_WR_SEND, .heard = {1, 0}, .deaf = true},
	{"a request behind one that fails", IBV_WR_SEND, UNKNOWN, .heard = {2, 0},
	 .one_more = true},
};

static void register_all(struct ends *e)
{
	unsigned int write = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;

	e->memory = aligned_alloc(BYTES, BYTES);
	must(!e->memory, "memory");
	e->mr[ALL] = tutorial_mr(&e->t, e->memory, BYTES, write | IBV_ACCESS_REMOTE_READ);
	e->mr[READABLE] = tutorial_mr(&e->t, e->memory, BYTES, IBV_ACCESS_REMOTE_READ);
	e->mr[GONE] = tutorial_mr(&e->t, e->memory, BYTES, write);
	e->other_pd = ibv_alloc_pd(e->t.device);
	must(!e->other_pd, "second protection domain");
	e->mr[OTHER_PD] = ibv_reg_mr(e->other_pd, e->memory, BYTES, write);
	must(!e->mr[OTHER_PD], "memory region");
	for (enum which i = ALL; i < UNKNOWN; i++) {
		e->lkey[i] = e->mr[i]->lkey;
		e->rkey[i] = e->mr[i]->rkey;
	}
	e->lkey[UNKNOWN] = e->rkey[UNKNOWN] = 0xbad00;
	must(errno = ibv_dereg_mr(e->mr[GONE]), "deregister");
}

/* An error ends a queue pair, so each mistake has a fresh pair. */
static void connect_pair(struct ends *e, bool deaf)
{
	struct tutorial_link link = tutorial_usual;
	struct ibv_qp_attr reset = {.qp_state = IBV_QPS_RESET};

	link.rnr_retries = 0;
	if (deaf) {
		link.timeout = 8; /* 1 ms: too short for a peer that is only busy */
		link.retries = 1;
	}
	for (int i = 0; i < 2; i++) {
		e->cq[i] = tutorial_cq(&e->t);
		e->qp[i] = tutorial_qp(&e->t, IBV_QPT_RC, e->cq[i]);
	}
	tutorial_join(&e->t, e->qp[0], e->qp[1], &link);
	if (deaf)
		must(errno = ibv_modify_qp(e->qp[1], &reset, IBV_QP_STATE), "reset");
}

static void post_room(struct ends *e, const struct mistake *m)
{
	struct ibv_sge sge = {(uintptr_t)e->memory, m->room, e->lkey[m->room_key]};
	struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1}, *bad;

	must(errno = ibv_post_recv(e->qp[1], &wr, &bad), "receive");
}

static void post_request(struct ends *e, const struct mistake *m)
{
	struct ibv_sge sge = {(uintptr_t)e->memory + HALF, 64, e->lkey[m->local]};
	struct ibv_send_wr wr = {.sg_list = &sge,
				 .num_sge = 1,
				 .opcode = m->opcode,
				 .send_flags = IBV_SEND_SIGNALED};
	struct ibv_send_wr *bad;

	if (m->opcode != IBV_WR_SEND) {
		wr.wr.rdma.remote_addr = (uintptr_t)e->memory + m->offset;
		wr.wr.rdma.rkey = e->rkey[m->remote];
	}
	must(errno = ibv_post_send(e->qp[0], &wr, &bad), "request");
}

static void tell(struct ends *e, int end, int n)
{
	while (n--) {
		struct ibv_wc wc = tutorial_next(e->cq[end]);

		printf("  %-8s %2d %s, vendor_err 0x%02x\n", end ? "receiver" : "sender", wc.status,
		       ibv_wc_status_str(wc.status), wc.vendor_err);
	}
}

static void make(struct ends *e, const struct mistake *m)
{
	connect_pair(e, m->deaf);
	printf("%s\n", m->what);
	if (m->room)
		post_room(e, m);
	post_request(e, m);
	if (m->one_more)
		post_request(e, m);
	for (int i = 0; i < 2; i++)
		tell(e, i, m->heard[i]);
	for (int i = 0; i < 2; i++) {
		must(errno = ibv_destroy_qp(e->qp[i]), "destroy the queue pair");
		must(errno = ibv_destroy_cq(e->cq[i]), "destroy the completion queue");
	}
}

int main(void)
{
	struct ends e;

	tutorial_start(&e.t);
	register_all(&e);
	for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
		make(&e, &mistakes[i]);
	for (enum which i = ALL; i < GONE; i++)
		must(errno = ibv_dereg_mr(e.mr[i]), "deregister");
	must(errno = ibv_dealloc_pd(e.other_pd), "free the second protection domain");
	tutorial_close(&e.t);
	free(e.memory);
	return 0;
}
