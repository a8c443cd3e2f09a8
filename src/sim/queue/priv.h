/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_DP_PRIV_H
#define SIM_DP_PRIV_H

#include <sys/queue.h>
#include "dp.h"
#include "base/clock.h"
#include "transport/net.h"
#include "obj/cq.h"
#include "obj/qp.h"
#include "obj/vhca.h"

#define SQ_BLOCK 64u
#define WQE_MAX_BLOCKS 16u
#define SQ_CACHE_BLOCKS 32u
#define RQ_CACHE_BYTES 2048u /* at least one entry of the largest stride */
#define CQ_BATCH 16u
#define BATCH_SEGS	(8u + CQ_BATCH) /* of a batch: its bytes, and each CQE's owner byte again */

/*
 * Finer reasons beside LOCAL_QP_OP_ERR, in vendor_err_synd. No public source gives the firmware's
 * values: these are the emulator's own [I], doc/hardware-to-verify.md.
 */
enum dp_vendor {
	VENDOR_DS = 0xe1,       /* ds is 0, too small for the opcode, or over 16 blocks */
	VENDOR_INDEX = 0xe2,    /* wqe_index is not the slot's */
	VENDOR_QPN = 0xe3,      /* qpn is another queue's */
	VENDOR_OPCODE = 0xe4,   /* unknown, or the capability is clear */
	VENDOR_SEGMENT = 0xe5,  /* a segment that does not belong there */
	VENDOR_PAST_DB = 0xe6,  /* the WQE goes on past the doorbell record */
	VENDOR_MMO = 0xe7,      /* MMO on a QP without qpc_ext.mmo, or of another opmod */
};

/* dp's part of a queue pair. */
struct dp_qp {
	struct qp *qp;
	TAILQ_ENTRY(dp_qp) ready_link, flush_link;
	bool ready, flushing;
	bool drained;
	bool doomed; /* a posted write for it went nowhere */
	uint8_t slow; /* a packet's way through the tables was long: so many are sent one by one */
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

struct dp_cq {
	struct cq *cq;
	TAILQ_ENTRY(dp_cq) dirty_link;
	bool dirty;
	uint32_t n; /* CQEs made and not yet written, the last of pi */
	uint8_t owner[CQ_BATCH];
	/* op_own of each is invalid here; what it becomes is written after all of them */
	uint8_t cqe[CQ_BATCH * 128 + CQ_BATCH];
};

/* One UAR page: whose records a write to it makes worth looking at. */
struct dp_uar {
	uint32_t uar;
	struct dp_uar *next;
	TAILQ_ENTRY(dp_uar) sweep_link;
	bool sweeping;
	struct qp **sq;
	struct cq **cq;
	unsigned int nsq, sq_cap, sq_left, sq_at;
	unsigned int ncq, cq_cap, cq_left, cq_at;
};

#define POSTS 64u
struct dp_posts {
	unsigned int n;
	bool seen;	/* some may be looked at without a CQE */
	uint64_t since; /* the end of a turn at which they began to wait; 0: not yet */
	size_t bytes;
	struct dma_seg seg[POSTS + BATCH_SEGS];
	struct qp *qp[POSTS];
	uint8_t buf[65536];
};

/* A send WQE of a raw packet, parsed; pointers are into its request. */
struct raw_wqe {
	struct send_wr *wr;
	const uint8_t *eth, *segs, *end;
	uint32_t inl; /* bytes of headers in the Ethernet segment */
	uint32_t len; /* all bytes, before a tag is inserted */
	bool vlan;
};

/* Packets of one SQ whose data are fetched in one call: a call costs more than a packet. */
#define RAW_BATCH 32u
#define RAW_SEGS  128u
struct dp_raw {
	unsigned int n, nsegs;
	size_t bytes;
	struct raw_wqe w[RAW_BATCH];
	struct dma_seg seg[RAW_SEGS];
	uint8_t buf[65536];
};

#define UAR_BUCKETS 256u
TAILQ_HEAD(dp_qp_list, dp_qp);
TAILQ_HEAD(dp_cq_list, dp_cq);
TAILQ_HEAD(dp_uar_list, dp_uar);
struct dp {
	struct device *dev;
	struct dp_uar *uar[UAR_BUCKETS];
	struct dp_uar_list sweep;
	bool rung; /* a doorbell came since the last turn */
	unsigned int unswept;
	struct dp_qp_list ready, flush;
	struct dp_cq_list dirty;
	struct send_wr *free_wr;
	unsigned int nfree;
	struct dp_posts posts;
	struct dp_raw raw;
	bool (*port_room)(void *port); /* for one more raw packet */
	void *port;
};

static inline struct dp *dp_of(const struct obj *o)
{
	return o->vhca->dev->dp;
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
bool uar_sweep(struct dp *); /* one slice of each UAR that was rung */
void uar_free_all(struct dp *);

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
bool sq_run(struct dp *);
void sq_more(struct qp *);
void sq_reset(struct qp *);
void sq_done(struct qp *, struct send_wr *);
void sq_failed(struct qp *, struct send_wr *, uint8_t syndrome, uint8_t vendor);
/* Flushes up to n requests, of what the connection gave back and of the ring. How many. */
unsigned int sq_flush(struct qp *, unsigned int n);
void wr_free(struct dp *, struct send_wr *);

/* segs.c: data segments in [p, end) of a WQE, and moving a part of what they describe */
struct data_seg {
	const uint8_t *inl; /* inline data, or NULL */
	uint64_t len, addr;
	uint32_t lkey;
};
/* The one after it; NULL: malformed, or p is at the end. */
const uint8_t *data_seg_next(const uint8_t *p, const uint8_t *end, struct data_seg *);
#define LKEY_TERMINATE 0x100u
uint8_t segs_gather(struct qp *, const uint8_t *p, const uint8_t *end, uint64_t off, size_t len,
		    void *to);
uint8_t segs_scatter(struct qp *, const uint8_t *p, const uint8_t *end, uint64_t off, size_t len,
		     const void *from);
const uint8_t *wr_segs(const struct send_wr *, const uint8_t **end);

/* rq.c */
bool rq_start(struct qp *);
uint8_t rq_scatter(struct qp *, uint64_t off, size_t len, const void *from);
void rq_end(struct qp *, const struct recv_done *);
unsigned int rq_flush(struct qp *, unsigned int n);
void rq_reset(struct qp *);

/* raw.c: WQEs of raw packets, from their checks to their CQEs. Some wait until raw_flush(). */
void raw_send(struct qp *, struct send_wr *);
void raw_flush(struct qp *);
bool raw_room(const struct qp *);

/* mmo.c */
int mmo_step(struct qp *, struct send_wr *);
uint8_t mmo_check(struct qp *, struct send_wr *); /* before it is queued: 0 or a syndrome */

/* remote.c: what the peer may do with our memory */
bool remote_check(struct qp *, uint32_t rkey, uint64_t va, uint64_t len, bool write);
bool remote_write(struct qp *, uint32_t rkey, uint64_t va, size_t len, const void *from);
bool remote_read(struct qp *, uint32_t rkey, uint64_t va, size_t len, void *to);

/*
 * self.c: requests of a queue that is its own peer. What a batch's small WRITEs send is gathered in
 * one call, and they go on as if it had been inline.
 */
#define SELF_BATCH 32u
struct self_batch {
	unsigned int n;
	struct send_wr *wr[SELF_BATCH];
	struct dma_seg seg[SELF_BATCH];
};
void self_note(struct self_batch *, const struct qp *, struct send_wr *);
void self_gather(struct self_batch *, struct qp *);
bool self_copy(struct qp *, struct send_wr *);

/* post.c */
int post_scatter(struct qp *, const struct dma_seg *, unsigned int n, const void *from, size_t len);
void post_flush(struct dp *);
/* The same for what a peer wrote: flushed at the end of the turn. */
int post_seen(struct qp *, const struct dma_seg *, unsigned int n, const void *from, size_t len);
bool post_end_turn(struct dp *, uint64_t now); /* true if something was flushed */
/* The same, then these bytes, the last `ordered` segments in order: 0, or -EFAULT for these. */
int post_flush_then(struct dp *, const struct dma_seg *, unsigned int n, unsigned int ordered,
		    const void *, size_t len);
void post_before(struct dp *, const struct dma_seg *); /* flushes what lies in it */
void post_failed(struct qp *);

/* cq.c: a zeroed 64-byte CQE to fill in; NULL: the CQ is full or broken. Then tell. */
void *cq_next(struct cq *);
void cq_filled(struct cq *, bool solicited);
bool cq_flush_all(struct dp *);
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
void qp_error(struct qp *, uint8_t event); /* to ERR; an EQE if event is not 0 */
void qp_flush_later(struct qp *);
bool qp_flush_run(struct dp *);
void qp_drained(struct qp *);

#endif
