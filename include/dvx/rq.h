/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_RQ_H
#define DVX_RQ_H

/*
 * Receive queue: posts give buffers to the device, which fills them in order. Every WQE has the
 * same size (`stride`), so no WQE crosses the ring's end.
 *
 *	dvx_rq_post(rq, &sge, 1, cookie);
 *	dvx_rq_ring(rq);
 */
#include <dvx/barrier.h>
#include <dvx/common.h>
#include <dvx/users.h>
#include <dvx/wqe.h>

DVX_BEGIN_DECLS

struct dvx_rq {
	uint8_t *buf;
	uint64_t *wr_ids; /* the callers' cookies, one per WQE */
	uint32_t *dbrec;  /* big-endian receive counter */
	uint32_t pi;	  /* WQEs posted, free running */
	uint32_t limit;	  /* pi when the ring is full: WQEs retired, and one lap */
	uint32_t mask;	  /* entries - 1 */
	uint32_t stride;
	uint32_t max_sge;
	uint32_t null_lkey;	/* of an adopted queue: the null mkey; 0: none */
	struct dvx_cq *cq;	/* if no other queue completes in it: dvx_rq_poll() */
	struct dvx_users users; /* users.h */
};

/* The memory of a ring that the program provides. */
struct dvx_rq_memory {
	uint32_t size;
	uint32_t entries; /* a power of two */
	void *buf;
	uint64_t *wr_ids;
	uint32_t *dbrec;
	uint32_t stride; /* bytes, a power of two >= 16 */
	uint32_t reserved;
	struct dvx_cq *cq; /* a plain ring that no other queue completes in; NULL: no poll */
};
int dvx_rq_init(struct dvx_rq *rq, const struct dvx_rq_memory *init);

/* Returns how many WQEs can still be posted. */
DVX_INLINE uint32_t dvx_rq_free(const struct dvx_rq *rq)
{
	return rq->limit - rq->pi;
}

/* Lets another thread use the queue: for debug builds (users.h). */
DVX_INLINE void dvx_rq_leave(struct dvx_rq *rq)
{
	DVX_LEAVE(&rq->users);
}

/*
 * Posts a receive of n pieces. Returns 0, -ENOSPC (full) or -EMSGSIZE (more pieces than a WQE has,
 * or one empty or over 2 GiB).
 */
DVX_INLINE int dvx_rq_post(struct dvx_rq *rq, const struct dvx_sge *sge, uint32_t n, uint64_t wr_id)
{
	uint32_t pi = rq->pi, at = pi & rq->mask;
	uint8_t *wqe = rq->buf + at * rq->stride;
	struct dvx_sge end = {0, 0, DVX_INVALID_LKEY};

	if (DVX_FOREIGN(&rq->users, DVX_USERS_RQ, rq->mask + 1))
		return -EUSERS;
	if (DVX_UNLIKELY((int32_t)(rq->limit - pi) <= 0))
		return -ENOSPC;
	if (DVX_UNLIKELY(n > DVX_MAX_DS || dvx_wqe_bad_length(sge, n)))
		return -EMSGSIZE;
	if (n != rq->max_sge) {
		__asm__("" : "+m"(rq->max_sge)); /* makes `n != rq->max_sge` compare with memory */
		if (DVX_UNLIKELY(n > rq->max_sge))
			return -EMSGSIZE;
		/* the list ends here */
		dvx_wqe_data(wqe + (size_t)n * DVX_SEG, &end);
	}
	rq->wr_ids[at] = wr_id;
	rq->pi = pi + 1;
	if (__builtin_constant_p(n) && n == 1 && !__builtin_constant_p(sge->length))
		dvx_wqe_data_from(wqe, sge, DVX_MAX_SEGMENT);
	else
		dvx_wqe_gather(wqe, sge, n);
	return 0;
}

/*
 * Posts the WQE that is still in the next slot from one lap ago, with its buffers and its cookie.
 * In a queue that was filled once and is refilled as receives are retired, this is the receive that
 * was just retired. Returns 0 or -ENOSPC (full).
 */
DVX_INLINE int dvx_rq_repost(struct dvx_rq *rq)
{
	if (DVX_UNLIKELY(rq->pi == rq->limit))
		return -ENOSPC;
	rq->pi++;
	return 0;
}

/* Announces all posts to the device: only by the doorbell record, receives have no register. */
DVX_INLINE void dvx_rq_ring(struct dvx_rq *rq)
{
	(void)DVX_FOREIGN(&rq->users, DVX_USERS_RQ, rq->mask + 1);
	dvx_barrier_wqe_to_record();
	*(volatile uint32_t *)rq->dbrec = prm_swap32(rq->pi & 0xffff);
}

/* Retires the oldest WQE after a receive CQE: frees its slot and returns its cookie. */
DVX_INLINE uint64_t dvx_rq_retire(struct dvx_rq *rq)
{
	(void)DVX_FOREIGN(&rq->users, DVX_USERS_RQ, rq->mask + 1);
	return rq->wr_ids[rq->limit++ & rq->mask];
}

DVX_END_DECLS

#endif
