/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_QUEUE_SERVICES_H
#define SIM_QUEUE_SERVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/probe.h"
#include "data_seg.h"
#include "obj/cq.h"
#include "obj/queue.h"

struct cq;
struct dma_atomic;
struct dma_seg;
struct queue;
struct rq;
struct send_wr;
struct sq;
struct vhca;
struct queues;

/* Services of queues for their transports. A transfer's result is 0 or the syndrome of its CQE. */

/*
 * Finer reasons beside LOCAL_QP_OP_ERR, in vendor_err_synd. No public source has the firmware's
 * values: these are the emulator's [I], doc/hardware-to-verify.md.
 */
enum wqe_vendor {
	VENDOR_DS = 0xe1,      /* ds is 0, too small for the opcode, or over 16 blocks */
	VENDOR_INDEX = 0xe2,   /* wqe_index is not the slot's */
	VENDOR_QPN = 0xe3,     /* qpn is another queue's */
	VENDOR_OPCODE = 0xe4,  /* unknown, or the capability is clear */
	VENDOR_SEGMENT = 0xe5, /* a segment that the opcode does not have */
	VENDOR_PAST_DB = 0xe6, /* the WQE goes on past the doorbell record */
	VENDOR_MMO = 0xe7,     /* MMO on a QP without qpc_ext.mmo, or of another opmod */
	VENDOR_UMR = 0xe8,     /* a UMR that the mkey or the device does not allow */
	VENDOR_CROSS = 0xe9,   /* a WAIT, SEND_EN or RECV_EN whose CQ or queue it may not name */
	VENDOR_RULE = 0xeb,    /* a FLOW_TBL_ACCESS of a table or template that does not exist */
	VENDOR_ASO = 0xea,     /* an ACCESS_ASO of an object or change that does not exist */
};

/* --- send WQEs (wqe.c, mmo.c): parsers for rows of struct transport ------------------------ */

void wqe_parse_data(struct queue *, struct send_wr *);	 /* only data segments */
void wqe_parse_raddr(struct queue *, struct send_wr *);	 /* a remote address, data segments */
void wqe_parse_atomic(struct queue *, struct send_wr *); /* a remote address, operands, data */
void wqe_parse_masked_atomic(struct queue *, struct send_wr *);
void mmo_parse(struct queue *, struct send_wr *);
void umr_parse(struct queue *, struct send_wr *);
void set_psv_parse(struct queue *, struct send_wr *);
void cross_parse(struct queue *, struct send_wr *);
void aso_parse(struct queue *, struct send_wr *);
void rule_parse(struct queue *, struct send_wr *);
/* Makes the request fail in its turn, with LOCAL_QP_OP_ERR. */
void wqe_refuse(const struct queue *, struct send_wr *, uint8_t vendor, const char *why);

/* Passes a part of a send WQE to the probe. */
static inline void wqe_probe(const struct queue *q, const struct send_wr *wr, const char *layout,
			     const void *bytes)
{
	probe(PROBE_WQE, .wqe = {PROBE_SQ, &q->o, wr->index, layout, bytes});
}
/* Returns an atomic's operands; stores what it found in its data segments: 0 or a syndrome. */
void wr_atomic(const struct send_wr *, struct dma_atomic *);
uint8_t wr_atomic_found(struct queue *, struct send_wr *, uint64_t old);
/*
 * Returns whether the CQE carries the whole response. [I] A request that makes no CQE has its
 * response in memory.
 */
static inline bool wr_inlines(const struct queue *q, const struct send_wr *wr)
{
	return wr->kind >= SEND_READ && wr->signaled && wr->len <= q->sq->inline_most;
}
/* Move a part of what a list of data segments describes (segs.c), or a request's. */
uint8_t segs_gather(struct queue *, const uint8_t *p, const uint8_t *end, uint64_t off, size_t len,
		    void *to);
uint8_t wr_gather(struct queue *, const struct send_wr *, uint64_t off, size_t len, void *to);
/* Returns where these bytes lie, until the next call, or NULL if the device must fetch them. */
const void *wr_bytes(struct queue *, const struct send_wr *, uint64_t off, size_t len);
uint8_t wr_scatter(struct queue *, struct send_wr *, uint64_t off, size_t len, const void *from);

/* --- the send queue (sq.c, sq_done.c) -------------------------------------------------------- */

/* Runs one bounded step of a local operation. Returns 0 when done, SQ_AGAIN, or a syndrome. */
int sq_local(struct sq *, struct send_wr *);
#define SQ_AGAIN 0x100
/* Complete and free the oldest request. sq_failed() also moves the queue to ERR. */
void sq_done(struct sq *, struct send_wr *);
void sq_failed(struct sq *, struct send_wr *, uint8_t syndrome, uint8_t vendor);
/* Like sq_failed(), but the queue goes on. */
void sq_failed_alone(struct sq *, struct send_wr *, uint8_t syndrome, uint8_t vendor);
/* Takes back a request that an error has reached; it is flushed behind those given back before. */
void sq_give_back(struct sq *, struct send_wr *);
/* Schedules a turn that fetches and posts requests, now that there is room for more. */
void sq_more(struct sq *);
/* Schedules a turn though nothing is posted: the transport has not done all that it took. */
void sq_reschedule(struct sq *);

/* --- the receive queue (rq.c) --------------------------------------------------------------- */

/* The result of a message in a receive entry. */
struct recv_done {
	uint8_t opcode;	  /* PRM CQE opcode */
	uint8_t syndrome; /* 0, or the error that ended it */
	bool solicited;
	bool datagram;	 /* the entry begins with 40 bytes about the message's origin */
	uint8_t network; /* kind of these headers: enum cqe_l3_hdr_type */
	bool tagged;	 /* it had the VLAN tag tci */
	uint16_t tci;
	uint32_t imm;  /* as it was in the packet */
	uint32_t rqpn; /* the sender's QP number */
	uint64_t len;
	const void *inl; /* the message, for the CQE; NULL: it is in the entry's memory */
};

/* XRC: the next messages use this SRQ, with its CQ and its PD; NULL: no SRQ. */
void rq_serve(struct rq *, struct srq *);
/* Makes the oldest entry the current one; false: none is posted, or there is no queue (NULL). */
bool rq_begin(struct rq *);
/*
 * Like rq_begin(), for a packet of a striding queue; *off: where in the entry the packet begins. If
 * the rest of an entry is too small, a separate CQE (filler) ends the entry.
 */
bool rq_begin_strides(struct rq *, uint32_t len, uint64_t *off);
uint8_t rq_scatter(struct rq *, uint64_t off, size_t len, const void *from);
/* Like rq_scatter(), but small writes are posted. */
uint8_t rq_scatter_posted(struct rq *, uint64_t off, size_t len, const void *from);
/* Returns where the current entry takes a message, or NULL if the device does not reach that. */
uint8_t *rq_bytes(const struct rq *, size_t len);
/* Returns whether the CQE carries the whole message; stores it: 0, or why the entry can't. */
static inline bool rq_inlines(const struct rq *rq, size_t len)
{
	return len && len <= rq->inline_most;
}
uint8_t rq_scatter_inline(const struct rq *, size_t len);
void rq_end(struct rq *, const struct recv_done *);
/* Returns a CQE for cq_filled(), or NULL if there is none and the queue is in ERR. */
void *rq_end_cqe(struct rq *);
/* Returns the current entry's index, for messages. */
uint16_t rq_index(const struct rq *);

/* --- the peer's accesses (remote.c) --------------------------------------------------------- */

/* Checks rights, PD and bounds of the whole range; then accesses parts of it. True: done. */
bool remote_check(struct queue *, uint32_t rkey, uint64_t va, uint64_t len, bool write);
/* Returns whether an access since the last call needed a missing page of an on-demand region. */
bool queue_page_fault(struct queue *);
bool remote_write(struct queue *, uint32_t rkey, uint64_t va, size_t len, const void *from);
bool remote_read(struct queue *, uint32_t rkey, uint64_t va, size_t len, void *to);
/* Handles a SEND with invalidate. */
bool remote_invalidate(struct queue *, uint32_t rkey);
/* Runs an atomic; va is a multiple of its size. *aligned: whether the memory is aligned, too. */
bool remote_atomic(struct queue *, uint32_t rkey, uint64_t va, const struct dma_atomic *,
		   uint64_t *old, bool *aligned);

/* --- both ----------------------------------------------------------------------------------- */

/* Moves a queue that can't go on to ERR. Its owner gets an EQE of this type (0: none). */
void queue_error(struct queue *, uint8_t event);
/* Returns whether the queue's program is dead; its driver will destroy the queue. */
bool queue_is_orphan(const struct queue *);
/* Reports memory of a queue's work that the program has unmapped, unless the program has ended. */
void queue_unmapped(const struct queue *, const char *what);
void queue_drained(struct queue *); /* Ends SQD's draining: nothing is outstanding any more. */

void cq_filled(struct cq *, bool solicited);
/* Reports an event of a queue. */
void eq_queue(struct queue *, uint8_t type);
/* Reports an event of a DC target. */
void eq_dct(struct vhca *, uint32_t dctn, uint8_t type);

/* --- buffers (queues.c) ---------------------------------------------------------------------- */

/*
 * Buffers for entries fetched ahead, and for responses that a connection owes. A queue has one only
 * while something is in it. get returns NULL without memory; put(NULL) does nothing.
 */
#define QUEUE_BUFFER 2048u /* at least one receive entry of the largest stride */
void *queue_buffer_get(struct queues *);
void queue_buffer_put(struct queues *, void *);

/* --- posted writes (post.c) ----------------------------------------------------------------- */

int post_scatter(struct queue *, const struct dma_seg *, unsigned int n, const void *from,
		 size_t len);
/* Posts or does a write that a peer asked for: flushed at the end of the turn. */
int post_write_through(struct queue *, const struct dma_seg *, unsigned int n, const void *from,
		       size_t len);
void post_flush(struct queues *);
void post_before(struct queues *, const struct dma_seg *); /* flushes writes into this memory */

/* Returns whether writes wait. Their number is the first member of struct queues. */
static inline bool post_waiting(const struct queues *qs)
{
	const unsigned int *posted = (const void *)qs;

	return *posted;
}

/* Makes the CQEs in the batch visible now. */
void cq_show(struct cq *);
/*
 * Makes our CQE visible before the peer's answer to an acknowledged message: called before the
 * answer's bytes or its CQE become visible.
 */
static inline void cq_before_reply(struct queue *q)
{
	if (q->sq && q->sq->cq->made)
		cq_show(q->sq->cq);
}

#endif
