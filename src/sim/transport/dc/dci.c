/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The initiator. Its requests use channels (a WQE's dci_stream_channel_id). Requests of one channel
 * are done in order, independent of other channels, and a failed request stops only its channel. A
 * channel has one connection. It opens another one when the next request has another target and all
 * earlier requests are done. [I] Completions leave in the SQ's order, as libmlx5 and UCX need it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/qp.h>
#include <dvx/prm/wqe.h>
#include "dc.h"
#include "transport/av.h"

#define OUTSTANDING 128u

struct dci_channel {
	struct rc rc; /* first member */
	struct dci *dci;
	uint8_t index;
	bool connected, failed;
	uint32_t number;		   /* number of its connection */
	uint8_t av[PRM_AV_BYTES];	   /* address of its present or last target */
	struct send_wr *wait, **wait_tail; /* requests behind a request for another target */
};

struct dci {
	struct sched *sched;
	struct qp *qp;
	struct sched_job job;
	bool sending; /* RTS */
	unsigned int n;
	struct send_wr *first, **last; /* all requests, in the SQ's order */
	unsigned int turn, nfailed, nchannels;
	struct dci_channel channel[];
};

static struct dci *dci_of(const struct queue *q)
{
	return q->conn;
}

static struct dci_channel *channel_of(struct rc *rc)
{
	return (struct dci_channel *)rc;
}

/* --- connections --------------------------------------------------------------------------- */

static void channel_send(struct rc *rc, struct bth_packet *p, struct frame *f)
{
	struct dci_channel *ch = channel_of(rc);

	p->dc_key = prm_av_get_dc_key(ch->av);
	p->sqpn = rc->qp->q.o.id;
	p->channel = ch->index;
	p->connection = ch->number;
	dc_send(rc, p, f, prm_av_get_dqp_dct(ch->av));
}

/* Releases the target's connection. The message has no answer, and nothing depends on it. */
static void channel_disconnect(struct dci_channel *ch)
{
	struct bth_packet p = {.opcode = BTH_DISCONNECT, .last_opcode = BTH_DISCONNECT, .npkts = 1};
	struct frame *f = ch->connected && rc_port_room(&ch->rc) ? rc_frame(&ch->rc, 0) : NULL;

	ch->connected = false;
	if (f)
		channel_send(&ch->rc, &p, f);
}

static void channel_clear(struct dci_channel *ch)
{
	timer_cancel(&ch->dci->sched->dev->timers, &ch->rc.req.timer);
	rc_clear(&ch->rc);
}

static void channel_connect(struct dci_channel *ch, const uint8_t *av)
{
	struct qp *qp = ch->dci->qp;

	channel_disconnect(ch);
	channel_clear(ch);
	memcpy(ch->av, av, PRM_AV_BYTES);
	av_path(qp->q.o.vhca, av, &ch->rc.path);
	ch->rc.mtu = qp_mtu(qp);
	ch->number = ++ch->dci->sched->dc_connections;
	ch->connected = true;
	req_start(&ch->rc, DC_PSN);
}

/* Returns whether it sends no packet: it may have no vector, and goes with those before it. */
static bool dci_sends_nothing(const struct send_wr *wr)
{
	return wr->kind == SEND_LOCAL || wr->error;
}

static bool channel_can_take(const struct dci_channel *ch, const struct send_wr *wr)
{
	return dci_sends_nothing(wr) || (ch->connected && !memcmp(av_of(wr), ch->av, PRM_AV_BYTES));
}

static void channel_take(struct dci_channel *ch, struct send_wr *wr)
{
	if (!channel_can_take(ch, wr))
		channel_connect(ch, av_of(wr));
	else if (!ch->rc.req.sending)
		req_start(&ch->rc, DC_PSN);
	req_add(&ch->rc, wr);
}

/* Connects to the next target once nothing is left for the last one. */
static void channel_go_on(struct dci_channel *ch)
{
	struct send_wr *wr;

	while ((wr = ch->wait) && (!ch->rc.req.head || channel_can_take(ch, wr))) {
		ch->wait = wr->next;
		channel_take(ch, wr);
	}
	if (!ch->wait)
		ch->wait_tail = &ch->wait;
}

static void dci_channel_post(struct dci_channel *ch, struct send_wr *wr)
{
	if (!ch->wait && (!ch->rc.req.head || channel_can_take(ch, wr))) {
		channel_take(ch, wr);
		return;
	}
	wr->next = NULL;
	*ch->wait_tail = wr;
	ch->wait_tail = &wr->next;
	sched_want_run(ch->dci->sched, &ch->dci->job);
}

/* --- completions --------------------------------------------------------------------------- */

static struct send_wr *dci_pop(struct dci *d)
{
	struct send_wr *wr = d->first;

	d->first = wr->after;
	if (!d->first)
		d->last = &d->first;
	d->n--;
	return wr;
}

static void dci_finish(struct dci *d, struct send_wr *wr)
{
	if (wr->error)
		sq_failed_alone(&d->qp->sq, wr, wr->error, wr->vendor);
	else
		sq_done(&d->qp->sq, wr);
}

static void dci_retire(struct dci *d)
{
	while (d->first && d->first->left)
		dci_finish(d, dci_pop(d));
}

static void channel_done(struct rc *rc, struct send_wr *wr)
{
	wr->left = true;
	dci_retire(channel_of(rc)->dci);
}

static void dci_end(struct send_wr *wr, uint8_t syndrome)
{
	wr->left = true;
	wr->error = syndrome;
	wr->vendor = 0;
}

/* Fails the queue: too many channels have failed. Reports completions up to the last failure. */
static void dci_fatal(struct dci *d, const struct send_wr *wr)
{
	bool end = false;

	while (d->first && !end) {
		end = d->first == wr;
		if (!d->first->left)
			dci_end(d->first, PRM_SYNDROME_WR_FLUSH_ERR);
		dci_finish(d, dci_pop(d));
	}
	queue_error(&d->qp->q, 0);
}

/* [I] The channel's other requests are flushed at once, and so are new ones until it is reset. */
static void channel_failed(struct rc *rc, struct send_wr *wr, uint8_t syndrome, uint8_t vendor)
{
	struct dci_channel *ch = channel_of(rc);
	struct dci *d = ch->dci;

	for (struct send_wr *w = rc->req.head; w; w = w->next)
		dci_end(w, PRM_SYNDROME_WR_FLUSH_ERR);
	for (struct send_wr *w = ch->wait; w; w = w->next)
		dci_end(w, PRM_SYNDROME_WR_FLUSH_ERR);
	dci_end(wr, syndrome);
	wr->vendor = vendor;
	ch->wait = NULL;
	ch->wait_tail = &ch->wait;
	channel_disconnect(ch);
	channel_clear(ch);
	ch->failed = true;
	if (++d->nfailed >= 1u << d->qp->log_dci_errored) {
		dci_fatal(d, wr);
		return;
	}
	dci_retire(d);
	sched_want_run(d->sched, &d->job); /* there is room for more */
}

static const struct rc_owner dci_owner = {
	.send = channel_send,
	.done = channel_done,
	.failed = channel_failed,
};

int dci_reset_channel(struct queue *q, uint16_t id)
{
	struct dci *d = dci_of(q);
	struct dci_channel *ch = &d->channel[id % d->nchannels];

	if (!ch->failed)
		return -EINVAL;
	ch->failed = false;
	d->nfailed--;
	return 0;
}

/* --- the queue ----------------------------------------------------------------------------- */

static unsigned int dci_room(const struct queue *q)
{
	const struct dci *d = dci_of(q);

	return d->sending && d->n < OUTSTANDING ? OUTSTANDING - d->n : 0;
}

/* Returns the request's channel. [I] Numbers past the last channel wrap around. */
static struct dci_channel *dci_channel_for(struct dci *d, const struct send_wr *wr)
{
	return &d->channel[prm_wqe_ctrl_seg_get_dci_stream_channel_id(wr->wqe) % d->nchannels];
}

static void dci_post(struct queue *q, struct send_wr *wr)
{
	struct dci *d = dci_of(q);
	struct dci_channel *ch = dci_channel_for(d, wr);

	wr->after = NULL;
	*d->last = wr;
	d->last = &wr->after;
	d->n++;
	if (!ch->failed) {
		dci_channel_post(ch, wr);
		return;
	}
	dci_end(wr, PRM_SYNDROME_WR_FLUSH_ERR);
	dci_retire(d);
}

static bool dci_run(struct queue *q)
{
	struct dci *d = dci_of(q);
	bool did = false;

	d->turn++;
	for (unsigned int i = 0; i < d->nchannels; i++) {
		struct dci_channel *ch = &d->channel[(d->turn + i) % d->nchannels];

		channel_go_on(ch);
		if (ch->rc.req.head)
			did |= req_run(&ch->rc);
	}
	if (dci_room(q) > OUTSTANDING / 2)
		sq_more(q->sq);
	return did;
}

static bool dci_ready(const struct queue *q)
{
	const struct dci *d = dci_of(q);

	for (unsigned int i = 0; i < d->nchannels; i++) {
		const struct dci_channel *ch = &d->channel[i];

		if (req_ready(&ch->rc) || (ch->wait && !ch->rc.req.head))
			return true;
	}
	return false;
}

static enum drop dci_receive(struct queue *q, struct bth_packet *p)
{
	struct dci *d = dci_of(q);
	struct dci_channel *ch = p->channel < d->nchannels ? &d->channel[p->channel] : NULL;

	if (p->op != OP_READ_RESP && p->op != OP_ACK && p->op != OP_ATOMIC_ACK)
		return DROP_ROLE;
	if (!ch || !ch->connected || ch->number != p->connection)
		return DROP_DC_CONNECTION;
	return req_rx(&ch->rc, p);
}

/* --- life ---------------------------------------------------------------------------------- */

static void dci_open_channel(struct dci *d, unsigned int i)
{
	struct dci_channel *ch = &d->channel[i];

	ch->dci = d;
	ch->index = (uint8_t)i;
	ch->wait_tail = &ch->wait;
	ch->rc.sched = d->sched;
	ch->rc.qp = d->qp;
	ch->rc.owner = &dci_owner;
	ch->rc.turn = &d->job;
	rc_clear(&ch->rc);
}

static int dci_start(struct queue *q)
{
	const unsigned int n = 1u << qp_of(q)->log_dci_channels;
	struct dci *d = calloc(1, sizeof(*d) + n * sizeof(d->channel[0]));

	if (!d)
		return -ENOMEM;
	d->sched = q->o.vhca->dev->sched;
	d->qp = qp_of(q);
	d->job.q = q;
	d->last = &d->first;
	d->nchannels = n;
	for (unsigned int i = 0; i < n; i++)
		dci_open_channel(d, i);
	q->conn = d;
	return 0;
}

static void dci_stop(struct queue *q)
{
	roce_port_purge(qp_of(q));
	free(q->conn);
	q->conn = NULL;
}

static void dci_rtr(struct queue *q)
{
	roce_port_purge(qp_of(q));
}

static void dci_rts(struct queue *q)
{
	dci_of(q)->sending = true;
}

static void dci_resume(struct queue *q)
{
	sched_want_run(dci_of(q)->sched, &dci_of(q)->job);
}

static struct send_wr *dci_abort(struct queue *q)
{
	struct dci *d = dci_of(q);
	struct send_wr *list = d->first;

	for (unsigned int i = 0; i < d->nchannels; i++) {
		struct dci_channel *ch = &d->channel[i];

		channel_disconnect(ch);
		channel_clear(ch);
		ch->failed = false;
		ch->wait = NULL;
		ch->wait_tail = &ch->wait;
	}
	for (struct send_wr *wr = list; wr; wr = wr->after)
		wr->next = wr->after;
	sched_leave(d->sched, &d->job);
	d->first = NULL;
	d->last = &d->first;
	d->n = d->nfailed = 0;
	d->sending = false;
	return list;
}

static void dci_parse(struct queue *q, struct send_wr *wr)
{
	if (!av_check(q, wr))
		return;
	switch (wr->opcode) {
	case PRM_WQE_OPCODE_SEND:
	case PRM_WQE_OPCODE_SEND_IMM:
	case PRM_WQE_OPCODE_SEND_INVAL:
		wqe_parse_data(q, wr);
		break;
	case PRM_WQE_OPCODE_ATOMIC_CS:
	case PRM_WQE_OPCODE_ATOMIC_FA:
		wqe_parse_atomic(q, wr);
		break;
	case PRM_WQE_OPCODE_ATOMIC_MASKED_CS:
	case PRM_WQE_OPCODE_ATOMIC_MASKED_FA:
		wqe_parse_masked_atomic(q, wr);
		break;
	default:
		wqe_parse_raddr(q, wr);
	}
}

/* Row of a DCI; n: units of RC's segments between the vector and the data. */
#define DCI_ROW(n, ...)                                                                            \
	{                                                                                          \
		.parse = dci_parse, .known = true, .head = AV_UNITS, .min_ds = 1 + AV_UNITS + (n), \
		.data_at = 1 + AV_UNITS + (n), __VA_ARGS__                                         \
	}

/* [I] No MMO, and no UMR. */
static wqe_rows dci_wqe = {
	[PRM_WQE_OPCODE_NOP] = {.known = true, .kind = SEND_LOCAL, .min_ds = 1},
	WQE_CROSS_ROWS,
	[PRM_WQE_OPCODE_SEND] = DCI_ROW(0, .kind = SEND_MESSAGE, .inline_ok = true),
	[PRM_WQE_OPCODE_SEND_IMM] =
		DCI_ROW(0, .kind = SEND_MESSAGE, .inline_ok = true, .imm = true),
	[PRM_WQE_OPCODE_SEND_INVAL] =
		DCI_ROW(0, .kind = SEND_MESSAGE, .inline_ok = true, .imm = true),
	[PRM_WQE_OPCODE_RDMA_WRITE] = DCI_ROW(1, .kind = SEND_WRITE, .inline_ok = true),
	[PRM_WQE_OPCODE_RDMA_WRITE_IMM] =
		DCI_ROW(1, .kind = SEND_WRITE, .inline_ok = true, .imm = true),
	[PRM_WQE_OPCODE_RDMA_READ] = DCI_ROW(1, .kind = SEND_READ),
	[PRM_WQE_OPCODE_ATOMIC_CS] = DCI_ROW(2, .kind = SEND_ATOMIC),
	[PRM_WQE_OPCODE_ATOMIC_FA] = DCI_ROW(2, .kind = SEND_ATOMIC),
	[PRM_WQE_OPCODE_ATOMIC_MASKED_CS] = DCI_ROW(2, .kind = SEND_ATOMIC),
	[PRM_WQE_OPCODE_ATOMIC_MASKED_FA] = DCI_ROW(2, .kind = SEND_ATOMIC),
};

#define DCI_ANY (PRM_QP_OPTPAR_RRE | PRM_QP_OPTPAR_RAE | PRM_QP_OPTPAR_RWE | QP_OPT_ANY)

/* Changes without a path and a peer. UCX sets the rights, which have no effect here. */
static const struct qp_change dci_changes[] = {
	{PRM_OPCODE_RST2INIT_QP, 1 << QP_RST, QP_INIT, QP_FIELD_PKEY | QP_FIELD_PORT, DCI_ANY},
	{PRM_OPCODE_INIT2INIT_QP, 1 << QP_INIT, QP_INIT, 0,
	 DCI_ANY | PRM_QP_OPTPAR_PKEY_INDEX | PRM_QP_OPTPAR_PRI_PORT},
	{PRM_OPCODE_INIT2RTR_QP, 1 << QP_INIT, QP_RTR, QP_FIELD_MTU,
	 DCI_ANY | PRM_QP_OPTPAR_PKEY_INDEX},
	{PRM_OPCODE_RTR2RTS_QP, 1 << QP_RTR, QP_RTS,
	 QP_FIELD_SEND_PSN | QP_FIELD_SRA | QP_FIELD_RETRY | QP_FIELD_RNR_RETRY |
		 QP_FIELD_ACK_TIMEOUT,
	 DCI_ANY | PRM_QP_OPTPAR_RNR_TIMEOUT | PRM_QP_OPTPAR_SRA_MAX | PRM_QP_OPTPAR_RETRY_COUNT |
		 PRM_QP_OPTPAR_RNR_RETRY | PRM_QP_OPTPAR_ACK_TIMEOUT},
	{PRM_OPCODE_RTS2RTS_QP, 1 << QP_RTS, QP_RTS, 0, DCI_ANY | PRM_QP_OPTPAR_RNR_TIMEOUT},
};

const struct transport transport_dci = {
	.name = "DCI",
	.st = PRM_QP_ST_DCI,
	.bth_type = BTH_DC,
	.wqe = &dci_wqe,
	.changes = dci_changes,
	.nchanges = sizeof(dci_changes) / sizeof(dci_changes[0]),
	.start = dci_start,
	.stop = dci_stop,
	.rtr = dci_rtr,
	.rts = dci_rts,
	.resume = dci_resume,
	.abort = dci_abort,
	.room = dci_room,
	.post = dci_post,
	.receive = dci_receive,
	.run = dci_run,
	.ready = dci_ready,
};
