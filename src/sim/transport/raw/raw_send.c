/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Send queues of raw packets. A WQE is a control segment, an Ethernet segment that may hold the
 * first headers, and data. Its packets go to the function's TX tables.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/eth.h>
#include <dvx/prm/wqe.h>
#include "raw.h"
#include "obj/mkey.h"
#include "obj/raw_queue.h"
#include "obj/device.h"
#include "port/port.h"
#include "queue/services.h"
#include "steer/steer.h"
#include "transport/sched.h"
#include "transport/shape.h"
#include "transport/transport.h"

#define DS	      16u
#define INLINE_AT     14u /* offset of the headers in the Ethernet segment */
#define INSERT_VLAN   0x8000u
#define VLAN_BYTES    4u
#define VLAN_AT	      12u
#define TPID_CUSTOMER 0x8100u
#define TPID_SERVICE  0x88a8u
#define INNER_CSUM    (PRM_ETH_CS_FLAG_L3_INNER_CSUM | PRM_ETH_CS_FLAG_L4_INNER_CSUM)

/* A parsed send WQE; pointers are into its request. */
struct raw_wqe {
	struct send_wr *wr;
	const uint8_t *eth, *segs, *end;
	uint32_t inl; /* bytes of headers in the Ethernet segment */
	uint32_t len; /* of the packet without an inserted tag */
	bool vlan;
	struct lso_cut cut; /* used by a large send */
};

/* Packets of one SQ whose data is fetched in one call, as a call costs more than a packet. */
#define RAW_BATCH 32u
#define RAW_SEGS  128u
struct raw_batch {
	bool posted; /* a packet was posted in this turn */
	unsigned int n, nsegs;
	size_t bytes;
	struct raw_wqe w[RAW_BATCH];
	struct dma_seg seg[RAW_SEGS];
	uint8_t buf[65536];
};

static struct raw_sq *raw_sq_of(const struct queue *q)
{
	return (struct raw_sq *)(uintptr_t)q;
}

static struct raw_batch *raw_batch_of(const struct raw_sq *sq)
{
	return sq->q.o.vhca->dev->sched->raw;
}

static void raw_fail(const struct raw_sq *sq, struct send_wr *wr, uint8_t syndrome, uint8_t vendor,
		     const char *why)
{
	obj_refuse(&sq->q.o, "send WQE %u: %s", wr->index, why);
	wr->error = syndrome;
	wr->vendor = vendor;
}

static void raw_refuse(const struct raw_sq *sq, struct send_wr *wr, const char *why)
{
	raw_fail(sq, wr, PRM_SYNDROME_LOCAL_QP_OP_ERR, VENDOR_SEGMENT, why);
}

static bool raw_is_large(const struct send_wr *wr)
{
	return wr->opcode == PRM_WQE_OPCODE_TSO;
}

static bool parse_eth(const struct raw_sq *sq, struct send_wr *wr, struct raw_wqe *w)
{
	uint32_t sz = prm_wqe_eth_seg_get_inline_hdr_sz(wr->wqe + DS), seg;

	w->eth = wr->wqe + DS;
	w->end = wr->wqe + wr->ds * DS;
	w->vlan = sz & INSERT_VLAN;
	w->inl = w->vlan ? 0 : sz;
	seg = (INLINE_AT + w->inl + DS - 1) & ~(DS - 1);
	if (w->vlan && sz != INSERT_VLAN)
		raw_refuse(sq, wr, "insert_type asks for more than a VLAN tag");
	else if (w->vlan && raw_is_large(wr))
		raw_refuse(sq, wr,
			   "a large send has its tags in the headers, and can't insert one");
	else if (prm_wqe_eth_seg_get_mss(w->eth) && !raw_is_large(wr))
		raw_refuse(sq, wr, "mss is set in a SEND: only a large send is cut");
	else if (!prm_wqe_eth_seg_get_mss(w->eth) && raw_is_large(wr))
		raw_refuse(sq, wr, "mss is 0 in a large send");
	else if (prm_wqe_eth_seg_get_cs_flags(w->eth) & INNER_CSUM)
		raw_refuse(sq, wr, "cs_flags asks for inner checksums, but no cap.tunnel_* is set");
	else if (seg > (uint32_t)(w->end - w->eth))
		raw_refuse(sq, wr, "inline_hdr_sz runs past ds");
	w->segs = w->eth + (wr->error ? 0 : seg);
	return !wr->error;
}

static void raw_probe(const struct raw_sq *sq, const struct send_wr *wr, const struct raw_wqe *w)
{
	const uint8_t *p, *next;
	struct data_seg s;

	wqe_probe(&sq->q, wr, "wqe_eth_seg", w->eth);
	for (p = w->segs; p < w->end && (next = data_seg_next(p, w->end, &s)); p = next)
		wqe_probe(&sq->q, wr, data_seg_layout(&s), p);
}

/* Adds up the lengths of all data segments. Returns false if they are refused. */
static bool raw_sum(const struct raw_sq *sq, const struct raw_wqe *w, uint64_t *len)
{
	const uint8_t *p, *next;
	struct data_seg s;

	for (p = w->segs; p < w->end; p = next) {
		next = data_seg_next(p, w->end, &s);
		if (!next) {
			raw_refuse(sq, w->wr, "an inline segment's byte_count runs past ds");
			return false;
		}
		*len += s.len;
	}
	return true;
}

static bool raw_measure(const struct raw_sq *sq, struct send_wr *wr, struct raw_wqe *w)
{
	uint64_t len = w->inl;

	if (!raw_sum(sq, w, &len))
		return false;
	if (len < VHCA_FRAME_MIN || len + (w->vlan ? VLAN_BYTES : 0) > VHCA_FRAME_MAX) {
		raw_fail(sq, wr, PRM_SYNDROME_LOCAL_LENGTH_ERR, 0,
			 len < VHCA_FRAME_MIN ? "the packet is shorter than an Ethernet header"
					      : "the packet is longer than the port takes");
		return false;
	}
	w->len = (uint32_t)len;
	return true;
}

static void insert_vlan(struct packet *p, const uint8_t *eth)
{
	bool service = prm_wqe_eth_seg_get_cs_flags(eth) & PRM_ETH_CS_FLAG_SVLAN;
	uint32_t tpid = service ? TPID_SERVICE : TPID_CUSTOMER;

	p->data -= VLAN_BYTES;
	p->len += VLAN_BYTES;
	p->headroom -= VLAN_BYTES;
	memmove(p->data, p->data + VLAN_BYTES, VLAN_AT);
	prm_store16(p->data, VLAN_AT, (uint16_t)tpid);
	prm_store16(p->data, VLAN_AT + 2, (uint16_t)prm_wqe_eth_seg_get_vlan_tci(eth));
}

/* Returns how many bytes of headers sqc.min_wqe_inline_mode wants in the WQE itself. */
static uint32_t must_inline(const struct raw_sq *sq, const struct packet_headers *h)
{
	if (sq->min_inline == PRM_INLINE_MODE_NONE)
		return 0;
	if (sq->min_inline == PRM_INLINE_MODE_L2 || !h->l3)
		return VHCA_FRAME_MIN;
	if (sq->min_inline == PRM_INLINE_MODE_IP)
		return h->l4 ? h->l4 : h->end;
	return h->end;
}

/* Fills in a packet. With data NULL, reads the data from where the WQE points. */
static bool raw_fill(struct raw_sq *sq, const struct raw_wqe *w, const uint8_t *data,
		     struct packet *p)
{
	const uint32_t len = w->len - w->inl;
	const char *why = NULL;

	memcpy(p->data, w->eth + INLINE_AT, w->inl);
	if (data)
		memcpy(p->data + w->inl, data, len);
	else
		w->wr->error =
			segs_gather(&sq->q, w->segs, w->end, w->cut.at, len, p->data + w->inl);
	if (w->wr->error)
		return false;
	if (raw_is_large(w->wr))
		why = lso_headers(p, &w->cut);
	else
		packet_parse_headers(p);
	if (why)
		raw_refuse(sq, w->wr, why);
	else if (must_inline(sq, &p->outer) > w->inl)
		raw_refuse(sq, w->wr, "fewer headers are inline than sqc.min_wqe_inline_mode says");
	return !w->wr->error;
}

static void offload(const struct raw_wqe *w, struct packet *p)
{
	uint32_t cs = prm_wqe_eth_seg_get_cs_flags(w->eth);

	if (cs & PRM_ETH_CS_FLAG_L3_CSUM)
		csum_fill_l3(p, &p->outer);
	if (cs & PRM_ETH_CS_FLAG_L4_CSUM)
		csum_fill_l4(p, &p->outer);
	if (w->vlan)
		insert_vlan(p, w->eth);
	if (cs || w->vlan)
		packet_parse_headers(p);
}

/* Sends it through the TX tables; the cost of its walk limits this turn's further packets. */
static void steer(struct raw_sq *sq, struct packet *p)
{
	const struct device *dev = sq->q.o.vhca->dev;
	uint64_t from = dev->steer_work;

	steer_tx(sq->q.o.vhca, p);
	if (steer_enough(dev, from))
		sq->slow = RAW_BATCH;
	else if (sq->slow)
		sq->slow--;
}

/* --- packet pacing ---------------------------------------------------------------------------- */

static const struct pace_rate *raw_rate(const struct raw_sq *sq)
{
	return &sq->q.o.vhca->pp_rates[sq->pp_rate].rate;
}

static uint64_t raw_now(const struct raw_sq *sq)
{
	struct clock *clock = sq->q.o.vhca->dev->clock;

	return clock->now(clock);
}

/* Charges it to the rate. [I] It counts with the bytes of its WQE, without FCS and preamble. */
static void raw_spend(struct raw_sq *sq, uint32_t len)
{
	if (sq->pp_rate)
		pace_spend(&sq->pace, raw_rate(sq), len, raw_now(sq));
	if (sq->q.leaves)
		shape_sent(sq->q.o.vhca->dev->sched, &sq->q, len);
}

static void raw_resume(struct timer *t)
{
	struct raw_sq *sq = (struct raw_sq *)((char *)t - offsetof(struct raw_sq, held));

	sq->sq.held = false;
	sq_reschedule(&sq->sq);
}

static uint64_t raw_due(const struct raw_sq *sq)
{
	uint64_t rate = sq->pp_rate ? pace_due(&sq->pace, raw_rate(sq)) : 0;
	uint64_t shape = sq->q.leaves ? shape_due(&sq->q) : 0;

	return rate > shape ? rate : shape;
}

/* Holds the queue until its next packet may leave. A timer ends the hold, as no doorbell does. */
static void raw_hold(struct raw_sq *sq)
{
	uint64_t due = raw_due(sq);

	if (!due || sq->sq.held || due <= raw_now(sq))
		return;
	sq->held.fire = raw_resume;
	sq->sq.held = !timer_set(&sq->q.o.vhca->dev->timers, &sq->held, due);
}

/* Ends a large send before its last packet. */
static struct send_wr *raw_abort(struct queue *q)
{
	struct send_wr *wr = q->sq ? raw_sq_of(q)->large : NULL;

	if (wr)
		raw_sq_of(q)->large = NULL;
	return wr;
}

static void raw_stop(struct queue *q)
{
	if (q->sq)
		timer_cancel(&q->o.vhca->dev->timers, &raw_sq_of(q)->held);
}

static void transmit(struct raw_sq *sq, const struct raw_wqe *w, const uint8_t *data)
{
	uint8_t buf[STEER_BUFFER];
	struct packet p = steer_packet(buf, w->len);

	p.vxlan_ports = sq->q.o.vhca->dev->vxlan_ports;
	p.source_vhca = sq->q.o.vhca->id;
	p.source_sqn = sq->q.o.id;
	p.reg_a = prm_wqe_eth_seg_get_flow_table_metadata(w->eth);
	if (!raw_fill(sq, w, data, &p))
		return;
	offload(w, &p);
	sq->q.o.vhca->raw.sent++;
	raw_spend(sq, p.len);
	probe(PROBE_FRAME_OUT, .frame = {.queue = &sq->q, .len = p.len});
	steer(sq, &p);
}

static void complete(struct raw_sq *sq, struct send_wr *wr)
{
	if (wr->error)
		sq_failed(&sq->sq, wr, wr->error, wr->vendor);
	else
		sq_done(&sq->sq, wr);
}

/* --- several at once -------------------------------------------------------------------------- */

static void raw_flush(struct raw_sq *sq)
{
	struct raw_batch *b = raw_batch_of(sq);
	unsigned int n = b->n;
	const uint8_t *data = b->buf;
	bool here;

	if (!n)
		return;
	post_flush(sq->q.o.vhca->dev->queues);
	here = !dma_gather(sq->q.o.vhca->dev->host, b->seg, b->nsegs, b->buf);
	b->n = b->nsegs = 0;
	b->bytes = 0;
	for (unsigned int i = 0; i < n; i++) {
		struct raw_wqe *w = &b->w[i];
		uint32_t len = w->len - w->inl;

		if (sq->q.state != QP_RTS) {
			sq_give_back(&sq->sq, w->wr);
			continue;
		}
		/*
		 * If the call fails, each is sent alone: unmapped memory must not stop the others.
		 */
		transmit(sq, w, here ? data : NULL);
		complete(sq, w->wr);
		data += len;
	}
}

/* Adds the packet's data behind that of the others. Returns 0 or a syndrome. */
static uint8_t batch_add(struct raw_sq *sq, const struct raw_wqe *w)
{
	struct raw_batch *b = raw_batch_of(sq);
	unsigned int nsegs = b->nsegs;
	const uint8_t *p, *next;
	struct data_seg s;
	int n;

	for (p = w->segs; p < w->end && (next = data_seg_next(p, w->end, &s)); p = next) {
		n = mkey_segs(sq->q.o.vhca, s.lkey, sq->q.pdn, s.addr, s.len, MKEY_LR,
			      b->seg + nsegs, MKEY_SEGS);
		if (n < 0)
			return PRM_SYNDROME_LOCAL_PROT_ERR;
		nsegs += (unsigned int)n;
	}
	b->nsegs = nsegs;
	b->bytes += w->len - w->inl;
	b->w[b->n++] = *w;
	return 0;
}

/* Returns whether the data is one piece of memory, as usual, and fits into the batch. */
static bool fits_batch(const struct raw_sq *sq, const struct raw_wqe *w)
{
	const struct raw_batch *b = raw_batch_of(sq);

	return w->end - w->segs == DS && !prm_wqe_inline_seg_get_is_inline(w->segs) &&
	       w->len <= sizeof(b->buf) / RAW_BATCH;
}

static void raw_prepare(struct raw_sq *sq, struct raw_wqe *w)
{
	if (!parse_eth(sq, w->wr, w))
		return;
	if (probe_active(PROBE_WQE))
		raw_probe(sq, w->wr, w);
	(void)raw_measure(sq, w->wr, w);
}

/*
 * Sends an ENHANCED_MPSW: each data segment is a packet, and the Ethernet segment applies to all
 * (Linux mlx5e_xdp_mpwqe_add_dseg(), whose queues do not set sqc.allow_multi_pkt_send_wqe). [I] The
 * first bad packet fails the request; the packets before it are sent.
 */
static void send_multi(struct raw_sq *sq, struct send_wr *wr)
{
	struct raw_wqe all = {.wr = wr}, w;
	const uint8_t *p, *next;
	struct data_seg s;

	if (sq->q.o.vhca->dev->profile->wqe_inline_l2)
		raw_refuse(sq, wr,
			   "several packets in it, and cap.enhanced_multi_pkt_send_wqe is 0");
	else if (parse_eth(sq, wr, &all) && (all.inl || all.vlan))
		raw_refuse(sq, wr, "inline_hdr_sz: a WQE of several packets has no header for all");
	if (!wr->error && probe_active(PROBE_WQE))
		raw_probe(sq, wr, &all);
	for (p = all.segs; !wr->error && p < all.end; p = next) {
		w = all;
		next = data_seg_next(p, all.end, &s);
		w.segs = p;
		w.end = next ? next : all.end;
		if (raw_measure(sq, wr, &w))
			transmit(sq, &w, NULL);
	}
}

/* --- large sends ------------------------------------------------------------------------------ */

/* Puts the payload's length into wr.len. Returns false if the request is refused. */
static bool large_measure(const struct raw_sq *sq, const struct raw_wqe *w)
{
	uint32_t mss = prm_wqe_eth_seg_get_mss(w->eth);
	struct send_wr *wr = w->wr;

	wr->len = 0;
	if (!raw_sum(sq, w, &wr->len))
		return false;
	if (wr->len > 1u << VHCA_LOG_MAX_LSO)
		raw_fail(sq, wr, PRM_SYNDROME_LOCAL_LENGTH_ERR, 0,
			 "a large send is longer than cap.max_lso_cap says");
	else if (w->inl + mss > VHCA_FRAME_MAX)
		raw_fail(sq, wr, PRM_SYNDROME_LOCAL_LENGTH_ERR, 0,
			 "headers and mss are longer than a packet that the port takes");
	return !wr->error;
}

/* Cuts the next packet. */
static void large_cut(struct raw_sq *sq, struct raw_wqe *w)
{
	uint32_t mss = prm_wqe_eth_seg_get_mss(w->eth), at = (uint32_t)w->wr->progress;
	uint32_t left = (uint32_t)w->wr->len - at, part = left < mss ? left : mss;

	w->cut = (struct lso_cut){w->inl, at, (uint16_t)(at / mss), part == left};
	w->len = w->inl + part;
	transmit(sq, w, NULL);
	w->wr->progress += part;
}

/* Sends a turn's packets: a request of very many packets must not hold up the other queues. */
static void large_step(struct raw_sq *sq)
{
	struct send_wr *wr = sq->large;
	struct raw_wqe w = {.wr = wr};
	unsigned int n = sq->slow || sq->pp_rate || sq->q.leaves ? 1 : RAW_BATCH;
	bool done;

	if (sq->q.leaves && !shape_has_turn(sq->q.o.vhca->dev->sched, &sq->q))
		return;
	done = !parse_eth(sq, wr, &w);
	for (; !done && n && port_room(sq->q.o.vhca->dev->port); n--) {
		large_cut(sq, &w);
		done = wr->error || w.cut.last;
	}
	if (!done)
		return;
	sq->large = NULL;
	complete(sq, wr);
}

/* Queues a large send behind earlier requests; raw_posted() begins it. */
static void large_begin(struct raw_sq *sq, struct raw_wqe *w)
{
	if (!parse_eth(sq, w->wr, w) || !large_measure(sq, w))
		return;
	if (probe_active(PROBE_WQE))
		raw_probe(sq, w->wr, w);
	sq->large = w->wr;
}

static void send_alone(struct raw_sq *sq, struct raw_wqe *w)
{
	raw_flush(sq);
	if (sq->q.state != QP_RTS) {
		sq_give_back(&sq->sq, w->wr);
		return;
	}
	if (!w->wr->error && w->wr->kind == SEND_LOCAL)
		w->wr->error = (uint8_t)sq_local(&sq->sq, w->wr);
	if (!w->wr->error && w->wr->opcode == PRM_WQE_OPCODE_SEND)
		transmit(sq, w, NULL);
	if (!w->wr->error && w->wr->opcode == PRM_WQE_OPCODE_ENHANCED_MPSW)
		send_multi(sq, w->wr);
	if (!w->wr->error && raw_is_large(w->wr))
		large_begin(sq, w);
	if (sq->large != w->wr)
		complete(sq, w->wr);
}

/* Returns whether a program's queue has no TIS: then it has WQEs without packets only. */
static bool raw_has_no_tis(const struct queue *q)
{
	return q->o.uid && !q->tis;
}

/* Executes a local request that no packets are before: rules come by the million. */
static inline bool raw_local(struct raw_sq *sq, const struct raw_batch *b, struct send_wr *wr)
{
	if (wr->kind != SEND_LOCAL || wr->error || b->n || sq->q.state != QP_RTS)
		return false;
	wr->error = (uint8_t)sq_local(&sq->sq, wr);
	complete(sq, wr);
	return true;
}

/* Sends packets, or what is behind them. */
static __attribute__((noinline)) void raw_post_message(struct raw_sq *sq, struct send_wr *wr)
{
	struct raw_batch *b = raw_batch_of(sq);
	struct raw_wqe w = {.wr = wr};

	if (!wr->error && wr->kind == SEND_MESSAGE && raw_has_no_tis(&sq->q))
		raw_refuse(sq, wr, "it sends packets, and sqc.tis_lst_sz is 0");
	if (!wr->error && wr->opcode == PRM_WQE_OPCODE_SEND)
		raw_prepare(sq, &w);
	if (!wr->error && w.eth && fits_batch(sq, &w)) {
		if (b->n == RAW_BATCH || b->nsegs + MKEY_SEGS > RAW_SEGS)
			raw_flush(sq);
		if (sq->q.state == QP_RTS)
			wr->error = batch_add(sq, &w);
		if (sq->q.state == QP_RTS && !wr->error) {
			if (sq->slow)
				raw_flush(sq);
			return;
		}
	}
	send_alone(sq, &w);
}

static void raw_post(struct queue *q, struct send_wr *wr)
{
	struct raw_sq *sq = raw_sq_of(q);
	struct raw_batch *b = raw_batch_of(sq);

	b->posted = true;
	if (!raw_local(sq, b, wr))
		raw_post_message(sq, wr);
}

static void raw_posted(struct queue *q)
{
	struct raw_sq *sq = raw_sq_of(q);

	raw_flush(sq);
	if (sq->large && !sq->sq.held)
		large_step(sq);
	raw_batch_of(sq)->posted = false;
	raw_hold(sq);
	if (sq->large && !sq->sq.held)
		sq_reschedule(&sq->sq);
}

/* Returns the room for posts. A queue with costly walks or a rate sends one packet per turn. */
static unsigned int raw_room(const struct queue *q)
{
	struct sched *s = q->o.vhca->dev->sched;

	const struct raw_sq *sq = raw_sq_of(q);

	return port_room(s->dev->port) && !sq->sq.held && !sq->large &&
	       !(s->raw->posted && (sq->slow || sq->pp_rate || q->leaves)) &&
	       (!q->leaves || shape_has_turn(s, q));
}

static int raw_start(struct queue *q)
{
	struct sched *s = q->o.vhca->dev->sched;

	if (!s->raw)
		s->raw = calloc(1, sizeof(*s->raw));
	return s->raw ? 0 : -ENOMEM;
}

static wqe_rows raw_wqe_rows = {
	[PRM_WQE_OPCODE_NOP] = {.known = true, .kind = SEND_LOCAL, .min_ds = 1},
	WQE_CROSS_ROWS,
	[PRM_WQE_OPCODE_ACCESS_ASO] = {aso_parse, true, .kind = SEND_LOCAL, .min_ds = 4},
	[PRM_WQE_OPCODE_FLOW_TBL_ACCESS] = {rule_parse, true, .kind = SEND_LOCAL, .min_ds = 8},
	[PRM_WQE_OPCODE_SEND] = {.known = true, .kind = SEND_MESSAGE, .min_ds = 2},
	[PRM_WQE_OPCODE_TSO] = {.known = true, .kind = SEND_MESSAGE, .min_ds = 2},
	[PRM_WQE_OPCODE_ENHANCED_MPSW] = {.known = true, .kind = SEND_MESSAGE, .min_ds = 3},
};

/* Has no connection, and only large sends wait: any other request is done when it is fetched. */
const struct transport transport_raw = {
	.name = "raw packet",
	.wqe = &raw_wqe_rows,
	.polls_room = true,
	.start = raw_start,
	.stop = raw_stop,
	.abort = raw_abort,
	.room = raw_room,
	.post = raw_post,
	.posted = raw_posted,
};
