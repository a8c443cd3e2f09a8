/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_VERBS_H
#define KERNEL_VERBS_H

/*
 * The verbs' own objects, as far as devx and flow refer to them: DevX modifies queues by their
 * handles, flows lead to QPs.
 */
#include <stdbool.h>
#include <stdint.h>
#include "kernel/core/events.h"
#include "kernel/core/room.h"
#include "kernel/core/uobj.h"

extern const struct kernel_room verbs_room;

/* Rows of the function's table of send rates (rates.c). */
#define UID_SHARED 0xffffu /* such a row serves every user context */
struct rate_wish {
	uint8_t ctx[48]; /* PRM set_pp_rate_limit_context */
	bool dedicated;	 /* a row for this program alone */
};
/* 0; -EINVAL: outside the device's range; -ENOSPC: the table is full; -EOPNOTSUPP, -ENOMEM. */
int rate_get(struct uverbs_file *, const struct rate_wish *, uint16_t *index);
void rate_put(struct uverbs_file *, uint16_t index); /* 0: none */

struct pd {
	struct uobj u;
	uint32_t pdn;
	uint16_t uid;
};
extern const struct uobj_class pd_class;

struct uverbs_cq {
	struct uobj u;
	struct hw_ref hw;
	uint32_t cqn;
	uint32_t cqe;
	uint32_t cqe_size;
	uint8_t cqe_sz; /* the same as cqc has it */
	uint8_t ts_requested; /* PRM's ts_format of the queues that complete here; DEFAULT: any */
	uint64_t user_handle;
	struct channel *comp, *async;
	uint32_t comp_events, async_events; /* sent so far */
};
extern const struct uobj_class cq_class;
/*
 * The clock of the timestamps of a kind of queue with these formats (enum ts_formats) that completes
 * in this CQ: 0, or -EOPNOTSUPP.
 */
int cq_ts_format(const struct uverbs_cq *, uint8_t formats, const char *method, uint8_t *out);

/* kernel_statistic() */
struct uverbs_statistic;
int qp_stat_ask(struct kernel *, struct uverbs_statistic *);
/* As kernel_resources(), after `n` rows before: how many there are then. */
size_t qp_stat_rows(struct kernel *, unsigned int function, size_t n, size_t first,
		    struct uverbs_resource *rows, size_t max);

struct uverbs_qp {
	struct uobj u;
	struct hw_ref hw;
	uint32_t qpn;
	uint64_t user_handle;
	struct pd *pd;
	struct uverbs_cq *scq, *rcq;
	struct uverbs_srq *srq; /* NULL: it has receives of its own, or none */
	struct channel *async;
	uint32_t async_events;
	uint16_t uid;
	uint8_t type;  /* IB_UVERBS_QPT_*, or a kind of driver's */
	struct xrc_target *target; /* XRC_TGT: what its handles share (xrc.h) */
	struct uverbs_xrcd *xrcd;  /* of the same file */
	uint8_t *dct;  /* a DC target's CREATE_DCT (dct.h) */
	uint8_t state; /* IB_QPS_* */
	uint8_t port;
	uint8_t access; /* atomic_rd_en, resp_depth: rre and rae follow from them */
	uint8_t dest_rd;
	bool sig_all;
	/* The statistics that it is bound to, and those that its context names; NULL: the port's. */
	struct qp_stat *stat, *stat_named;
	uint32_t ece; /* options of its connection: asked for, then what the firmware said */
	struct mcast *groups; /* that it joined (uverbs_mcast.c) */
	uint32_t max_inline;
	uint32_t rq_wr, rq_sge; /* what the ring holds */
	bus_t dbrec;
	/* Of a raw packet QP: its firmware objects; 0: it has none. */
	struct {
		bool on;
		uint32_t tisn, sqn, rqn, tirn;
		uint64_t tir_icm;
		uint8_t sq_state, rq_state; /* as far as mlx5_ib knows */
		uint16_t rate;		    /* of its SQ: a row of the rate table */
		struct hw_ref rq_hw;
		struct uverbs_wq_table *table; /* RSS: it only has a TIR */
	} raw;
};
extern const struct uobj_class qp_class;

struct uverbs_srq {
	struct uobj u;
	struct hw_ref hw;
	uint32_t srqn;
	uint32_t max_wr, max_sge;
	uint64_t user_handle;
	struct pd *pd;
	struct channel *async;
	uint32_t async_events;
	uint16_t uid;
	struct uverbs_xrcd *xrcd; /* NULL: an RMP, no XRC SRQ */
	struct uverbs_cq *cq;	  /* likewise */
};
extern const struct uobj_class srq_class;

/* A receive WQ, and a table of them: what RSS QPs are made of (uverbs_wq.c). */
struct uverbs_wq {
	struct uobj u;
	struct hw_ref hw;
	uint32_t rqn;
	uint64_t user_handle;
	struct pd *pd;
	struct uverbs_cq *cq;
	struct channel *async;
	uint32_t async_events;
	uint16_t uid;
	uint8_t state; /* enum ib_wq_state */
};
extern const struct uobj_class wq_class;

struct uverbs_wq_table {
	struct uobj u;
	uint32_t rqtn;
	uint16_t uid;
	uint32_t n;
	struct uverbs_wq **wq;
};
extern const struct uobj_class wq_table_class;

#endif
