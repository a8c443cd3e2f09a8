/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_QUEUE_PRIV_H
#define SIM_QUEUE_PRIV_H

#include <endian.h>
#include <sys/queue.h>
#include "queue.h"
#include "services.h"
#include "base/clock.h"
#include "transport/transport.h"
#include "obj/cq.h"
#include "obj/qp.h"
#include "obj/srq.h"
#include "obj/device.h"

#define SQ_BLOCK       64u
#define WQE_MAX_BLOCKS 16u
#define ENTRY_SMALL    64u /* bytes of a receive entry that fits without a queue buffer */
#define CQ_BATCH       16u
#define BATCH_SEGS     (8u + CQ_BATCH) /* a batch: its bytes, and each CQE's owner byte again */

/* The part that every queue has. */
struct queue_priv {
	struct queue *q;
	TAILQ_ENTRY(queue_priv) flush_link;
	bool flushing;
	bool drained;
	bool last_wqe;	 /* SRQ_LAST_WQE was sent since it is in ERR */
	bool write_lost; /* a posted write for it failed */
	bool injected;	 /* a requested fault made one of its completions an error */
	/* when to poll the record of new receives in ERR, where no packet starts it */
	uint32_t poll_after; /* ns */
	struct timer poll;
};

struct sq_priv {
	struct sq *sq;
	TAILQ_ENTRY(sq_priv) ready_link;
	bool ready : 1;	   /* in the ready list (ready_link), or held by a WAIT */
	uint8_t ahead : 7; /* blocks that sq_poll_ahead() reads beyond the least */
	/* blocks in `cache`, fetched ahead from a ring that the device does not reach itself */
	uint8_t cache_n;
	uint16_t cache_at;
	bool blueflame;	     /* the cached blocks came by a register and are the next WQE's */
	uint16_t trapped;    /* the record's counter at the last trap; see struct uar */
	unsigned int at_uar; /* index in its UAR's array */
	uint8_t *cache;	     /* from queue_buffer_get(), or NULL if nothing is cached */
	struct send_wr *flush, **flush_tail; /* given back by the transport, to be flushed */
	struct cross_wait *wait;	     /* entry in sq.waits; NULL: it never waited */
};

/* A queue that waits until its CQ has had `index` completions. */
struct cross_wait {
	LIST_ENTRY(cross_wait) link;
	struct sq *sq;
	uint32_t index;
};

struct rq_priv {
	uint16_t at, n;	 /* entries fetched ahead: the next one and their number */
	uint16_t index;	 /* index of the current entry */
	uint32_t stride; /* next free stride of the current entry */
	uint32_t taken;	 /* strides of the packet being received */
	uint8_t *cache;	 /* fetched entries, or the current entry if it is not small; NULL: none */
	uint8_t small[ENTRY_SMALL];
	const uint8_t *recv, *end; /* data segments of the current entry; NULL: none */
};

struct srq_priv {
	const uint8_t *ahead; /* the next entries, in cache */
	uint16_t n;
	uint8_t cache[QUEUE_BUFFER];
};

struct cq_priv {
	struct cq *cq;
	TAILQ_ENTRY(cq_priv) dirty_link;
	bool dirty;
	uint32_t trapped;    /* the arm record's word at the last trap; see struct uar */
	unsigned int at_uar; /* index in its UAR's array */
	uint8_t *next;	     /* the CQE that cq_next() returned */
	LIST_HEAD(, cross_wait) waiters; /* queues with a WAIT for more completions */
	struct timer moderate;		 /* runs while an event waits for the CQ's period */
	struct timer late_timer;	 /* hostile.c: its CQEs are late until then */
	bool late;			 /* it is dirty, but not in the list of dirty CQs */
	uint64_t last_event;
	uint8_t owner[CQ_BATCH];
	/* CQEs with an invalid op_own, then the op_own bytes that are written after all of them */
	uint8_t cqe[CQ_BATCH * 128 + CQ_BATCH];
};

/* One UAR page, and the queues whose records are read after a write to it. */
struct uar {
	uint32_t uar;
	struct uar *next;
	TAILQ_ENTRY(uar) sweep_link;
	bool sweeping;
	bool trapped; /* strict doorbells: `trapped` of the queues is older than the last store */
	struct sq **sq;
	struct cq **cq;
	unsigned int nsq, sq_cap, sq_left, sq_at;
	unsigned int ncq, cq_cap, cq_left, cq_at;
};

#define POSTED_MAX 64u
struct posted_writes {
	unsigned int n; /* first: post_waiting() */
	bool seen;	/* a program may poll some of its queues without a CQE */
	uint64_t since; /* end of the turn at which the writes began to wait; 0: not yet */
	size_t bytes;
	struct dma_seg seg[POSTED_MAX + BATCH_SEGS];
	struct queue *queue[POSTED_MAX];
	uint8_t buf[65536];
};

union queue_buffer {
	union queue_buffer *next;
	uint8_t bytes[QUEUE_BUFFER];
};

#define UAR_BUCKETS 256u
TAILQ_HEAD(sq_list, sq_priv);
TAILQ_HEAD(queue_list, queue_priv);
TAILQ_HEAD(cq_list, cq_priv);
TAILQ_HEAD(uar_list, uar);
struct queues {
	struct posted_writes posted; /* first: post_waiting() */
	struct device *dev;
	struct host *host; /* the device's */
	struct uar *uar[UAR_BUCKETS];
	struct uar_list sweep;
	bool doorbell_rang; /* a doorbell came since the last turn */
	unsigned int unswept;
	struct sq_list ready;
	struct queue_list flush;
	struct cq_list dirty;
	struct send_wr *free_wr;
	unsigned int nfree;
	union queue_buffer *free_buffer;
	unsigned int nfree_buffers;
};

static inline struct queues *queues_of(const struct obj *o)
{
	return o->vhca->dev->queues;
}

/* Puts the queue on the list of those that are flushed at the turn's end. */
static inline void queue_flush_later(struct queue *q)
{
	struct queue_priv *d = q->priv;

	if (d->flushing)
		return;
	d->flushing = true;
	TAILQ_INSERT_TAIL(&queues_of(&q->o)->flush, d, flush_link);
}

static inline struct host *host_of(const struct obj *o)
{
	return o->vhca->dev->host;
}

/*
 * Returns the timestamp for its CQEs: nanoseconds, or seconds above nanoseconds. A clock takes
 * longer to read than some messages: a turn's first CQE, often its only one, has its start time.
 */
static inline uint64_t queue_timestamp(const struct queue *q)
{
	struct device *dev = q->o.vhca->dev;
	uint64_t ns;

	if (!q->utc && dev->now_used)
		return dev->clock->now(dev->clock);
	if (!q->utc) {
		dev->now_used = true;
		return dev->now;
	}
	ns = dev->clock->utc(dev->clock);
	return (ns / 1000000000u) << 32 | ns % 1000000000u;
}

/* Reads a word of a doorbell record, before what it covers is read. Returns 0 or -EFAULT. */
#define DBREC_BYTES 8u
static inline int dbrec_load(struct host *h, struct dma_place *p, bus_t dbrec, unsigned int at,
			     uint32_t *word)
{
	const uint8_t *bytes = dma_place(h, p, dbrec, DBREC_BYTES);
	uint32_t be;
	int err = 0;

	if (bytes)
		dma_load(&be, bytes + at, sizeof(be));
	else
		err = dma_read(h, dbrec + at, &be, sizeof(be));
	if (!err)
		*word = be32toh(be);
	return err;
}

/* doorbell.c */
int uar_add_sq(struct sq *);
void uar_del_sq(struct sq *);
int uar_add_cq(struct cq *);
void uar_del_cq(struct cq *);
bool uar_sweep(struct queues *); /* Sweeps one slice of each UAR that was rung. */
void uar_free_all(struct queues *);

/* sq.c */
void sq_record(struct sq *, uint16_t counter); /* handles a counter from the record */
/*
 * sq_ahead() returns the segments of up to n blocks from ci on, if an idle queue would fetch them
 * next, and how many blocks. sq_fetched() takes the blocks, and the record's counter read before.
 */
int sq_ahead(const struct sq *, struct dma_seg *, unsigned int max, unsigned int n,
	     unsigned int *blocks);
void sq_fetched(struct sq *, const void *bytes, unsigned int blocks, uint16_t counter);
/* Takes the blocks of a WQE that was written to a register; the ring should hold the same bytes. */
void sq_blueflame(struct sq *, const uint8_t *wqe, unsigned int blocks);
/* SEND_EN: lets the queue run up to this counter, whatever its record holds. */
void sq_enable(struct sq *, uint16_t counter);
bool sq_run(struct queues *);
int sq_start(struct sq *);
void sq_stop(struct sq *);
void sq_reset(struct sq *);
void sq_rewind(struct sq *, struct send_wr *); /* Returns requests to the ring. */
/* Flushes up to n requests: those the transport gave back, then the ring's. Returns how many. */
unsigned int sq_flush(struct sq *, unsigned int n);
/* Frees a request that was too large for its own room, or that is one too many to keep. */
void wr_free_memory(struct queues *, struct send_wr *);
#define FREE_KEPT 4096u
static inline void wr_free(struct queues *qs, struct send_wr *wr)
{
	if (wr->wqe != wr->small || qs->nfree >= FREE_KEPT) {
		wr_free_memory(qs, wr);
		return;
	}
	wr->next = qs->free_wr;
	qs->free_wr = wr;
	qs->nfree++;
}

/* sq_done.c: makes the CQE of a request that fails with this syndrome, or is flushed. */
void sq_error_cqe(struct sq *, const struct send_wr *, uint8_t syndrome, uint8_t vendor);

/* wqe.c: parses the control segment, then the rest by its opcode's row. */
void wqe_parse(struct queue *, struct send_wr *);

/* segs.c: access to memory of this PD; small writes may be posted. */
enum segs_how { SEGS_READ, SEGS_RECV, SEGS_RECV_POSTED }; /* RECV: data of a READ or a SEND */
uint8_t segs_scatter(struct queue *, uint32_t pdn, const uint8_t *p, const uint8_t *end,
		     uint64_t off, size_t len, const void *from, enum segs_how);

/* segs.c: Returns whether the list has room for this many bytes. */
bool segs_have_room(const uint8_t *p, const uint8_t *end, size_t len);

/* rq.c */
int rq_start(struct rq *);
void rq_stop(struct rq *);
unsigned int rq_flush(struct rq *, unsigned int n);
void rq_reset(struct rq *);
void rq_enable(struct rq *, uint16_t counter); /* RECV_EN */
/* Reads a record of receives; its counter is at most a ring ahead of ci. */
/* Returns false if the record can't be read. */
bool rq_record(const struct obj *, struct dma_place *, bus_t dbrec, unsigned int log_size,
	       uint16_t ci, uint16_t *pi);

/* srq.c: Copies the oldest entry. Returns its data segments; NULL: none is posted, or an error. */
const uint8_t *srq_take(struct srq *, uint8_t *copy, uint16_t *index);

/* aso.c, rule.c, mmo.c, umr.c, sig.c, cross.c: steps of sq_local(). */
int aso_step(struct queue *, struct send_wr *);
int rule_step(struct queue *, struct send_wr *);
int mmo_step(struct queue *, struct send_wr *);
int umr_step(struct queue *, struct send_wr *);
int set_psv_step(struct queue *, struct send_wr *);
int cross_step(struct queue *, struct send_wr *);

/* cross.c: send_wr.error of a WAIT without its CQ: sq_more() is called when that exists. */
#define WQE_WAITS 0xffu	      /* not a syndrome that a CQE can have */
void cross_stop(struct sq *); /* Ends the wait, if there is one. */
/* Rechecks waits after CQEs were written; ends the waits for a CQ before it goes. */
void cross_wake(struct cq *);
void cross_cq_stop(struct cq *);

/* sig.c: the range that MKEY_SIGNED asks for; false: access is refused or memory unmapped. */
struct sig_range {
	uint32_t key, pdn;
	uint64_t va;
	size_t len;
	bool remote, requester;
};
bool sig_gather(struct queue *, const struct sig_range *, void *to);
bool sig_scatter(struct queue *, const struct sig_range *, const void *from);

/* post.c */
/* Called while writes wait: true if they were flushed. */
bool post_end_turn(struct queues *, uint64_t now);
/*
 * Flushes, then writes these bytes, the last `ordered` segments in order: 0 or, for them, -EFAULT.
 */
int post_flush_then(struct queues *, const struct dma_seg *, unsigned int n, unsigned int ordered,
		    const void *, size_t len);

/* cq.c: Returns a zeroed 64-byte CQE for cq_filled(), or NULL if the CQ is full or has failed. */
void *cq_next(struct cq *);
/* Puts data into a filled-in CQE: up to 32 bytes (PRM) in the CQE itself, up to 64 before it. */
void cqe_inline(void *cqe, const void *data, size_t len, unsigned int most);
bool cq_flush_all(struct queues *);
/* Writes the batch of a CQ whose CQEs are compressed. Returns 0 or a negative error. */
int cq_write_compressed(struct cq *);

/* cq_event.c */
#define CQ_PARKED 0xffffffffu /* no arm can be this: bits 31:30 and 27:25 of an arm are 0 */
/* Handles a word of an arm record or of the register. */
void cq_arm_word(struct cq *, uint32_t word);
/* Sends an event if the CQ is armed and a CQE is new enough. */
void cq_notify(struct cq *);
void cq_event_stop(struct cq *);

/* cq_inject.c: counts a CQE, whose last byte will be *op_own, and may make it an error. */
void cq_inject(struct cq *, uint8_t *cqe, uint8_t *op_own);
/* Finds the queue with this number; NULL if there is none. */
struct queue *cq_queue(const struct cq *, uint32_t number);

/* eq.c */
void eq_completion(struct cq *);
void eq_cq_error(struct cq *, uint8_t syndrome);
void eq_srq(struct srq *, uint8_t type);

/* error_stats.c */
void error_count_request(struct queue *, uint8_t syndrome);
void error_count_receive(struct queue *, uint8_t syndrome);
void error_count_no_cqe(struct queue *, const struct cq *);

/* queue.c */
void queue_record_unmapped(struct queue *); /* Fails a queue whose doorbell record can't be read. */
void queue_sends_failed(struct queue *);    /* Moves the send side to SQER, or the queue to ERR. */
void queue_stop_sends(struct queue *);	    /* to SQD; requests not begun are fetched again */

static inline bool queue_flushes(const struct queue *q)
{
	return q->state == QP_ERR || q->state == QP_SQER;
}

bool queue_flush_run(struct queues *);

/* --- hostile.c: asked behind PROBE_HOSTILE ----------------------------------------------------- */

/* Each returns whether it holds a doorbell or an event back. */
bool hostile_doorbell(struct device *, uint32_t uar, uint32_t offset, uint64_t be_value);
bool hostile_event(struct vhca *, uint32_t eqn, const void *eqe);
/* Maybe holds a CQE back that was just made, by this queue (or NULL) for this many bytes. */
void hostile_cq(struct cq *, const struct queue *, uint8_t opcode, size_t len);
/* Ends that, and puts the data of the CQ's receives in place. */
void hostile_cq_show(struct cq *);
void hostile_restore(struct cq *);
/* Lets all happen that is held back: a command comes. */
void hostile_settle(struct queues *);
/* Writes the end of a message first. */
bool hostile_write(struct queue *, uint32_t rkey, uint64_t va, size_t len, const void *from);

/* doorbell.c, eq.c: handle what was held back. */
void doorbell_take(struct device *, uint32_t uar, uint32_t offset, uint64_t be_value);
void eq_report(struct vhca *, uint32_t eqn, const void *eqe);

#endif
