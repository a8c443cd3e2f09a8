/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_VERBS_H
#define KERNEL_VERBS_H

/*
 * Objects of verbs that devx and flow use: DevX modifies queues by their handles, flows lead to
 * QPs.
 */
#include <stdbool.h>
#include <stdint.h>
#include "kernel/core/events.h"
#include "kernel/core/room.h"
#include "kernel/core/uobj.h"

struct fs_rule;

/* rates.c: rows of the function's table of send rates. */
#define UID_SHARED 0xffffu /* uid of a row that all user contexts may use */
struct rate_request {
	uint8_t ctx[48]; /* PRM set_pp_rate_limit_context */
	bool dedicated;	 /* a row that is not shared */
};
/* Takes a row: 0, -EINVAL outside the device's range, -ENOSPC, -EOPNOTSUPP or -ENOMEM. */
int rate_get(struct uverbs_file *, const struct rate_request *, uint16_t *index);
void rate_put(struct uverbs_file *, uint16_t index); /* 0: does nothing */

extern const struct uobj_class pd_class;

/* A queue: a CQ, QP, SRQ or WQ. */
struct uverbs_queue {
	struct uobj u;
	struct hw_ref hw;
	uint64_t user_handle;  /* names it in events */
	struct channel *async; /* NULL: no events */
};

struct uverbs_cq {
	struct uverbs_queue q;
	uint32_t cqe;
	uint32_t cqe_size;
	uint8_t cqe_sz;	      /* cqe_size as in cqc */
	uint8_t ts_requested; /* PRM ts_format of the queues on this CQ; DEFAULT: any */
	struct channel *comp;
};
extern const struct uobj_class cq_class;
/* Returns 1 if a completion event is unread, 0 if none is, -1 without a channel. */
int uverbs_cq_unread(const struct uverbs_cq *);
/*
 * Chooses the timestamp format of a queue on this CQ; the device has these formats (enum
 * ts_formats) for such queues. 0 or -EOPNOTSUPP
 */
int cq_ts_format(const struct uverbs_cq *, uint8_t formats, const char *method, uint8_t *out);

struct uverbs_qp {
	struct uverbs_queue q;
	struct uobj *pd;
	struct uverbs_cq *scq, *rcq;
	struct uverbs_srq *srq;	   /* NULL: the QP has an RQ or receives nothing */
	uint8_t type;		   /* IB_UVERBS_QPT_*, QP_TYPE_DCI or QP_TYPE_DCT */
	struct xrc_target *target; /* XRC_TGT: state shared by its handles (qp.h) */
	struct uverbs_xrcd *xrcd;  /* XRC_TGT: handle of its domain */
	uint8_t *dct;		   /* a DC target's CREATE_DCT (qp.h) */
	uint8_t state;		   /* IB_QPS_* */
	uint8_t port;
	uint8_t access; /* requested access: with dest_rd gives rre and rae */
	uint8_t dest_rd;
	bool sig_all;
	uint32_t ece;	      /* ECE options, as requested, then as the firmware returned them */
	struct mcast *groups; /* joined groups (uverbs_mcast.c) */
	uint32_t max_inline;
	uint32_t rq_wr, rq_sge; /* capacity of the RQ */
	bus_t dbrec;
	/* Firmware objects of a raw packet QP; 0: none. */
	struct {
		bool on;
		uint32_t tisn, sqn, rqn, tirn;
		uint64_t tir_icm;
		struct fs_rule *lead;	    /* leads to a vport; NULL: none */
		uint8_t sq_state, rq_state; /* as mlx5_ib has seen them last */
		uint16_t rate;		    /* the SQ's row of the rate table */
		struct hw_ref rq_hw;
		struct uverbs_wq_table *table; /* RSS: the QP only has a TIR */
	} raw;
};
extern const struct uobj_class qp_class;

struct uverbs_srq {
	struct uverbs_queue q;
	uint32_t max_wr, max_sge;
	struct uobj *pd;
	struct uverbs_xrcd *xrcd; /* XRC SRQ; NULL: an RMP */
	struct uverbs_cq *cq;	  /* XRC SRQ */
};
extern const struct uobj_class srq_class;

/* Receive WQs and tables of them, which RSS QPs use (uverbs_wq.c). */
struct uverbs_wq {
	struct uverbs_queue q;
	struct uobj *pd;
	struct uverbs_cq *cq;
	uint8_t state; /* enum ib_wq_state */
};
extern const struct uobj_class wq_class;

struct uverbs_wq_table {
	struct uobj u;
	uint32_t n;
	struct uverbs_wq **wq;
};
extern const struct uobj_class wq_table_class;

#endif
