/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A first RC connection with verbs: two ends, each with its own objects, then SEND, WRITE and READ.
 * The page 01-first-connection.md reads it with you.
 *
 *	dvx-sim run -- ./first_rc		no NIC needed
 *	./first_rc				on a NIC
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/verbs.h>

enum { BYTES = 4096, NOTE = 1024 };

/* One end. Two programs have one each; here both are in one, so that there is one thing to start. */
struct end {
	const char *name;
	struct ibv_context *device;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	char *memory;
	uint64_t posted;
};

/* What an end must know of its peer. Two programs send it to each other, by a socket for example. */
struct card {
	uint32_t qp_number, first_psn;
	union ibv_gid gid;
	uint64_t address;
	uint32_t rkey;
};

static void must(int bad, const char *what, const char *hint)
{
	if (!bad)
		return;
	fprintf(stderr, "first_rc: %s: %s%s\n", what, strerror(errno), hint);
	exit(1);
}

static struct ibv_context *open_first(void)
{
	int n = 0;
	struct ibv_device **list = ibv_get_device_list(&n);
	struct ibv_context *device;

	if (!list || !n) {
		fprintf(stderr, "first_rc: no RDMA device here; without a NIC: dvx-sim run -- "
				"./first_rc\n");
		exit(1);
	}
	device = ibv_open_device(list[0]);
	must(!device, "open the device", "");
	ibv_free_device_list(list);
	return device;
}

static void make_objects(struct end *e, const char *name)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = {.max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1},
	};

	e->name = name;
	e->posted = 0;
	e->memory = aligned_alloc(BYTES, BYTES);
	must(!e->memory, "memory", "");
	memset(e->memory, 0, BYTES);
	e->device = open_first();
	e->pd = ibv_alloc_pd(e->device);
	must(!e->pd, "protection domain", "");
	e->mr = ibv_reg_mr(e->pd, e->memory, BYTES,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_READ);
	must(!e->mr, "memory region", " (ENOMEM is mostly the limit of locked memory: ulimit -l)");
	e->cq = ibv_create_cq(e->device, 16, NULL, NULL, 0);
	must(!e->cq, "completion queue", "");
	attr.send_cq = attr.recv_cq = e->cq;
	e->qp = ibv_create_qp(e->pd, &attr);
	must(!e->qp, "queue pair", "");
}

/* A RoCE v2 address of port 1: its index, for sending; the GID, for the peer. */
static uint32_t find_gid(struct ibv_context *device, union ibv_gid *gid)
{
	struct ibv_port_attr port;
	struct ibv_gid_entry entry;

	errno = ibv_query_port(device, 1, &port);
	must(errno, "query port 1", "");
	for (uint32_t i = 0; i < (uint32_t)port.gid_tbl_len; i++) {
		/* The table may have gaps: an address that went leaves one. */
		if (ibv_query_gid_ex(device, 1, i, &entry, 0) ||
		    entry.gid_type != IBV_GID_TYPE_ROCE_V2)
			continue;
		*gid = entry.gid;
		return i;
	}
	fprintf(stderr,
		"first_rc: port 1 has no RoCE v2 GID: is it up, has its interface an address?\n");
	exit(1);
}

static struct card write_card(const struct end *e)
{
	struct card c = {.qp_number = e->qp->qp_num,
			 .first_psn = 0x1000,
			 .address = (uintptr_t)e->memory,
			 .rkey = e->mr->rkey};

	find_gid(e->device, &c.gid);
	return c;
}

/* RST -> INIT -> RTR -> RTS: may be used, may receive, may send. */
static void to_init(struct end *e)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT,
				   .port_num = 1,
				   .qp_access_flags =
					   IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ};

	errno = ibv_modify_qp(e->qp, &attr,
			      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	must(errno, "RST to INIT", "");
}

static void to_rtr(struct end *e, const struct card *peer)
{
	union ibv_gid own;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = peer->qp_number,
		.rq_psn = peer->first_psn,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr = {.is_global = 1,
			    .port_num = 1,
			    .grh = {.dgid = peer->gid, .hop_limit = 64}},
	};

	attr.ah_attr.grh.sgid_index = (uint8_t)find_gid(e->device, &own);
	errno = ibv_modify_qp(e->qp, &attr,
			      IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				      IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				      IBV_QP_MIN_RNR_TIMER);
	must(errno, "INIT to RTR", "");
}

static void to_rts(struct end *e, const struct card *own)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTS,
				   .sq_psn = own->first_psn,
				   .timeout = 14,
				   .retry_cnt = 7,
				   .rnr_retry = 7,
				   .max_rd_atomic = 1};

	errno = ibv_modify_qp(e->qp, &attr,
			      IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				      IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
	must(errno, "RTR to RTS", "");
}

static void post_receive(struct end *e)
{
	struct ibv_sge room = {(uintptr_t)e->memory, NOTE, e->mr->lkey};
	struct ibv_recv_wr wr = {.wr_id = 100, .sg_list = &room, .num_sge = 1}, *bad;

	errno = ibv_post_recv(e->qp, &wr, &bad);
	must(errno, "post a receive", "");
}

/* SEND, WRITE and READ differ in two things: the opcode, and whether the peer's address is named. */
static void post(struct end *e, enum ibv_wr_opcode opcode, uint32_t bytes, const struct card *peer)
{
	struct ibv_sge piece = {(uintptr_t)e->memory + NOTE, bytes, e->mr->lkey};
	struct ibv_send_wr wr = {.wr_id = ++e->posted,
				 .sg_list = &piece,
				 .num_sge = 1,
				 .opcode = opcode,
				 .send_flags = IBV_SEND_SIGNALED},
			   *bad;

	if (opcode != IBV_WR_SEND) {
		wr.wr.rdma.remote_addr = peer->address + NOTE;
		wr.wr.rdma.rkey = peer->rkey;
	}
	errno = ibv_post_send(e->qp, &wr, &bad);
	must(errno, "post", "");
}

static uint32_t complete(struct end *e)
{
	struct ibv_wc wc;
	int n;

	while (!(n = ibv_poll_cq(e->cq, 1, &wc)))
		;
	must(n < 0, "poll", "");
	printf("  %s: completion of %s, wr_id %d: %s\n", e->name,
	       wc.opcode & IBV_WC_RECV ? "a receive" : "a request", (int)wc.wr_id,
	       ibv_wc_status_str(wc.status));
	if (wc.status != IBV_WC_SUCCESS)
		exit(1);
	return wc.byte_len;
}

static void use_connection(struct end *left, struct end *right, const struct card *of_right)
{
	uint32_t bytes;

	printf("SEND: the receiver says where it goes\n");
	post_receive(right);
	strcpy(left->memory + NOTE, "hello");
	post(left, IBV_WR_SEND, 6, of_right);
	complete(left);
	bytes = complete(right);
	printf("  right has \"%s\", %u bytes\n", right->memory, bytes);

	printf("RDMA WRITE: the sender says where it goes\n");
	strcpy(left->memory + NOTE, "written from the left");
	post(left, IBV_WR_RDMA_WRITE, 22, of_right);
	complete(left);
	printf("  right has \"%s\"\n", right->memory + NOTE);

	printf("RDMA READ: the reader says from where it comes\n");
	strcpy(right->memory + NOTE, "the right end's own words");
	post(left, IBV_WR_RDMA_READ, 26, of_right);
	complete(left);
	printf("  left has \"%s\"\n", left->memory + NOTE);
}

static void destroy(struct end *e)
{
	must(errno = ibv_destroy_qp(e->qp), "destroy the queue pair", "");
	must(errno = ibv_destroy_cq(e->cq), "destroy the completion queue", "");
	must(errno = ibv_dereg_mr(e->mr), "deregister", "");
	must(errno = ibv_dealloc_pd(e->pd), "free the protection domain", "");
	must(errno = ibv_close_device(e->device), "close", "");
	free(e->memory);
}

int main(void)
{
	struct end left, right;
	struct card of_left, of_right;

	make_objects(&left, "left");
	make_objects(&right, "right");
	of_left = write_card(&left);
	of_right = write_card(&right);
	to_init(&left);
	to_init(&right);
	to_rtr(&left, &of_right);
	to_rtr(&right, &of_left);
	to_rts(&left, &of_left);
	to_rts(&right, &of_right);
	printf("connected: QP 0x%x and QP 0x%x\n", of_left.qp_number, of_right.qp_number);
	use_connection(&left, &right, &of_right);
	destroy(&left);
	destroy(&right);
	return 0;
}
