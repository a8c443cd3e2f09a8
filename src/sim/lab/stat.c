/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts what the messages of each queue take (base/stat.h). One subscriber of the probe. Most WQEs
 * have the shape of an earlier one of their queue: the same control segment but for the index, and
 * the same length of one data segment. What such a WQE takes was found before (doc/design/0102).
 */
#include "stat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/wqe.h>
#include "base/probe.h"
#include "obj/cq.h"
#include "obj/device.h"
#include "obj/qp.h"
#include "obj/srq.h"
#include "obj/table.h"
#include "queue/data_seg.h"
#include "stat_distinct.h"
#include "transport/transport.h"

#define BUCKETS	    1024u
#define SHAPES	    4u
#define BF_UNITS    16u /* of 16 bytes: the largest WQE that a BlueFlame register of mlx5 takes */
#define LINE	    64u
#define ETH_HEAD_AT 14u /* bytes of the Ethernet segment before its inline headers */
#define ENTRY_LEAST 16u
#define FLAGS_AT    8u		/* of a control segment: signature, fence, completion */
#define INDEX_BYTES 0x00ffff00u /* of a control segment's first word, as x86 and aarch64 load it */

/*
 * Messages that are alike, how many they are, and what each takes: WQEs whose control segment, without
 * index and immediate, and length of the data segment are these; or receives whose CQE has this opcode,
 * format and length.
 */
struct stat_shape {
	uint64_t head;
	uint32_t flags, byte_count;
	unsigned int data_at; /* bytes; without data that of the flags */
	uint64_t times;
	struct stat_row *row; /* NULL: there is no such shape yet */
	uint64_t n[STAT_COUNTS];
};

/* The rows of a queue. Numbers are used again: a new queue adds to the rows of an old one. */
struct stat_queue {
	struct stat_queue *next;
	const struct vhca *v;
	uint32_t key;
	uint32_t entry;	       /* bytes of a receive entry */
	uint8_t class_of[256]; /* by the opcode of a WQE */
	struct stat_row *row[STAT_CLASSES];
	struct stat_shape *recent,
		*before; /* of the last send, and the last one that was not alike */
	unsigned int oldest;
	struct stat_shape shape[SHAPES], received;
};

static struct stat_counted {
	struct stat_queue *bucket[BUCKETS];
	struct stat_row rows[STAT_ROWS], others[STAT_CLASSES], device;
	unsigned int n;
	unsigned int mps_shift, mrrs_shift;
	struct stat_queue *last, none; /* of the last send */
} counted;

/* --- rows -------------------------------------------------------------------------------------- */

static inline struct stat_queue *stat_queue_find(const struct vhca *v, uint32_t key)
{
	struct stat_queue *q = counted.bucket[key % BUCKETS];

	while (q && (q->key != key || q->v != v))
		q = q->next;
	return q;
}

/* CQs have numbers of their own; they have rows for completions of which no queue is known. */
static inline uint32_t stat_key(const struct obj *o)
{
	return o->type == OBJ_CQ ? o->id | 1u << 31 : o->id;
}

static uint32_t stat_entry_bytes(const struct obj *o)
{
	const struct rq *rq = o->type == OBJ_CQ ? NULL : ((const struct queue *)o)->rq;

	if (!rq)
		return ENTRY_LEAST;
	return rq->srq ? 1u << rq->srq->log_stride : ENTRY_LEAST << rq->log_stride;
}

static __attribute__((noinline)) struct stat_queue *stat_queue_add(const struct obj *o)
{
	struct stat_queue *q = calloc(1, sizeof(*q));
	struct stat_queue **bucket = &counted.bucket[stat_key(o) % BUCKETS];

	if (!q)
		return NULL;
	q->v = o->vhca;
	q->key = stat_key(o);
	q->entry = stat_entry_bytes(o);
	q->recent = q->before = q->shape;
	q->next = *bucket;
	*bucket = q;
	return q;
}

static inline struct stat_queue *stat_queue_of(const struct obj *o)
{
	struct stat_queue *q = stat_queue_find(o->vhca, stat_key(o));

	return q ? q : stat_queue_add(o);
}

/* Returns the queue's row of a class; without memory or rows, one that several queues share. */
static struct stat_row *stat_row_of(struct stat_queue *q, enum stat_class class,
				    const struct obj *o)
{
	struct stat_row *row = &counted.others[class];

	if (q->row[class])
		return q->row[class];
	if (counted.n < STAT_ROWS) {
		row = &counted.rows[counted.n++];
		snprintf(row->function, sizeof(row->function), "%s", o->vhca->name);
		snprintf(row->object, sizeof(row->object), "%s", obj_type_name(o->type));
		row->guid = o->vhca->guid;
		row->id = o->id;
	}
	row->class = class;
	q->row[class] = row;
	return row;
}

/* Lines are counted as if memory began at one. */
static void stat_add_dma(uint64_t *n, uint64_t len)
{
	n[STAT_DMA_BYTES] += len;
	n[STAT_DMA_MPS] += (len + (1u << counted.mps_shift) - 1) >> counted.mps_shift;
	n[STAT_DMA_MRRS] += (len + (1u << counted.mrrs_shift) - 1) >> counted.mrrs_shift;
	n[STAT_DMA_LINES] += (len + LINE - 1) / LINE;
}

/* --- sends ------------------------------------------------------------------------------------- */

/* A good WQE with what its transport says of its opcode. */
struct stat_wqe {
	const struct queue *q;
	const struct send_wr *wr;
	const struct wqe_row *row;
	enum stat_class class;
	bool signaled, answered;
	const uint8_t *segs, *end; /* data segments */
};

static enum stat_class stat_class_of(const struct queue *q, unsigned int kind)
{
	static const uint8_t classes[] = {[SEND_MESSAGE] = STAT_SEND,
					  [SEND_WRITE] = STAT_WRITE,
					  [SEND_LOCAL] = STAT_LOCAL,
					  [SEND_READ] = STAT_READ,
					  [SEND_ATOMIC] = STAT_ATOMIC};

	if (kind != SEND_MESSAGE)
		return classes[kind];
	if (q->o.type == OBJ_SQ)
		return STAT_RAW;
	return q->transport->datagrams ? STAT_DATAGRAM : STAT_SEND;
}

/* Returns where the data segments begin. */
static const uint8_t *stat_segs(const struct stat_wqe *w)
{
	const uint8_t *eth = w->wr->wqe + PRM_WQE_CTRL_SEG_BYTES;
	uint32_t headers;

	if (w->class == STAT_LOCAL)
		return w->end;
	if (w->class != STAT_RAW)
		return w->wr->wqe + w->row->data_at * DATA_SEG_DS;
	headers = ETH_HEAD_AT + prm_wqe_eth_seg_get_inline_hdr_sz(eth);
	return eth + (headers + DATA_SEG_DS - 1) / DATA_SEG_DS * DATA_SEG_DS;
}

static struct stat_wqe stat_wqe_of(const struct queue *q, const struct send_wr *wr)
{
	struct stat_wqe w = {.q = q, .wr = wr, .row = &(*q->transport->wqe)[wr->opcode]};

	w.class = stat_class_of(q, w.row->kind);
	w.signaled = prm_wqe_ctrl_seg_get_ce(wr->wqe) >= PRM_WQE_CE_ALWAYS;
	w.answered = w.row->kind >= SEND_READ;
	w.end = wr->wqe + wr->ds * DATA_SEG_DS;
	w.segs = stat_segs(&w);
	return w;
}

static bool stat_has_target(const struct stat_wqe *w)
{
	return w->row->kind == SEND_WRITE || w->answered;
}

static const uint8_t *stat_raddr(const struct stat_wqe *w)
{
	return w->wr->wqe + (1 + w->row->head) * DATA_SEG_DS;
}

static uint64_t stat_add_segs(uint64_t *n, const struct stat_wqe *w)
{
	const uint8_t *p = w->segs;
	bool inlined = false;
	struct data_seg s;
	uint64_t len = 0;

	while (p < w->end && (p = data_seg_next(p, w->end, &s))) {
		len += s.len;
		inlined |= s.inl != NULL;
		if (!s.inl)
			stat_add_dma(n + STAT_HERE, s.len);
	}
	n[STAT_INLINED] += inlined;
	return len;
}

/* [I] An atomic moves 8 bytes; extended ones of 4 bytes are counted so, too. */
static void stat_take_wqe(uint64_t *n, const struct stat_wqe *w)
{
	uint64_t len = stat_add_segs(n, w);

	if (w->class == STAT_ATOMIC && len > 8)
		len = 8;
	n[STAT_MESSAGES] = 1;
	n[STAT_BLOCKS] = w->wr->blocks;
	n[STAT_SMALL] = w->wr->ds > 1 && w->wr->ds <= BF_UNITS;
	n[STAT_SIGNALED] = w->signaled;
	n[STAT_BYTES] = len;
	/* A response that lies in the CQE is not written to the segments. */
	if (w->answered && w->signaled && len <= w->q->sq->inline_most)
		memset(n + STAT_HERE, 0, STAT_DMA * sizeof(*n));
	if (stat_has_target(w))
		stat_add_dma(n + STAT_TARGET, len);
}

static void stat_shape_end(struct stat_shape *s)
{
	for (unsigned int i = 0; s->row && i < STAT_COUNTS; i++)
		s->row->n[i] += s->n[i] * s->times;
	*s = (struct stat_shape){0};
}

static inline uint32_t stat_word(const uint8_t *p)
{
	uint32_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/* Returns opcode, opmod, queue number and ds. */
static inline uint64_t stat_head(const uint8_t *wqe)
{
	uint64_t head;

	memcpy(&head, wqe, sizeof(head));
	return head & ~(uint64_t)INDEX_BYTES;
}

/* A shape that is free has a head of 0, which no WQE has. */
static inline bool stat_shape_fits(const struct stat_shape *s, uint64_t head, const uint8_t *wqe)
{
	return s->head == head && s->flags == stat_word(wqe + FLAGS_AT) &&
	       s->byte_count == stat_word(wqe + s->data_at);
}

/* Returns whether the WQE's data is one segment, or inline. */
static bool stat_is_plain(const struct stat_wqe *w)
{
	struct data_seg s;

	return w->segs == w->end || data_seg_next(w->segs, w->end, &s) == w->end;
}

static __attribute__((noinline)) void stat_shape_begin(struct stat_shape *s, struct stat_queue *q,
						       const struct queue *queue,
						       const struct send_wr *wr)
{
	const struct stat_wqe w = stat_wqe_of(queue, wr);

	stat_shape_end(s);
	if (!w.row->known || wr->ds < w.row->min_ds || w.segs > w.end)
		return;
	s->head = stat_head(wr->wqe);
	s->flags = stat_word(wr->wqe + FLAGS_AT);
	s->row = stat_row_of(q, w.class, &queue->o);
	s->times = 1;
	q->class_of[wr->opcode] = (uint8_t)w.class;
	stat_take_wqe(s->n, &w);
	s->data_at = w.segs < w.end ? (unsigned int)(w.segs - wr->wqe) : FLAGS_AT;
	s->byte_count = stat_word(wr->wqe + s->data_at);
	if (!stat_is_plain(&w))
		stat_shape_end(s);
}

static __attribute__((noinline)) void stat_see_distinct(const struct queue *queue,
							const struct send_wr *wr)
{
	const struct stat_wqe w = stat_wqe_of(queue, wr);
	const uint8_t *p = w.segs;
	struct data_seg s;
	uint64_t len = 0;

	stat_distinct(STAT_QUEUES, queue->o.id);
	while (w.row->known && p < w.end && (p = data_seg_next(p, w.end, &s))) {
		len += s.len;
		if (s.inl)
			continue;
		stat_distinct(STAT_KEYS, s.lkey);
		stat_distinct_pages(s.addr, s.len);
	}
	if (!stat_has_target(&w) || wr->ds < w.row->min_ds)
		return;
	stat_distinct(STAT_KEYS, prm_wqe_raddr_seg_get_rkey(stat_raddr(&w)));
	stat_distinct_pages(prm_wqe_raddr_seg_get_raddr(stat_raddr(&w)), len);
}

/* Finds the shape of a WQE that is not alike its queue's last two; the oldest makes room. */
static __attribute__((noinline)) void
stat_send_other(struct stat_queue *q, const struct queue *queue, const struct send_wr *wr)
{
	struct stat_shape *s = q->shape;

	while (s < q->shape + SHAPES && !stat_shape_fits(s, stat_head(wr->wqe), wr->wqe))
		s++;
	q->before = q->recent;
	if (s < q->shape + SHAPES) {
		q->recent = s;
		s->times++;
		return;
	}
	q->recent = &q->shape[q->oldest++ % SHAPES];
	stat_shape_begin(q->recent, q, queue, wr);
}

/* Counts a send of another queue than the last one, or one whose keys and pages are looked at. */
static __attribute__((noinline)) void stat_send_slowly(const struct queue *queue,
						       const struct send_wr *wr)
{
	struct stat_queue *q = stat_queue_of(&queue->o);

	if (!q)
		return;
	counted.last = q;
	if (stat_shape_fits(q->recent, stat_head(wr->wqe), wr->wqe))
		q->recent->times++;
	else
		stat_send_other(q, queue, wr);
	if (stat_distinct_next() && stat_distinct_turn(&counted.device))
		stat_see_distinct(queue, wr);
}

/* Needs no register that a function must keep, and calls at its ends only. */
static void stat_send(const struct queue *queue, const struct send_wr *wr)
{
	const uint64_t head = stat_head(wr->wqe);
	struct stat_queue *q = counted.last;

	if (q->key != queue->o.id || q->v != queue->o.vhca || stat_distinct_left < 2) {
		stat_send_slowly(queue, wr);
		return;
	}
	stat_distinct_left--;
	if (stat_shape_fits(q->recent, head, wr->wqe))
		q->recent->times++;
	else if (stat_shape_fits(q->before, head, wr->wqe))
		q->before->times++;
	else
		stat_send_other(q, queue, wr);
}

static __attribute__((noinline)) void stat_retry(const struct queue *queue,
						 const struct send_wr *wr, uint64_t ns)
{
	struct stat_queue *q = wr ? stat_queue_of(&queue->o) : NULL;
	uint64_t *n;

	if (!q)
		return;
	n = stat_row_of(q, q->class_of[wr->opcode], &queue->o)->n;
	n[ns ? STAT_RNR : STAT_RETRIES]++;
	n[STAT_RNR_NS] += ns;
}

/* --- completions ------------------------------------------------------------------------------- */

static bool stat_is_send(uint32_t opcode)
{
	return opcode == PRM_CQE_OPCODE_REQ || opcode == PRM_CQE_OPCODE_REQ_ERR;
}

static bool stat_is_error(uint32_t opcode)
{
	return opcode == PRM_CQE_OPCODE_REQ_ERR || opcode == PRM_CQE_OPCODE_RESP_ERR;
}

/* Finds the queue of a completion, or takes the CQ: raw packets' CQEs don't have its number. */
static const struct obj *stat_cqe_obj(const struct cq *cq, uint32_t number)
{
	const struct queue *q = obj_find(cq->o.vhca, OBJ_QP, number);

	return q ? &q->o : &cq->o;
}

/* Adds a receive entry and its data. An entry that is flushed was not read. */
static void stat_received(uint64_t *n, const uint8_t *cqe, uint32_t opcode, uint32_t entry)
{
	const uint32_t len = prm_cqe64_get_byte_cnt(cqe);

	if (opcode == PRM_CQE_OPCODE_RESP_ERR) {
		if (prm_err_cqe_get_syndrome(cqe) == PRM_SYNDROME_WR_FLUSH_ERR)
			return;
	} else {
		n[STAT_BYTES] += len;
		if (opcode != PRM_CQE_OPCODE_RESP_WR_IMM &&
		    prm_cqe64_get_cqe_format(cqe) == PRM_CQE_FORMAT_NO_INLINE_DATA)
			stat_add_dma(n + STAT_HERE, len);
	}
	n[STAT_MESSAGES]++;
	n[STAT_ENTRIES] += entry;
}

static void stat_completed(uint64_t *n, const struct cq *cq, uint32_t opcode)
{
	n[STAT_CQES]++;
	n[STAT_CQE_BYTES] += 1u << cq->cqe_log;
	n[STAT_ERRORS] += stat_is_error(opcode);
}

static __attribute__((noinline)) void stat_receive_begin(struct stat_queue *q, const struct obj *o,
							 const struct cq *cq, const uint8_t *cqe)
{
	const uint32_t opcode = prm_cqe64_get_opcode(cqe);
	struct stat_shape *s = &q->received;

	stat_shape_end(s);
	if (opcode == PRM_CQE_OPCODE_RESIZE_CQ)
		return;
	s->row = stat_row_of(q, STAT_RECEIVE, o);
	s->flags = cqe[PRM_CQE64_BYTES - 1] & ~1u;
	s->byte_count = prm_cqe64_get_byte_cnt(cqe);
	s->times = 1;
	stat_received(s->n, cqe, opcode, q->entry);
	stat_completed(s->n, cq, opcode);
	if (stat_is_error(opcode)) /* it may have another syndrome than the next */
		stat_shape_end(s);
}

static __attribute__((noinline)) void stat_cqe(const struct cq *cq, const uint8_t *cqe)
{
	const uint32_t opcode = prm_cqe64_get_opcode(cqe), number = prm_cqe64_get_qpn(cqe);
	struct stat_queue *q = stat_queue_find(cq->o.vhca, number);
	const struct obj *o = q ? NULL : stat_cqe_obj(cq, number);
	enum stat_class class;

	q = q ? q : stat_queue_of(o);
	if (!q)
		return;
	if (!stat_is_send(opcode)) {
		if (q->received.row && q->received.byte_count == prm_cqe64_get_byte_cnt(cqe) &&
		    q->received.flags == (cqe[PRM_CQE64_BYTES - 1] & ~1u))
			q->received.times++;
		else
			stat_receive_begin(q, o ? o : stat_cqe_obj(cq, number), cq, cqe);
		return;
	}
	class = q->class_of[prm_cqe64_get_s_wqe_opcode(cqe)];
	stat_completed(stat_row_of(q, class, o ? o : &cq->o)->n, cq, opcode);
}

/* --- the subscriber ---------------------------------------------------------------------------- */

static void stat_event(const struct probe_event *e)
{
	switch (e->kind) {
	case PROBE_SEND:
		stat_send(e->request.queue, e->request.wr);
		break;
	case PROBE_CQE:
		stat_cqe(e->cqe.cq, e->cqe.bytes);
		break;
	case PROBE_RETRY:
		stat_retry(e->request.queue, e->request.wr, e->request.ns);
		break;
	default:
		counted.device.n[STAT_EVENTS]++;
	}
}

static struct probe stat_probe = {
	.kinds = PROBE_SEND | PROBE_CQE | PROBE_EQE | PROBE_RETRY,
	.event = stat_event,
};

/* Calls a function for each queue, which may free it. */
static void stat_each_queue(void (*fn)(struct stat_queue *))
{
	struct stat_queue *q, *next;

	for (unsigned int i = 0; i < BUCKETS; i++)
		for (q = counted.bucket[i]; q; q = next) {
			next = q->next;
			fn(q);
		}
}

static void stat_queue_free(struct stat_queue *q)
{
	free(q);
}

static void stat_queue_settle(struct stat_queue *q)
{
	for (unsigned int i = 0; i < SHAPES; i++)
		stat_shape_end(&q->shape[i]);
	stat_shape_end(&q->received);
}

void stat_start(const struct stat_pcie *pcie)
{
	probe_unsubscribe(&stat_probe);
	stat_each_queue(stat_queue_free);
	memset(&counted, 0, sizeof(counted));
	counted.mps_shift = (unsigned int)__builtin_ctz(pcie->mps);
	counted.mrrs_shift = (unsigned int)__builtin_ctz(pcie->mrrs);
	counted.device.class = STAT_DEVICE;
	counted.last = &counted.none;
	stat_distinct_start();
	probe_subscribe(&stat_probe);
}

unsigned int stat_read(struct stat_row *to)
{
	unsigned int n = counted.n;

	stat_each_queue(stat_queue_settle);
	memcpy(to, counted.rows, n * sizeof(*to));
	for (unsigned int i = 0; i < STAT_CLASSES; i++)
		if (counted.others[i].n[STAT_MESSAGES])
			to[n++] = counted.others[i];
	to[n] = counted.device;
	stat_distinct_add(&to[n++]);
	return n;
}
