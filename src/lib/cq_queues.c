/* SPDX-License-Identifier: BSD-2-Clause */
/* The queues that complete in a CQ: checks their room, and removes CQEs of destroyed queues. */
#include "priv.h"

#define FREE_PLACE UINT32_MAX /* no number has more than 24 bits */

/* An entry that looks like an error, for queues that share a CQ: polls take their slow path. */
static const _Alignas(DVX_CQE_BYTES) uint8_t cq_one_error[DVX_CQE_BYTES] = {
	[DVX_CQE_BYTES - 1] = PRM_CQE_OPCODE_REQ_ERR << 4};
const struct dvx_cq dvx_cq_of_several = {
	.next = cq_one_error,
	.stop = cq_one_error + DVX_CQE_BYTES,
	.stride = DVX_CQE_BYTES,
	.first = cq_one_error,
};

/*
 * The ring that a collapsed CQ shows to inline polls: such an entry, as long as the largest one,
 * with the owner bit that unwritten entries do not have. So a program that pops it by mistake finds
 * no CQE behind it.
 */
static const _Alignas(DVX_CQE_BYTES) uint8_t cq_collapsed_error[2 * DVX_CQE_BYTES] = {
	[DVX_CQE_BYTES - 1] = PRM_CQE_OPCODE_REQ_ERR << 4 | 1};

/* Sets the length of a turn: at most the slack, and at most a quarter of the ring. */
void dvx_cq_set_slack(struct dvx_cq *cq, uint32_t slack)
{
	uint32_t most = cq->entries / 4, index = dvx_cq_index(cq);

	if (slack > most)
		slack = most;
	cq->turn = slack > 1 ? 1u << (31 - __builtin_clz(slack)) : 1;
	cq->turn_bytes = cq->turn * cq->stride;
	cq->stop_index = index + cq->turn - index % cq->turn;
	cq->stop = cq->next + (cq->stop_index - index) * cq->stride;
}

/*
 * Makes a CQ collapsed, and discards its completion: after a reset, a queue may get a CQE with the
 * same last word.
 */
void dvx_cq_collapse(struct dvx_cq *cq)
{
	uint8_t *cqe = dvx_cq_entry(cq, 0);

	cqe[DVX_CQE_BYTES - 1] = PRM_CQE_OPCODE_INVALID << 4 | 1;
	memcpy(&cq->newest, cqe + DVX_CQE_BYTES - 4, sizeof(cq->newest));
	cq->phase = DVX_CQ_OLD;
	cq->next = cq_collapsed_error;
	cq->stop = cq->next;
	cq->end = cq->next + cq->stride;
	dvx_cq_set_slack(cq, 0);
}

const struct dvx_cq_queue dvx_cq_no_queue = {.number = FREE_PLACE};

static struct dvx_cq_queue *cq_place_of(const struct dvx_cq_priv *cq, uint32_t number)
{
	uint32_t at = number & (cq->place_count - 1);

	while (cq->places[at].room && cq->places[at].number != number)
		at = (at + 1) & (cq->place_count - 1);
	return &cq->places[at];
}

/* Returns the next place with a queue, from *at on; NULL at the end. */
static struct dvx_cq_queue *cq_next_queue(const struct dvx_cq_priv *cq, uint32_t *at)
{
	while (*at < cq->place_count)
		if (cq->places[(*at)++].room)
			return &cq->places[*at - 1];
	return NULL;
}

/* Makes a table with at least twice as many places as queues. */
static int cq_make_places(struct dvx_cq_priv *cq, uint32_t queues)
{
	struct dvx_cq_priv old = *cq;
	struct dvx_cq_queue *q;
	uint32_t i, at = 0;

	if (2 * queues <= cq->place_count)
		return 0;
	cq->place_count = 1u << dvx_log2_up(4 * queues);
	cq->places = calloc(cq->place_count, sizeof(*cq->places));
	if (!cq->places) {
		cq->places = old.places;
		cq->place_count = old.place_count;
		return dvx_fail(ENOMEM, "no memory for the queues of CQ %u", cq->ring.cqn);
	}
	for (i = 0; i < cq->place_count; i++)
		cq->places[i].number = FREE_PLACE;
	while ((q = cq_next_queue(&old, &at)))
		*cq_place_of(cq, q->number) = *q;
	free(old.places);
	return 0;
}

/* Removes a queue. It may have displaced those behind it, up to a free place: reinserts them. */
static void cq_clear_place(struct dvx_cq_priv *cq, struct dvx_cq_queue *place)
{
	uint32_t mask = cq->place_count - 1, at = (uint32_t)(place - cq->places);
	struct dvx_cq_queue q;

	*place = dvx_cq_no_queue;
	for (at = (at + 1) & mask; cq->places[at].room; at = (at + 1) & mask) {
		q = cq->places[at];
		cq->places[at] = dvx_cq_no_queue;
		*cq_place_of(cq, q.number) = q;
	}
}

/* Returns the queue's own receive ring; NULL: none, or an SRQ. */
static struct dvx_rq *cq_own_rq(const struct dvx_cq_queue *q)
{
	return q->shared ? NULL : q->rq;
}

/* Lets dvx_sq_poll() or dvx_rq_poll() read the CQ, if only one ring completes in it. */
static void cq_update_queues(struct dvx_cq_priv *cq)
{
	bool alone = cq->queue_count == 1;
	struct dvx_cq_queue *q;
	uint32_t at = 0;

	while ((q = cq_next_queue(cq, &at))) {
		struct dvx_cq *ring = alone && !(q->sq && q->rq) && !q->strided
					      ? &cq->ring
					      : (struct dvx_cq *)&dvx_cq_of_several;

		if (q->sq)
			q->sq->cq = ring;
		if (cq_own_rq(q))
			q->rq->cq = ring;
	}
}

static uint32_t cq_slack(const struct dvx_cq_priv *cq)
{
	if (cq->flags & DVX_CQ_COLLAPSED)
		return 0;
	if (cq->flags & DVX_CQ_OVERRUN_IGNORE)
		return cq->ring.entries;
	if (cq->flags & DVX_CQ_OVERCOMMIT || cq->room >= cq->ring.entries)
		return 0;
	return cq->ring.entries - cq->room;
}

/*
 * With raw receive queues, the inline poll's table is empty: CQEs of packets have no number. The new
 * slack may be smaller than what is consumed and not published: publishes it.
 */
void dvx_cq_refit(struct dvx_cq_priv *cq)
{
	bool by_number = cq->queue_count && !cq->raw_receivers;

	cq->ring.queues = by_number ? cq->places : &dvx_cq_no_queue;
	cq->ring.queue_mask = by_number ? cq->place_count - 1 : 0;
	dvx_cq_set_slack(&cq->ring, cq_slack(cq));
	if (!(cq->flags & DVX_CQ_COLLAPSED))
		dvx_cq_publish(&cq->ring);
	if (cq->queue_count <= 2)
		cq_update_queues(cq);
}

struct dvx_sq *dvx_cq_only_sq(const struct dvx_cq_priv *cq)
{
	uint32_t at = 0;

	return cq->queue_count ? cq_next_queue(cq, &at)->sq : NULL;
}

/* Finds the receiver with this user index, among queues whose CQEs have another number. */
static struct dvx_cq_queue *cq_indexed_queue(const struct dvx_cq_priv *cq, uint32_t user_index)
{
	struct dvx_cq_queue *q, *any = NULL;
	uint32_t at = 0;

	while ((q = cq_next_queue(cq, &at))) {
		if (q->indexed && q->user_index == user_index)
			return q;
		if (q->indexed && q->user_index == DVX_CQ_ANY_INDEX)
			any = q;
	}
	return any;
}

/* Finds the raw receive queue of a CQE, which has only the user index. */
static struct dvx_cq_queue *cq_packet_queue(const struct dvx_cq_priv *cq, uint32_t user_index)
{
	struct dvx_cq_queue *q;
	uint32_t at = 0;

	while ((q = cq_next_queue(cq, &at)))
		if (q->raw && q->rq && q->user_index == user_index)
			return q;
	return NULL;
}

/* Finds the CQ's record of an SRQ; NULL: no queue of the CQ receives from it. */
static struct dvx_cq_pool *cq_pool_of(const struct dvx_cq_priv *cq, const struct dvx_srq *srq)
{
	for (uint32_t i = 0; i < cq->pool_count; i++)
		if (cq->pools[i].srq == srq)
			return &cq->pools[i];
	return NULL;
}

/* Counts the completions that a queue adds: its own, and for an SRQ's first queue the SRQ's. */
static uint32_t cq_room_for(const struct dvx_cq_priv *cq, const struct dvx_cq_queue *q)
{
	return q->room + (q->shared && !cq_pool_of(cq, q->srq) ? q->srq->mask : 0);
}

static int cq_pool_enter(struct dvx_cq_priv *cq, struct dvx_srq *srq)
{
	struct dvx_cq_pool *pool = cq_pool_of(cq, srq), *more;

	if (!pool) {
		more = realloc(cq->pools, (cq->pool_count + 1) * sizeof(*more));
		if (!more)
			return dvx_fail(ENOMEM, "no memory for the SRQs of CQ %u", cq->ring.cqn);
		cq->pools = more;
		pool = &more[cq->pool_count++];
		*pool = (struct dvx_cq_pool){.srq = srq};
	}
	pool->queues++;
	return 0;
}

static void cq_pool_leave(struct dvx_cq_priv *cq, const struct dvx_srq *srq)
{
	struct dvx_cq_pool *pool = cq_pool_of(cq, srq);

	if (!--pool->queues)
		*pool = cq->pools[--cq->pool_count];
}

static int cq_check_room(const struct dvx_cq_priv *cq, const struct dvx_cq_queue *new,
			 uint32_t room)
{
	if (cq->flags & DVX_CQ_COLLAPSED && (cq->queue_count || new->rq))
		return dvx_fail(EINVAL, "CQ %u is collapsed: it is for one queue, which sends only",
				cq->ring.cqn);
	if (cq->room + room > cq->ring.entries &&
	    !(cq->flags & (DVX_CQ_OVERCOMMIT | DVX_CQ_OVERRUN_IGNORE)))
		return dvx_fail(
			EINVAL,
			"CQ %u has %u entries, of which its queues may need %u: %u more are too "
			"many. Give dvx_cq_create() more entries, or DVX_CQ_OVERCOMMIT",
			cq->ring.cqn, cq->ring.entries, cq->room, room);
	return 0;
}

int dvx_cq_attach(struct dvx_cq_priv *cq, const struct dvx_cq_queue *new)
{
	uint32_t room = cq_room_for(cq, new);
	const struct dvx_cq_queue *same;
	int err = cq_check_room(cq, new, room);

	if (err)
		return err;
	if (new->raw &&new->rq && cq_packet_queue(cq, new->user_index))
		return dvx_fail(
			EINVAL,
			"CQ %u has a receive queue of user_index 0x%x already: their packets "
			"could not be told apart",
			cq->ring.cqn, new->user_index);
	same = new->indexed ? cq_indexed_queue(cq, new->user_index) : NULL;
	if (same && same->user_index == new->user_index && same->srq != new->srq)
		return dvx_fail(EINVAL,
				"CQ %u has a receiver of user_index 0x%x on another SRQ already: "
				"their messages could not be told apart",
				cq->ring.cqn, new->user_index & 0xffffff);
	/* The table comes last: its change frees the one that polls read until dvx_cq_refit(). */
	err = new->shared ? cq_pool_enter(cq, new->srq) : 0;
	if (err)
		return err;
	err = cq_make_places(cq, cq->queue_count + 1);
	if (err) {
		if (new->shared)
			cq_pool_leave(cq, new->srq);
		return err;
	}
	*cq_place_of(cq, new->number) = *new;
	cq->queue_count++;
	cq->raw_receivers += new->raw &&new->rq;
	cq->room += room;
	if (new->sq)
		new->sq->cq = (struct dvx_cq *)&dvx_cq_of_several;
	if (cq_own_rq(new))
		new->rq->cq = (struct dvx_cq *)&dvx_cq_of_several;
	dvx_cq_refit(cq);
	return 0;
}

bool dvx_cq_has(const struct dvx_cq_priv *cq, uint32_t number)
{
	return cq->queue_count && cq_place_of(cq, number)->room;
}

void dvx_cq_detach(struct dvx_cq_priv *cq, uint32_t number)
{
	struct dvx_cq_queue *place;

	if (!dvx_cq_has(cq, number))
		return;
	dvx_cq_clean(cq, number);
	place = cq_place_of(cq, number);
	cq->queue_count--;
	cq->raw_receivers -= place->raw && place->rq;
	if (place->shared)
		cq_pool_leave(cq, place->srq);
	cq->room -= cq_room_for(cq, place);
	cq_clear_place(cq, place);
	dvx_cq_refit(cq);
}

const struct dvx_cq_queue *dvx_cq_queue_of(const struct dvx_cq_priv *cq, const void *cqe)
{
	const struct dvx_cq_queue *q;

	if (!cq->queue_count)
		return NULL;
	if (cq->raw_receivers && !dvx_cqe_is_send(cqe)) {
		q = cq_packet_queue(cq, dvx_cqe_user_index(cqe));
		if (q)
			return q;
	}
	q = cq_place_of(cq, dvx_cqe_qpn(cqe));
	if (q->room)
		return q;
	return dvx_cqe_is_send(cqe) ? NULL : cq_indexed_queue(cq, dvx_cqe_user_index(cqe));
}

/* Returns entry i, counted from the next CQE. */
static uint8_t *cq_entry(const struct dvx_cq *cq, uint32_t i)
{
	return dvx_cq_entry(cq, dvx_cq_index(cq) + i);
}

/* Counts the unconsumed CQEs, and expands compressed ones. */
uint32_t dvx_cq_waiting(const struct dvx_cq *cq)
{
	struct dvx_cq at = *cq;
	uint32_t n = 0;

	while (n < cq->entries && dvx_cq_peek(&at)) {
		n++;
		at.next += at.stride;
		if (at.next == at.end) {
			at.next = at.first;
			at.phase ^= DVX_CQ_OLD;
		}
	}
	return n;
}

/* Drops a CQE. A receive of an SRQ is retired, so that other queues can use its entry. */
static void cq_drop(const struct dvx_cq_queue *q, const uint8_t *cqe)
{
	if (q->shared && !dvx_cqe_is_send(cqe) && !dvx_cqe_is_sig_error(cqe))
		dvx_srq_retire(q->srq, dvx_cqe_wqe_index(cqe));
}

void dvx_cq_copy(const struct dvx_cq *cq, uint8_t *to, const uint8_t *from, uint8_t owner)
{
	size_t before = cq->stride - DVX_CQE_BYTES;

	memcpy(to - before, from - before, cq->stride);
	to[DVX_CQE_BYTES - 1] = (uint8_t)((from[DVX_CQE_BYTES - 1] & ~1u) | owner);
}

/* Moves a CQE to a later entry, which keeps the owner bit of its own lap. */
static void cq_move(const struct dvx_cq *cq, uint8_t *to, const uint8_t *from)
{
	dvx_cq_copy(cq, to, from, to[DVX_CQE_BYTES - 1] & 1);
}

/*
 * Removes the CQEs of a queue that is reset or destroyed: the device adds no more of them. CQEs of
 * other queues keep their order: from the newest to the oldest, they move over the removed ones.
 */
void dvx_cq_clean(struct dvx_cq_priv *cq, uint32_t number)
{
	uint32_t i, removed = 0;
	const struct dvx_cq_queue *q;

	if (!cq->queue_count)
		return;
	if (cq->flags & DVX_CQ_COLLAPSED) {
		dvx_cq_collapse(&cq->ring);
		return;
	}
	i = dvx_cq_waiting(&cq->ring);
	while (i--) {
		q = dvx_cq_queue_of(cq, cq_entry(&cq->ring, i));
		if (q && q->number == number) {
			cq_drop(q, cq_entry(&cq->ring, i));
			removed++;
		} else if (removed) {
			cq_move(&cq->ring, cq_entry(&cq->ring, i + removed),
				cq_entry(&cq->ring, i));
		}
	}
	/* The moved CQEs are in memory before an index lets the device overwrite them (libmlx5). */
	DVX_ORDER_STORES();
	while (removed--)
		dvx_cq_consume_to(&cq->ring, cq->ring.next + cq->ring.stride);
	dvx_cq_publish(&cq->ring);
}
