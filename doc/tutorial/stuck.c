/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends messages from one queue pair to another of this program, rightly or with a mistake:
 *
 *	dvx-sim run -- ./stuck			all arrive
 *	dvx-sim run -- ./stuck no_receive	nobody posts a receive
 *	dvx-sim run -- ./stuck early		messages are read before their completions
 */
#include "tutorial.h"

#include <stdbool.h>

enum { ROOM = 64, MESSAGES = 20 };

static struct {
	char text[ROOM], room[ROOM]; /* what is sent, and where it is received */
} memory = {.text = "hello"};
static struct ibv_mr *mr;

static void post_receive(struct ibv_qp *qp)
{
	struct ibv_sge sge = {(uintptr_t)memory.room, ROOM, mr->lkey};
	struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1}, *bad;

	must(errno = ibv_post_recv(qp, &wr, &bad), "receive");
}

static void post_send(struct ibv_qp *qp)
{
	struct ibv_sge sge = {(uintptr_t)memory.text, ROOM, mr->lkey};
	struct ibv_send_wr wr = {.sg_list = &sge,
				 .num_sge = 1,
				 .opcode = IBV_WR_SEND,
				 .send_flags = IBV_SEND_SIGNALED,
				 .wr_id = 1},
			   *bad;

	must(errno = ibv_post_send(qp, &wr, &bad), "send");
}

/* Sends one message, and returns whether it is there. */
static bool send_one(struct ibv_qp *from, struct ibv_qp *to, const char *mistake)
{
	bool early = !strcmp(mistake, "early"), there;

	memset(memory.room, 0, ROOM);
	if (strcmp(mistake, "no_receive"))
		post_receive(to);
	post_send(from);
	tutorial_good(tutorial_next(from->send_cq));
	if (!early)
		tutorial_good(tutorial_next(to->recv_cq));
	there = !strcmp(memory.room, memory.text);
	if (early)
		tutorial_good(tutorial_next(to->recv_cq));
	return there;
}

int main(int argc, char **argv)
{
	struct ibv_qp *from, *to;
	struct tutorial t;
	int there = 0;

	tutorial_start(&t);
	mr = tutorial_mr(&t, &memory, sizeof(memory), IBV_ACCESS_LOCAL_WRITE);
	from = tutorial_qp(&t, IBV_QPT_RC, tutorial_cq(&t));
	to = tutorial_qp(&t, IBV_QPT_RC, tutorial_cq(&t));
	tutorial_join(&t, from, to, &tutorial_usual);
	for (int i = 0; i < MESSAGES; i++)
		there += send_one(from, to, argc > 1 ? argv[1] : "");
	printf("%d of %d messages were there\n", there, MESSAGES);
	return there != MESSAGES;
}
