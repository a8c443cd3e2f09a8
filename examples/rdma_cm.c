/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RC between two programs, connected by RDMA_CM: an IP address and a port in place of a socket. The
 * queue is libdvx's, so RDMA_CM only knows its number, and the program changes its states.
 *
 *	dvx-sim up nic
 *	dvx-sim exec nic -- ./rdma_cm 7471 &		the server; port 0: any, it is printed
 *	dvx-sim exec nic -- ./rdma_cm 7471 127.0.0.1	the client: it WRITEs, then SENDs
 */
#include <arpa/inet.h>
#include <rdma/rdma_cma.h>
#include "exchange.h"

enum { WAIT_MS = 5000 };

static _Alignas(4096) char memory[4096];

static struct end {
	struct rdma_event_channel *events;
	struct rdma_cm_id *id;
	struct example x;
	struct dvx_cq *cq;
	struct dvx_qp *qp;
	struct region mine, theirs;
} end;

static void cm(int failed, const char *what)
{
	if (!failed)
		return;
	perror(what);
	exit(1);
}

/* Waits for an event, which must be this one. Its data, if any, are the peer's region. */
static struct rdma_cm_id *expect(enum rdma_cm_event_type type)
{
	struct rdma_cm_event *e;
	struct rdma_cm_id *id;

	cm(rdma_get_cm_event(end.events, &e), "event");
	if (e->event != type) {
		fprintf(stderr, "%s (%d), not %s\n", rdma_event_str(e->event), e->status,
			rdma_event_str(type));
		exit(1);
	}
	if (e->param.conn.private_data_len >= sizeof(end.theirs))
		memcpy(&end.theirs, e->param.conn.private_data, sizeof(end.theirs));
	id = e->id;
	cm(rdma_ack_cm_event(e), "ack");
	return id;
}

/* Makes a queue on the device that RDMA_CM chose, and memory that the peer may write. */
static struct rdma_conn_param make_queue(void)
{
	example_open(&end.x, ibv_get_device_name(end.id->verbs->device));
	end.cq = example_cq(&end.x);
	end.qp = example_qp(&end.x, end.cq, 4);
	end.mine = (struct region){htobe64((uintptr_t)memory),
				   htobe32(example_key(&end.x, memory, sizeof(memory),
						       DVX_LOCAL_WRITE | DVX_REMOTE_WRITE)),
				   htobe32(sizeof(memory))};
	return (struct rdma_conn_param){.private_data = &end.mine,
					.private_data_len = sizeof(end.mine),
					.responder_resources = 4,
					.initiator_depth = 4,
					.retry_count = 7,
					.rnr_retry_count = 7,
					.qp_num = dvx_qp_number(end.qp)};
}

/* Connects the queue. RDMA_CM's values replace the defaults of dvx_qp_local_init(). */
static void connect_queue(void)
{
	static const enum ibv_qp_state states[] = {IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS};
	struct dvx_qp_local local = example_local(&end.x, 0);
	struct dvx_qp_peer peer = {.size = sizeof(peer)};
	struct dvx_sge room = {(uintptr_t)memory + 2048, 64, be32toh(end.mine.key)};

	for (int i = 0; i < 3; i++) {
		struct ibv_qp_attr attr = {.qp_state = states[i]};
		int mask;

		cm(rdma_init_qp_attr(end.id, &attr, &mask), "attributes");
		must(dvx_qp_sides_from_verbs(&attr, mask, &local, &peer), "attributes");
	}
	must(dvx_qp_connect(end.qp, &local, &peer), "connect");
	must(dvx_rq_post(dvx_qp_rq(end.qp), &room, 1, 1), "receive");
	dvx_rq_ring(dvx_qp_rq(end.qp));
}

static void serve(struct sockaddr_in *at)
{
	struct rdma_conn_param param;
	struct rdma_cm_id *listener = end.id;

	cm(rdma_bind_addr(listener, (struct sockaddr *)at) || rdma_listen(listener, 1), "listen");
	printf("server: port %u\n", ntohs(rdma_get_src_port(listener)));
	fflush(stdout);
	end.id = expect(RDMA_CM_EVENT_CONNECT_REQUEST);
	param = make_queue();
	connect_queue();
	cm(rdma_accept(end.id, &param), "accept");
	expect(RDMA_CM_EVENT_ESTABLISHED);
	example_wait(end.cq, 1); /* the WRITE before the SEND has arrived, too */
	printf("server: written \"%s\", sent \"%s\"\n", memory, memory + 2048);
	expect(RDMA_CM_EVENT_DISCONNECTED);
	cm(rdma_disconnect(end.id), "disconnect");
}

static void dial(struct sockaddr_in *at)
{
	struct rdma_conn_param param;
	struct dvx_sq *sq;

	cm(rdma_resolve_addr(end.id, NULL, (struct sockaddr *)at, WAIT_MS), "address");
	expect(RDMA_CM_EVENT_ADDR_RESOLVED);
	cm(rdma_resolve_route(end.id, WAIT_MS), "route");
	expect(RDMA_CM_EVENT_ROUTE_RESOLVED);
	param = make_queue();
	cm(rdma_connect(end.id, &param), "connect");
	expect(RDMA_CM_EVENT_CONNECT_RESPONSE); /* not ESTABLISHED: the queue is no verbs QP */
	connect_queue();
	cm(rdma_establish(end.id), "establish");
	sq = dvx_qp_sq(end.qp);
	must(dvx_post_write_inline(sq, be64toh(end.theirs.addr), be32toh(end.theirs.key),
				   "by its key", 11, 2, 0),
	     "write");
	must(dvx_post_send_inline(sq, "by its queue", 13, 3, DVX_SIGNALED), "send");
	dvx_sq_ring(sq);
	example_wait(end.cq, 3);
	printf("client: done\n");
	cm(rdma_disconnect(end.id), "disconnect");
	expect(RDMA_CM_EVENT_DISCONNECTED);
}

int main(int argc, char **argv)
{
	const char *port = argc > 1 ? argv[1] : "7471", *host = argc > 2 ? argv[2] : NULL;
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};

	cm(host && inet_pton(AF_INET, host, &at.sin_addr) != 1, "an IPv4 address");
	end.events = rdma_create_event_channel();
	cm(!end.events || rdma_create_id(end.events, &end.id, NULL, RDMA_PS_TCP), "RDMA_CM");
	host ? dial(&at) : serve(&at);
	return 0;
}
