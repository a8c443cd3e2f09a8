/* SPDX-License-Identifier: BSD-2-Clause */
/* An RC QP that is connected to itself, through libibverbs. */
#ifndef TESTS_VERBS_SELF_H
#define TESTS_VERBS_SELF_H

#include "tests/test.h"
#include <infiniband/verbs.h>

#define SELF_DEPTH 16u
#define SELF_BYTES 65536u

struct self {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t *buf; /* sends come from the first half, receives go to the second */
};

/* Returns a QP of this context in RTS, connected to itself; it signals all requests. */
struct ibv_qp *self_qp(struct ibv_pd *, struct ibv_cq *send_cq, struct ibv_cq *recv_cq);
/* cmocka fixtures: *state is a struct self. */
int self_open(void **state);
int self_close(void **state);
#define FIXTURE_self(name) FIXTURE(name, struct self *s, self_open, self_close)
/* Posts an RDMA WRITE of the first bytes of buf. */
void self_write(struct self *, uint64_t wr_id, uint32_t len);
/* Posts a receive into the second half, and a SEND of the first bytes to it. */
void self_send(struct self *, struct ibv_qp *, uint64_t wr_id, uint32_t len);
/* Waits for a completion; fails after minutes. */
void self_poll(struct ibv_cq *, struct ibv_wc *);

#endif
