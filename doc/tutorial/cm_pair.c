/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two programs connect by RDMA_CM, an IP address and a port, and print each event of it. Read with
 * 02-rdma-cm.md.
 *
 *	dvx-sim up lab
 *	dvx-sim exec lab -- ./cm_pair serve 7471 &
 *	dvx-sim exec lab -- ./cm_pair call 127.0.0.1 7471
 */
#include <endian.h>
#include <netdb.h>
#include <rdma/rdma_cma.h>
#include "tutorial.h"

enum { BYTES = 4096, INBOX = 2048, WAIT_MS = 2000 };

static _Alignas(4096) char memory[BYTES];

/* What the server tells the client of its memory, in the private data of its answer. */
struct offer {
	uint64_t address;
	uint32_t rkey;
};

static struct side {
	const char *name;
	struct rdma_event_channel *events;
	struct rdma_cm_id *id;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	struct offer theirs;
} side;

/* The next event must be this one. It is printed, and acknowledged: that frees what belongs to it. */
static struct rdma_cm_id *expect(enum rdma_cm_event_type type)
{
	struct rdma_cm_event *e;
	struct rdma_cm_id *id;

	must(rdma_get_cm_event(side.events, &e), "event");
	printf("%s: %s\n", side.name, rdma_event_str(e->event));
	if (e->event != type) {
		fprintf(stderr, "%s: status %d, wanted %s\n", side.name, e->status,
			rdma_event_str(type));
		exit(1);
	}
	if (e->param.conn.private_data_len >= sizeof(side.theirs))
		memcpy(&side.theirs, e->param.conn.private_data, sizeof(side.theirs));
	id = e->id;
	must(rdma_ack_cm_event(e), "acknowledge");
	return id;
}

/* On the device that RDMA_CM has found. It moves the QP through its states by itself. */
static void make_queue(void)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = {.max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1},
	};
	struct ibv_sge room = {(uintptr_t)memory + INBOX, BYTES - INBOX, 0};
	struct ibv_recv_wr wr = {.sg_list = &room, .num_sge = 1}, *bad;

	side.cq = ibv_create_cq(side.id->verbs, 16, NULL, NULL, 0);
	must(!side.cq, "completion queue");
	attr.send_cq = attr.recv_cq = side.cq;
	must(rdma_create_qp(side.id, NULL, &attr), "queue pair");
	side.mr = ibv_reg_mr(side.id->pd, memory, BYTES,
			     IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	must(!side.mr, "memory region");
	room.lkey = side.mr->lkey;
	/* Before the connection is made: the peer may send as soon as it is. */
	must(errno = ibv_post_recv(side.id->qp, &wr, &bad), "post a receive");
}

static void post(enum ibv_wr_opcode opcode, const char *text)
{
	struct ibv_sge piece = {(uintptr_t)memory, (uint32_t)strlen(text) + 1, side.mr->lkey};
	struct ibv_send_wr wr = {.sg_list = &piece,
				 .num_sge = 1,
				 .opcode = opcode,
				 .send_flags = IBV_SEND_SIGNALED,
				 .wr.rdma = {be64toh(side.theirs.address),
					     be32toh(side.theirs.rkey)}},
			   *bad;

	strcpy(memory, text);
	must(errno = ibv_post_send(side.id->qp, &wr, &bad), "post");
}

static void clean_up(void)
{
	rdma_destroy_qp(side.id);
	must(errno = ibv_dereg_mr(side.mr), "deregister");
	must(errno = ibv_destroy_cq(side.cq), "destroy the completion queue");
	must(rdma_destroy_id(side.id), "destroy the id");
}

static void serve(const char *port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
	struct rdma_conn_param param = {.responder_resources = 1, .rnr_retry_count = 7};
	struct rdma_cm_id *listener = side.id;
	struct offer offer;

	must(rdma_bind_addr(listener, (struct sockaddr *)&at), "bind");
	must(rdma_listen(listener, 4), "listen");
	printf("server: listens on port %d\n", ntohs(rdma_get_src_port(listener)));
	side.id = expect(RDMA_CM_EVENT_CONNECT_REQUEST);
	make_queue();
	offer = (struct offer){htobe64((uintptr_t)memory + INBOX / 2), htobe32(side.mr->rkey)};
	param.private_data = &offer;
	param.private_data_len = sizeof(offer);
	must(rdma_accept(side.id, &param), "accept");
	expect(RDMA_CM_EVENT_ESTABLISHED);
	/* The receive; what was written before the SEND is there, too. */
	tutorial_good(tutorial_next(side.cq));
	printf("server: written \"%s\", sent \"%s\"\n", memory + INBOX / 2, memory + INBOX);
	expect(RDMA_CM_EVENT_DISCONNECTED);
	must(rdma_disconnect(side.id), "disconnect");
	clean_up();
	must(rdma_destroy_id(listener), "destroy the listener");
}

static void call(const char *host, const char *port)
{
	struct rdma_conn_param param = {
		.initiator_depth = 1, .retry_count = 7, .rnr_retry_count = 7};
	struct addrinfo want = {.ai_family = AF_INET}, *at;
	int err = getaddrinfo(host, port, &want, &at);

	if (err) {
		fprintf(stderr, "%s: %s\n", host, gai_strerror(err));
		exit(1);
	}
	must(rdma_resolve_addr(side.id, NULL, at->ai_addr, WAIT_MS), "resolve the address");
	freeaddrinfo(at);
	expect(RDMA_CM_EVENT_ADDR_RESOLVED);
	printf("client: the way there is by %s\n", ibv_get_device_name(side.id->verbs->device));
	must(rdma_resolve_route(side.id, WAIT_MS), "resolve the route");
	expect(RDMA_CM_EVENT_ROUTE_RESOLVED);
	make_queue();
	must(rdma_connect(side.id, &param), "connect");
	expect(RDMA_CM_EVENT_ESTABLISHED);
	post(IBV_WR_RDMA_WRITE, "by its rkey");
	tutorial_good(tutorial_next(side.cq));
	post(IBV_WR_SEND, "by its queue");
	tutorial_good(tutorial_next(side.cq));
	must(rdma_disconnect(side.id), "disconnect");
	expect(RDMA_CM_EVENT_DISCONNECTED);
	clean_up();
}

int main(int argc, char **argv)
{
	const int calls = argc == 4 && !strcmp(argv[1], "call");

	if (!calls && (argc != 3 || strcmp(argv[1], "serve"))) {
		fprintf(stderr, "usage: cm_pair serve PORT | cm_pair call HOST PORT\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	side.name = calls ? "client" : "server";
	side.events = rdma_create_event_channel();
	must(!side.events,
	     "RDMA_CM (is rdma_ucm loaded? without a NIC: dvx-sim exec CHIP -- ./cm_pair)");
	must(rdma_create_id(side.events, &side.id, NULL, RDMA_PS_TCP), "id");
	if (calls)
		call(argv[2], argv[3]);
	else
		serve(argv[2]);
	rdma_destroy_event_channel(side.events);
	return 0;
}
