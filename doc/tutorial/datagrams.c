/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Datagrams: a server with one UD queue pair answers clients that it did not know, by address handles.
 * Then what happens to datagrams that nobody can take.
 *
 *	dvx-sim run -- ./datagrams
 */
#include <arpa/inet.h>
#include "tutorial.h"

enum { CLIENTS = 2, ROOMS = 4, HEADER = 40, ROOM = HEADER + 64, KEY = 0x11ee7, LONG = 8192 };

struct end {
	const char *name;
	struct ibv_qp *qp;
	struct ibv_cq *sent, *received;
	struct ibv_mr *mr;
	char room[ROOMS][ROOM];
	char text[LONG];
};

static void post_room(struct end *e, uint64_t room)
{
	struct ibv_sge sge = {(uintptr_t)e->room[room], ROOM, e->mr->lkey};
	struct ibv_recv_wr wr = {.wr_id = room, .sg_list = &sge, .num_sge = 1}, *bad;

	must(errno = ibv_post_recv(e->qp, &wr, &bad), "receive");
}

/* No peer is named in any of the steps: a UD queue pair talks with all others. */
static void to_rts(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = KEY};

	errno = ibv_modify_qp(qp, &attr,
			      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
	must(errno, "RST to INIT");
	attr.qp_state = IBV_QPS_RTR;
	must(errno = ibv_modify_qp(qp, &attr, IBV_QP_STATE), "INIT to RTR");
	attr.qp_state = IBV_QPS_RTS;
	must(errno = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN), "RTR to RTS");
}

static void open_end(struct tutorial *t, struct end *e, const char *name, int rooms)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_UD,
		.cap = {.max_send_wr = 4,
			.max_recv_wr = ROOMS,
			.max_send_sge = 1,
			.max_recv_sge = 1},
	};

	e->name = name;
	attr.send_cq = e->sent = tutorial_cq(t);
	attr.recv_cq = e->received = tutorial_cq(t);
	e->qp = ibv_create_qp(t->pd, &attr);
	must(!e->qp, "queue pair");
	to_rts(e->qp);
	e->mr = tutorial_mr(t, e, sizeof *e, IBV_ACCESS_LOCAL_WRITE);
	for (uint64_t i = 0; i < (uint64_t)rooms; i++)
		post_room(e, i);
}

/* A handle says the way to a port; each request names the queue pair there. */
static struct ibv_ah *address(struct tutorial *t)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = 1,
		.grh = {.dgid = t->gid, .sgid_index = t->gid_index, .hop_limit = 64},
	};
	struct ibv_ah *ah = ibv_create_ah(t->pd, &attr);

	must(!ah, "address handle");
	return ah;
}

static enum ibv_wc_status send_bytes(struct end *e, struct ibv_ah *ah, uint32_t qp_number,
				     uint32_t key, uint32_t bytes)
{
	struct ibv_sge sge = {(uintptr_t)e->text, bytes, e->mr->lkey};
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.ud = {.ah = ah, .remote_qpn = qp_number, .remote_qkey = key},
	};
	struct ibv_send_wr *bad;

	must(errno = ibv_post_send(e->qp, &wr, &bad), "send");
	return tutorial_next(e->sent).status;
}

static enum ibv_wc_status say(struct end *e, struct ibv_ah *ah, uint32_t qp_number, uint32_t key,
			      const char *text)
{
	strcpy(e->text, text);
	return send_bytes(e, ah, qp_number, key, (uint32_t)strlen(text) + 1);
}

/*
 * The next datagram. In front of it is the IP header that it came with. Before an IPv4 header are 20
 * bytes of anything, so they cannot tell the version; mlx5 has it in wc.sl (2: IPv4).
 */
static struct ibv_wc hear(struct end *e)
{
	struct ibv_wc wc = tutorial_next(e->received);
	const char *room = e->room[wc.wr_id];
	const int v4 = (wc.sl & 3) == 2;
	char from[INET6_ADDRSTRLEN];

	inet_ntop(v4 ? AF_INET : AF_INET6, room + (v4 ? 32 : 8), from, sizeof from);
	printf("%s: \"%s\", %u bytes with the header, from QP 0x%x at %s\n", e->name, room + HEADER,
	       wc.byte_len, wc.src_qp, from);
	return wc;
}

/* The completion and the header say where to answer. */
static void answer(struct tutorial *t, struct end *server, struct ibv_wc *wc)
{
	struct ibv_grh *header = (void *)server->room[wc->wr_id];
	struct ibv_ah *ah = ibv_create_ah_from_wc(t->pd, wc, header, 1);

	must(!ah, "address handle of the sender");
	say(server, ah, wc->src_qp, KEY, "welcome");
	must(errno = ibv_destroy_ah(ah), "destroy the address handle");
}

static void lose(struct end *client, struct end *server, struct ibv_ah *ah)
{
	uint32_t to = server->qp->qp_num;

	printf("wrong Q_Key: the sender has \"%s\"\n",
	       ibv_wc_status_str(say(client, ah, to, KEY + 1, "wrong key")));
	printf("no such QP: the sender has \"%s\"\n",
	       ibv_wc_status_str(say(client, ah, 0xbad, KEY, "nobody")));
	say(client, ah, to, KEY, "right key");
	hear(server); /* the first one that came */
	say(client, ah, to, KEY, "last room");
	printf("no receive: the sender has \"%s\"\n",
	       ibv_wc_status_str(say(client, ah, to, KEY, "no room")));
	hear(server);
	post_room(server, 0);
	say(client, ah, to, KEY, "room again");
	hear(server);
}

static void too_long(struct end *client, struct end *server, struct ibv_ah *ah)
{
	uint32_t to = server->qp->qp_num;
	struct ibv_qp_attr attr;
	struct ibv_qp_init_attr init;

	printf("%d bytes: the sender has \"%s\"\n", LONG,
	       ibv_wc_status_str(send_bytes(client, ah, to, KEY, LONG)));
	must(errno = ibv_query_qp(client->qp, &attr, IBV_QP_STATE, &init), "query");
	printf("its queue pair is %s\n",
	       attr.qp_state == IBV_QPS_SQE ? "in the send queue error state" : "usable");
	attr.qp_state = IBV_QPS_RTS;
	must(errno = ibv_modify_qp(client->qp, &attr, IBV_QP_STATE), "back to RTS");
	post_room(server, 0);
	say(client, ah, to, KEY, "back");
	hear(server);
}

static void close_end(struct end *e)
{
	must(errno = ibv_destroy_qp(e->qp), "destroy the queue pair");
	must(errno = ibv_destroy_cq(e->sent), "destroy the completion queue");
	must(errno = ibv_destroy_cq(e->received), "destroy the completion queue");
	must(errno = ibv_dereg_mr(e->mr), "deregister");
}

int main(void)
{
	static struct end server, client[CLIENTS];
	struct tutorial t;
	struct ibv_ah *ah;

	tutorial_start(&t);
	ah = address(&t);
	open_end(&t, &server, "server", ROOMS);
	open_end(&t, &client[0], "client 0", 1);
	open_end(&t, &client[1], "client 1", 1);
	for (int i = 0; i < CLIENTS; i++) {
		struct ibv_wc wc;

		say(&client[i], ah, server.qp->qp_num, KEY, "hello");
		wc = hear(&server);
		answer(&t, &server, &wc);
		hear(&client[i]);
	}
	lose(&client[0], &server, ah);
	too_long(&client[0], &server, ah);
	for (int i = 0; i < CLIENTS; i++)
		close_end(&client[i]);
	close_end(&server);
	must(errno = ibv_destroy_ah(ah), "destroy the address handle");
	tutorial_close(&t);
	return 0;
}
