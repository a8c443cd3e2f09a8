/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A multicast group: RDMA_CM says which address it has on this network, members get a copy each.
 * Read with 02-rdma-cm.md.
 *
 *	dvx-sim run -- ./cm_group 239.1.2.3
 */
#include <arpa/inet.h>
#include <rdma/rdma_cma.h>
#include "tutorial.h"

enum { MEMBERS = 3, GRH = 40, ROOM = 64, WAIT_MS = 2000 };

static struct member {
	struct rdma_cm_id *id;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	char memory[GRH + ROOM];
} members[MEMBERS];

static struct rdma_event_channel *events;
static struct sockaddr_in group = {.sin_family = AF_INET};

/* Where datagrams to the group go. */
static struct {
	struct ibv_ah_attr address;
	uint32_t qp_number, qkey;
} way;

static void expect(enum rdma_cm_event_type type)
{
	struct rdma_cm_event *e;

	must(rdma_get_cm_event(events, &e), "event");
	if (e->event != type) {
		fprintf(stderr, "%s, status %d\n", rdma_event_str(e->event), e->status);
		exit(1);
	}
	if (type == RDMA_CM_EVENT_MULTICAST_JOIN) {
		way.address = e->param.ud.ah_attr;
		way.qp_number = e->param.ud.qp_num;
		way.qkey = e->param.ud.qkey;
	}
	must(rdma_ack_cm_event(e), "acknowledge");
}

static void make_queue(struct member *m)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_UD,
		.cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1},
	};
	struct ibv_sge room = {(uintptr_t)m->memory, sizeof(m->memory), 0};
	struct ibv_recv_wr wr = {.sg_list = &room, .num_sge = 1}, *bad;

	m->cq = ibv_create_cq(m->id->verbs, 8, NULL, NULL, 0);
	must(!m->cq, "completion queue");
	attr.send_cq = attr.recv_cq = m->cq;
	must(rdma_create_qp(m->id, NULL, &attr), "queue pair");
	m->mr = ibv_reg_mr(m->id->pd, m->memory, sizeof(m->memory), IBV_ACCESS_LOCAL_WRITE);
	must(!m->mr, "memory region");
	room.lkey = m->mr->lkey;
	must(errno = ibv_post_recv(m->id->qp, &wr, &bad), "post a receive");
}

static void join(struct member *m)
{
	must(rdma_create_id(events, &m->id, m, RDMA_PS_UDP), "id");
	must(rdma_resolve_addr(m->id, NULL, (struct sockaddr *)&group, WAIT_MS), "resolve");
	expect(RDMA_CM_EVENT_ADDR_RESOLVED);
	make_queue(m);
	must(rdma_join_multicast(m->id, (struct sockaddr *)&group, m), "join");
	expect(RDMA_CM_EVENT_MULTICAST_JOIN);
}

static void send_to_all(struct member *m, const char *text)
{
	struct ibv_ah *ah = ibv_create_ah(m->id->pd, &way.address);
	struct ibv_sge piece = {(uintptr_t)text, (uint32_t)strlen(text) + 1, 0};
	struct ibv_send_wr wr = {.sg_list = &piece,
				 .num_sge = 1,
				 .opcode = IBV_WR_SEND,
				 .send_flags = IBV_SEND_INLINE | IBV_SEND_SIGNALED,
				 .wr.ud = {ah, way.qp_number, way.qkey}},
			   *bad;

	must(!ah, "address handle");
	must(errno = ibv_post_send(m->id->qp, &wr, &bad), "send");
	tutorial_good(tutorial_next(m->cq));
	must(errno = ibv_destroy_ah(ah), "destroy the address handle");
}

static void leave(struct member *m)
{
	must(rdma_leave_multicast(m->id, (struct sockaddr *)&group), "leave");
	rdma_destroy_qp(m->id);
	must(errno = ibv_dereg_mr(m->mr), "deregister");
	must(errno = ibv_destroy_cq(m->cq), "destroy the completion queue");
	must(rdma_destroy_id(m->id), "destroy the id");
}

int main(int argc, char **argv)
{
	char gid[INET6_ADDRSTRLEN];

	if (argc != 2 || inet_pton(AF_INET, argv[1], &group.sin_addr) != 1) {
		fprintf(stderr, "usage: cm_group IPV4-GROUP\n");
		return 2;
	}
	events = rdma_create_event_channel();
	must(!events, "RDMA_CM (is rdma_ucm loaded? without a NIC: dvx-sim run -- ./cm_group)");
	for (int i = 0; i < MEMBERS; i++)
		join(&members[i]);
	inet_ntop(AF_INET6, &way.address.grh.dgid, gid, sizeof(gid));
	printf("the group is GID %s, QP 0x%x, Q_Key 0x%x\n", gid, way.qp_number, way.qkey);
	send_to_all(&members[0], "to whom it concerns");
	for (int i = 1; i < MEMBERS; i++) {
		struct ibv_wc wc = tutorial_good(tutorial_next(members[i].cq));

		printf("member %d: %u bytes, of which %d are the GRH: \"%s\"\n", i, wc.byte_len,
		       GRH, members[i].memory + GRH);
	}
	for (int i = 0; i < MEMBERS; i++)
		leave(&members[i]);
	rdma_destroy_event_channel(events);
	return 0;
}
