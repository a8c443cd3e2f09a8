/* SPDX-License-Identifier: BSD-2-Clause */
/* A device with a queue for the scenes of share.c, in memory that a scene chooses. */
#ifndef TESTS_SHARE_RIG_H
#define TESTS_SHARE_RIG_H

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include "share_mem.h"

/* Memory of records, in the first page, and of rings, in the pages behind it. */
struct arena {
	char *at;
	size_t used;
};

struct rig {
	struct ibv_context *ctx;
	struct ibv_pd *pd, *domain;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
};

/* Opens it; its queues are in the arena, or where libmlx5 puts them without one. */
void rig_open(struct rig *r, struct arena *a);
struct ibv_qp *rig_qp(const struct rig *r);
/* Connects a queue to itself. */
void rig_connect(struct rig *r);
struct ibv_mr *rig_reg(const struct rig *r, void *at, size_t len);
void rig_post(struct rig *r, enum ibv_wr_opcode op, void *at, uint32_t lkey, size_t len,
	      void *remote, uint32_t rkey, bool signaled);
void rig_done(struct rig *r);
void rig_write(struct rig *r, void *from, uint32_t lkey, void *to, uint32_t rkey, size_t len);
void rig_close(struct rig *r);

#endif
