/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_VERBS_QP_H
#define KERNEL_VERBS_QP_H

/* Queue pairs: their types and states, their creation, and the kinds that differ from the rest. */
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <dvx/prm/qp.h>
#include "kernel/core/pages.h"
#include "uverbs/ib_qp.h"
#include "priv.h"

/* mlx5_ib's types within IB_UVERBS_QPT_DRIVER; ib_core does not use these numbers. */
enum { QP_TYPE_DCI = 0xfd, QP_TYPE_DCT = 0xfe };

#define O_ACCESS (PRM_QP_OPTPAR_RRE | PRM_QP_OPTPAR_RAE | PRM_QP_OPTPAR_RWE)

/* A transition of ib_core's table; all others are refused. */
struct qp_transition {
	uint8_t from, to;
	uint16_t opcode;
	uint32_t need, may; /* attributes besides A_STATE */
	uint32_t optpar;    /* optional parameters that the command takes */
};

/* A type of QPs that have a qpc. */
struct qp_type {
	uint8_t ib; /* enum ib_uverbs_qp_type */
	uint8_t st; /* qpc.st */
	const struct qp_transition *transitions;
	unsigned int n;
};

/* Finds a type. NULL: the device does not have it. */
const struct qp_type *qp_type_find(uint64_t ib);
const struct qp_transition *qp_type_transition(const struct qp_type *, unsigned int from,
					       unsigned int to);

/* Writes the names of the bits of an attr_mask to text, and returns text. */
#define ATTR_NAMES 512
const char *qp_attr_names(uint32_t mask, char text[ATTR_NAMES]);
/*
 * Checks an attr_mask: -EINVAL with a sentence if `need` is incomplete, or more than `may` is set.
 */
int qp_attr_check(const char *change, uint32_t mask, uint32_t need, uint32_t may);

/* --- creation ------------------------------------------------------------------------------- */

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

/* --- DC targets ----------------------------------------------------------------------------- */

/*
 * DC targets, as in mlx5_ib: verbs has a queue pair, for which the firmware makes an object at the
 * change to RTR. Until then its context is gathered in qp->dct.
 */
int dct_plan_check(const struct qp_plan *);
int dct_qp_create(struct uverbs_qp *, const struct qp_plan *);
int dct_qp_destroy(struct uverbs_qp *);
int dct_qp_modify(struct uverbs_qp *, const struct ib_uverbs_modify_qp *,
		  const struct uverbs_attr *uhw_out);
int dct_qp_query(struct uverbs_qp *, uint32_t mask, struct ib_uverbs_query_qp_resp *);

/* --- raw packets ---------------------------------------------------------------------------- */

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

/* --- XRC ------------------------------------------------------------------------------------ */

/*
 * XRC domains, as in ib_uverbs: a domain for each file (inode) that programs named, with a handle
 * for each program that opened it. The last handle destroys the domain. Its firmware objects have
 * uid 0, so that programs share them.
 */
struct xrcd {
	struct xrcd *next; /* in the function's list */
	uint64_t ino;
	uint64_t dev;	     /* identifies the file, together with ino */
	int file;	     /* held open, so that no other file gets the inode; -1: none */
	uint32_t xrcdn, pdn; /* pdn: a PD without memory, for targets */
	uint32_t handles;
	struct xrc_target *targets;
};

struct uverbs_xrcd {
	struct uobj u;
	struct xrcd *domain;
};
extern const struct uobj_class xrcd_class;

/*
 * A target queue pair. Each program that created or opened it has a handle; the last destroys it.
 */
struct xrc_target {
	struct xrc_target *next;
	struct xrcd *domain;
	uint32_t qpn, handles;
	uint8_t state, access, dest_rd;
};

bool xrc_is(uint64_t qp_type); /* IB_UVERBS_QPT_XRC_* */
int xrc_target_create(struct uverbs_qp *, const struct qp_plan *);
int xrc_target_destroy(struct uverbs_qp *);
/* Copy the shared state to a handle's QP before a change, and back after it. */
void xrc_target_load(struct uverbs_qp *);
void xrc_target_store(const struct uverbs_qp *);
/* Completes a handle for a target that exists: the last step of creation. */
void uverbs_qp_join(struct uverbs_qp *, struct uverbs_xrcd *, struct channel *async);

write_fn wcmd_open_xrcd, wcmd_open_qp;

#endif
