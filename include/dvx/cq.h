/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_CQ_H
#define DVX_CQ_H

/*
 * Completion queue: its ring. poll.h turns completions into cookies; these are the steps below it,
 * for what it does not offer (packets, doc/man/dvx_cq_peek.3):
 *
 *	while ((cqe = dvx_cq_peek(cq))) {
 *		use(dvx_rq_retire(rq), dvx_cqe_byte_count(cqe), dvx_cqe_flow_tag(cqe));
 *		dvx_cq_pop(cq);
 *	}
 *
 * The device writes CQEs around the ring; in each lap it flips the owner bit, so an entry is new
 * when its bit is the current lap's (`phase`). Before the first lap entries have the other bit. A
 * CQ has room for all that can complete in it: one entry per block of its send queues (a flush
 * reports unsignaled WQEs too) and per WQE of its receive queues; creating a queue checks that. What
 * is beyond that room, up to a quarter of the ring, is the slack: the device hears of consumed
 * entries only so often (doc/design/0006-completions.md).
 */
#include <dvx/barrier.h>
#include <dvx/common.h>
#include <dvx/cqe.h>
#include <dvx/mem.h>
#include <dvx/prm/db.h>
#include <dvx/sq.h>
#include <dvx/srq.h>

DVX_BEGIN_DECLS

struct ibv_cq;
struct dvx_cq_priv;

/* A queue that completes in a CQ, as dvx_cq_poll() finds it by its number. */
struct dvx_cq_queue {
	uint32_t number;     /* QPN, SQN or RQN */
	uint32_t user_index; /* what its CQEs carry */
	struct dvx_sq *sq;   /* NULL: it sends elsewhere, or nothing */
	union {
		struct dvx_rq *rq;   /* NULL: it receives elsewhere, or nothing ... */
		struct dvx_srq *srq; /* ... if `shared`: from this one, never NULL */
	};
	uint32_t room; /* completions of its own that it may have outstanding; 0: a free place */
	bool raw;      /* of packets: receive CQEs carry a tag where others have the number */
	bool shared;
	bool indexed; /* its CQEs may have another number: then their user_index tells */
	bool strided; /* its receives take several packets: dvx_rxq_take() */
};

struct dvx_cq {
	const uint8_t *next; /* the CQE that comes next */
	const uint8_t *stop; /* where `next` stays behind a turn: dvx_cq_turn() */
	uint32_t phase;	     /* last word of a CQE: 0 but for this lap's owner bit */
	uint32_t queue_mask;
	const struct dvx_cq_queue *queues; /* queue_mask + 1 places, by number */
	uint32_t stop_index;		   /* consumer index at `stop` */
	uint32_t turn;	 /* CQEs from one publish to the next, a power of two; at most the slack */
	uint32_t *dbrec; /* big-endian: consumer index, arm */
	const uint8_t *end;
	size_t stride; /* bytes from one CQE to the next */
	/* second cache line */
	uintptr_t arm_reg;
	uint32_t arm_sn; /* counts events; the device takes one arm per number; dvx_cq_arm() */
	uint32_t cqn;
	uint32_t layout; /* DVX_RING_LAYOUT */
	uint32_t entries;
	struct dvx_users users;	  /* users.h */
	struct dvx_cq_priv *priv; /* NULL: a plain ring */
	const uint8_t *first;
	size_t turn_bytes;
	uint32_t mini;	 /* enum dvx_cq_mini */
	uint32_t newest; /* collapsed: last word of the CQE that was polled last */
};

/* A ring over plain memory. Its entries are set to INVALID. */
struct dvx_cq_memory {
	uint32_t size;
	uint32_t entries; /* a power of two */
	void *buf;
	uint32_t *dbrec;
	void *uar; /* the UAR page's base, for arming; NULL: the CQ is never armed */
	uint32_t cqn;
	uint32_t slack; /* entries that its queues never need: consumed ones told so much later */
	uint32_t cqe_bytes; /* 64 or 128; 0: 64 */
	uint32_t mini;	    /* enum dvx_cq_mini */
	uint64_t reserved;
};
int dvx_cq_init_layout(struct dvx_cq *cq, const struct dvx_cq_memory *init, uint32_t layout);
DVX_INLINE int dvx_cq_init(struct dvx_cq *cq, const struct dvx_cq_memory *init)
{
	return dvx_cq_init_layout(cq, init, DVX_RING_LAYOUT);
}

enum dvx_cq_flags {
	/*
	 * Queues may be created on it that could fill it: the program counts what it has
	 * outstanding. A CQ that overruns is in error, and all its queues with it.
	 */
	DVX_CQ_OVERCOMMIT = 1 << 0,
	/*
	 * Entries have 128 bytes: of small receives and READs of adopted queues, 64 bytes of data
	 * can be in the entry itself. The CQE is the second half, as all calls take it.
	 */
	DVX_CQ_128 = 1 << 1,
	/*
	 * The device writes on over entries that were not consumed, and needs no consumer index:
	 * for programs that can't fall behind. Who does reads other entries than come next.
	 */
	DVX_CQ_OVERRUN_IGNORE = 1 << 2,
	/*
	 * All CQEs go to the first entry, so only the newest can be read: dvx_sq_poll_newest(), not
	 * dvx_cq_peek(), dvx_cq_pop() or dvx_cq_arm(). For one send queue. Implies
	 * DVX_CQ_OVERRUN_IGNORE.
	 */
	DVX_CQ_COLLAPSED = 1 << 3,
	/* Similar CQEs of received packets come compressed, as attr.mini says. */
	DVX_CQ_COMPRESSED = 1 << 4,
};

/*
 * What a compressed CQE keeps of its packet beside the length. PRM: cqc.mini_cqe_res_format. All
 * else is the first one's of its session: its flags, tag, and time.
 */
enum dvx_cq_mini {
	DVX_CQ_MINI_HASH = 0,	     /* dvx_cqe_rss_hash(); the checksum reads as 0 */
	DVX_CQ_MINI_CSUM = 1,	     /* dvx_cqe_checksum(); the hash reads as 0 */
	DVX_CQ_MINI_CSUM_STRIDE = 3, /* that, and the stride of a striding queue */
};

/* A CQ made by DevX. */
struct dvx_cq_attr {
	uint32_t size;
	uint32_t entries;	/* at least: the blocks and receives of its queues */
	struct dvx_uar *uar;	/* its page has the arm register */
	uint32_t vector;	/* completion vector that events come through */
	uint32_t flags;		/* enum dvx_cq_flags */
	struct dvx_place place; /* of the ring */
	uint32_t mini;		/* enum dvx_cq_mini, of DVX_CQ_COMPRESSED */
	uint32_t reserved;
};
int dvx_cq_create_layout(struct dvx_dev *dev, const struct dvx_cq_attr *attr, uint32_t layout,
			 struct dvx_cq **out);
DVX_INLINE int dvx_cq_create(struct dvx_dev *dev, const struct dvx_cq_attr *attr,
			     struct dvx_cq **out)
{
	return dvx_cq_create_layout(dev, attr, DVX_RING_LAYOUT, out);
}

/*
 * Takes over the ring of a verbs CQ. Do not call ibv_poll_cq() or ibv_req_notify_cq() on it any
 * more, nor arm it before: libmlx5 counts events itself. The caller keeps the ibv_cq, which must
 * outlive the dvx_cq. CQEs may have 64 or 128 bytes and be compressed, as mlx5dv_create_cq() takes
 * it.
 */
int dvx_cq_adopt_layout(struct dvx_dev *dev, struct ibv_cq *ibcq, uint32_t layout,
			struct dvx_cq **out);
DVX_INLINE int dvx_cq_adopt(struct dvx_dev *dev, struct ibv_cq *ibcq, struct dvx_cq **out)
{
	return dvx_cq_adopt_layout(dev, ibcq, DVX_RING_LAYOUT, out);
}

/*
 * Fewer events (channel.h): an armed CQ raises its event when `count` completions have come since
 * the last one, or `period_us` after it, whichever is first; a 0 leaves that one out, and two of
 * them are the default, an event at the first completion. With a count alone the event waits until
 * so many have come. Up to 4095 us and 65535 completions.
 */
int dvx_cq_moderate(struct dvx_cq *cq, uint32_t period_us, uint32_t count);

/*
 * Another ring with at least so many entries; queues may go on meanwhile. What was not consumed
 * moves along, so pointers from dvx_cq_peek() are of the old ring, which is gone. For the thread
 * that polls. Not for adopted or collapsed CQs. `place` is of the new ring; NULL: anywhere.
 */
int dvx_cq_resize(struct dvx_cq *cq, uint32_t entries, const struct dvx_place *place);

/* Created or adopted (then the ibv_cq lives on). -EBUSY while QPs use it. */
int dvx_cq_destroy(struct dvx_cq *cq);

/*
 * A CQE's last word (index of the WQE, signature, opcode, format, solicited event, owner) as it
 * lies in memory, with the owner bit 0 if it is this lap's. One load has all that a poll of a send
 * needs.
 */
DVX_INLINE uint32_t dvx_cq_state(const struct dvx_cq *cq, const uint8_t *cqe)
{
	return *(const volatile uint32_t *)(cqe + DVX_CQE_BYTES - 4) ^ cq->phase;
}

/* Bits of a state, given as of the CQE's last byte. */
#define DVX_CQ_BITS(last_byte) prm_swap32(last_byte)
#define DVX_CQ_OLD	       DVX_CQ_BITS(0x01u)	   /* set: there is no CQE */
#define DVX_CQ_FORMAT	       DVX_CQ_BITS(DVX_CQE_FORMAT) /* not 0: more than a plain CQE */
#define DVX_CQ_MAYBE_TITLE     DVX_CQ_BITS(0x08u) /* set in compressed CQEs, and in few others */
/* All 0: a good send whose data, if any, is in its buffers. Solicited or not is no matter. */
#define DVX_CQ_NOT_PLAIN_SEND DVX_CQ_BITS(0xfdu)

/* A CQE's last byte, of its state. */
DVX_INLINE uint8_t dvx_cq_last_byte(uint32_t state)
{
	return (uint8_t)prm_swap32(state);
}

/*
 * If the next CQE is the title of compressed ones, writes them all out, each in its place.
 * dvx_cq_peek() and the polls do it.
 */
void dvx_cq_unpack(const struct dvx_cq *cq);

/* The oldest CQE that was not popped, NULL if there is none. */
DVX_INLINE const void *dvx_cq_peek(const struct dvx_cq *cq)
{
	const uint8_t *cqe = cq->next;
	uint32_t state = dvx_cq_state(cq, cqe);

	if (state & DVX_CQ_OLD)
		return NULL;
	dvx_barrier_owner_to_cqe();
	if (DVX_UNLIKELY(state & DVX_CQ_MAYBE_TITLE))
		dvx_cq_unpack(cq);
	return cqe;
}

/* CQEs consumed, modulo 2^24. */
DVX_INLINE uint32_t dvx_cq_index(const struct dvx_cq *cq)
{
	return (cq->stop_index - (uint32_t)((size_t)(cq->stop - cq->next) / cq->stride)) & 0xffffff;
}

/* Returns entries to the device, up to a consumer index. */
DVX_INLINE void dvx_cq_publish_index(struct dvx_cq *cq, uint32_t index)
{
	dvx_barrier_cqe_to_index();
	*(volatile uint32_t *)cq->dbrec = prm_swap32(index & 0xffffff);
}

/* Returns all consumed entries to the device. */
DVX_INLINE void dvx_cq_publish(struct dvx_cq *cq)
{
	dvx_cq_publish_index(cq, dvx_cq_index(cq));
}

/*
 * At the end of a turn: tells the device what was consumed, and begins the next one. At the ring's
 * end the next lap: the phase flips.
 */
DVX_INLINE void dvx_cq_turn(struct dvx_cq *cq)
{
	const uint8_t *next = cq->next;

	dvx_cq_publish_index(cq, cq->stop_index);
	if (next == cq->end) {
		next = cq->first;
		cq->next = next;
		cq->phase ^= DVX_CQ_OLD;
	}
	cq->stop_index += cq->turn;
	cq->stop = next + cq->turn_bytes;
}

/* The next thread may use it: for debug builds (users.h). */
DVX_INLINE void dvx_cq_leave(struct dvx_cq *cq)
{
	DVX_LEAVE(&cq->users);
}

/* Consumes all CQEs before `next`, which is at most cq->stop; they must not be read any more. */
DVX_INLINE void dvx_cq_consume_to(struct dvx_cq *cq, const uint8_t *next)
{
	cq->next = next;
	if (DVX_UNLIKELY(next == cq->stop))
		dvx_cq_turn(cq);
}

/* Consumes the CQE that dvx_cq_peek() returned. */
DVX_INLINE void dvx_cq_pop(struct dvx_cq *cq)
{
	(void)DVX_FOREIGN(&cq->users, DVX_USERS_CQ, cq->cqn);
	dvx_cq_consume_to(cq, cq->next + cq->stride);
}

/* In arm_sn: a request for any CQE was made, and its event was not taken. */
#define DVX_CQ_WAITS_FOR_ANY 0x80000000u

/*
 * Asks for one event (channel.h) at the next CQE that is newer than what was consumed, or only at a
 * solicited one. Until dvx_channel_wait() has taken the event of a request for any CQE, later
 * requests are for any CQE, too. Publishes the consumer index. Peek once more after arming: a CQE
 * that came before raises the event too, but one already seen does not.
 */
DVX_INLINE void dvx_cq_arm(struct dvx_cq *cq, bool solicited_only)
{
	struct prm_uar_cq_db_args a = PRM_NOTHING;
	uint64_t db;

	(void)DVX_FOREIGN(&cq->users, DVX_USERS_CQ, cq->cqn);
	if (!solicited_only)
		cq->arm_sn |= DVX_CQ_WAITS_FOR_ANY;
	a.arm_sn = cq->arm_sn & 3;
	a.arm_cmd = !(cq->arm_sn & DVX_CQ_WAITS_FOR_ANY);
	a.arm_ci = dvx_cq_index(cq);
	a.cqn = cq->cqn;
	prm_uar_cq_db_pack_args(&db, a);
	dvx_cq_publish(cq);
	/* The record's second word is the register's first. */
	__builtin_memcpy(cq->dbrec + 1, &db, sizeof(uint32_t));
	dvx_barrier_record_to_register();
	*(volatile uint64_t *)cq->arm_reg = db;
	dvx_barrier_register_flush();
}

/*
 * Copies data from inside a CQE (dvx_cqe_scattered()) to the buffers of its WQE; call it before the
 * WQE is retired. Pass the queue of the CQE; the other one is NULL.
 */
void dvx_cqe_unscatter(const void *cqe, const struct dvx_sq *sq, const struct dvx_rq *rq);

DVX_END_DECLS

#endif
