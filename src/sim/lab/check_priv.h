/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_LAB_CHECK_PRIV_H
#define SIM_LAB_CHECK_PRIV_H

#include "base/probe.h"
#include "check.h"
#include "why_priv.h"

/* A WQE that the device has read, by its first block. */
struct check_wqe {
	uint64_t hash;
	uint16_t index;
	uint8_t ds, blocks;
};

/* State of a queue or a CQ that the rules keep. */
struct check_state {
	struct check_state *next;
	const struct vhca *v;
	enum obj_type type;
	uint32_t id;
	uint64_t generation;
	uint64_t consumed[2];	/* of a CQ: CQEs consumed at the last arm, and at the one before */
	bool rings_next;	/* of a queue: its registers have the index behind the last WQE */
	struct check_wqe *wqes; /* of a queue: one for each block of its ring; or NULL */
	uint16_t first, behind; /* WQEs that are read and not complete */
};

struct check_rules {
	struct device *dev; /* NULL: not started */
	const struct why_sink *sink;
};
extern struct check_rules check __attribute__((visibility("hidden")));

/* Returns the object's state, which begins zeroed; NULL without memory. */
struct check_state *check_state_of(const struct obj *);

/* check_sq.c */
void check_sq_rung(uint32_t uar, uint64_t be_value);
void check_sent(const struct queue *, const struct send_wr *);
void check_sends_done(const struct vhca *, const uint8_t *cqe);
/* check_cq.c */
void check_cq_rung(uint32_t uar, uint64_t be_value);
void check_cq_filled(const struct cq *);
/* check_conn.c */
void check_connected(const struct qp *);
/* Compares what one end has outstanding with what the other takes. */
void check_rd_atomic(const struct qp *from, const struct qp *to);
void check_key_ended(const struct vhca *, uint32_t index);
void check_keys_forget(void);
/* Returns whether the key's region existed, and does not any more. */
bool check_key_is_old(const struct vhca *, uint32_t key);
/* Returns the queue pair on this chip to which this one is connected, or NULL. */
const struct qp *check_peer(const struct qp *);

#endif
