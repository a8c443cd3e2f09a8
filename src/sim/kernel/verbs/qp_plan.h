/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_VERBS_QP_PLAN_H
#define KERNEL_VERBS_QP_PLAN_H

#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include "kernel/core/pages.h"
#include "priv.h"

/* A checked request CREATE_QP (uverbs_qp_plan.c). */
struct qp_plan {
	uint64_t type; /* IB_UVERBS_QPT_* */
	union {
		struct mlx5_ib_create_qp u;
		struct mlx5_ib_create_qp_rss rss; /* if table is set */
	};
	struct ib_uverbs_qp_cap cap;
	uint64_t flags;
	struct uobj *pd;
	struct uverbs_cq *scq, *rcq;
	struct uverbs_srq *srq;
	struct uverbs_xrcd *xrcd; /* for XRC targets */
	struct uverbs_wq_table *table;
	struct channel *async;
	uint32_t rq_count, sq_count; /* 0: none */
	struct pages pages;	     /* the ring's; for raw packets the RQ's */
	struct pages sq_pages;
};

int uverbs_qp_make_plan(struct uverbs_file *, struct uverbs_request *, struct qp_plan *);

#endif
