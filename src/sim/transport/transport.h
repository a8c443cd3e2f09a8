/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_TRANSPORT_H
#define SIM_TRANSPORT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <dvx/prm/qp.h>
#include "base/drops.h"

struct bth_packet;
struct dct;
struct queue;
struct send_wr;

/* A work request of each kind goes its own way through a transport. From SEND_READ on, a response
 * brings data. */
enum send_kind { SEND_MESSAGE, SEND_WRITE, SEND_LOCAL, SEND_READ, SEND_ATOMIC };

/* A data segment; inl: inline data, or NULL. */
struct data_seg {
	const uint8_t *inl;
	uint64_t len, addr;
	uint32_t lkey;
};

/* One send WQE that the queue has fetched. The transport keeps it until it is done, in order. */
struct send_wr {
	struct send_wr *next;
	uint8_t *wqe;	      /* a copy of the WQE's blocks */
	struct data_seg data; /* its only data segment, if `one` */
	uint64_t raddr;	      /* and rkey: if its opcode has them */
	uint32_t rkey;
	uint32_t imm;	/* as it stands in memory */
	uint64_t len;	/* of the message; from here on zeros when it is new */
	uint16_t index; /* wqe_counter of its CQE */
	uint8_t blocks;
	uint8_t ds;
	uint8_t data_at;  /* the first data segment, in units of 16 bytes */
	uint8_t raddr_at; /* the remote address, if it has one */
	uint8_t opcode, opmod;
	uint8_t kind;
	bool has_imm, signaled, solicited;
	bool one;	       /* data segment */
	bool fence;	       /* after earlier READs */
	bool strong;	       /* after all that came earlier */
	uint8_t error, vendor; /* a CQE syndrome known before it is sent */
	/* the transport's */
	uint32_t psn, npsn;
	uint32_t got; /* READ: response packets that came */
	bool numbered, asked, done;
	struct send_wr *after; /* DC: the one behind it in the SQ */
	bool left;	       /* DC: its connection is done with it */
	uint8_t inl;	   /* what came is in wqe, so many bytes, for the CQE */
	uint64_t progress; /* local operations, struct sender: bytes done */
	uint8_t small[192];
};

/* What a send WQE of one opcode may be. */
struct wqe_row {
	/* Segments behind the control segment, checked and read into the request; NULL: none. */
	void (*parse)(struct queue *, struct send_wr *);
	bool known, imm, inline_ok;
	uint8_t kind, min_ds;
	uint8_t data_at; /* the first data segment, in units of 16 bytes */
	uint8_t head;	 /* the transport's own segments behind the control segment, likewise */
};
typedef const struct wqe_row wqe_rows[256]; /* by opcode; one without a row is refused */

/* Fields of a qpc that go together. */
enum qp_field {
	QP_FIELD_PKEY = 1 << 0,
	QP_FIELD_PORT = 1 << 1,
	QP_FIELD_RRE = 1 << 2,
	QP_FIELD_RWE = 1 << 3,
	QP_FIELD_RAE = 1 << 4,
	QP_FIELD_PATH = 1 << 5,
	QP_FIELD_MTU = 1 << 6,	/* with log_msg_max */
	QP_FIELD_PEER = 1 << 7, /* remote_qpn, next_rcv_psn */
	QP_FIELD_RRA = 1 << 8,
	QP_FIELD_RNR_TIMER = 1 << 9,
	QP_FIELD_SEND_PSN = 1 << 10,
	QP_FIELD_SRA = 1 << 11,
	QP_FIELD_RETRY = 1 << 12,
	QP_FIELD_RNR_RETRY = 1 << 13,
	QP_FIELD_ACK_TIMEOUT = 1 << 14,
	QP_FIELD_IGNORED =
		1 << 15, /* taken, and means nothing here: one port, no migration, no counters */
	QP_FIELD_QKEY = 1 << 16,
	QP_FIELD_DRAIN = 1 << 17,
	QP_FIELD_COUNTER = 1 << 18,
	QP_FIELD_PD = 1 << 19, /* others have it from CREATE_QP */
	QP_FIELD_ACCESS = QP_FIELD_RRE | QP_FIELD_RWE | QP_FIELD_RAE,
};

/*
 * A change of a QP's state: from which states, and which fields of the context it takes. Whatever
 * has no row is prohibited: INIT to RTS, RTS back to INIT, anything but 2RST out of ERR...
 * [I] A bit of opt_param_mask that a change does not take is refused: kernel drivers mask such bits
 * away, which suggests that firmware does not ignore them.
 */
struct qp_change {
	uint16_t opcode;
	uint16_t from; /* bits of enum qp_state */
	uint8_t to;
	uint32_t must; /* enum qp_field */
	uint32_t may;  /* opt_param_mask bits */
};
/* Bits that every change takes. */
#define QP_OPT_ANY (PRM_QP_OPTPAR_LAG_TX_AFF | PRM_QP_OPTPAR_COUNTER_SET_ID)

/* Accesses that can't wait for pages of an mkey on demand: those that odp_cap leaves out. */
enum transport_pinned {
	PINNED_REQUESTS = 1, /* of this queue, and what they bring */
	PINNED_RECEIVES = 2, /* and what its peer asks for */
	PINNED_SHARED_RECEIVES = 4,
};

/*
 * A transport: what a queue does with its requests, and with packets that arrive for it. Rings,
 * CQEs and local operations are the queue's (queue/services.h).
 */
struct transport {
	const char *name;
	uint8_t st;	  /* qpc.st */
	bool kernel;	  /* of uid 0 alone */
	uint8_t bth_type; /* bits 7:5 of its packets' BTH.opcode */
	wqe_rows *wqe;
	const struct qp_change *changes;
	size_t nchanges;
	bool datagrams; /* each request has its own destination; anybody may send to the queue */
	uint8_t pinned; /* enum transport_pinned */
	/* A send queue asks for room in each turn: no call of sq_more() tells it. */
	bool polls_room;

	/* A queue's life; in between, its state changes. start: 0 or -ENOMEM. NULL: nothing to do. */
	int (*start)(struct queue *);
	void (*stop)(struct queue *);
	void (*rtr)(struct queue *);
	void (*rts)(struct queue *);
	void (*resume)(struct queue *); /* SQD -> RTS; or SQD, which may be drained already */
	/*
	 * Stops the connection; the requests that were not done come back, oldest first. With
	 * abort_sends, a failed request stops only these (SQER), and packets are received as
	 * before.
	 */
	struct send_wr *(*abort)(struct queue *);
	struct send_wr *(*abort_sends)(struct queue *);

	/* The PSNs of the next packets go into the queue pair's context. NULL: there are none. */
	void (*psns)(struct queue *);

	/* The requests that were not begun leave the connection, oldest first. NULL: it can't. */
	struct send_wr *(*unsent)(struct queue *);

	/*
	 * The queue's memory comes into the cache: of the connection; a step later, of what it
	 * names. NULL: there is nothing.
	 */
	void (*prefetch)(const struct queue *);
	void (*prefetch_peer)(const struct queue *);

	/* How many more requests the queue may post; one of them; those of this turn are posted. */
	unsigned int (*room)(const struct queue *);
	void (*post)(struct queue *, struct send_wr *);
	void (*posted)(struct queue *); /* NULL: nothing waits for it */

	/* A packet for this queue. */
	enum drop (*receive)(struct queue *, struct bth_packet *);
	/* In the scheduler's turn: acknowledgements that are due; a share of all else. */
	void (*answer)(struct queue *);
	bool (*run)(struct queue *); /* true: it did something */
	bool (*ready)(const struct queue *); /* it could go on at once */
	/* What it would send next is a response. NULL: it sends none. */
	bool (*responds)(const struct queue *);
};

#define TRANSPORT_UNREACHED 0xffu /* bth_type: no packet comes by the queue's number */

extern const struct transport transport_rc, transport_uc, transport_ud, transport_xrc,
	transport_dci, transport_qp1, transport_reg_umr, transport_raw;
/* Rows that connected transports have alike. */
#define WQE_SEND                                                                            \
	{                                                                                   \
		wqe_parse_data, true, .kind = SEND_MESSAGE, .min_ds = 1, .inline_ok = true, \
				      .data_at = 1                                          \
	}
#define WQE_SEND_IMM                                                                              \
	{                                                                                         \
		wqe_parse_data, true, true, .kind = SEND_MESSAGE, .min_ds = 1, .inline_ok = true, \
					    .data_at = 1                                          \
	}
#define WQE_WRITE                                                                          \
	{                                                                                  \
		wqe_parse_raddr, true, .kind = SEND_WRITE, .min_ds = 2, .inline_ok = true, \
				       .data_at = 2                                        \
	}
#define WQE_WRITE_IMM                                                                            \
	{                                                                                        \
		wqe_parse_raddr, true, true, .kind = SEND_WRITE, .min_ds = 2, .inline_ok = true, \
					     .data_at = 2                                        \
	}

/* Of all transports. */
#define WQE_CROSS                                                     \
	{                                                             \
		cross_parse, true, .kind = SEND_LOCAL, .min_ds = 2    \
	}
#define WQE_CROSS_ROWS                                                              \
	[PRM_WQE_OPCODE_WAIT] = WQE_CROSS, [PRM_WQE_OPCODE_SEND_EN] = WQE_CROSS,    \
	[PRM_WQE_OPCODE_RECV_EN] = WQE_CROSS

#define WQE_ATOMIC(parse)                                                   \
	{                                                                   \
		parse, true, .kind = SEND_ATOMIC, .min_ds = 3, .data_at = 3 \
	}

/* A failed channel of an initiator goes on. -EINVAL: it has not failed. */
int dci_reset_channel(struct queue *, uint16_t id);
/* A target (obj/dct.h): start is 0 or -ENOMEM. A drained one takes nothing any more. */
int dct_start(struct dct *);
void dct_drain(struct dct *);
void dct_stop(struct dct *);
/* A packet for it. */
enum drop dct_receive(struct dct *, struct bth_packet *);

/* By qpc.st; NULL: there is none. */
const struct transport *transport_find(uint8_t st);

#endif
