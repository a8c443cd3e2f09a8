/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A server whose clients share one pool of receives (SRQ): who gets which receive, the event that tells
 * that few are left, and the one that tells that a queue pair takes no more.
 *
 *	dvx-sim run -- ./shared_receives
 *	dvx-sim run -- ./shared_receives flood		one client takes all receives
 */
#include "tutorial.h"

enum { CLIENTS = 3, RECEIVES = 8, FEW = 3, ROOM = 32 };

struct server {
	struct tutorial t;
	struct ibv_srq *srq;
	struct ibv_cq *cq, *clients_cq;
	struct ibv_qp *qp[CLIENTS], *client[CLIENTS];
	struct ibv_mr *mr;
	char rooms[RECEIVES][ROOM];
	char text[ROOM]; /* what a client sends */
};

static void create_srq(struct server *s)
{
	struct ibv_srq_init_attr attr = {.attr = {.max_wr = RECEIVES, .max_sge = 1}};
	const struct ibv_device_attr device = tutorial_abilities(&s->t);

	if (device.max_srq_wr < RECEIVES) {
		fprintf(stderr, "this device has no SRQ: max_srq_wr is %d\n", device.max_srq_wr);
		exit(1);
	}
	s->srq = ibv_create_srq(s->t.pd, &attr);
	must(!s->srq, "shared receive queue");
}

/* A receive of the pool; wr_id says which room, as nothing else does. */
static void post(struct server *s, uint64_t room)
{
	struct ibv_sge sge = {(uintptr_t)s->rooms[room], ROOM, s->mr->lkey};
	struct ibv_recv_wr wr = {.wr_id = room, .sg_list = &sge, .num_sge = 1}, *bad;

	must(errno = ibv_post_srq_recv(s->srq, &wr, &bad), "receive");
}

/* The server's end has no receive queue of its own. */
static struct ibv_qp *server_qp(struct server *s)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.send_cq = s->cq,
		.recv_cq = s->cq,
		.srq = s->srq,
		.cap = {.max_send_wr = 4, .max_send_sge = 1},
	};
	struct ibv_qp *qp = ibv_create_qp(s->t.pd, &attr);

	must(!qp, "queue pair on the SRQ");
	return qp;
}

static void arm_limit(struct server *s)
{
	struct ibv_srq_attr attr = {.srq_limit = FEW};

	must(errno = ibv_modify_srq(s->srq, &attr, IBV_SRQ_LIMIT), "limit");
}

static void start(struct server *s)
{
	struct tutorial_link link = tutorial_usual;

	link.rnr_retries = 0; /* to see at once when there is no receive */
	tutorial_start(&s->t);
	create_srq(s);
	s->mr = tutorial_mr(&s->t, s, sizeof *s, IBV_ACCESS_LOCAL_WRITE);
	s->cq = tutorial_cq(&s->t);
	s->clients_cq = tutorial_cq(&s->t);
	for (int i = 0; i < CLIENTS; i++) {
		s->qp[i] = server_qp(s);
		s->client[i] = tutorial_qp(&s->t, IBV_QPT_RC, s->clients_cq);
		tutorial_join(&s->t, s->client[i], s->qp[i], &link);
	}
	for (uint64_t i = 0; i < RECEIVES; i++)
		post(s, i);
	arm_limit(s);
}

static void say(struct server *s, int client, const char *text)
{
	struct ibv_sge sge = {(uintptr_t)s->text, (uint32_t)strlen(text) + 1, s->mr->lkey};
	struct ibv_send_wr wr = {.sg_list = &sge,
				 .num_sge = 1,
				 .opcode = IBV_WR_SEND,
				 .send_flags = IBV_SEND_SIGNALED};
	struct ibv_send_wr *bad;
	struct ibv_wc wc;

	strcpy(s->text, text);
	must(errno = ibv_post_send(s->client[client], &wr, &bad), "send");
	wc = tutorial_next(s->clients_cq);
	if (wc.status != IBV_WC_SUCCESS)
		printf("client %d cannot send: %s\n", client, ibv_wc_status_str(wc.status));
}

static int client_of(const struct server *s, uint32_t qp_number)
{
	for (int i = 0; i < CLIENTS; i++)
		if (s->qp[i]->qp_num == qp_number)
			return i;
	return -1;
}

/* Takes a message; its receive is not posted again. Returns the room. */
static uint64_t take(struct server *s)
{
	struct ibv_wc wc = tutorial_next(s->cq);

	printf("room %d: client %d says \"%s\"\n", (int)wc.wr_id, client_of(s, wc.qp_num),
	       s->rooms[wc.wr_id]);
	return wc.wr_id;
}

static void hear(struct server *s)
{
	struct ibv_async_event event;

	must(ibv_get_async_event(s->t.device, &event), "event");
	printf("event: %s\n", ibv_event_type_str(event.event_type));
	ibv_ack_async_event(&event);
}

/* Ends a client's queue pair: it takes no more receives, and says when that is so. */
static void dismiss(struct server *s, int client)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};

	must(errno = ibv_modify_qp(s->qp[client], &attr, IBV_QP_STATE), "to the error state");
	hear(s);
}

static void serve(struct server *s)
{
	uint64_t rooms[RECEIVES];
	int n = 0;

	say(s, 2, "one");
	say(s, 0, "two");
	say(s, 2, "three");
	for (; n < 3; n++)
		rooms[n] = take(s);
	say(s, 1, "four");
	say(s, 1, "five");
	say(s, 1, "six");
	hear(s);
	for (; n < 6; n++)
		rooms[n] = take(s);
	while (n)
		post(s, rooms[--n]);
	arm_limit(s);
	say(s, 0, "seven");
	take(s);
	dismiss(s, 2);
}

static void flood(struct server *s)
{
	for (int i = 0; i < RECEIVES; i++)
		say(s, 2, "me, me, me");
	say(s, 0, "may I?");
}

static void end(struct server *s)
{
	for (int i = 0; i < CLIENTS; i++) {
		must(errno = ibv_destroy_qp(s->client[i]), "destroy the queue pair");
		must(errno = ibv_destroy_qp(s->qp[i]), "destroy the queue pair");
	}
	must(errno = ibv_destroy_srq(s->srq), "destroy the SRQ");
	must(errno = ibv_destroy_cq(s->cq), "destroy the completion queue");
	must(errno = ibv_destroy_cq(s->clients_cq), "destroy the completion queue");
	must(errno = ibv_dereg_mr(s->mr), "deregister");
	tutorial_close(&s->t);
}

int main(int argc, char **argv)
{
	static struct server s;

	start(&s);
	if (argc > 1 && !strcmp(argv[1], "flood"))
		flood(&s);
	else
		serve(&s);
	end(&s);
	return 0;
}
