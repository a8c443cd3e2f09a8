/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_NET_NET_H
#define SIM_NET_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame;
struct net;
struct qp;
struct device;

/*
 * The transport: RC requester and responder. It knows messages, packets and PSNs; WQEs, CQEs and
 * memory are dp's, reached through net_ops; wires are chip.c's choice, reached through net_port.
 */
enum send_kind { SEND_MESSAGE, SEND_WRITE, SEND_READ, SEND_LOCAL };

/* One work request that dp has fetched. net keeps it until it is done, in the SQ's order. */
struct send_wr {
	struct send_wr *next;
	uint8_t *wqe;      /* a copy of the WQE, ds * 16 bytes */
	uint64_t len;      /* of the message */
	uint64_t raddr;
	uint32_t rkey;
	uint32_t imm;      /* as it stands in memory */
	uint16_t index;    /* wqe_counter of its CQE */
	uint8_t blocks;
	uint8_t ds;
	uint8_t opcode, opmod;
	uint8_t kind;
	bool has_imm, signaled, solicited;
	bool fence;        /* after earlier READs */
	bool strong;       /* after all that came earlier */
	uint8_t error, vendor; /* a CQE syndrome known before it is sent */
	/* net's */
	uint32_t psn, npsn;
	uint32_t got;      /* READ: response packets that came */
	bool numbered, asked, done;
	uint64_t progress; /* local operations: bytes done */
	uint8_t small[192];
};

/* What a message left in a receive queue entry. */
struct recv_done {
	uint8_t opcode; /* PRM CQE opcode */
	bool solicited;
	uint32_t imm;   /* as it stood in the packet */
	uint64_t len;
	uint8_t syndrome; /* 0, or the error that ended it */
};

/* A transfer's result is 0 or the CQE syndrome that the side which owns the memory reports. */
struct net_ops {
	uint8_t (*gather)(struct qp *, const struct send_wr *, uint64_t off, size_t len, void *to);
	uint8_t (*scatter)(struct qp *, const struct send_wr *, uint64_t off, size_t len,
			   const void *from);
	/* One bounded step of a local operation: 0 done, NET_AGAIN, or a syndrome. */
	int (*local)(struct qp *, struct send_wr *);
	/* All of a WRITE or READ whose peer is this queue; false: nothing was done. */
	bool (*self)(struct qp *, struct send_wr *);
	/* In SQ order; net gives the request back. The second one ends with the QP in ERR. */
	void (*send_done)(struct qp *, struct send_wr *);
	void (*send_failed)(struct qp *, struct send_wr *, uint8_t syndrome, uint8_t vendor);
	/* There is room for more requests: fetch and net_post() them. */
	void (*more)(struct qp *);
	/* The oldest receive entry for one message: true, or false (none: RNR). */
	bool (*recv_start)(struct qp *);
	uint8_t (*recv_scatter)(struct qp *, uint64_t off, size_t len, const void *from);
	void (*recv_end)(struct qp *, const struct recv_done *);
	/* The peer's rights, PD and bounds on the whole range; then parts of it. True: done. */
	bool (*remote_check)(struct qp *, uint32_t rkey, uint64_t va, uint64_t len, bool write);
	bool (*remote_write)(struct qp *, uint32_t rkey, uint64_t va, size_t len, const void *);
	bool (*remote_read)(struct qp *, uint32_t rkey, uint64_t va, size_t len, void *to);
	/* The QP can't go on, an EQE of this type tells its owner (0: none). Ends in ERR. */
	void (*qp_error)(struct qp *, uint8_t event);
	void (*drained)(struct qp *); /* SQD: nothing is outstanding any more */
};
#define NET_AGAIN 0x100

struct net_port {
	void *ctx;
	void (*send)(void *ctx, struct frame *);
	bool (*room)(void *ctx);
	bool (*observed)(void *ctx);
	void (*purge)(void *ctx, bool (*match)(const struct frame *, void *), void *arg);
};

struct net *net_new(struct device *);
void net_free(struct net *);
void net_set_ops(struct net *, const struct net_ops *);
void net_set_port(struct net *, const struct net_port *);

/* A QP's life. start: 0 or -ENOMEM. */
int net_qp_start(struct qp *);
void net_qp_stop(struct qp *);
void net_qp_rtr(struct qp *);
void net_qp_rts(struct qp *);
void net_qp_resume(struct qp *); /* SQD -> RTS, or SQD: look whether it is drained */
/* Stops the connection; the requests that were not done come back, oldest first. */
struct send_wr *net_qp_abort(struct qp *);

/* How many more requests the QP may post; and one of them. */
unsigned int net_room(const struct qp *);
void net_post(struct qp *, struct send_wr *);

void net_rx(void *net, struct frame *);
/* Sends what can be sent: acknowledgements first, then each active QP its share. */
bool net_run(struct net *, uint64_t now);

#endif
