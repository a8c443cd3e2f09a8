/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules about send rings: their doorbells, their WQEs, and the keys in these. */
#include <dvx/prm/cqe.h>
#include <dvx/prm/db.h>
#include <dvx/prm/wqe.h>
#include <stdlib.h>
#include "check_priv.h"
#include "transport/transport.h"

#define SND_RECORD 4u
#define BLOCK	   64u
#define WQE_MOST   1024u

static uint16_t check_blocks(const struct sq *sq)
{
	return (uint16_t)(1u << sq->log_size);
}

/* --- doorbells -------------------------------------------------------------------------------- */

static const struct queue *check_queue_of(uint32_t uar, uint32_t number)
{
	for (unsigned int i = 0; i < check.dev->nfunctions; i++) {
		const struct vhca *v = &check.dev->vhca[i];
		const struct queue *q = obj_find(v, OBJ_QP, number);

		q = q ? q : obj_find(v, OBJ_SQ, number);
		if (q && q->sq && q->uar == uar)
			return q;
	}
	return NULL;
}

static bool check_wqe_is_there(const struct queue *q, uint16_t index)
{
	const uint32_t at = index & (check_blocks(q->sq) - 1u);
	uint8_t ctrl[PRM_WQE_CTRL_SEG_BYTES];

	return !ring_read(check.dev->host, &q->ring, q->sq->offset + (uint64_t)at * BLOCK, ctrl,
			  sizeof(ctrl)) &&
	       prm_wqe_ctrl_seg_get_wqe_index(ctrl) == index &&
	       prm_wqe_ctrl_seg_get_qpn(ctrl) == q->o.id;
}

/*
 * A register that announces a WQE that the record does not count, when the record has nothing new.
 * Some programs (NVSHMEM's) write the same number to both, the index behind their last WQE.
 */
void check_sq_rung(uint32_t uar, uint64_t be_value)
{
	const struct queue *q = check_queue_of(uar, prm_uar_sq_db_get_qpn(&be_value));
	const uint16_t index = (uint16_t)prm_uar_sq_db_get_wqe_index(&be_value);
	struct check_state *s;
	uint32_t record;

	if (!q || q->state != QP_RTS || q->sq->managed ||
	    !why_record(&q->o, q->dbrec, SND_RECORD, &record))
		return;
	s = check_state_of(&q->o);
	if (s && (uint16_t)record != q->sq->pi)
		s->rings_next = index == (uint16_t)record;
	else if (s && !s->rings_next && (uint16_t)(index - record) < check_blocks(q->sq) &&
		 check_wqe_is_there(q, index))
		why_found(check.sink, &q->o, FINDING_REGISTER_FIRST, 0, {index, (uint16_t)record});
}

/* --- WQEs ------------------------------------------------------------------------------------- */

static uint64_t check_wqe_hash(const uint8_t *at, size_t n)
{
	uint64_t hash = n, word;

	for (; n >= sizeof(word); n -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15;
		hash ^= hash >> 32;
	}
	return hash;
}

static struct check_wqe *check_wqe_at(const struct check_state *s, const struct sq *sq,
				      uint16_t index)
{
	return &s->wqes[index & (check_blocks(sq) - 1u)];
}

static void check_key(const struct queue *q, const struct send_wr *wr, const struct vhca *v,
		      uint32_t key)
{
	if (check_key_is_old(v, key))
		why_found(check.sink, &q->o, FINDING_KEY_USED, 0, {wr->index, key});
}

/* A request of no bytes needs no key of the peer's. */
static void check_peer_of(const struct queue *q, const struct send_wr *wr)
{
	const bool remote = wr->kind == SEND_WRITE || wr->kind >= SEND_READ;
	const struct qp *peer =
		remote && q->transport->st == PRM_QP_ST_RC ? check_peer(qp_of(q)) : NULL;

	if (peer && wr->len)
		check_key(q, wr, peer->q.o.vhca, wr->rkey);
	if (peer && wr->kind >= SEND_READ)
		check_rd_atomic(qp_of(q), peer);
}

void check_sent(const struct queue *q, const struct send_wr *wr)
{
	struct check_state *s = check_state_of(&q->o);

	if (wr->one && !wr->data.inl)
		check_key(q, wr, q->o.vhca, wr->data.lkey);
	check_peer_of(q, wr);
	if (s && !s->wqes)
		s->wqes = calloc(check_blocks(q->sq), sizeof(*s->wqes));
	if (!s || !s->wqes)
		return;
	if (wr->index != s->behind)
		s->first = wr->index; /* the queue began anew */
	s->behind = (uint16_t)(wr->index + wr->blocks);
	*check_wqe_at(s, q->sq, wr->index) = (struct check_wqe){
		check_wqe_hash(wr->wqe, wr->ds * 16u), wr->index, wr->ds, wr->blocks};
}

static bool check_wqe_is_same(const struct queue *q, const struct check_wqe *w)
{
	uint8_t now[WQE_MOST];

	for (unsigned int i = 0; i < w->blocks; i++) {
		const unsigned int at = (unsigned int)(w->index + i) & (check_blocks(q->sq) - 1u);

		if (ring_read(check.dev->host, &q->ring, q->sq->offset + (uint64_t)at * BLOCK,
			      now + (size_t)i * BLOCK, BLOCK))
			return true;
	}
	return check_wqe_hash(now, w->ds * 16u) == w->hash;
}

/* A completion that is not visible yet: all WQEs up to its own still belong to the device. */
static void check_wqes_until(const struct queue *q, struct check_state *s, uint16_t last, bool good)
{
	while (s->first != s->behind && (int16_t)(last - s->first) >= 0) {
		const struct check_wqe *w = check_wqe_at(s, q->sq, s->first);

		if (!w->blocks)
			return;
		if (good && !check_wqe_is_same(q, w))
			why_found(check.sink, &q->o, FINDING_WQE_CHANGED, 0, {w->index});
		s->first = (uint16_t)(s->first + w->blocks);
	}
}

void check_sends_done(const struct vhca *v, const uint8_t *cqe)
{
	const uint32_t opcode = prm_cqe64_get_opcode(cqe);
	const bool good = opcode == PRM_CQE_OPCODE_REQ;
	const uint32_t number = prm_cqe64_get_qpn(cqe);
	const struct queue *q = obj_find(v, OBJ_QP, number);
	struct check_state *s;

	if (!good && opcode != PRM_CQE_OPCODE_REQ_ERR)
		return;
	q = q ? q : obj_find(v, OBJ_SQ, number);
	s = q && q->sq ? check_state_of(&q->o) : NULL;
	if (s && s->wqes)
		check_wqes_until(q, s, (uint16_t)prm_cqe64_get_wqe_counter(cqe), good);
}
