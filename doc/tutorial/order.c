/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Completions, events and their order: what comes when, what does not come at all, and how a
 * program sleeps until something does. Read with 03-completions.md.
 *
 *	dvx-sim run -- ./order
 */
#include <poll.h>
#include "tutorial.h"

enum { BYTES = 1 << 20, SMALL = 8 };

static _Alignas(4096) char memory[2 * BYTES];

static struct ends {
	struct tutorial t;
	struct ibv_comp_channel *channel; /* of the receiver */
	struct ibv_cq *send_cq, *receive_cq;
	struct ibv_qp *sender, *receiver;
	struct ibv_mr *mr;
} e;

static void make_ends(void)
{
	tutorial_start(&e.t);
	e.channel = ibv_create_comp_channel(e.t.device);
	must(!e.channel, "completion channel");
	e.send_cq = tutorial_cq(&e.t);
	e.receive_cq = ibv_create_cq(e.t.device, 64, NULL, e.channel, 0);
	must(!e.receive_cq, "completion queue");
	e.sender = tutorial_qp(&e.t, IBV_QPT_RC, e.send_cq);
	e.receiver = tutorial_qp(&e.t, IBV_QPT_RC, e.receive_cq);
	e.mr = tutorial_mr(&e.t, memory, sizeof(memory),
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_READ);
	tutorial_join(&e.t, e.sender, e.receiver, &tutorial_usual);
}

/* Returns an errno: ENOMEM is a full queue. */
static int post(uint64_t number, enum ibv_wr_opcode opcode, uint32_t bytes, unsigned int flags)
{
	struct ibv_sge piece = {(uintptr_t)memory, bytes, e.mr->lkey};
	struct ibv_send_wr wr = {.wr_id = number,
				 .sg_list = &piece,
				 .num_sge = 1,
				 .opcode = opcode,
				 .send_flags = flags,
				 .wr.rdma = {(uintptr_t)memory + BYTES, e.mr->rkey}},
			   *bad;

	return ibv_post_send(e.sender, &wr, &bad);
}

static void receive(uint64_t number)
{
	struct ibv_sge room = {(uintptr_t)memory + BYTES, BYTES, e.mr->lkey};
	struct ibv_recv_wr wr = {.wr_id = number, .sg_list = &room, .num_sge = 1}, *bad;

	must(errno = ibv_post_recv(e.receiver, &wr, &bad), "post a receive");
}

static uint64_t next(struct ibv_cq *cq)
{
	return tutorial_good(tutorial_next(cq)).wr_id;
}

static void in_order(void)
{
	must(errno = post(1, IBV_WR_RDMA_WRITE, BYTES, IBV_SEND_SIGNALED), "post");
	must(errno = post(2, IBV_WR_RDMA_READ, SMALL, IBV_SEND_SIGNALED), "post");
	must(errno = post(3, IBV_WR_RDMA_WRITE, SMALL, IBV_SEND_SIGNALED), "post");
	printf("a megabyte, then two small ones:");
	for (int i = 0; i < 3; i++)
		printf(" %d", (int)next(e.send_cq));
	printf("\n");
}

static void one_for_all(void)
{
	for (uint64_t i = 1; i < 10; i++)
		must(errno = post(i, IBV_WR_RDMA_WRITE, SMALL, 0), "post");
	must(errno = post(10, IBV_WR_RDMA_WRITE, SMALL, IBV_SEND_SIGNALED), "post");
	printf("ten, the last signaled: completion of %d", (int)next(e.send_cq));
	printf(", and all ten are done\n");
}

/* Unsignaled work keeps its place until signaled work after it has been polled. */
static void no_signal(void)
{
	int posted = 0, err;

	while (!(err = post(0, IBV_WR_RDMA_WRITE, SMALL, 0)))
		posted++;
	printf("unsignaled only: after %d posts: %s\n", posted, strerror(err));
}

/* After no_signal() the queue is full for good: nothing in it will ever complete. */
static void start_again(void)
{
	struct ibv_qp_attr reset = {.qp_state = IBV_QPS_RESET};

	must(errno = ibv_modify_qp(e.sender, &reset, IBV_QP_STATE), "to RESET");
	must(errno = ibv_modify_qp(e.receiver, &reset, IBV_QP_STATE), "to RESET");
	tutorial_join(&e.t, e.sender, e.receiver, &tutorial_usual);
}

static int event_waits(void)
{
	struct pollfd fd = {.fd = e.channel->fd, .events = POLLIN};

	return poll(&fd, 1, 0);
}

/* Arms, looks once more, and only then sleeps: a completion may have come before the CQ was armed. */
static uint64_t sleep_for_next(int solicited_only)
{
	struct ibv_wc wc;
	struct ibv_cq *cq;
	void *context;
	int n;

	must(errno = ibv_req_notify_cq(e.receive_cq, solicited_only), "arm");
	while (!(n = ibv_poll_cq(e.receive_cq, 1, &wc))) {
		must(ibv_get_cq_event(e.channel, &cq, &context), "event");
		ibv_ack_cq_events(cq, 1);
		must(errno = ibv_req_notify_cq(cq, solicited_only), "arm again");
	}
	must(n < 0, "poll");
	return tutorial_good(wc).wr_id;
}

static void asleep(void)
{
	receive(20);
	must(errno = post(11, IBV_WR_SEND, SMALL, IBV_SEND_SIGNALED), "post");
	printf("asleep until receive %d", (int)sleep_for_next(0));
	printf(" and send %d\n", (int)next(e.send_cq));
}

/* The CQ tells of nothing but what the peer marked. */
static void solicited(void)
{
	struct ibv_cq *cq;
	void *context;

	receive(21);
	receive(22);
	must(errno = ibv_req_notify_cq(e.receive_cq, 1), "arm");
	must(errno = post(12, IBV_WR_SEND, SMALL, IBV_SEND_SIGNALED), "post");
	next(e.send_cq);
	printf("a plain SEND: %d events", event_waits());
	must(errno = post(13, IBV_WR_SEND, SMALL, IBV_SEND_SIGNALED | IBV_SEND_SOLICITED), "post");
	must(ibv_get_cq_event(e.channel, &cq, &context), "event");
	ibv_ack_cq_events(cq, 1);
	printf("; a solicited one: an event, and receives");
	printf(" %d and", (int)next(e.receive_cq));
	printf(" %d\n", (int)next(e.receive_cq));
	next(e.send_cq);
}

int main(void)
{
	make_ends();
	in_order();
	one_for_all();
	no_signal();
	start_again();
	solicited();
	asleep();
	must(errno = ibv_destroy_qp(e.sender), "destroy the sender");
	must(errno = ibv_destroy_qp(e.receiver), "destroy the receiver");
	must(errno = ibv_destroy_cq(e.send_cq), "destroy the sender's CQ");
	must(errno = ibv_destroy_cq(e.receive_cq), "destroy the receiver's CQ");
	must(errno = ibv_destroy_comp_channel(e.channel), "destroy the channel");
	must(errno = ibv_dereg_mr(e.mr), "deregister");
	tutorial_close(&e.t);
	return 0;
}
