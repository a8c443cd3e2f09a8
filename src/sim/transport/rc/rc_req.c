/* SPDX-License-Identifier: BSD-2-Clause */
/* The requester of a reliable connection (IBTA vol. 1, 9.7.5 and 9.9.2). */
#include <dvx/prm/cqe.h>
#include <dvx/prm/wqe.h>
#include "rc.h"
#include "transport/atomic.h"
#include "obj/qp.h"
#include "obj/device.h"
#include "base/log.h"

#define OUTSTANDING  128u	  /* most requests of one QP in its connection */
#define STEPS_A_TURN 32u	  /* frames, or steps of local operations */
#define BYTES_A_TURN (128u << 10) /* few enough to stay in a cache until they are received */
#define WINDOW	     0x7fffff	  /* most PSNs under way: less than half of their space */
#define ACK_EVERY    64 /* packets between AckReqs: a long message makes visible progress */
#define RNR_FOREVER 7u

/* Time by the 5-bit code, in units of 10 us (IBTA table 45). */
static const uint32_t rnr_time[32] = {
	65536, 1,   2,	 3,   4,    6,	  8,	12,   16,   24,	  32,	48,   64,    96,    128,   192,
	256,   384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
};

/* --- time ---------------------------------------------------------------------------------- */

static void wait_until(struct rc *rc, uint64_t deadline)
{
	struct req *q = &rc->req;

	q->deadline = deadline;
	if (!q->timer.queued || q->timer.at > deadline)
		timer_set(&rc->sched->dev->timers, &q->timer, deadline);
}

/* Moves the deadline. The timer is not moved with it, but set again when it fires. */
static void expect_progress(struct rc *rc)
{
	uint8_t t = rc->qp->ack_timeout & 31;

	if (t)
		wait_until(rc, rc->sched->now + (4096ull << t));
}

void req_start(struct rc *rc, uint32_t psn)
{
	struct req *q = &rc->req;

	q->una = q->nxt = q->max = q->ack_asked = psn & PSN_MASK;
	q->retries = rc->qp->retry_count;
	q->rnr_left = rc->qp->rnr_retry;
	q->sending = true;
}

/* --- the list ------------------------------------------------------------------------------ */

unsigned int req_room(const struct queue *sq)
{
	const struct req *q = &rc_of(sq)->req;

	return q->sending && q->n < OUTSTANDING ? OUTSTANDING - q->n : 0;
}

void req_add(struct rc *rc, struct send_wr *wr)
{
	struct req *q = &rc->req;

	wr->next = NULL;
	*q->tail = wr;
	q->tail = &wr->next;
	q->n++;
	q->locals += wr->kind == SEND_LOCAL;
	if (!q->cur) {
		q->cur = wr;
		q->off = 0;
	}
	rc_want_run(rc);
}

void req_queue(struct rc *rc, struct send_wr *wr)
{
	req_add(rc, wr);
	direct_note(rc, wr);
}

void req_post(struct queue *sq, struct send_wr *wr)
{
	if (wr->kind == SEND_WRITE || wr->kind == SEND_READ)
		direct_begin(rc_of(sq), wr);
	else
		req_queue(rc_of(sq), wr);
}

/* Returns the first request not begun; requests are begun in order, so it ends the search. */
struct send_wr *req_unsent(struct queue *sq)
{
	struct req *q = &rc_of(sq)->req;
	struct send_wr **at = &q->head, *list;

	while (*at && ((*at)->numbered || (*at)->asked || (*at)->done))
		at = &(*at)->next;
	list = *at;
	*at = NULL;
	q->tail = at;
	for (const struct send_wr *wr = list; wr; wr = wr->next) {
		q->n--;
		q->locals -= wr->kind == SEND_LOCAL;
		if (q->cur == wr)
			q->cur = NULL;
	}
	rc_want_run(rc_of(sq));
	return list;
}

static struct send_wr *rc_req_pop(struct req *q)
{
	struct send_wr *wr = q->head;

	q->head = wr->next;
	if (!q->head)
		q->tail = &q->head;
	q->n--;
	q->locals -= wr->kind == SEND_LOCAL;
	if (q->cur == wr) {
		q->cur = wr->next;
		q->off = 0;
	}
	return wr;
}

static void rc_done(struct rc *rc, struct send_wr *wr)
{
	if (rc->owner)
		rc->owner->done(rc, wr);
	else
		sq_done(&rc->qp->sq, wr);
}

/* Completes requests, in the SQ's order. */
static void rc_req_complete(struct rc *rc)
{
	struct req *q = &rc->req;

	while (q->head && q->head->done)
		rc_done(rc, rc_req_pop(q));
}

/* Retires requests that are done; requests that waited for them may continue. */
static void rc_req_retire(struct rc *rc)
{
	rc_req_complete(rc);
	rc_want_run(rc);
}

static void fail_head(struct rc *rc, uint8_t syndrome, uint8_t vendor)
{
	if (!rc->req.head)
		return;
	if (rc->owner)
		rc->owner->failed(rc, rc_req_pop(&rc->req), syndrome, vendor);
	else
		sq_failed(&rc->qp->sq, rc_req_pop(&rc->req), syndrome, vendor);
}

static void rc_req_number(struct rc *rc, struct send_wr *wr)
{
	if (wr->numbered)
		return;
	wr->numbered = true;
	wr->psn = rc->req.nxt;
	wr->npsn = wr->kind == SEND_LOCAL ? 0 : message_packets(wr->len, rc->mtu);
}

static void rc_req_advance(struct req *q)
{
	q->cur = q->cur->next;
	q->off = 0;
}

static void sent_up_to(struct rc *rc, uint32_t psn)
{
	struct req *q = &rc->req;
	bool idle = q->una == q->max;

	q->nxt = psn;
	if (psn_diff(psn, q->max) > 0)
		q->max = psn;
	if (idle)
		expect_progress(rc);
}

void req_unanswered(struct rc *rc, uint32_t end, bool last)
{
	rc->req.ack_asked = end;
	sent_up_to(rc, end);
	if (last)
		rc_req_advance(&rc->req);
}

/* --- sending ------------------------------------------------------------------------------- */

static bool step_local(struct rc *rc, struct send_wr *wr)
{
	int r;

	wr->asked = true;
	r = sq_local(&rc->qp->sq, wr);

	if (r == SQ_AGAIN)
		return true;
	if (r) {
		wr->error = (uint8_t)r;
		return true;
	}
	rc_req_number(rc, wr);
	wr->done = true;
	rc_req_advance(&rc->req);
	rc_req_retire(rc);
	return true;
}

static bool window_holds(const struct req *q, uint32_t npkts)
{
	return q->una == q->nxt ||
	       ((q->nxt - q->una) & PSN_MASK) + (uint64_t)npkts <= WINDOW;
}

/* XRC: Returns the number of the peer's SRQ, from the request's own segment. */
static uint32_t rc_req_srqn(const struct rc *rc, const struct send_wr *wr)
{
	if (rc->qp->q.transport->bth_type != BTH_XRC)
		return 0;
	return prm_wqe_xrc_seg_get_xrc_srqn(wr->wqe + PRM_WQE_CTRL_SEG_BYTES);
}

/* Sends the request that a response answers: a READ, or the missing rest of one; an atomic. */
static bool step_read(struct rc *rc, struct send_wr *wr)
{
	struct req *q = &rc->req;
	struct bth_packet p = { .opcode = BTH_READ_REQUEST, .last_opcode = BTH_READ_REQUEST, .npkts = 1 };
	uint64_t off = (uint64_t)wr->got * rc->mtu;
	uint8_t atomic[MASKED_ETH_LEN];
	struct frame *f;

	rc_req_number(rc, wr);
	if (q->reads >= 1u << rc->qp->log_sra_max || !window_holds(q, wr->npsn - wr->got))
		return false;
	f = rc_frame(rc, 0);
	if (!f)
		return false;
	p.psn = psn_add(wr->psn, wr->got);
	p.va = wr->raddr + off;
	p.rkey = wr->rkey;
	p.dma_len = (uint32_t)(wr->len - off);
	p.srqn = rc_req_srqn(rc, wr);
	if (wr->kind == SEND_ATOMIC)
		atomic_request(&p, wr, atomic);
	rc_send(rc, &p, f);
	wr->asked = true;
	q->reads++;
	sent_up_to(rc, psn_add(wr->psn, wr->npsn));
	rc_req_advance(q);
	return true;
}

static bool step_data(struct rc *rc, struct send_wr *wr)
{
	struct req *q = &rc->req;
	uint64_t left = wr->len - q->off,
		 most = (uint64_t)roce_port_burst(&rc->path, rc->mtu) * rc->mtu;
	size_t n = (size_t)(left < most ? left : most);
	struct bth_packet p = {.psn = q->nxt, .npkts = message_packets(n, rc->mtu)};
	bool last = n == left;
	struct frame *f;

	if (!window_holds(q, p.npkts) || !(f = rc_frame(rc, n)))
		return false;
	rc_req_number(rc, wr);
	wr->error = n ? wr_gather(&rc->qp->q, wr, q->off, n, f->data) : 0;
	if (wr->error) {
		frame_free(f);
		return true;
	}
	message_opcodes(&p, rc->qp->q.transport->bth_type, wr, q->off == 0, last);
	p.srqn = rc_req_srqn(rc, wr);
	p.va = wr->raddr;
	p.rkey = wr->rkey;
	p.dma_len = (uint32_t)wr->len;
	p.imm = wr->imm;
	p.solicited = last && wr->solicited;
	p.ack_req = last || psn_diff(psn_add(p.psn, p.npkts), q->ack_asked) >= ACK_EVERY;
	if (p.ack_req)
		q->ack_asked = psn_add(p.psn, p.npkts);
	rc_send(rc, &p, f);
	q->off += n;
	q->sent += n;
	sent_up_to(rc, psn_add(p.psn, p.npkts));
	if (last)
		rc_req_advance(q);
	return true;
}

/* Sends one burst or request, or does one local step. Returns false if nothing can be done now. */
static bool rc_req_step(struct rc *rc)
{
	struct req *q = &rc->req;
	struct send_wr *wr = q->cur;

	if (!wr || q->rnr_wait)
		return false;
	if (wr->done) {
		rc_req_advance(q);
		return true;
	}
	if (wr->error) {
		if (wr != q->head || queue_is_orphan(&rc->qp->q))
			return false;
		fail_head(rc, wr->error, wr->vendor);
		return false;
	}
	if ((wr->strong && wr != q->head) || (wr->fence && q->reads))
		return false;
	if (wr->kind == SEND_LOCAL)
		return step_local(rc, wr);
	if (direct_step(rc, wr)) {
		if (wr->done)
			rc_req_complete(rc); /* req_run() continues with the next request */
		if (rc->qp->q.leaves)
			rc_want_run(rc); /* shape.c: its share waits for the rest of its SQ */
		return true;
	}
	if (!rc_port_room(rc))
		return false;
	return wr->kind >= SEND_READ ? step_read(rc, wr) : step_data(rc, wr);
}

bool req_run(struct rc *rc)
{
	bool did = false;

	rc->req.sent = 0;
	for (unsigned int i = 0; i < STEPS_A_TURN && rc->req.sent < BYTES_A_TURN && rc_req_step(rc);
	     i++)
		did = true;
	direct_end_turn(rc);
	if (rc->req.sending && !rc->req.head && rc->qp->q.state == QP_SQD)
		queue_drained(&rc->qp->q);
	if (rc->req.sending && rc->req.n < OUTSTANDING / 2)
		sq_more(rc->qp->q.sq);
	return did;
}

bool req_ready(const struct rc *rc)
{
	const struct req *q = &rc->req;
	const struct send_wr *wr = q->cur;

	if (!wr || q->rnr_wait || (wr->error && wr != q->head))
		return false;
	if ((wr->strong && wr != q->head) || (wr->fence && q->reads))
		return false;
	return wr->kind < SEND_READ || q->reads < 1u << rc->qp->log_sra_max;
}

/* --- what comes back ----------------------------------------------------------------------- */

/* Goes back to psn: everything from there on is sent again. */
static void go_back(struct rc *rc, uint32_t psn)
{
	struct req *q = &rc->req;
	struct send_wr *wr;

	q->reads = 0;
	for (wr = q->head; wr && wr->numbered; wr = wr->next) {
		if (wr->npsn && psn_diff(psn, psn_add(wr->psn, wr->npsn)) < 0)
			break;
		if (wr->kind >= SEND_READ && wr->asked && !wr->done)
			q->reads++;
	}
	q->cur = wr;
	q->off = 0;
	q->nxt = q->max;
	if (wr && wr->numbered) {
		if (wr->kind >= SEND_READ)
			psn = psn_add(wr->psn, wr->got);
		q->off = (uint64_t)((psn - wr->psn) & PSN_MASK) * rc->mtu;
		q->nxt = psn;
	}
	for (; wr && wr->numbered; wr = wr->next)
		wr->asked = false;
	q->ack_asked = q->nxt;
	rc_want_run(rc);
}

static void rc_req_retry(struct rc *rc, uint32_t psn)
{
	struct req *q = &rc->req;

	if (!q->retries) {
		fail_head(rc, PRM_SYNDROME_TRANSPORT_RETRY_EXC_ERR, 0);
		return;
	}
	q->retries--;
	probe(PROBE_RETRY, .request = {&rc->qp->q, q->head});
	if (!q->rnr_wait) /* nothing is under way */
		expect_progress(rc);
	go_back(rc, psn);
}

static void progress(struct rc *rc, uint32_t una)
{
	struct req *q = &rc->req;

	q->una = una;
	q->retries = rc->qp->retry_count;
	q->rnr_left = rc->qp->rnr_retry;
	q->gone_back = false;
	q->rnr_wait = false; /* a late copy of the refused request found a receive */
	if (psn_diff(una, q->nxt) > 0)
		go_back(rc, una);
	if (una != q->max)
		expect_progress(rc);
}

static void out_of_order(struct rc *rc, uint32_t psn)
{
	if (rc->req.gone_back || !rc->req.sending)
		return;
	rc->req.gone_back = true;
	rc_stats(rc)->implied_nak_seq_err++;
	rc_req_retry(rc, psn);
}

/*
 * Handles an acknowledgement of all before end. If an earlier READ or atomic is unanswered, its
 * response was lost: it is sent again, and the result is false.
 */
static bool acknowledged(struct rc *rc, uint32_t end)
{
	struct req *q = &rc->req;
	struct send_wr *wr;

	for (wr = q->head; wr && wr->numbered; wr = wr->next) {
		if (wr->done)
			continue;
		if (!wr->npsn || psn_diff(psn_add(wr->psn, wr->npsn), end) > 0)
			break;
		if (wr->kind >= SEND_READ) {
			rc_req_retire(rc);
			out_of_order(rc, psn_add(wr->psn, wr->got));
			return false;
		}
		wr->done = true;
	}
	if (psn_diff(end, q->una) > 0)
		progress(rc, end);
	rc_req_retire(rc);
	return rc->req.sending;
}

static void rc_req_not_ready(struct rc *rc, const struct bth_packet *p)
{
	struct req *q = &rc->req;
	uint64_t ns;

	if (q->rnr_wait) /* nothing was sent since the last one: a copy (IBTA 9.7.5) */
		return;
	q->rnrs = p->psn == q->rnr_psn ? q->rnrs + 1 : 1;
	q->rnr_psn = p->psn;
	if (q->rnr_left == 0) {
		fail_head(rc, PRM_SYNDROME_RNR_RETRY_EXC_ERR, 0);
		return;
	}
	rc_stats(rc)->rnr_nak_retry_err++;
	if (rc->qp->rnr_retry != RNR_FOREVER)
		q->rnr_left--;
	go_back(rc, p->psn);
	q->rnr_wait = true;
	ns = rnr_time[p->syndrome & 31] * 10000ull;
	probe(PROBE_RETRY, .request = {&rc->qp->q, q->head, ns});
	wait_until(rc, rc->sched->now + ns);
}

static void negative(struct rc *rc, const struct bth_packet *p)
{
	static const uint8_t syndrome[] = {
		[NAK_INVALID] = PRM_SYNDROME_REMOTE_INVAL_REQ_ERR,
		[NAK_ACCESS] = PRM_SYNDROME_REMOTE_ACCESS_ERR,
		[NAK_OPERATION] = PRM_SYNDROME_REMOTE_OP_ERR,
	};
	uint8_t code = p->syndrome & 31;

	if (code == NAK_PSN) {
		rc_stats(rc)->packet_seq_err += rc->req.retries > 0;
		rc_req_retry(rc, p->psn);
	} else if (code <= NAK_OPERATION)
		fail_head(rc, syndrome[code], 0);
}

static enum drop rx_ack(struct rc *rc, const struct bth_packet *p)
{
	struct req *q = &rc->req;
	uint32_t kind = AETH_KIND(p->syndrome);

	if (psn_diff(p->psn, q->una) < 0 || psn_diff(p->psn, q->max) >= 0)
		return DROP_STALE;
	if (!acknowledged(rc, kind ? p->psn : psn_add(p->psn, 1)) || !q->head || !kind)
		return DROP_NONE;
	if (kind == AETH_RNR)
		rc_req_not_ready(rc, p);
	else if (kind == AETH_NAK)
		negative(rc, p);
	return DROP_NONE;
}

static struct send_wr *oldest_read(const struct req *q)
{
	struct send_wr *wr;

	for (wr = q->head; wr && wr->numbered; wr = wr->next)
		if (wr->kind >= SEND_READ && !wr->done)
			return wr->asked ? wr : NULL;
	return NULL;
}

static bool response_fits(const struct rc *rc, const struct send_wr *wr, const struct bth_packet *p)
{
	uint64_t left = wr->len - (uint64_t)wr->got * rc->mtu;

	if ((wr->kind == SEND_ATOMIC) != (p->op == OP_ATOMIC_ACK) || !bth_cut_for(p, rc->mtu))
		return false;
	if (wr->kind == SEND_ATOMIC)
		return !p->len;
	if (p->ends)
		return p->len == left && p->npkts == message_packets(left, rc->mtu);
	return p->len == p->npkts * rc->mtu && p->len < left;
}

static uint8_t response_scatter(struct rc *rc, struct send_wr *wr, const struct bth_packet *p)
{
	if (p->op == OP_ATOMIC_ACK)
		return wr_atomic_found(&rc->qp->q, wr, atomic_answer(p));
	return p->len ? wr_scatter(&rc->qp->q, wr, (uint64_t)wr->got * rc->mtu, p->len, p->data)
		      : 0;
}

static void take_response(struct rc *rc, struct send_wr *wr, const struct bth_packet *p)
{
	struct req *q = &rc->req;
	uint8_t error =
		response_fits(rc, wr, p) ? response_scatter(rc, wr, p) : PRM_SYNDROME_BAD_RESP_ERR;

	if (error) {
		fail_head(rc, error, 0);
		return;
	}
	wr->got += p->npkts;
	if (p->ends) {
		wr->done = true;
		q->reads--;
	}
	progress(rc, psn_add(wr->psn, wr->got));
	rc_req_retire(rc);
}

static enum drop rx_read_response(struct rc *rc, struct bth_packet *p)
{
	struct send_wr *wr = oldest_read(&rc->req);
	int32_t d;

	if (!wr)
		return DROP_STALE;
	d = psn_diff(p->psn, psn_add(wr->psn, wr->got));
	if (d < 0 && (uint32_t)-d < p->npkts && bth_cut_for(p, rc->mtu)) {
		bth_skip(p, (uint32_t)-d, rc->mtu);
		d = 0;
	}
	if (d < 0)
		return DROP_STALE;
	/* Responses come in order, so this response acknowledges all before the READ. */
	if (!acknowledged(rc, wr->psn))
		return DROP_NONE;
	if (d > 0)
		out_of_order(rc, psn_add(wr->psn, wr->got));
	else
		take_response(rc, wr, p);
	return DROP_NONE;
}

enum drop req_rx(struct rc *rc, struct bth_packet *p)
{
	if (!rc->req.sending)
		return DROP_STALE;
	return p->op == OP_ACK ? rx_ack(rc, p) : rx_read_response(rc, p);
}

void req_timer(struct timer *t)
{
	struct rc *rc = (struct rc *)((char *)t - offsetof(struct rc, req.timer));
	struct req *q = &rc->req;
	uint64_t now = rc->sched->dev->clock->now(rc->sched->dev->clock);

	rc->sched->now = now;
	if (now < q->deadline) {
		timer_set(&rc->sched->dev->timers, t, q->deadline);
	} else if (q->rnr_wait) {
		q->rnr_wait = false;
		rc_want_run(rc);
		expect_progress(rc);
	} else if (q->una != q->max) {
		q->gone_back = false;
		rc_stats(rc)->local_ack_timeout_err += q->retries > 0;
		sim_note("qp 0x%x: no answer to psn 0x%06x in time", rc->qp->q.o.id, q->una);
		rc_req_retry(rc, q->una);
	}
}
