/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_QUEUE_SERVICES_H
#define SIM_QUEUE_SERVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "data_seg.h"
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

/* What queues do for their transports. A transfer's result is 0 or the syndrome of its CQE. */

/*
 * Finer reasons beside LOCAL_QP_OP_ERR, in vendor_err_synd. No public source gives the firmware's
 * values: these are the emulator's own [I], doc/hardware-to-verify.md.
 */
enum wqe_vendor {
	VENDOR_DS = 0xe1,      /* ds is 0, too small for the opcode, or over 16 blocks */
	VENDOR_INDEX = 0xe2,   /* wqe_index is not the slot's */
	VENDOR_QPN = 0xe3,     /* qpn is another queue's */
	VENDOR_OPCODE = 0xe4,  /* unknown, or the capability is clear */
	VENDOR_SEGMENT = 0xe5, /* a segment that does not belong there */
	VENDOR_PAST_DB = 0xe6, /* the WQE goes on past the doorbell record */
	VENDOR_MMO = 0xe7,     /* MMO on a QP without qpc_ext.mmo, or of another opmod */
	VENDOR_UMR = 0xe8,     /* an UMR that the mkey or the device does not allow */
	VENDOR_CROSS = 0xe9,   /* a WAIT, SEND_EN or RECV_EN, of a CQ or queue that it may not name */
};

/* --- send WQEs (wqe.c, mmo.c): parsers for rows of struct transport ------------------------ */

void wqe_parse_data(struct queue *, struct send_wr *);	 /* data segments */
void wqe_parse_raddr(struct queue *, struct send_wr *);	 /* a remote address, data segments */
void wqe_parse_atomic(struct queue *, struct send_wr *); /* a remote address, operands, data */
void wqe_parse_masked_atomic(struct queue *, struct send_wr *);
void mmo_parse(struct queue *, struct send_wr *);
void umr_parse(struct queue *, struct send_wr *);
void set_psv_parse(struct queue *, struct send_wr *);
void cross_parse(struct queue *, struct send_wr *);
/* The request fails in its turn, with LOCAL_QP_OP_ERR. */
void wqe_refuse(const struct queue *, struct send_wr *, uint8_t vendor, const char *why);

void data_seg_trace(const struct queue *, const struct data_seg *, const uint8_t *p,
		    const char *queue, uint16_t index);
/* An atomic's operands; and what it found, to where its data segments say: 0 or a syndrome. */
void wr_atomic(const struct send_wr *, struct dma_atomic *);
uint8_t wr_atomic_found(struct queue *, struct send_wr *, uint64_t old);
/* A response that its CQE carries, whole. */
bool wr_inlines(const struct queue *, const struct send_wr *);
/* Moves a part of what a list of data segments describes (segs.c), or of a request's. */
uint8_t segs_gather(struct queue *, const uint8_t *p, const uint8_t *end, uint64_t off, size_t len,
		    void *to);
uint8_t wr_gather(struct queue *, const struct send_wr *, uint64_t off, size_t len, void *to);
/* Or else where these bytes lie, until something else is done; NULL: the device must fetch them. */
const void *wr_bytes(struct queue *, const struct send_wr *, uint64_t off, size_t len);
uint8_t wr_scatter(struct queue *, struct send_wr *, uint64_t off, size_t len, const void *from);

/* --- the send queue (sq.c) ------------------------------------------------------------------ */

/* One bounded step of a local operation: 0 done, SQ_AGAIN, or a syndrome. */
int sq_local(struct sq *, struct send_wr *);
#define SQ_AGAIN 0x100
/* The oldest request is done and freed; the second one ends with the queue in ERR. */
void sq_done(struct sq *, struct send_wr *);
void sq_failed(struct sq *, struct send_wr *, uint8_t syndrome, uint8_t vendor);
/* The same, but the queue goes on. */
void sq_failed_alone(struct sq *, struct send_wr *, uint8_t syndrome, uint8_t vendor);
/* A request that the queue's error reached first: it is flushed behind those given back before. */
void sq_give_back(struct sq *, struct send_wr *);
/* There is room for more requests: fetches and posts them in the next turn. */
void sq_more(struct sq *);
/* The same, though nothing more is posted: the transport has not done all of what it took. */
void sq_again(struct sq *);

/* --- the receive queue (rq.c) --------------------------------------------------------------- */

/* What a message left in a receive entry. */
struct recv_done {
	uint8_t opcode;	  /* PRM CQE opcode */
	uint8_t syndrome; /* 0, or the error that ended it */
	bool solicited;
	bool datagram;	 /* 40 bytes before the message say where it came from */
	uint8_t network; /* what they are: enum cqe_l3_hdr_type */
	bool tagged;	 /* it had a VLAN tag, tci */
	uint16_t tci;
	uint32_t imm; /* as it stood in the packet */
	uint32_t rqpn; /* the sender */
	uint64_t len;
	const void *inl; /* the message, for the CQE; NULL: it lies where the entry says */
};

/* XRC: what comes next is this SRQ's, with its CQ and its PD; NULL: of none. */
void rq_serve(struct rq *, struct srq *);
/* The oldest entry becomes the current one; false: none is posted, or there is no queue (NULL). */
bool rq_begin(struct rq *);
/*
 * The same for a packet of a striding queue; *off: where in the entry it begins. What an entry has
 * left and is too little is told by a CQE of its own (filler).
 */
bool rq_begin_strides(struct rq *, uint32_t len, uint64_t *off);
uint8_t rq_scatter(struct rq *, uint64_t off, size_t len, const void *from);
/* The same; small writes are posted. */
uint8_t rq_scatter_posted(struct rq *, uint64_t off, size_t len, const void *from);
/* Where the current entry takes a message, if the device reaches that itself; else NULL. */
uint8_t *rq_bytes(const struct rq *, size_t len);
/* Or else the CQE carries the whole message: 0, or why the entry can't take it. */
static inline bool rq_inlines(const struct rq *rq, size_t len)
{
	return len && len <= rq->inline_most;
}
uint8_t rq_scatter_inline(const struct rq *, size_t len);
void rq_end(struct rq *, const struct recv_done *);
/* Or else a CQE to fill in and give to cq_filled(). NULL: there is none, the queue is in ERR. */
void *rq_end_cqe(struct rq *);
/* The current entry's index, for messages. */
uint16_t rq_index(const struct rq *);

/* --- the peer's accesses (remote.c) --------------------------------------------------------- */

/* Rights, PD and bounds of the whole range; then parts of it. True: done. */
bool remote_check(struct queue *, uint32_t rkey, uint64_t va, uint64_t len, bool write);
/* Whether an access since the last call needed a page of a region on demand that was not there. */
bool queue_page_fault(struct queue *);
bool remote_write(struct queue *, uint32_t rkey, uint64_t va, size_t len, const void *from);
bool remote_read(struct queue *, uint32_t rkey, uint64_t va, size_t len, void *to);
/* A SEND with invalidate. */
bool remote_invalidate(struct queue *, uint32_t rkey);
/* va is a multiple of its size. *aligned: the memory there is, too. */
bool remote_atomic(struct queue *, uint32_t rkey, uint64_t va, const struct dma_atomic *,
		   uint64_t *old, bool *aligned);

/* --- both ----------------------------------------------------------------------------------- */

/* To ERR: the queue can't go on. An EQE of this type tells its owner (0: none). */
void queue_error(struct queue *, uint8_t event);
/* Its program is dead, and its driver will destroy it. */
bool queue_is_orphan(const struct queue *);
/* Reports memory of a queue's work that the program has unmapped; not where the program has ended. */
void queue_unmapped(const struct queue *, const char *what);
void queue_drained(struct queue *); /* SQD: nothing is outstanding any more */

void cq_filled(struct cq *, bool solicited);
/* An event of a DC target. */
void eq_dct(struct vhca *, uint32_t dctn, uint8_t type);

/* --- buffers (queues.c) ---------------------------------------------------------------------- */

/*
 * What is fetched ahead of a ring, and what a connection has to answer: a queue has a buffer while
 * there is something in it. get: NULL without memory. put(NULL) does nothing.
 */
#define QUEUE_BUFFER 2048u /* at least one receive entry of the largest stride */
void *queue_buffer_get(struct queues *);
void queue_buffer_put(struct queues *, void *);

/* --- posted writes (post.c) ----------------------------------------------------------------- */

int post_scatter(struct queue *, const struct dma_seg *, unsigned int n, const void *from,
		 size_t len);
/* The same for what a peer wrote: flushed at the end of the turn. */
int post_seen(struct queue *, const struct dma_seg *, unsigned int n, const void *from, size_t len);
void post_flush(struct queues *);
void post_before(struct queues *, const struct dma_seg *); /* flushes what lies in it */

/*
 * What the peer sends after our message was acknowledged must not be seen before our CQE: called
 * before its bytes or its CQE become visible.
 */
void cq_before_reply(struct queue *);
bool post_waiting(const struct queues *);

#endif
