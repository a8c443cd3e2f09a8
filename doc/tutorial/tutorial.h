/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the tutorial's programs on verbs begin with: a device, its objects, connected queue pairs.
 * first_rc.c does the same step by step; read that first.
 */
#ifndef DOC_TUTORIAL_TUTORIAL_H
#define DOC_TUTORIAL_TUTORIAL_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/verbs.h>

struct tutorial {
	struct ibv_context *device;
	struct ibv_pd *pd;
	union ibv_gid gid; /* RoCE v2, of port 1 */
	uint8_t gid_index;
};

/* How a connection behaves. */
struct tutorial_link {
	unsigned int access; /* of the peer: IBV_ACCESS_REMOTE_... */
	uint8_t timeout, retries, rnr_retries;
	uint8_t reads; /* and atomics, at a time */
};

static const struct tutorial_link tutorial_usual = {
	IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ, 14, 7, 7, 4};

/* Verbs calls return NULL and set errno, or return an errno: must(!pointer, ...), must(errno = call(), ...). */
static inline void must(int bad, const char *what)
{
	if (!bad)
		return;
	fprintf(stderr, "%s: %s%s\n", what, strerror(errno),
		errno == ENOMEM ? " (mostly the limit of locked memory: ulimit -l)" : "");
	exit(1);
}

static inline struct ibv_context *tutorial_open(void)
{
	int n = 0;
	struct ibv_device **list = ibv_get_device_list(&n);
	struct ibv_context *device;

	if (!list || !n) {
		fprintf(stderr, "no RDMA device here; without a NIC: dvx-sim run -- PROGRAM\n");
		exit(1);
	}
	device = ibv_open_device(list[0]);
	must(!device, "open the device");
	ibv_free_device_list(list);
	return device;
}

/* What the device can do: programs ask before they begin, and say what it lacks. */
static inline struct ibv_device_attr tutorial_abilities(const struct tutorial *t)
{
	struct ibv_device_attr attr;

	must(errno = ibv_query_device(t->device, &attr), "query the device");
	return attr;
}

/* Places of port 1's GID table. Some may be empty: an address that went leaves a gap. */
static inline uint32_t tutorial_gid_places(struct tutorial *t)
{
	struct ibv_port_attr port;

	must(errno = ibv_query_port(t->device, 1, &port), "query port 1");
	return (uint32_t)port.gid_tbl_len;
}

static inline void tutorial_find_gid(struct tutorial *t)
{
	const uint32_t places = tutorial_gid_places(t);
	struct ibv_gid_entry entry;

	for (uint32_t i = 0; i < places; i++) {
		if (ibv_query_gid_ex(t->device, 1, i, &entry, 0) ||
		    entry.gid_type != IBV_GID_TYPE_ROCE_V2)
			continue;
		t->gid = entry.gid;
		t->gid_index = (uint8_t)i;
		return;
	}
	fprintf(stderr, "port 1 has no RoCE v2 GID: is it up, has its interface an address?\n");
	exit(1);
}

/* The first device and a protection domain. */
static inline void tutorial_begin(struct tutorial *t)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	t->device = tutorial_open();
	t->pd = ibv_alloc_pd(t->device);
	must(!t->pd, "protection domain");
}

/* These, and an address to connect by. */
static inline void tutorial_start(struct tutorial *t)
{
	tutorial_begin(t);
	tutorial_find_gid(t);
}

static inline struct ibv_cq *tutorial_cq(struct tutorial *t)
{
	struct ibv_cq *cq = ibv_create_cq(t->device, 64, NULL, NULL, 0);

	must(!cq, "completion queue");
	return cq;
}

static inline struct ibv_mr *tutorial_mr(struct tutorial *t, void *memory, size_t bytes,
					 unsigned int access)
{
	struct ibv_mr *mr = ibv_reg_mr(t->pd, memory, bytes, access);

	must(!mr, "memory region");
	return mr;
}

static inline struct ibv_qp *tutorial_qp(struct tutorial *t, enum ibv_qp_type type,
					 struct ibv_cq *cq)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = type,
		.send_cq = cq,
		.recv_cq = cq,
		.cap = {.max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 1, .max_recv_sge = 1},
	};
	struct ibv_qp *qp = ibv_create_qp(t->pd, &attr);

	must(!qp, "queue pair");
	return qp;
}

static inline void tutorial_to_init(struct ibv_qp *qp, const struct tutorial_link *link)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = link->access};

	errno = ibv_modify_qp(qp, &attr,
			      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	must(errno, "RST to INIT");
}

static inline void tutorial_to_rtr(struct tutorial *t, struct ibv_qp *qp, uint32_t peer,
				   const struct tutorial_link *link)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = peer,
		.max_dest_rd_atomic = link->reads,
		.min_rnr_timer = 12,
		.ah_attr = {.is_global = 1,
			    .port_num = 1,
			    .grh = {.dgid = t->gid, .sgid_index = t->gid_index, .hop_limit = 64}},
	};

	errno = ibv_modify_qp(qp, &attr,
			      IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				      IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				      IBV_QP_MIN_RNR_TIMER);
	must(errno, "INIT to RTR");
}

static inline void tutorial_to_rts(struct ibv_qp *qp, const struct tutorial_link *link)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTS,
				   .timeout = link->timeout,
				   .retry_cnt = link->retries,
				   .rnr_retry = link->rnr_retries,
				   .max_rd_atomic = link->reads};

	errno = ibv_modify_qp(qp, &attr,
			      IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				      IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
	must(errno, "RTR to RTS");
}

/* Connects two RC queue pairs of this program, which are in the reset state. */
static inline void tutorial_join(struct tutorial *t, struct ibv_qp *a, struct ibv_qp *b,
				 const struct tutorial_link *link)
{
	tutorial_to_init(a, link);
	tutorial_to_init(b, link);
	tutorial_to_rtr(t, a, b->qp_num, link);
	tutorial_to_rtr(t, b, a->qp_num, link);
	tutorial_to_rts(a, link);
	tutorial_to_rts(b, link);
}

/* The next completion, whatever became of the work. */
static inline struct ibv_wc tutorial_next(struct ibv_cq *cq)
{
	struct ibv_wc wc;
	int n;

	while (!(n = ibv_poll_cq(cq, 1, &wc)))
		;
	must(n < 0, "poll");
	return wc;
}

/* This completion must be a success. */
static inline struct ibv_wc tutorial_good(struct ibv_wc wc)
{
	if (wc.status == IBV_WC_SUCCESS)
		return wc;
	fprintf(stderr, "work request %d: %s\n", (int)wc.wr_id, ibv_wc_status_str(wc.status));
	exit(1);
}

static inline void tutorial_close(struct tutorial *t)
{
	must(errno = ibv_dealloc_pd(t->pd), "free the protection domain");
	must(errno = ibv_close_device(t->device), "close");
}

#endif
