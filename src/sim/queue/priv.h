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

#define SQ_BLOCK 64u
#define WQE_MAX_BLOCKS 16u
#define ENTRY_SMALL 64u	  /* bytes of a receive entry that needs no such buffer */
#define CQ_BATCH 16u
#define BATCH_SEGS	(8u + CQ_BATCH) /* of a batch: its bytes, and each CQE's owner byte again */

/* Every queue's part. */
struct queue_priv {
	struct queue *q;
	TAILQ_ENTRY(queue_priv) flush_link;
	bool flushing;
	bool drained;
	bool last_wqe;	 /* SRQ_LAST_WQE was sent since it is in ERR */
	bool write_lost; /* a posted write for it failed */
	/* in ERR, where no packet comes, the record of new receives is polled */
	uint32_t poll_after; /* ns */
	struct timer poll;
};

struct sq_priv {
	struct sq *sq;
	TAILQ_ENTRY(sq_priv) ready_link;
	bool ready : 1;	   /* it has ready_link, or a WAIT holds it */
	uint8_t ahead : 7; /* blocks that sq_poll_record() reads beyond the least */
	/* blocks that were fetched ahead, of a ring that the device does not reach itself */
	uint8_t cache_n;
	uint16_t cache_at;
	bool blueflame;	     /* they are a register's, of the next WQE */
	uint16_t trapped;    /* struct uar: the record's counter */
	unsigned int at_uar; /* index in its UAR's list */
	uint8_t *cache; /* queue_buffer_get(); NULL: there are none */
	struct send_wr *flush, **flush_tail; /* requests that the transport gave back */
	struct cross_wait *wait;	     /* of sq.waits; NULL: it never waited */
};

/* A queue that is held until its CQ has had `index` completions. */
struct cross_wait {
	LIST_ENTRY(cross_wait) link;
	struct sq *sq;
	uint32_t index;
};

struct rq_priv {
	uint16_t at, n; /* entries that were fetched ahead, likewise */
	uint16_t index; /* of the current one */
	uint32_t stride; /* of the current one: the next free stride */
	uint32_t taken;	 /* strides of the packet that is coming in */
	uint8_t *cache; /* these, or the current entry if it is not small; NULL: there is none */
	uint8_t small[ENTRY_SMALL];
	const uint8_t *recv, *end; /* data segments of the current one; NULL: none */
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
	uint32_t trapped;    /* struct uar: the arm record's word */
	unsigned int at_uar; /* index in its UAR's list */
	uint32_t n; /* CQEs made and not yet written, the last of pi */
	uint8_t *next; /* that cq_next() gave */
	LIST_HEAD(, cross_wait) waiters; /* queues that wait for more */
	struct timer moderate; /* an event waits for the CQ's period */
	uint64_t last_event;
	uint8_t owner[CQ_BATCH];
	/* op_own of each is invalid here; what it becomes is written after all of them */
	uint8_t cqe[CQ_BATCH * 128 + CQ_BATCH];
};

/* One UAR page, and the queues whose records are read after a write to it. */
struct uar {
	uint32_t uar;
	struct uar *next;
	TAILQ_ENTRY(uar) sweep_link;
	bool sweeping;
	bool trapped; /* strict doorbells: the queues' `trapped` are from before the last store */
	struct sq **sq;
	struct cq **cq;
	unsigned int nsq, sq_cap, sq_left, sq_at;
	unsigned int ncq, cq_cap, cq_left, cq_at;
};

#define POSTED_MAX 64u
struct posted_writes {
	unsigned int n;
	bool seen;	/* a program may poll some of them without a CQE */
	uint64_t since; /* the end of a turn at which they began to wait; 0: not yet */
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
	struct device *dev;
	struct host *host; /* dev's */
	struct uar *uar[UAR_BUCKETS];
	struct uar_list sweep;
	bool doorbell_rang; /* since the last turn */
	unsigned int unswept;
	struct sq_list ready;
	struct queue_list flush;
	struct cq_list dirty;
	struct send_wr *free_wr;
	unsigned int nfree;
	union queue_buffer *free_buffer;
	unsigned int nfree_buffers;
	struct posted_writes posted;
};

static inline struct queues *queues_of(const struct obj *o)
{
	return o->vhca->dev->queues;
}

static inline struct host *host_of(const struct obj *o)
{
	return o->vhca->dev->host;
}

/*
 * Of its CQEs: nanoseconds, or seconds above nanoseconds. A clock takes longer to read than some
 * messages: a turn's first CQE, often its only one, has the time at which the turn began.
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

/* A word of a doorbell record; what it vouches for is read after it. 0 or -EFAULT. */
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
bool uar_sweep(struct queues *); /* one slice of each UAR that was rung */
void uar_free_all(struct queues *);

/* sq.c */
void sq_record(struct sq *, uint16_t counter); /* what the doorbell record says */
/*
 * Where up to n blocks from ci on lie, if an idle queue would fetch them next: segments, and
 * how many blocks. Then the blocks that were fetched after the record was read, and its counter.
 */
int sq_ahead(const struct sq *, struct dma_seg *, unsigned int max, unsigned int n,
	     unsigned int *blocks);
void sq_fetched(struct sq *, const void *bytes, unsigned int blocks, uint16_t counter);
/* So many blocks of a WQE that was written to a register: the ring has the same bytes, or should. */
void sq_blueflame(struct sq *, const uint8_t *wqe, unsigned int blocks);
/* SEND_EN: up to this counter, whatever the record says. */
void sq_enable(struct sq *, uint16_t counter);
void sq_ready(struct sq *);
bool sq_run(struct queues *);
int sq_start(struct sq *);
void sq_stop(struct sq *);
void sq_reset(struct sq *);
void sq_rewind(struct sq *, struct send_wr *); /* requests that go back to the ring */
/* Flushes up to n requests, of what the connection gave back and of the ring. How many. */
unsigned int sq_flush(struct sq *, unsigned int n);
void wr_free(struct queues *, struct send_wr *);

/* wqe.c: its control segment, and what its opcode's row says */
void wqe_parse(struct queue *, struct send_wr *);
void wqe_fail(struct send_wr *, uint8_t syndrome, uint8_t vendor);

/* segs.c: into memory of this PD; small writes may be posted */
enum segs_how { SEGS_READ, SEGS_RECV, SEGS_RECV_POSTED }; /* what a READ or a SEND brought */
uint8_t segs_scatter(struct queue *, uint32_t pdn, const uint8_t *p, const uint8_t *end,
		     uint64_t off, size_t len, const void *from, enum segs_how);

/* segs.c: mostly the first data segment has room for all, and names one piece of memory. */
bool segs_one_piece(const struct queue *, const uint8_t *p, const uint8_t *end, size_t len,
		    unsigned int right, struct dma_seg *);

/* segs.c: the list has room for so many bytes */
bool segs_have_room(const uint8_t *p, const uint8_t *end, size_t len);

/* rq.c */
int rq_start(struct rq *);
void rq_stop(struct rq *);
unsigned int rq_flush(struct rq *, unsigned int n);
void rq_reset(struct rq *);
void rq_enable(struct rq *, uint16_t counter); /* RECV_EN */
/* Reads a record of receives; where it points is at most a ring ahead of ci. */
/* False: it can't be read. */
bool rq_record(const struct obj *, struct dma_place *, bus_t dbrec, unsigned int log_size,
	       uint16_t ci, uint16_t *pi);

/* srq.c: copies the oldest entry; its data segments, or NULL: none is posted, or the SRQ failed. */
const uint8_t *srq_take(struct srq *, uint8_t *copy, uint16_t *index);

/* mmo.c, umr.c, sig.c, cross.c: sq_local() */
int mmo_step(struct queue *, struct send_wr *);
int umr_step(struct queue *, struct send_wr *);
int set_psv_step(struct queue *, struct send_wr *);
int cross_step(struct queue *, struct send_wr *);

/* cross.c: send_wr.error of a WAIT whose CQ is not there yet: sq_more() is called when it is. */
#define WQE_WAITS 0xffu /* no CQE's syndrome */
void cross_stop(struct sq *); /* it waits no more; NULL: nothing to do */
/* CQEs were written for which queues may wait; the CQ goes. */
void cross_wake(struct cq *);
void cross_cq_stop(struct cq *);

/* sig.c: what MKEY_SIGNED asks for. False: it may not, or memory is not mapped any more. */
struct sig_range {
	uint32_t key, pdn;
	uint64_t va;
	size_t len;
	bool remote, requester;
};
bool sig_gather(struct queue *, const struct sig_range *, void *to);
bool sig_scatter(struct queue *, const struct sig_range *, const void *from);

/* post.c */
bool post_end_turn(struct queues *, uint64_t now); /* true if something was flushed */
/* Flushes, then writes these bytes, the last `ordered` segments in order: 0, or -EFAULT for these.
 */
int post_flush_then(struct queues *, const struct dma_seg *, unsigned int n, unsigned int ordered,
		    const void *, size_t len);
void post_failed(struct queue *);

/* cq.c: a zeroed 64-byte CQE to fill in; NULL: the CQ is full or broken. Then tell. */
void *cq_next(struct cq *);
/* Data for a CQE that is filled in; most: PRM's 32 bytes, which lie in it, or 64 before it. */
void cqe_inline(void *cqe, const void *data, size_t len, unsigned int most);
bool cq_flush_all(struct queues *);
/* The CQEs that were made become visible now. */
void cq_show(struct cq *);
/* Writes the batch of a CQ whose CQEs are compressed. 0 or negative. */
int cq_write_compressed(struct cq *);

/* cq_event.c */
#define CQ_PARKED 0xffffffffu /* no arm can be this: bits 31:30 and 27:25 of an arm are 0 */
/* A word of an arm record, or of the register. */
void cq_arm_word(struct cq *, uint32_t word);
/* An armed CQ has CQEs that may be new. */
void cq_notify(struct cq *);
void cq_event_stop(struct cq *);

/* eq.c */
void eq_completion(struct cq *);
void eq_cq_error(struct cq *, uint8_t syndrome);
void eq_queue(struct queue *, uint8_t type);
void eq_srq(struct srq *, uint8_t type);

/* error_stats.c */
void error_count_request(struct queue *, uint8_t syndrome);
void error_count_receive(struct queue *, uint8_t syndrome);
void error_count_no_cqe(struct queue *, const struct cq *);

/* queue.c */
void queue_flush_later(struct queue *);
void queue_record_gone(struct queue *);	 /* it can't be read */
void queue_sends_failed(struct queue *); /* to SQER, or to ERR */
void queue_stop_sends(struct queue *);	 /* to SQD; those that were not begun are fetched again */

static inline bool queue_flushes(const struct queue *q)
{
	return q->state == QP_ERR || q->state == QP_SQER;
}

bool queue_flush_run(struct queues *);

#endif
