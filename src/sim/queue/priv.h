/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_QUEUE_PRIV_H
#define SIM_QUEUE_PRIV_H

#include <sys/queue.h>
#include "queue.h"
#include "services.h"
#include "base/clock.h"
#include "transport/transport.h"
#include "obj/cq.h"
#include "obj/qp.h"
#include "obj/vhca.h"

#define SQ_BLOCK 64u
#define WQE_MAX_BLOCKS 16u
#define SQ_CACHE_BLOCKS 32u
#define RQ_CACHE_BYTES 2048u /* at least one entry of the largest stride */
#define CQ_BATCH 16u
#define BATCH_SEGS	(8u + CQ_BATCH) /* of a batch: its bytes, and each CQE's owner byte again */

/* dp's part of a queue pair. */
struct qp_priv {
	struct qp *qp;
	TAILQ_ENTRY(qp_priv) ready_link, flush_link;
	bool ready, flushing;
	bool drained;
	bool doomed; /* a posted write for it went nowhere */
	/* blocks of the SQ that were fetched ahead */
	uint16_t cache_at, cache_n;
	uint8_t ahead; /* blocks that look_at_sq() reads beyond the least */
	uint8_t cache[SQ_CACHE_BLOCKS * SQ_BLOCK];
	struct send_wr *flush, **flush_tail; /* requests that the connection gave back */
	/* entries of the RQ that were fetched ahead, and the one in use */
	uint16_t rq_at, rq_n;
	uint8_t rq_cache[RQ_CACHE_BYTES];
	const uint8_t *recv; /* NULL: none */
	uint16_t recv_index;
	/* in ERR nobody rings for new receives: their record is looked at now and then */
	struct timer look;
	uint64_t look_after;
};

struct cq_priv {
	struct cq *cq;
	TAILQ_ENTRY(cq_priv) dirty_link;
	bool dirty;
	uint32_t n; /* CQEs made and not yet written, the last of pi */
	uint8_t owner[CQ_BATCH];
	/* op_own of each is invalid here; what it becomes is written after all of them */
	uint8_t cqe[CQ_BATCH * 128 + CQ_BATCH];
};

/* One UAR page: whose records a write to it makes worth looking at. */
struct uar {
	uint32_t uar;
	struct uar *next;
	TAILQ_ENTRY(uar) sweep_link;
	bool sweeping;
	struct qp **sq;
	struct cq **cq;
	unsigned int nsq, sq_cap, sq_left, sq_at;
	unsigned int ncq, cq_cap, cq_left, cq_at;
};

#define POSTS 64u
struct posted_writes {
	unsigned int n;
	bool seen;	/* some may be looked at without a CQE */
	uint64_t since; /* the end of a turn at which they began to wait; 0: not yet */
	size_t bytes;
	struct dma_seg seg[POSTS + BATCH_SEGS];
	struct qp *qp[POSTS];
	uint8_t buf[65536];
};

#define UAR_BUCKETS 256u
TAILQ_HEAD(qp_priv_list, qp_priv);
TAILQ_HEAD(cq_priv_list, cq_priv);
TAILQ_HEAD(uar_list, uar);
struct queues {
	struct device *dev;
	struct uar *uar[UAR_BUCKETS];
	struct uar_list sweep;
	bool rung; /* a doorbell came since the last turn */
	unsigned int unswept;
	struct qp_priv_list ready, flush;
	struct cq_priv_list dirty;
	struct send_wr *free_wr;
	unsigned int nfree;
	struct posted_writes posts;
};

static inline struct queues *queues_of(const struct obj *o)
{
	return o->vhca->dev->queues;
}

static inline struct host *host_of(const struct obj *o)
{
	return o->vhca->dev->host;
}

/* doorbell.c */
int uar_add_qp(struct qp *);
void uar_del_qp(struct qp *);
int uar_add_cq(struct cq *);
void uar_del_cq(struct cq *);
bool uar_sweep(struct queues *); /* one slice of each UAR that was rung */
void uar_free_all(struct queues *);

/* sq.c */
void sq_record(struct qp *, uint16_t counter); /* what the doorbell record says */
/*
 * Where up to n blocks from sq_ci on lie, if an idle queue would fetch them next: segments, and
 * how many blocks. Then the blocks that were fetched after the record was read, and its counter.
 */
int sq_ahead(const struct qp *, struct dma_seg *, unsigned int max, unsigned int n,
	     unsigned int *blocks);
void sq_fetched(struct qp *, const void *bytes, unsigned int blocks, uint16_t counter);
void sq_ready(struct qp *);
bool sq_run(struct queues *);
void sq_reset(struct qp *);
/* Flushes up to n requests, of what the connection gave back and of the ring. How many. */
unsigned int sq_flush(struct qp *, unsigned int n);
void wr_free(struct queues *, struct send_wr *);

/* wqe.c: its control segment, and what its opcode's row says */
void wqe_parse(struct qp *, struct send_wr *);
void wqe_fail(struct send_wr *, uint8_t syndrome, uint8_t vendor);

/* segs.c; posted: small writes may be */
uint8_t segs_scatter(struct qp *, const uint8_t *p, const uint8_t *end, uint64_t off, size_t len,
		     const void *from, bool posted);

/* rq.c */
unsigned int rq_flush(struct qp *, unsigned int n);
void rq_reset(struct qp *);

/* mmo.c */
int mmo_step(struct qp *, struct send_wr *);

/* post.c */
bool post_end_turn(struct queues *, uint64_t now); /* true if something was flushed */
/* Flushes, then writes these bytes, the last `ordered` segments in order: 0, or -EFAULT for these.
 */
int post_flush_then(struct queues *, const struct dma_seg *, unsigned int n, unsigned int ordered,
		    const void *, size_t len);
void post_failed(struct qp *);

/* cq.c: a zeroed 64-byte CQE to fill in; NULL: the CQ is full or broken. Then tell. */
void *cq_next(struct cq *);
bool cq_flush_all(struct queues *);
/*
 * What the peer sends after our message was acknowledged must not be seen before our CQE: called
 * before its bytes or its CQE become visible.
 */
void cq_before_reply(struct qp *);
/* A word of an arm record, or of the register. */
void cq_arm_word(struct cq *, uint32_t word);

/* eq.c */
void eq_completion(struct cq *);
void eq_cq_error(struct cq *, uint8_t syndrome);
void eq_qp(struct qp *, uint8_t type);

/* qp.c */
void qp_flush_later(struct qp *);
bool qp_flush_run(struct queues *);

#endif
