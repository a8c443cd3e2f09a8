/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_SRQ_H
#define DVX_SRQ_H

/*
 * Shared receive queue: one pool of receives for many queue pairs and DC targets. A message to any
 * of these queues takes the oldest receive of the pool, and completes in its own queue's CQ, where
 * dvx_cq_poll() returns the cookie and frees the receive.
 *
 *	dvx_srq_create(dev, &attr, &srq);
 *	qp_attr.srq = srq;			instead of rq_entries
 *	dvx_srq_post(srq, &sge, 1, cookie);
 *	dvx_srq_ring(srq);
 *
 * Receives complete in any order, so the ring is a linked list: each entry has the index of the
 * next one, and the device follows the links. Free entries continue this list behind the posted
 * ones: posting takes the first free entry, retiring appends one at the end. The last free entry is
 * never posted, because its link is not known yet (doc/design/0008-shared-receives.md).
 */
#include <dvx/barrier.h>
#include <dvx/common.h>
#include <dvx/mem.h>
#include <dvx/users.h>
#include <dvx/wqe.h>

DVX_BEGIN_DECLS

struct ibv_srq;
struct dvx_srq_priv;

struct dvx_srq {
	uint8_t *buf;
	uint64_t *wr_ids; /* the callers' cookies, one per entry */
	uint32_t *dbrec;  /* big-endian receive counter */
	uint32_t head;	  /* the first free entry: the next receive */
	uint32_t tail;	  /* the last free entry */
	uint32_t free;	  /* receives that can be posted: free entries - 1 */
	uint32_t pi;	  /* receives posted, free running */
	uint32_t mask;	  /* entries - 1 */
	uint32_t stride;
	uint32_t max_sge;
	uint32_t null_lkey; /* if adopted: the null mkey; 0: none */
	struct dvx_users users;
	/* second cache line */
	struct dvx_srq_priv *priv; /* NULL: a plain ring */
	uint32_t srqn;
	uint32_t reserved1;
	uint64_t reserved[2];
};

/* The memory of a ring that the program provides. */
struct dvx_srq_memory {
	uint32_t size;
	uint32_t entries; /* a power of two, at least 2; entries - 1 receives can be posted */
	void *buf;
	uint64_t *wr_ids;
	uint32_t *dbrec;
	uint32_t stride; /* bytes, a power of two >= 32 */
	uint32_t reserved;
};
int dvx_srq_init(struct dvx_srq *srq, const struct dvx_srq_memory *init);

/* Attributes of an SRQ made by DevX. PRM: CREATE_RMP. */
struct dvx_srq_attr {
	uint32_t size;
	uint32_t entries; /* receives that can be posted, at least */
	struct dvx_pd *pd;
	uint32_t sge; /* pieces of one receive, at least; 0: 1 */
	uint32_t reserved;
	struct dvx_place place; /* of the ring */
};
int dvx_srq_create(struct dvx_dev *dev, const struct dvx_srq_attr *attr, struct dvx_srq **out);

/*
 * Takes over the ring of a verbs SRQ, before anything was posted to it (else -EBUSY) and before its
 * QPs are adopted. The caller keeps the ibv_srq, which must outlive the dvx_srq.
 */
int dvx_srq_adopt(struct dvx_dev *dev, struct ibv_srq *ibsrq, struct dvx_srq **out);

/*
 * Adopts an XRC SRQ (xrc.h), whose messages complete in its own CQ; adopt that first. A CQ can have
 * only one such SRQ: its CQEs name the connection, and the index that would name the SRQ is known
 * to libmlx5 only.
 */
int dvx_srq_adopt_xrc(struct dvx_dev *dev, struct ibv_srq *ibsrq, struct dvx_cq *cq,
		      struct dvx_srq **out);

/* Destroys a created SRQ, or releases an adopted one. -EBUSY while queues use it. */
int dvx_srq_destroy(struct dvx_srq *srq);

uint32_t dvx_srq_number(const struct dvx_srq *srq);

/*
 * Asks for one event, SRQ_RQ_LIMIT (events.h), when fewer than `limit` receives are posted, or at
 * once if there are fewer already. 0: no event. Events of adopted SRQs come by
 * ibv_get_async_event().
 */
int dvx_srq_arm(struct dvx_srq *srq, uint32_t limit);

/* Returns how many receives can still be posted. */
DVX_INLINE uint32_t dvx_srq_free(const struct dvx_srq *srq)
{
	return srq->free;
}

/* Lets another thread use the SRQ: for debug builds (users.h). */
DVX_INLINE void dvx_srq_leave(struct dvx_srq *srq)
{
	DVX_LEAVE(&srq->users);
}

DVX_INLINE uint8_t *dvx_srq_entry(const struct dvx_srq *srq, uint32_t at)
{
	return srq->buf + (size_t)at * srq->stride;
}

/*
 * Posts a receive of n pieces. Returns 0, -ENOSPC (full) or -EMSGSIZE (more pieces than an entry
 * has, or one empty or over 2 GiB).
 */
DVX_INLINE int dvx_srq_post(struct dvx_srq *srq, const struct dvx_sge *sge, uint32_t n,
			    uint64_t wr_id)
{
	uint32_t at = srq->head;
	uint8_t *wqe = dvx_srq_entry(srq, at);
	struct dvx_sge end = {0, 0, DVX_INVALID_LKEY};

	if (DVX_FOREIGN(&srq->users, DVX_USERS_SRQ, srq->srqn))
		return -EUSERS;
	if (DVX_UNLIKELY(n > srq->max_sge || dvx_wqe_bad_length(sge, n)))
		return -EMSGSIZE;
	if (DVX_UNLIKELY(!srq->free))
		return -ENOSPC;
	srq->wr_ids[at] = wr_id;
	srq->head = prm_wqe_srq_next_seg_get_next_wqe_index(wqe) & srq->mask;
	srq->free--;
	srq->pi++;
	dvx_wqe_gather(wqe + DVX_SEG, sge, n);
	if (n < srq->max_sge) /* the list of pieces ends here */
		dvx_wqe_data(wqe + DVX_SEG + (size_t)n * DVX_SEG, &end);
	return 0;
}

/* Announces all posts to the device: only by the doorbell record, receives have no register. */
DVX_INLINE void dvx_srq_ring(struct dvx_srq *srq)
{
	(void)DVX_FOREIGN(&srq->users, DVX_USERS_SRQ, srq->srqn);
	dvx_barrier_wqe_to_record();
	*(volatile uint32_t *)srq->dbrec = prm_swap32(srq->pi & 0xffff);
}

/* Returns the cookie of the receive that a CQE named (dvx_cqe_wqe_index()); frees its entry. */
DVX_INLINE uint64_t dvx_srq_retire(struct dvx_srq *srq, uint32_t wqe_index)
{
	uint32_t at = wqe_index & srq->mask;

	(void)DVX_FOREIGN(&srq->users, DVX_USERS_SRQ, srq->srqn);
	prm_wqe_srq_next_seg_set_next_wqe_index(dvx_srq_entry(srq, srq->tail), at);
	srq->tail = at;
	srq->free++;
	return srq->wr_ids[at];
}

/* Does the work of dvx_cqe_unscatter() for a completion whose receive is of an SRQ. */
void dvx_cqe_unscatter_srq(const void *cqe, const struct dvx_srq *srq);

DVX_END_DECLS

#endif
