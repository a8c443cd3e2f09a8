/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs that are right on a device that is prompt and orderly, and wrong on one that does what the
 * specifications allow: hostile_bugs CASE prints "hit" and returns 1 if the mistake showed. "ok_CASE" is
 * the correct twin.
 */
#include <infiniband/verbs.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/patience.h"
#include "tests/verbs/verbs_qp.h"

#define ROUNDS 40
#define BYTES  64u /* a receive of up to 32 lies in its completion until that is polled */
#define ACCESS                                                                               \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)

#define must(CONDITION) hostile_must(CONDITION, #CONDITION)
static void hostile_must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "hostile_bugs: not so: %s\n", what);
	exit(2);
}

/* A queue pair with its CQs; the peers are in this process. */
struct side {
	struct ibv_cq *scq, *rcq;
	struct ibv_qp *qp;
};

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_mr *mr;
static struct ibv_comp_channel *channel;
static struct side a, b, c, d; /* a and b are connected, c and d */
/* In pages of their own: the device then reaches each as it reaches most memory of programs. */
static _Alignas(4096) uint8_t from[4096], to[4096], other[4096];
static _Alignas(4096) uint64_t word;
static _Alignas(4096) uint64_t own_word;
static struct ibv_mr *from_mr, *other_mr, *word_mr;
static bool right; /* the correct twin runs */

static void side_open(struct side *s)
{
	struct ibv_qp_init_attr at = {.qp_type = IBV_QPT_RC, .cap = {8, 8, 1, 1, 0}};

	s->scq = ibv_create_cq(ctx, 16, NULL, channel, 0);
	s->rcq = ibv_create_cq(ctx, 16, NULL, NULL, 0);
	must(s->scq && s->rcq);
	at.send_cq = s->scq;
	at.recv_cq = s->rcq;
	s->qp = ibv_create_qp(pd, &at);
	must(s->qp);
}

static void hostile_open(void)
{
	struct ibv_qp_attr rights = {.qp_access_flags = ACCESS};

	ctx = verbs_open();
	must(ctx);
	pd = ibv_alloc_pd(ctx);
	channel = ibv_create_comp_channel(ctx);
	from_mr = ibv_reg_mr(pd, from, BYTES, ACCESS);
	other_mr = ibv_reg_mr(pd, other, BYTES, ACCESS);
	mr = ibv_reg_mr(pd, to, BYTES, ACCESS | IBV_ACCESS_RELAXED_ORDERING);
	word_mr = ibv_reg_mr(pd, &word, sizeof(word), ACCESS);
	must(from_mr && other_mr && mr && word_mr);
	side_open(&a);
	side_open(&b);
	side_open(&c);
	side_open(&d);
	must(!verbs_qp_connect(a.qp, b.qp->qp_num, 0) && !verbs_qp_connect(b.qp, a.qp->qp_num, 0));
	must(!verbs_qp_connect(c.qp, d.qp->qp_num, 0) && !verbs_qp_connect(d.qp, c.qp->qp_num, 0));
	must(!ibv_modify_qp(b.qp, &rights, IBV_QP_ACCESS_FLAGS));
	must(!ibv_modify_qp(d.qp, &rights, IBV_QP_ACCESS_FLAGS));
}

static void side_post(struct side *s, enum ibv_wr_opcode opcode, void *local, struct ibv_mr *local_mr)
{
	struct ibv_sge sge = {(uintptr_t)local, BYTES, local_mr->lkey};
	struct ibv_send_wr wr = {.sg_list = &sge,
				 .num_sge = 1,
				 .opcode = opcode,
				 .send_flags = IBV_SEND_SIGNALED,
				 .wr.rdma = {(uintptr_t)to, mr->rkey}},
			   *bad;

	must(!ibv_post_send(s->qp, &wr, &bad));
}

static void side_post_add(struct side *s)
{
	static uint64_t old;
	struct ibv_sge sge = {(uintptr_t)other, sizeof(old), other_mr->lkey};
	struct ibv_send_wr wr = {.sg_list = &sge,
				 .num_sge = 1,
				 .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
				 .send_flags = IBV_SEND_SIGNALED,
				 .wr.atomic = {(uintptr_t)&word, 1, 0, word_mr->rkey}},
			   *bad;

	must(!ibv_post_send(s->qp, &wr, &bad));
}

static void side_post_recv(struct side *s, void *buf, struct ibv_mr *its_mr)
{
	struct ibv_sge sge = {(uintptr_t)buf, BYTES, its_mr->lkey};
	struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1}, *bad;

	must(!ibv_post_recv(s->qp, &wr, &bad));
}

static void completes(struct ibv_cq *cq)
{
	const time_t end = patience_from_now();
	struct ibv_wc wc;
	int n;

	while (!(n = ibv_poll_cq(cq, 1, &wc)))
		must(!patience_over(end));
	must(n == 1 && !wc.status);
}

static bool holds_only(const uint8_t *bytes, int value)
{
	uint8_t want[BYTES];

	memset(want, value, BYTES);
	return !memcmp(bytes, want, BYTES);
}

/* --- the cases: each is one round, and returns false if its mistake showed --------------------- */

/*
 * The buffer is used again when later requests of another queue pair are done: two, as the device may look
 * for doorbells between the first two.
 */
static bool reuse(int round)
{
	memset(from, round, BYTES);
	side_post(&a, IBV_WR_RDMA_WRITE, from, from_mr);
	if (right)
		completes(a.scq);
	for (int i = 0; i < 2; i++) {
		side_post_add(&c);
		completes(c.scq);
	}
	memset(from, 0xee, BYTES);
	if (!right)
		completes(a.scq);
	return holds_only(to, round);
}

/* The completion is expected when the message has arrived, and a later one is done. */
static bool ordered(int round)
{
	const time_t end = patience_from_now();
	struct ibv_wc wc;
	bool good;

	memset(from, round, BYTES);
	side_post(&a, IBV_WR_RDMA_WRITE, from, from_mr);
	while (__atomic_load_n(&to[0], __ATOMIC_ACQUIRE) != round)
		must(!patience_over(end));
	side_post_add(&c);
	completes(c.scq);
	good = right || ibv_poll_cq(a.scq, 1, &wc) == 1;
	if (right || !good)
		completes(a.scq);
	return good;
}

/* The event is expected when the completion and another message are there. */
static bool event_is_there(int round)
{
	struct pollfd fd = {.fd = channel->fd, .events = POLLIN};
	struct ibv_cq *cq;
	void *context;
	bool good;

	(void)round;
	must(!ibv_req_notify_cq(a.scq, 0));
	side_post(&a, IBV_WR_RDMA_WRITE, from, from_mr);
	completes(a.scq);
	side_post(&c, IBV_WR_RDMA_WRITE, from, from_mr);
	completes(c.scq);
	good = right || poll(&fd, 1, 0) == 1;
	must(!ibv_get_cq_event(channel, &cq, &context));
	ibv_ack_cq_events(cq, 1);
	return good;
}

/* The processor adds to a word to which the device adds. */
static bool added(int round)
{
	uint64_t *mine = right ? &own_word : &word, adds = 1;
	struct ibv_wc wc;
	int n;

	(void)round;
	word = own_word = 0;
	side_post_add(&a);
	for (; !(n = ibv_poll_cq(a.scq, 1, &wc)); adds++)
		__atomic_fetch_add(mine, 1, __ATOMIC_SEQ_CST);
	must(n == 1 && !wc.status);
	return word + own_word == adds;
}

/* The last byte is taken for the whole message. */
static bool last_byte(int round)
{
	const time_t end = patience_from_now();
	bool good;

	memset(from, round, BYTES);
	side_post_recv(&b, other, other_mr);
	side_post(&a, IBV_WR_RDMA_WRITE_WITH_IMM, from, from_mr);
	if (right)
		completes(b.rcq);
	while (__atomic_load_n(&to[BYTES - 1], __ATOMIC_ACQUIRE) != round)
		must(!patience_over(end));
	good = holds_only(to, round);
	if (!right)
		completes(b.rcq);
	completes(a.scq);
	return good;
}

static void both_received(void)
{
	completes(b.rcq);
	completes(b.rcq);
}

/* The sender's completions are taken for the receiver's: of two messages, the second over the first. */
static bool received(int round)
{
	bool good;

	for (int i = 0; i < 2; i++) {
		memset(from, round + i, BYTES);
		side_post_recv(&b, to, mr);
		side_post(&a, IBV_WR_SEND, from, from_mr);
		completes(a.scq);
	}
	if (right)
		both_received();
	good = holds_only(to, round + 1);
	if (!right)
		both_received();
	return good;
}

static const struct {
	const char *name;
	bool (*round)(int);
} cases[] = {{"reuse", reuse},	 {"ordered", ordered},   {"event", event_is_there},
	     {"atomic", added}, {"last_byte", last_byte}, {"received", received}};

int main(int argc, char **argv)
{
	const char *name = argc == 2 ? argv[1] : "";
	bool good = true;

	right = !strncmp(name, "ok_", 3);
	name += right ? 3 : 0;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (strcmp(name, cases[i].name))
			continue;
		hostile_open();
		for (int round = 1; round <= ROUNDS && good; round++)
			good = cases[i].round(round);
		puts(good ? "missed" : "hit");
		return !good;
	}
	return 2;
}
