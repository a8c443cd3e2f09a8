/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/wqe.h>
#include "data_seg.h"
#include "priv.h"
#include "obj/mkey_bytes.h"

#define MOST_SEGS 128u

/* Memory of one queue's access, gathered to be moved in few calls. */
struct list {
	struct queue *q;
	uint32_t pdn;
	unsigned int n;
	bool write, posted, requester;
	uint8_t *buf;
	size_t bytes;
	struct dma_seg seg[MOST_SEGS];
};

/* Initializes all but the segments, which are 2 KiB. */
static void list_init(struct list *l, struct queue *q, uint32_t pdn)
{
	l->q = q;
	l->pdn = pdn;
	l->n = 0;
	l->write = l->posted = l->requester = false;
	l->bytes = 0;
}

static uint8_t segs_moved(const struct queue *q, int err)
{
	if (!err)
		return 0;
	queue_unmapped(q, "memory behind a local key");
	return PRM_SYNDROME_LOCAL_PROT_ERR;
}

static uint8_t list_move(struct list *l)
{
	struct host *h = host_of(&l->q->o);
	unsigned int n = l->n;
	int err;

	if (!n)
		return 0;
	if (l->posted) {
		err = post_scatter(l->q, l->seg, n, l->buf, l->bytes);
	} else {
		post_flush(queues_of(&l->q->o));
		err = l->write ? dma_scatter(h, l->seg, n, l->buf) :
				 dma_gather(h, l->seg, n, l->buf);
	}
	l->buf += l->bytes;
	l->bytes = 0;
	l->n = 0;
	return segs_moved(l->q, err);
}

/* Moves a segment whose signatures are made or checked on the way, after those in the list. */
static uint8_t list_add_signed(struct list *l, const struct data_seg *s, uint64_t skip, size_t len)
{
	const struct sig_range r = {.key = s->lkey,
				    .pdn = l->pdn,
				    .va = s->addr + skip,
				    .len = len,
				    .requester = l->requester};
	uint8_t err = list_move(l);

	if (err)
		return err;
	if (!(l->write ? sig_scatter(l->q, &r, l->buf) : sig_gather(l->q, &r, l->buf)))
		return PRM_SYNDROME_LOCAL_PROT_ERR;
	l->buf += len;
	return 0;
}

/* Returns the access right, and whether the access can wait for pages. */
static unsigned int list_right(const struct list *l)
{
	const uint8_t use = l->requester	 ? PINNED_REQUESTS
			    : l->q->rq->srq ? PINNED_SHARED_RECEIVES
					    : PINNED_RECEIVES;

	return (l->write ? MKEY_LW : MKEY_LR) | (l->q->transport->pinned & use ? MKEY_PINNED : 0);
}

static uint8_t segs_list_add(struct list *l, const struct data_seg *s, uint64_t skip, size_t len)
{
	struct queue *q = l->q;
	uint64_t part;
	uint8_t err;
	int n;

	for (; len; len -= part) {
		err = l->n + MKEY_SEGS > MOST_SEGS ? list_move(l) : 0;
		if (err)
			return err;
		part = len;
		n = mkey_part(q->o.vhca, s->lkey, l->pdn, q->o.id, s->addr + skip, &part,
			      list_right(l), l->seg + l->n, MKEY_SEGS);
		if (n < 0)
			return n == -MKEY_SIGNED ? list_add_signed(l, s, skip, len)
						 : PRM_SYNDROME_LOCAL_PROT_ERR;
		l->n += (unsigned int)n;
		l->bytes += part;
		skip += part;
	}
	return 0;
}

static uint8_t move_inline(struct list *l, const struct data_seg *s, uint64_t skip, size_t len)
{
	uint8_t err = list_move(l);

	if (err)
		return err;
	if (l->write)
		return PRM_SYNDROME_LOCAL_QP_OP_ERR;
	memcpy(l->buf, s->inl + skip, len);
	l->buf += len;
	return 0;
}

static bool terminates(const struct data_seg *s)
{
	return !s->inl && s->lkey == LKEY_TERMINATE && s->len == 1ull << 31;
}

/* Walks the list from its start: lists are short, and messages have few parts. */
static uint8_t segs_move_part(struct list *l, const uint8_t *p, const uint8_t *end, uint64_t off,
			      size_t len)
{
	struct data_seg s;
	uint8_t err = 0;
	size_t n;

	while (len && !err) {
		p = l->write ? data_seg_pointer(p, end, &s) : data_seg_next(p, end, &s);
		if (!p || (l->write && terminates(&s)))
			return PRM_SYNDROME_LOCAL_LENGTH_ERR;
		if (off >= s.len) {
			off -= s.len;
			continue;
		}
		n = s.len - off < len ? (size_t)(s.len - off) : len;
		err = s.inl ? move_inline(l, &s, off, n) : segs_list_add(l, &s, off, n);
		off = 0;
		len -= n;
	}
	return err ? err : list_move(l);
}

bool segs_have_room(const uint8_t *p, const uint8_t *end, size_t len)
{
	struct data_seg s;

	for (; len && (p = data_seg_pointer(p, end, &s)) && !terminates(&s);)
		len -= s.len < len ? (size_t)s.len : len;
	return !len;
}

/* Returns true if the first segment has room for all and is one piece of memory, as usual. */
static bool segs_one_piece(const struct queue *q, const uint8_t *p, const uint8_t *end, size_t len,
			   unsigned int right, struct dma_seg *seg)
{
	struct data_seg s;

	return (right == MKEY_LW ? data_seg_pointer(p, end, &s) : data_seg_next(p, end, &s)) &&
	       !s.inl && len <= s.len && mkey_piece(q, s.lkey, s.addr, len, right, seg);
}

uint8_t segs_gather(struct queue *q, const uint8_t *p, const uint8_t *end, uint64_t off, size_t len,
		    void *to)
{
	struct dma_seg seg;
	struct list l;

	if (!off && segs_one_piece(q, p, end, len, MKEY_LR, &seg)) {
		post_flush(queues_of(&q->o));
		return segs_moved(q, dma_gather(host_of(&q->o), &seg, 1, to));
	}
	list_init(&l, q, q->pdn);
	l.requester = true;
	l.buf = to;
	return segs_move_part(&l, p, end, off, len);
}

uint8_t segs_scatter(struct queue *q, uint32_t pdn, const uint8_t *p, const uint8_t *end,
		     uint64_t off, size_t len, const void *from, enum segs_how how)
{
	struct dma_seg seg;
	struct list l;

	if (!off && pdn == q->pdn && how != SEGS_RECV_POSTED &&
	    segs_one_piece(q, p, end, len, MKEY_LW, &seg)) {
		post_flush(queues_of(&q->o));
		return segs_moved(q, dma_scatter(host_of(&q->o), &seg, 1, from));
	}
	list_init(&l, q, pdn);
	l.write = true;
	l.posted = how == SEGS_RECV_POSTED;
	l.requester = how == SEGS_READ;
	memcpy(&l.buf, &from, sizeof(from)); /* only read: the list is a scatter */
	return segs_move_part(&l, p, end, off, len);
}

uint8_t wr_gather(struct queue *q, const struct send_wr *wr, uint64_t off, size_t len, void *to)
{
	const uint8_t *end, *p = wr_segs(wr, &end);

	return segs_gather(q, p, end, off, len, to);
}

const void *wr_bytes(struct queue *q, const struct send_wr *wr, uint64_t off, size_t len)
{
	const uint8_t *at;

	if (!wr->one || wr->data.inl)
		return NULL;
	at = mkey_bytes(q, MKEY_BY_REQUEST, wr->data.lkey, wr->data.addr + off, len, MKEY_LR);
	if (at)
		post_flush(queues_of(&q->o));
	return at;
}

/* Stores a response. A response for the CQE ends its request, so it may lie where the WQE did. */
uint8_t wr_scatter(struct queue *q, struct send_wr *wr, uint64_t off, size_t len, const void *from)
{
	const uint8_t *end, *p;
	uint8_t *at;

	if (wr_inlines(q, wr)) {
		memcpy(wr->wqe, from, len);
		wr->inl = (uint8_t)len;
		return 0;
	}
	at = wr->one ? mkey_bytes(q, MKEY_BY_REQUEST, wr->data.lkey, wr->data.addr + off, len, MKEY_LW) : NULL;
	if (at) {
		post_flush(queues_of(&q->o));
		dma_bytes_store(at, from, len);
		return 0;
	}
	p = wr_segs(wr, &end);
	return segs_scatter(q, q->pdn, p, end, off, len, from, SEGS_READ);
}
