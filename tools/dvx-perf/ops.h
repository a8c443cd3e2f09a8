/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_OPS_H
#define DVX_PERF_OPS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The operations that can be measured. A new one is a row here and in ops.c, a case in each
 * engine's post, and its bit in `ops` of the engines and transports.
 */
enum perf_op {
	PERF_SEND,
	PERF_SEND_IMM,
	PERF_SEND_INVAL,
	PERF_WRITE,
	PERF_WRITE_IMM,
	PERF_READ,
	PERF_FAA,
	PERF_CAS,
	PERF_MASKED_FAA,
	PERF_MASKED_CAS,
	PERF_UMR,
	PERF_NOP,
	PERF_DMA,
	PERF_OPS
};

#define PERF_OP_BIT(op) (1u << (op))
#define PERF_ALL_OPS	(PERF_OP_BIT(PERF_OPS) - 1)

struct perf_op_row {
	const char *word; /* on the command line and in messages between the two ends */
	const char *name; /* in reports */
	bool bytes;	  /* it moves data */
	bool inlines;	  /* its data may lie in the WQE */
	bool receives;	  /* the peer has to post receives */
	uint32_t access;  /* rights that the peer has to grant: enum dvx_access */
	uint32_t only;	  /* its only size, 0: any size */
	bool windows;	  /* each message invalidates a window at the peer */
};
extern const struct perf_op_row perf_ops[PERF_OPS];

enum perf_transport_id { PERF_RC, PERF_UC, PERF_UD, PERF_DC, PERF_XRC, PERF_TRANSPORTS };

struct perf_transport {
	const char *name;
	enum perf_transport_id id;
	uint8_t qp_type; /* enum dvx_qp_type of the sending end */
	bool reliable;	 /* a completion means that the message has arrived */
	bool addressed;	 /* each message carries an address: the queues are not connected */
	bool pooled;	 /* receives are always shared, not only with --srq */
	uint8_t to_ds;	 /* segments of a message's address */
	uint32_t ops;	 /* PERF_OP_BIT() */
	uint32_t access; /* the rights that a peer can grant at all */
};
/* The last row has no name. */
extern const struct perf_transport perf_transports[];

#define PERF_SENDS	   (PERF_OP_BIT(PERF_SEND) | PERF_OP_BIT(PERF_SEND_IMM))
#define PERF_WRITES	   (PERF_OP_BIT(PERF_WRITE) | PERF_OP_BIT(PERF_WRITE_IMM))
#define PERF_PLAIN_ATOMICS (PERF_OP_BIT(PERF_FAA) | PERF_OP_BIT(PERF_CAS))
#define PERF_MASKED	   (PERF_OP_BIT(PERF_MASKED_FAA) | PERF_OP_BIT(PERF_MASKED_CAS))

#endif
