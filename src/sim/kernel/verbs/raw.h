/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_VERBS_RAW_H
#define KERNEL_VERBS_RAW_H

#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include "qp_plan.h"

/* Strides of a receive: size and number. wq.log_wqe_num_of_strides is 0 for 512. */
#define RAW_LOG_STRIDE_LEAST  6u
#define RAW_LOG_STRIDE_MOST   13u
#define RAW_LOG_STRIDES_0     9u
#define RAW_LOG_STRIDES_LEAST 3u /* with cap.ext_stride_num_range */
#define RAW_LOG_STRIDES_MOST  16u

/* A receive queue, which mlx5_ib makes for QPs and WQs in the same way. */
struct rq_plan {
	const char *method;
	const struct uverbs_cq *cq;
	uint32_t pdn, user_index, count, log_stride;
	bool strip_vlan;
	struct rq_strides {
		uint32_t log_bytes, log_strides; /* 0: an entry receives one packet */
		bool shift;
	} strides;
	uint64_t db_addr;
	const struct pages *pages;
};
int raw_rq_create(struct uverbs_file *, const struct rq_plan *, uint32_t *rqn);
/* Runs MODIFY_RQ. States are PRM rqc_state; select: bits of modify_bitmask. */
int raw_rq_modify(struct uverbs_file *, uint32_t rqn, uint8_t from, uint8_t to, uint64_t select,
		  bool strip_vlan);

/* Raw packet QPs (uverbs_raw.c) and RSS QPs (uverbs_rss.c): steps called by uverbs_qp.c. */
int raw_check_memory(struct uverbs_file *, struct qp_plan *);
int raw_qp_create(struct uverbs_qp *, const struct qp_plan *);
int raw_qp_destroy(struct uverbs_qp *);
/*
 * MODIFY_QP of a raw packet QP. rate is used with IB_QP_RATE_LIMIT; rate_limit 0 removes the limit.
 */
struct raw_change {
	const struct ib_uverbs_modify_qp *m;
	struct rate_request rate;
};
#define RAW_RATE_LIMIT (1u << 25) /* IB_QP_RATE_LIMIT */
int raw_qp_modify(struct uverbs_qp *, const struct raw_change *);
int raw_qp_query(struct uverbs_qp *, struct ib_uverbs_query_qp_resp *);
void raw_qp_answer(const struct uverbs_qp *, struct mlx5_ib_create_qp_resp *);
int rss_check(const struct qp_plan *);
int rss_qp_create(struct uverbs_qp *, const struct qp_plan *);
/* Runs the command CREATE_TIR. */
int raw_tir_create(struct uverbs_qp *, const void *in);

#endif
