/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_CQ_H
#define SIM_OBJ_CQ_H

#include "obj.h"
#include "ring.h"

enum cq_state { CQ_OK = 0, CQ_OVERFLOW = 0x9, CQ_ERROR = 0xa }; /* cqc.status */

#define CQ_MAX_MINI_CQES 16 /* of a run of compressed CQEs */

struct cq_priv;

/*
 * A completion queue: its context and the device's position in it (queue/cq.c changes the
 * position).
 */
/* Bits of cq.special. */
#define CQ_COMPRESSES 1u /* cqc.cqe_comp_en */
#define CQ_HOLDS      2u /* a hostile device keeps the data of receives (queue/hostile.c) */

struct cq {
	struct obj o;
	struct ring ring;
	bus_t dbrec;	       /* ci, arm */
	struct dma_place dbrec_place;
	struct umem *dbr_umem; /* referenced, if the record lies in one */
	struct obj *uar_obj;   /* referenced */
	struct obj *eq;	       /* referenced */
	uint32_t uar;
	uint32_t eqn;
	uint8_t log_size;
	uint8_t cqe_log; /* 6: 64 bytes, 7: 128 */
	bool overrun_ignore;
	bool collapsed;		/* cqc.cc: every CQE goes to the first entry */
	uint8_t special;	/* what writing CQEs takes besides; usually 0 */
	uint8_t mini_format;	/* cqc.mini_cqe_res_format */
	/* the period is counted from the last CQE, not from the last event */
	bool period_from_cqe;
	bool solicited_breaks;	/* a solicited CQE ends the moderation at once */
	uint16_t period;	/* microseconds between events; 0: no limit */
	uint16_t max_count;	/* CQEs after which an event comes sooner; 0: no limit */
	uint8_t status;
	uint8_t arm_state; /* cqc.st */
	uint64_t pi;	   /* number of CQEs so far; the program's index is its low 24 bits */
	uint32_t made;	   /* CQEs that are not written yet: the last ones before pi */
	uint32_t ci;	   /* last value read from the record, 24 bits */
	uint32_t arm_seen; /* last word read from the arm record */
	/*
	 * Positions among all CQEs, like pi, because any number of CQEs may pass without an event.
	 */
	int64_t armed_ci;
	uint64_t notified_pi; /* only a CQE after this position raises the next event */
	bool armed, armed_solicited;
	/* position behind the last CQE that a solicited-only arm waits for */
	uint64_t solicited_pi;
	struct cq_priv *priv; /* private to the queue room */
	uint8_t cqc[64];      /* as CREATE_CQ set it, for QUERY_CQ */
};

#endif
