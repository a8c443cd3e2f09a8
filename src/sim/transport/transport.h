/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_TRANSPORT_H
#define SIM_TRANSPORT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bth_packet;
struct queue;
struct send_wr;

/* A work request of each kind goes its own way through a transport. */
enum send_kind { SEND_MESSAGE, SEND_WRITE, SEND_READ, SEND_LOCAL };

/* One send WQE that the queue has fetched. The transport keeps it until it is done, in order. */
struct send_wr {
	struct send_wr *next;
	uint8_t *wqe; /* a copy of the WQE, ds * 16 bytes */
	uint64_t len; /* of the message */
	uint64_t raddr;
	uint32_t rkey;
	uint32_t imm;	/* as it stands in memory */
	uint16_t index; /* wqe_counter of its CQE */
	uint8_t blocks;
	uint8_t ds;
	uint8_t data_at; /* the first data segment, in units of 16 bytes */
	uint8_t opcode, opmod;
	uint8_t kind;
	bool has_imm, signaled, solicited;
	bool fence;	       /* after earlier READs */
	bool strong;	       /* after all that came earlier */
	uint8_t error, vendor; /* a CQE syndrome known before it is sent */
	/* the transport's */
	uint32_t psn, npsn;
	uint32_t got; /* READ: response packets that came */
	bool numbered, asked, done;
	uint64_t progress; /* local operations: bytes done */
	uint8_t small[192];
};

/* What a send WQE of one opcode may be. */
struct wqe_row {
	/* Segments behind the control segment, checked and read into the request; NULL: none. */
	void (*parse)(struct queue *, struct send_wr *);
	bool known, imm, inline_ok;
	uint8_t kind, min_ds;
	uint8_t data_at; /* the first data segment, in units of 16 bytes */
};
typedef const struct wqe_row wqe_rows[256]; /* by opcode; one without a row is refused */

/*
 * A transport: what a queue does with its requests, and with packets that arrive for it. Rings,
 * CQEs and local operations are the queue's (queue/services.h).
 */
struct transport {
	const char *name;
	uint8_t st;	  /* qpc.st */
	uint8_t bth_type; /* bits 7:5 of its packets' BTH.opcode */
	wqe_rows *wqe;
	/* Nobody tells a send queue that there is room again: it asks in each turn. */
	bool polls_room;

	/* A queue's life; in between, its state changes. start: 0 or -ENOMEM. NULL: nothing to do. */
	int (*start)(struct queue *);
	void (*stop)(struct queue *);
	void (*rtr)(struct queue *);
	void (*rts)(struct queue *);
	void (*resume)(struct queue *); /* SQD -> RTS, or SQD: look whether it is drained */
	/* Stops the connection; the requests that were not done come back, oldest first. */
	struct send_wr *(*abort)(struct queue *);

	/* How many more requests the queue may post; one of them; those of this turn are posted. */
	unsigned int (*room)(const struct queue *);
	void (*post)(struct queue *, struct send_wr *);
	void (*posted)(struct queue *);

	/* A packet for this queue: NULL, or why it is dropped. */
	const char *(*receive)(struct queue *, struct bth_packet *);
	/* In the scheduler's turn: acknowledgements that are due; a share of all else. */
	void (*answer)(struct queue *);
	bool (*run)(struct queue *); /* true: it did something */
	bool (*ready)(const struct queue *); /* it could go on at once */
};

extern const struct transport transport_rc, transport_raw;
/* By qpc.st; NULL: there is none. */
const struct transport *transport_find(uint8_t st);

#endif
