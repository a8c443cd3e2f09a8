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
struct roce_packet;
struct send_wr;
struct vhca;

/* Kinds of requests, by how transports handle them. From SEND_READ on, a response brings data. */
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
	struct data_seg data; /* the only data segment, if `one` */
	uint64_t raddr;	      /* raddr and rkey: only if the opcode has them */
	uint32_t rkey;
	uint32_t imm;	/* as it is in memory */
	uint64_t len;	/* length of the message; a new request is zero from here on */
	uint16_t index; /* wqe_counter for its CQE */
	uint8_t blocks;
	uint8_t ds;
	uint8_t data_at;  /* where the first data segment is, in units of 16 bytes */
	uint8_t raddr_at; /* where the remote address is, if there is one */
	uint8_t opcode, opmod;
	uint8_t kind;
	bool has_imm, signaled, solicited;
	bool one;	       /* it has exactly one data segment */
	bool fence;	       /* waits for earlier READs */
	bool strong;	       /* waits for all earlier requests */
	bool rule_failed;      /* it completes so, and the queue goes on: queue/rule.c */
	uint8_t error, vendor; /* error found before the request is sent */
	/* used by the transport */
	uint32_t psn, npsn;
	uint32_t got; /* READ: response packets received */
	bool numbered, asked, done;
	struct send_wr *after; /* DC: the next request in the SQ */
	bool left;	       /* DC: the connection is done with it */
	uint8_t inl;	       /* bytes of a response that lie in wqe, for the CQE */
	uint64_t progress;     /* bytes done, of a local operation or of struct sender */
	uint8_t small[192];
};

/* Format of send WQEs of one opcode. */
struct wqe_row {
	/* Checks the segments behind the control segment and reads them; NULL: there are none. */
	void (*parse)(struct queue *, struct send_wr *);
	bool known, imm, inline_ok;
	uint8_t kind, min_ds;
	uint8_t data_at; /* where the first data segment is, in units of 16 bytes */
	uint8_t head;	 /* size of the transport's own segments, in the same units */
};
typedef const struct wqe_row wqe_rows[256]; /* by opcode; an opcode without a row is refused */

/* Groups of qpc fields. */
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
		1 << 15, /* accepted without effect: one port, no migration, no counters */
	QP_FIELD_QKEY = 1 << 16,
	QP_FIELD_DRAIN = 1 << 17,
	QP_FIELD_COUNTER = 1 << 18,
	QP_FIELD_PD = 1 << 19, /* other transports get the PD by CREATE_QP */
	QP_FIELD_ACCESS = QP_FIELD_RRE | QP_FIELD_RWE | QP_FIELD_RAE,
};

/*
 * A change of a QP's state: its start states, and the fields of the context that it takes. A change
 * without a row is prohibited: INIT to RTS, RTS back to INIT, anything but 2RST out of ERR... [I] A
 * bit of opt_param_mask that a change does not take is refused: kernel drivers mask such bits away,
 * which suggests that firmware does not ignore them.
 */
struct qp_change {
	uint16_t opcode;
	uint16_t from; /* bits of enum qp_state */
	uint8_t to;
	uint32_t must; /* enum qp_field */
	uint32_t may;  /* opt_param_mask bits */
};
/* opt_param_mask bits that every change takes. */
#define QP_OPT_ANY (PRM_QP_OPTPAR_LAG_TX_AFF | PRM_QP_OPTPAR_COUNTER_SET_ID)

/* Accesses that can't wait for pages of an on-demand mkey: those that odp_cap leaves out. */
enum transport_pinned {
	PINNED_REQUESTS = 1, /* this queue's requests, and their responses */
	PINNED_RECEIVES = 2, /* its receives, and its peer's requests */
	PINNED_SHARED_RECEIVES = 4,
};

/* Reasons why the oldest request of a queue waits, for lab/why.h. */
enum transport_why {
	TRANSPORT_READY,  /* for its turn, or there is none */
	TRANSPORT_ANSWER, /* for the peer: psn, used, retries, timeout */
	TRANSPORT_RNR,	  /* for the end of an RNR NAK's time: times */
};
struct transport_wait {
	enum transport_why why;
	bool refuses;		  /* the queue's last answer to its peer was an RNR NAK */
	bool here;		  /* the peer is on this chip */
	const struct queue *peer; /* NULL: it is elsewhere, or there is none */
	uint16_t wqe;
	uint8_t opcode;
	uint32_t psn, times;
	unsigned int used, retries;
	bool timeout; /* requests are sent again */
};

/*
 * A transport: how a queue handles its requests and the packets that arrive for it. Rings, CQEs and
 * local operations belong to the queue (queue/services.h).
 */
struct transport {
	const char *name;
	uint8_t st;	  /* qpc.st */
	bool kernel;	  /* only for uid 0 */
	uint8_t bth_type; /* bits 7:5 of its packets' BTH.opcode */
	wqe_rows *wqe;
	const struct qp_change *changes;
	size_t nchanges;
	bool datagrams; /* requests have destinations; any sender may send to the queue */
	uint8_t pinned; /* enum transport_pinned */
	/* The queue asks for room in each turn instead of waiting for sq_more(). */
	bool polls_room;

	/*
	 * Begin and end a queue's life, around its states. start: 0 or -ENOMEM. NULL: nothing to
	 * do.
	 */
	int (*start)(struct queue *);
	void (*stop)(struct queue *);
	void (*rtr)(struct queue *);
	void (*rts)(struct queue *);
	void (*resume)(struct queue *); /* SQD -> RTS; or to SQD, maybe drained already */
	/*
	 * Stops the connection; returns the requests that are not done, oldest first. With
	 * abort_sends, a failed request stops only requests (SQER); packets are still received.
	 */
	struct send_wr *(*abort)(struct queue *);
	struct send_wr *(*abort_sends)(struct queue *);

	/* Copies the next packets' PSNs into the queue pair's context. NULL: it has none. */
	void (*psns)(struct queue *);

	/* Takes back the requests not begun, oldest first. NULL: it can't. */
	struct send_wr *(*unsent)(struct queue *);

	/*
	 * Prefetch the queue's memory: first the connection; one step later, what it points to.
	 * NULL: nothing to prefetch.
	 */
	void (*prefetch)(const struct queue *);
	void (*prefetch_peer)(const struct queue *);

	/* Return the room for requests; post one; end this turn's posts. */
	unsigned int (*room)(const struct queue *);
	void (*post)(struct queue *, struct send_wr *);
	void (*posted)(struct queue *); /* NULL: nothing waits for it */

	/* Handles a packet for this queue. */
	enum drop (*receive)(struct queue *, struct bth_packet *);
	/* Called in the scheduler's turn: send due acknowledgements; a share of all else. */
	void (*answer)(struct queue *);
	bool (*run)(struct queue *);	     /* true if it did something */
	bool (*ready)(const struct queue *); /* true if it could continue at once */
	/* Returns whether it would send a response next. NULL: it sends none. */
	bool (*responds)(const struct queue *);
	/* Fills in what the queue waits for; nothing is set before. NULL: it can't say. */
	void (*waits)(const struct queue *, struct transport_wait *);
};

#define TRANSPORT_UNREACHED 0xffu /* bth_type: no packet comes by the queue's number */

extern const struct transport transport_rc, transport_uc, transport_ud, transport_xrc,
	transport_dci, transport_qp1, transport_reg_umr, transport_raw;
/* Rows that all connected transports have. */
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

/* Rows that all transports have. */
#define WQE_CROSS                                                  \
	{                                                          \
		cross_parse, true, .kind = SEND_LOCAL, .min_ds = 2 \
	}
#define WQE_CROSS_ROWS                                                           \
	[PRM_WQE_OPCODE_WAIT] = WQE_CROSS, [PRM_WQE_OPCODE_SEND_EN] = WQE_CROSS, \
	[PRM_WQE_OPCODE_RECV_EN] = WQE_CROSS

#define WQE_ATOMIC(parse)                                                   \
	{                                                                   \
		parse, true, .kind = SEND_ATOMIC, .min_ds = 3, .data_at = 3 \
	}

/* Resets a failed channel of an initiator. Returns -EINVAL if it has not failed. */
int dci_reset_channel(struct queue *, uint16_t id);
/* A target (obj/dct.h). dct_start() returns 0 or -ENOMEM. A drained target accepts nothing more. */
int dct_start(struct dct *);
void dct_drain(struct dct *);
void dct_stop(struct dct *);
/* Handles a packet for the target. */
enum drop dct_receive(struct dct *, struct bth_packet *);

/* Returns the transport of a qpc.st, or NULL. */
const struct transport *transport_find(uint8_t st);
/* Passes a packet for this function to its QP's transport. */
void transport_receive(struct vhca *, const struct roce_packet *);

#endif
