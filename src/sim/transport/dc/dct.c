/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The target. Each initiator's channel that sends to it has a connection here, with RC's responder
 * and its own current receive entry. The connection begins with its first packet. Receives, CQ and
 * rights are the target's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/eqe.h>
#include "dc.h"
#include "base/log.h"
#include "obj/dct.h"
#include "obj/q_counter.h"
#include "queue/queue.h"

#define BUCKETS 64u
/* [I] A lost DISCONNECT leaves a connection behind, so the oldest idle connection makes room. */
#define CONNECTIONS_MOST 4096u
/* After this time no packet of an older connection is under way any more. */
#define LATE_NS 4000000000ull

struct dct_conn {
	struct rc rc; /* first member */
	struct qp qp; /* stands in for the queue pair that the state machines use; not an object */
	struct dct *dct;
	uint8_t channel;
	uint32_t number;
	uint64_t used; /* time of its last packet */
	LIST_ENTRY(dct_conn) bucket_link;
	TAILQ_ENTRY(dct_conn) age_link;
};
LIST_HEAD(dct_bucket, dct_conn);

struct dct_priv {
	unsigned int n;
	TAILQ_HEAD(, dct_conn) age; /* least recently used first */
	struct dct_bucket bucket[BUCKETS];
};

/* --- a connection, as the queue and the scheduler see it ------------------------------------ */

static void dct_conn_send(struct rc *rc, struct bth_packet *p, struct frame *f)
{
	const struct dct_conn *c = (struct dct_conn *)rc;

	p->sqpn = c->dct->o.id;
	p->channel = c->channel;
	p->connection = c->number;
	dc_send(rc, p, f, c->qp.remote_qpn);
}

/* [I] The initiator gets a NAK, the target's owner no event: it has other initiators. */
static void dct_conn_error(struct rc *rc, uint8_t event)
{
	(void)event;
	queue_error(&rc->qp->q, 0);
}

static const struct rc_owner dct_owner = {.send = dct_conn_send, .error = dct_conn_error};

static struct send_wr *dct_conn_abort(struct queue *q)
{
	struct rc *rc = rc_of(q);

	if (rc->resp.up && rc->resp.ack_due && !rc->resp.njobs)
		resp_ack(rc);
	sched_leave(rc->sched, &rc->job);
	rc_clear(rc);
	return NULL;
}

static void dct_conn_answer(struct queue *q)
{
	resp_ack(rc_of(q));
}

static bool dct_conn_run(struct queue *q)
{
	return resp_run(rc_of(q));
}

static bool dct_conn_ready(const struct queue *q)
{
	return rc_of(q)->resp.njobs;
}

static const struct transport transport_dct = {
	.name = "DCT",
	.st = PRM_QP_ST_DCT,
	.bth_type = BTH_DC,
	.abort = dct_conn_abort,
	.answer = dct_conn_answer,
	.run = dct_conn_run,
	.ready = dct_conn_ready,
};

/* --- connections --------------------------------------------------------------------------- */

static struct dct_bucket *dct_bucket(const struct dct *d, const struct bth_packet *p)
{
	return &d->priv->bucket[(p->sqpn * 31 + p->channel) % BUCKETS];
}

static struct dct_conn *dct_conn_find(const struct dct *d, const struct bth_packet *p)
{
	struct dct_conn *c;

	LIST_FOREACH(c, dct_bucket(d, p), bucket_link)
	if (c->qp.remote_qpn == p->sqpn && c->channel == p->channel &&
	    !memcmp(c->qp.rgid, p->roce->sgid, sizeof(c->qp.rgid)))
		return c;
	return NULL;
}

/* Closes a connection; flushes an entry that a message has begun to fill. */
static void dct_conn_close(struct dct_conn *c)
{
	const struct recv_done flushed = {.syndrome = PRM_SYNDROME_WR_FLUSH_ERR};

	if (c->rc.resp.msg.recv)
		rq_end(&c->qp.rq, &flushed);
	c->rc.resp.ack_due = false;
	queue_stop(&c->qp.q);
	LIST_REMOVE(c, bucket_link);
	TAILQ_REMOVE(&c->dct->priv->age, c, age_link);
	c->dct->priv->n--;
	free(c);
}

static void dct_conn_fill_queue(struct dct_conn *c)
{
	const struct dct *d = c->dct;
	struct queue *q = &c->qp.q;

	q->o = (struct obj){.vhca = d->o.vhca, .id = d->o.id, .uid = d->o.uid, .type = OBJ_DCT};
	q->transport = &transport_dct;
	q->stats = q_counter_of(d->o.vhca, d->counter);
	q->state = QP_RTR;
	q->pdn = d->pdn;
	q->user_index = d->user_index;
	q->rq = &c->qp.rq;
	q->conn = &c->rc;
	c->qp.rq.q = q;
	c->qp.rq.cq = d->cq;
	c->qp.rq.srq = d->srq;
	c->qp.rq.inline_most = d->inline_most;
}

/* Sets the path of answers to the first packet's source. */
static void dct_conn_fill_peer(struct dct_conn *c, const struct bth_packet *p)
{
	const struct dct *d = c->dct;
	struct qp *qp = &c->qp;

	qp->rre = d->rre;
	qp->rwe = d->rwe;
	qp->rae = d->rae;
	qp->atomic_mode = d->atomic_mode;
	qp->mtu = d->mtu;
	qp->min_rnr_nak = d->min_rnr_nak;
	qp->log_rra_max = VHCA_LOG_MAX_RA;
	qp->remote_qpn = p->sqpn;
	qp->gid_index = d->gid_index;
	qp->hop_limit = d->hop_limit;
	qp->tclass = d->tclass;
	qp->udp_sport = (uint16_t)(0xc000 | ((p->sqpn ^ d->o.id) & 0x3fff));
	memcpy(qp->rgid, p->roce->sgid, sizeof(qp->rgid));
	memcpy(qp->rmac, p->roce->smac, sizeof(qp->rmac));
}

static void dct_conn_fill_machine(struct dct_conn *c)
{
	struct rc *rc = &c->rc;

	rc->sched = c->dct->o.vhca->dev->sched;
	rc->qp = &c->qp;
	rc->owner = &dct_owner;
	rc->job.q = &c->qp.q;
	rc->turn = &rc->job;
	rc->mtu = qp_mtu(&c->qp);
	rc_clear(rc);
	roce_port_path(&c->qp, &rc->path);
	rc->path.flow_label = c->dct->flow_label;
	rc->path.prio = c->dct->prio;
	resp_start(rc, DC_PSN);
}

static void dct_make_room(struct dct *d)
{
	struct dct_conn *c, *next;

	for (c = TAILQ_FIRST(&d->priv->age); c && d->priv->n >= CONNECTIONS_MOST; c = next) {
		next = TAILQ_NEXT(c, age_link);
		if (!c->rc.resp.njobs && c->rc.resp.msg.in == OP_NONE)
			dct_conn_close(c);
	}
}

/* Returns a new connection, or NULL without memory or room. */
static struct dct_conn *dct_conn_open(struct dct *d, const struct bth_packet *p)
{
	struct dct_conn *c;

	dct_make_room(d);
	c = d->priv->n < CONNECTIONS_MOST ? calloc(1, sizeof(*c)) : NULL;
	if (!c)
		return NULL;
	c->dct = d;
	c->channel = p->channel;
	c->number = p->connection;
	dct_conn_fill_queue(c);
	dct_conn_fill_peer(c, p);
	if (queue_start(&c->qp.q)) {
		free(c);
		return NULL;
	}
	dct_conn_fill_machine(c);
	LIST_INSERT_HEAD(dct_bucket(d, p), c, bucket_link);
	TAILQ_INSERT_TAIL(&d->priv->age, c, age_link);
	d->priv->n++;
	c->qp.q.stats->rx_dct_connect++;
	return c;
}

/* --- packets ------------------------------------------------------------------------------- */

/* Drops a packet with a wrong key. [I] The initiator gets no answer, as with a wrong Q_Key. */
static enum drop dct_wrong_key(struct dct *d)
{
	d->violations++;
	if (d->armed)
		eq_dct(d->o.vhca, d->o.id, PRM_EVENT_DCT_KEY_VIOLATION);
	d->armed = false;
	return DROP_DC_KEY;
}

static enum drop dct_take(struct dct_conn *c, struct bth_packet *p)
{
	TAILQ_REMOVE(&c->dct->priv->age, c, age_link);
	TAILQ_INSERT_TAIL(&c->dct->priv->age, c, age_link);
	c->used = c->rc.sched->now;
	if (!c->rc.resp.up)
		return DROP_FAILED;
	return resp_rx(&c->rc, p);
}

/*
 * Returns whether a packet belongs to an older connection than this one. A chip that was killed
 * begins with lower numbers again, if it had counted faster than its clock (sched_new()).
 */
static bool dct_is_late(const struct dct_conn *c, const struct bth_packet *p)
{
	return (int32_t)(p->connection - c->number) < 0 &&
	       (p->psn != DC_PSN || !p->starts || c->rc.sched->now < c->used + LATE_NS);
}

enum drop dct_receive(struct dct *d, struct bth_packet *p)
{
	struct dct_conn *c = dct_conn_find(d, p);

	if (d->state != PRM_DCTC_STATE_ACTIVE)
		return DROP_DC_DRAINED;
	if (p->dc_key != d->key && p->op != OP_DISCONNECT)
		return dct_wrong_key(d);
	if (p->op == OP_READ_RESP || p->op == OP_ACK || p->op == OP_ATOMIC_ACK)
		return DROP_ROLE;
	if (c && dct_is_late(c, p))
		return DROP_DC_CONNECTION;
	if (c && (p->connection != c->number || p->op == OP_DISCONNECT)) {
		dct_conn_close(c);
		c = NULL;
	}
	if (p->op == OP_DISCONNECT)
		return DROP_NONE;
	if (!c)
		c = dct_conn_open(d, p);
	return c ? dct_take(c, p) : DROP_DC_ROOM;
}

/* --- life ---------------------------------------------------------------------------------- */

int dct_start(struct dct *d)
{
	d->priv = calloc(1, sizeof(*d->priv));
	if (!d->priv)
		return -ENOMEM;
	TAILQ_INIT(&d->priv->age);
	return 0;
}

static void dct_close_all(struct dct *d)
{
	struct dct_conn *c;

	while ((c = TAILQ_FIRST(&d->priv->age)))
		dct_conn_close(c);
}

/* [I] Connections are closed at once, even inside messages, and the event comes at once. */
void dct_drain(struct dct *d)
{
	dct_close_all(d);
	d->state = PRM_DCTC_STATE_DRAINED;
	eq_dct(d->o.vhca, d->o.id, PRM_EVENT_DCT_DRAINED);
}

void dct_stop(struct dct *d)
{
	if (!d->priv)
		return;
	dct_close_all(d);
	eswitch_purge(d->o.vhca, d->o.id);
	free(d->priv);
	d->priv = NULL;
}
