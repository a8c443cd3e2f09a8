/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_CQ_H
#define DVX_CQ_H

/*
 * Completion queue: its ring. poll.h turns completions into cookies. The steps that it is made of
 * are here, for programs that need more (packets, dvx_cq_peek(3)):
 *
 *	while ((cqe = dvx_cq_peek(cq))) {
 *		use(dvx_rq_retire(rq), dvx_cqe_byte_count(cqe), dvx_cqe_flow_tag(cqe));
 *		dvx_cq_pop(cq);
 *	}
 *
 * The device writes CQEs around the ring; in each lap it flips the owner bit, so an entry is new
 * when its bit is the current lap's (`phase`). Before the first lap entries have the other bit. A
 * CQ has room for all completions that can be outstanding: one entry per block of its send queues
 * (a flush reports unsignaled WQEs too) and per WQE of its receive queues; creating a queue checks
 * that. The entries beyond that, up to a quarter of the ring, are the slack: the consumer index is
 * written to the doorbell record once per so many consumed entries
 * (doc/design/0006-completions.md).
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

/* A queue that completes in a CQ; dvx_cq_poll() finds it by its number. */
struct dvx_cq_queue {
	uint32_t number;     /* QPN, SQN or RQN */
	uint32_t user_index; /* in its CQEs */
	struct dvx_sq *sq;   /* NULL: its sends complete in another CQ, or it has none */
	union {
		struct dvx_rq *rq;   /* NULL: its receives complete in another CQ, or it has none */
		struct dvx_srq *srq; /* if `shared`: the SRQ that it receives from, never NULL */
	};
	uint32_t room; /* completions that it may have outstanding here; 0: a free place */
	bool raw;      /* raw packets: receive CQEs have a flow tag in place of the number */
	bool shared;
	bool indexed; /* CQEs may have another number, but always its user_index */
	bool strided; /* a receive takes several packets: dvx_rxq_take() */
};

struct dvx_cq {
	const uint8_t *next; /* the next CQE to consume */
	const uint8_t *stop; /* `next` at the end of this turn: dvx_cq_turn() */
	uint32_t phase;	     /* last word of a CQE: 0 but for this lap's owner bit */
	uint32_t queue_mask;
	const struct dvx_cq_queue *queues; /* queue_mask + 1 places, by number */
	uint32_t stop_index;		   /* consumer index at `stop` */
	uint32_t turn;	 /* CQEs consumed per publish, a power of two; at most the slack */
	uint32_t *dbrec; /* big-endian: consumer index, arm */
	const uint8_t *end;
	size_t stride; /* bytes from one CQE to the next */
	/* second cache line */
	uintptr_t arm_reg;
	uint32_t arm_sn; /* counts events; the device accepts one arm per number; dvx_cq_arm() */
	uint32_t cqn;
	uint32_t reserved0;
	uint32_t entries;
	struct dvx_users users;	  /* users.h */
	struct dvx_cq_priv *priv; /* NULL: a plain ring */
	const uint8_t *first;
	size_t turn_bytes;
	uint32_t mini;	 /* enum dvx_cq_mini */
	uint32_t newest; /* of a collapsed CQ: last word of the CQE that was polled last */
};

/* The memory of a ring that the program provides. dvx_cq_init() sets its entries to INVALID. */
struct dvx_cq_memory {
	uint32_t size;
	uint32_t entries; /* a power of two */
	void *buf;
	uint32_t *dbrec;
	void *uar; /* the UAR page's base, for arming; NULL: the CQ is never armed */
	uint32_t cqn;
	uint32_t slack;	    /* entries that its queues never need */
	uint32_t cqe_bytes; /* 64 or 128; 0: 64 */
	uint32_t mini;	    /* enum dvx_cq_mini */
	uint64_t reserved;
};
int dvx_cq_init(struct dvx_cq *cq, const struct dvx_cq_memory *init);

enum dvx_cq_flags {
	/*
	 * The queues on it may have more completions outstanding than it has entries: the program
	 * makes sure that it does not overrun. A CQ that overruns is in error, with all its queues.
	 */
	DVX_CQ_OVERCOMMIT = 1 << 0,
	/*
	 * Entries have 128 bytes: the first half can hold 64 bytes of data of small receives and
	 * READs of adopted queues. All calls return and take a pointer to the second half, the CQE.
	 */
	DVX_CQ_128 = 1 << 1,
	/*
	 * The device overwrites entries that were not consumed, and needs no consumer index. For
	 * programs that can't fall behind; one that does loses completions and reads wrong entries.
	 */
	DVX_CQ_OVERRUN_IGNORE = 1 << 2,
	/*
	 * All CQEs go to the first entry, so only the newest can be read: dvx_sq_poll_newest(), not
	 * dvx_cq_peek(), dvx_cq_pop() or dvx_cq_arm(). For one send queue. Implies
	 * DVX_CQ_OVERRUN_IGNORE.
	 */
	DVX_CQ_COLLAPSED = 1 << 3,
	/* The device compresses similar CQEs of received packets, in the format attr.mini. */
	DVX_CQ_COMPRESSED = 1 << 4,
};

/*
 * The field that a compressed CQE has of its own, beside the length. PRM: cqc.mini_cqe_res_format.
 * All other fields (flags, tag, time) are those of the first CQE of its session.
 */
enum dvx_cq_mini {
	DVX_CQ_MINI_HASH = 0,	     /* dvx_cqe_rss_hash(); the checksum reads as 0 */
	DVX_CQ_MINI_CSUM = 1,	     /* dvx_cqe_checksum(); the hash reads as 0 */
	DVX_CQ_MINI_CSUM_STRIDE = 3, /* the checksum, and the stride of a striding queue */
};

/* Attributes of a CQ made by DevX. PRM: CREATE_CQ. */
struct dvx_cq_attr {
	uint32_t size;
	uint32_t entries;	/* at least: the blocks and receives of its queues */
	struct dvx_uar *uar;	/* its page has the arm register; it outlives the CQ */
	uint32_t vector;	/* completion vector for its events */
	uint32_t flags;		/* enum dvx_cq_flags */
	struct dvx_place place; /* of the ring */
	uint32_t mini;		/* enum dvx_cq_mini, with DVX_CQ_COMPRESSED */
	uint32_t reserved;
};
int dvx_cq_create(struct dvx_dev *dev, const struct dvx_cq_attr *attr, struct dvx_cq **out);

/*
 * Takes over the ring of a verbs CQ. Do not call ibv_poll_cq() on it any more, and never
 * ibv_req_notify_cq(), not even before: libmlx5 counts events itself. The caller keeps the ibv_cq,
 * which must outlive the dvx_cq. CQEs may have 64 or 128 bytes and be compressed
 * (mlx5dv_create_cq(3)). Adopt all of its QPs, too: completions of others are not counted, and the
 * CQ could overrun.
 */
int dvx_cq_adopt(struct dvx_dev *dev, struct ibv_cq *ibcq, struct dvx_cq **out);

/*
 * Reduces the number of events (channel.h): an armed CQ raises its event when `count` completions
 * have come since the last event, or `period_us` microseconds after it, whichever is first. 0
 * switches a condition off; with both 0, the default, the first completion raises the event. With a
 * count alone the event may wait for ever. At most 4095 us and 65535 completions.
 */
int dvx_cq_moderate(struct dvx_cq *cq, uint32_t period_us, uint32_t count);

/*
 * Replaces the ring by one with at least `entries` entries at `place` (NULL: anywhere); queues may
 * go on working meanwhile. Unconsumed CQEs move to the new ring; the old one is freed, so pointers
 * from dvx_cq_peek() are invalid. Call it from the thread that polls. Not for adopted or collapsed
 * CQs.
 */
int dvx_cq_resize(struct dvx_cq *cq, uint32_t entries, const struct dvx_place *place);

/* Destroys a created CQ, or releases an adopted one (its ibv_cq stays). -EBUSY: queues use it. */
int dvx_cq_destroy(struct dvx_cq *cq);

/*
 * Returns a CQE's last word (WQE index, signature, opcode, format, solicited event, owner) in
 * memory order, with the owner bit 0 if the CQE is new in this lap. A poll of a send needs no other
 * load.
 */
DVX_INLINE uint32_t dvx_cq_state(const struct dvx_cq *cq, const uint8_t *cqe)
{
	return *(const volatile uint32_t *)(cqe + DVX_CQE_BYTES - 4) ^ cq->phase;
}

/* Bits of a state (dvx_cq_state()), given as bits of the CQE's last byte. */
#define DVX_CQ_BITS(last_byte) prm_swap32(last_byte)
#define DVX_CQ_OLD	       DVX_CQ_BITS(0x01u)	   /* set: there is no CQE */
#define DVX_CQ_FORMAT	       DVX_CQ_BITS(DVX_CQE_FORMAT) /* not 0: more than a plain CQE */
#define DVX_CQ_MAYBE_TITLE     DVX_CQ_BITS(0x08u) /* set in compressed CQEs, and in few others */
/* All 0: a send without error, whose data, if any, is in its buffers. Ignores "solicited". */
#define DVX_CQ_NOT_PLAIN_SEND DVX_CQ_BITS(0xfdu)

/* Returns the CQE's last byte, from its state. */
DVX_INLINE uint8_t dvx_cq_last_byte(uint32_t state)
{
	return (uint8_t)prm_swap32(state);
}

/*
 * If the next CQE is the title of compressed ones, expands them, each in its place in the ring.
 * dvx_cq_peek() and the polls call it.
 */
void dvx_cq_unpack(const struct dvx_cq *cq);

/* Returns the oldest CQE that was not popped, NULL if there is none. */
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

/* Returns how many CQEs were consumed, modulo 2^24. */
DVX_INLINE uint32_t dvx_cq_index(const struct dvx_cq *cq)
{
	return (cq->stop_index - (uint32_t)((size_t)(cq->stop - cq->next) / cq->stride)) & 0xffffff;
}

/* Returns the entries before the consumer index `index` to the device. */
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
 * Ends a turn: publishes the consumer index and begins the next turn. At the ring's end the next
 * lap begins, too: the phase flips.
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

/* Lets another thread use the CQ: for debug builds (users.h). */
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

/* Bit in arm_sn: the CQ is armed for any CQE, and that event was not taken yet. */
#define DVX_CQ_WAITS_FOR_ANY 0x80000000u

/*
 * Asks for one event (channel.h) at the next CQE after the consumed ones, or only at the next
 * solicited one. After a request for any CQE, later requests are for any CQE, too, until
 * dvx_channel_wait() has taken the event. Publishes the consumer index. Peek once more after
 * arming: a CQE that came before raises the event, too, but not one that was consumed.
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
 * WQE is retired. Pass the CQE's queue, sq or rq, and NULL for the other one.
 */
void dvx_cqe_unscatter(const void *cqe, const struct dvx_sq *sq, const struct dvx_rq *rq);

DVX_END_DECLS

#endif
