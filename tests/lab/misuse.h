/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs that misuse verbs, one for each rule of dvx-check, and their correct twins: misuse CASE
 * does it with two connected queue pairs. Cases whose name begins with "ok_" do it right.
 */
#ifndef TESTS_LAB_MISUSE_H
#define TESTS_LAB_MISUSE_H

#include <infiniband/mlx5dv.h>
#include <stdbool.h>
#include <stdint.h>
#include "tests/patience.h"
#include "tests/verbs/verbs_qp.h"

#define DEPTH		4u
#define BYTES		64u
#define PAGE		65536u

#define must(CONDITION) misuse_must(CONDITION, #CONDITION)
void misuse_must(bool holds, const char *what);

/* A sender and its receiver; the first half of the memory is sent, the second received into. */
struct pair {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_comp_channel *channel;
	struct ibv_cq *scq, *rcq;
	struct ibv_cq_ex *ex;
	struct ibv_qp *a, *b;
	uint8_t *out, *in;
};
extern struct pair p;
/* The kernel refuses the next request; this is called once it is done, as if by another thread. */
extern bool misuse_refuses;
extern void (*misuse_meanwhile)(void);

/* A last call would be a jump, and its place the caller's. */
void misuse_end(void);
void misuse_pd(void);
struct ibv_qp *misuse_qp(struct ibv_pd *pd, struct ibv_cq *scq);
void misuse_connect(struct ibv_qp *a, struct ibv_qp *b);
void misuse_open_cq(uint32_t cqe);
void misuse_open(void);
int misuse_post_at(struct ibv_qp *qp, enum ibv_wr_opcode opcode, unsigned int flags,
		   const void *from, uint32_t bytes, uint32_t lkey);
int misuse_post(enum ibv_wr_opcode opcode, unsigned int flags);
int misuse_receive_at(struct ibv_qp *qp, void *to, uint32_t lkey);
void misuse_receive(void);
struct ibv_wc misuse_poll(struct ibv_cq *cq);
void misuse_done(struct ibv_cq *cq);

/* The cases of a file, up to one without a name. */
struct misuse_case {
	const char *name;
	void (*run)(void);
};
#define MISUSE(name)        \
	{                   \
#name, name \
	}
extern const struct misuse_case misuse_memory[], misuse_depth[], misuse_extended[], misuse_events[],
	misuse_other[], misuse_device[], misuse_srq[];

#endif
