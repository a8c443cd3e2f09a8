/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include "transport/rc/rc.h"
#include "roce.h"
#include "obj/qp.h"
#include "obj/vhca.h"
#include "base/log.h"

#define BURST_BYTES (64u << 10)

struct net *net_new(struct device *dev)
{
	struct net *net = calloc(1, sizeof(*net));

	if (!net)
		return NULL;
	net->dev = dev;
	net->now = dev->clock->now(dev->clock);
	TAILQ_INIT(&net->ack);
	TAILQ_INIT(&net->run);
	net->pool = frame_pool_new();
	if (net->pool)
		return net;
	free(net);
	return NULL;
}

void net_free(struct net *net)
{
	if (!net)
		return;
	frame_pool_free(net->pool);
	free(net);
}

void net_set_ops(struct net *net, const struct net_ops *ops)
{
	net->ops = ops;
}

void net_set_port(struct net *net, const struct net_port *port)
{
	net->port = *port;
}

void net_want_run(struct rc *rc)
{
	if (rc->in_run)
		return;
	rc->in_run = true;
	TAILQ_INSERT_TAIL(&rc->net->run, rc, run_link);
}

void net_want_ack(struct rc *rc)
{
	if (rc->in_ack)
		return;
	rc->in_ack = true;
	TAILQ_INSERT_TAIL(&rc->net->ack, rc, ack_link);
}

static void leave_ack(struct rc *rc)
{
	if (rc->in_ack)
		TAILQ_REMOVE(&rc->net->ack, rc, ack_link);
	rc->in_ack = false;
}

static void leave_run(struct rc *rc)
{
	if (rc->in_run)
		TAILQ_REMOVE(&rc->net->run, rc, run_link);
	rc->in_run = false;
}

uint32_t net_burst(const struct rc *rc)
{
	return rc->net->port.observed(rc->net->port.ctx) ? 1 : BURST_BYTES / rc->mtu;
}

static void net_address(const struct rc *rc, struct frame *f)
{
	const struct qp *qp = rc->qp;
	const struct gid_entry *gid = &qp->o.vhca->gids[qp->gid_index % VHCA_GIDS];

	f->from = qp->o.vhca->index;
	f->loopback = qp->fl;
	f->mtu = (uint16_t)rc->mtu;
	f->udp_sport = qp->udp_sport;
	f->tclass = qp->tclass;
	f->hop_limit = qp->hop_limit;
	f->roce_v1 = gid->type == GID_ROCE_V1;
	memcpy(f->sgid, gid->gid, sizeof(f->sgid));
	memcpy(f->smac, gid->mac, sizeof(f->smac));
	memcpy(f->dgid, qp->rgid, sizeof(f->dgid));
	memcpy(f->dmac, qp->rmac, sizeof(f->dmac));
}

struct frame *net_frame(struct rc *rc, size_t payload)
{
	struct frame *f = frame_new(rc->net->pool, payload);

	if (!f)
		return NULL;
	net_address(rc, f);
	f->len = (uint32_t)payload;
	return f;
}

static void count_sent(struct port_stats *s, const struct frame *f)
{
	s->xmit_packets += f->npkts;
	s->xmit_bytes += roce_octets(f);
}

static void count_received(struct port_stats *s, const struct frame *f)
{
	s->rcv_packets += f->npkts;
	s->rcv_bytes += roce_octets(f);
}

void net_send(struct rc *rc, struct packet *p, struct frame *f)
{
	p->dqpn = rc->qp->remote_qpn;
	packet_build(p, f);
	if (rc->net->port.observed(rc->net->port.ctx)) {
		f->has_icrc = true;
		f->icrc = roce_icrc(f);
	}
	if (sim_tracing)
		sim_trace("tx", NULL, NULL, 0, "qp 0x%x -> 0x%x bth.opcode 0x%02x..0x%02x psn 0x%06x"
			  " packets %u bytes %u", rc->qp->o.id, p->dqpn, p->opcode, p->last_opcode,
			  p->psn & PSN_MASK, p->npkts, f->len);
	count_sent(net_stats(rc), f);
	rc->net->port.send(rc->net->port.ctx, f);
}

static struct vhca *receiver(struct device *dev, const struct frame *f)
{
	unsigned int index;

	if (f->loopback)
		return f->from < dev->nfunctions ? &dev->vhca[f->from] : NULL;
	return device_vhca_by_gid(dev, f->dgid, &index);
}

static bool from_peer(const struct qp *qp, const struct frame *f)
{
	return f->loopback || !memcmp(f->sgid, qp->rgid, sizeof(f->sgid));
}

static void net_deliver(struct net *net, struct frame *f)
{
	const char *why = "nobody has its destination GID";
	struct vhca *vhca = receiver(net->dev, f);
	struct packet p = { 0 };
	struct qp *qp = NULL;

	if (!vhca)
		goto drop;
	why = "its ICRC is wrong";
	if (f->has_icrc && f->icrc != roce_icrc(f))
		goto drop;
	if (!packet_parse(&p, f, &why))
		goto drop;
	count_received(vhca->port, f);
	qp = obj_find(vhca, OBJ_QP, p.dqpn);
	why = "no RC queue pair that is ready to receive has its number";
	if (!qp || !qp->rc || !qp->rc->resp.up)
		goto drop;
	why = "its source GID is not the peer's";
	if (!from_peer(qp, f))
		goto drop;
	why = "its burst was cut for another MTU";
	if (p.npkts > 1 && f->mtu != qp->rc->mtu)
		goto drop;
	if (p.op == OP_READ_RESP || p.op == OP_ACK)
		req_rx(qp->rc, &p);
	else
		resp_rx(qp->rc, &p);
	return;
drop:
	sim_note("a packet for qp 0x%x was dropped: %s", p.dqpn, why);
}

void net_rx(void *ctx, struct frame *f)
{
	net_deliver(ctx, f);
	frame_free(f);
}

struct target {
	struct device *dev;
	const struct qp *qp;
};

static bool is_for(const struct frame *f, void *arg)
{
	const struct target *t = arg;

	return f->hdr_len >= BTH_LEN && (packet_get32(f->hdr + 4) & 0xffffff) == t->qp->o.id &&
	       receiver(t->dev, f) == t->qp->o.vhca;
}

/* What is still under way to this number is not for the queue pair's next life. */
static void purge(struct rc *rc)
{
	struct target t = {rc->net->dev, rc->qp};

	rc->net->port.purge(rc->net->port.ctx, is_for, &t);
}

int net_qp_start(struct qp *qp)
{
	struct rc *rc = calloc(1, sizeof(*rc));

	if (!rc)
		return -ENOMEM;
	rc->net = qp->o.vhca->dev->net;
	rc->qp = qp;
	rc->mtu = 1024;
	rc->req.tail = &rc->req.head;
	rc->req.timer.fire = req_timer;
	qp->rc = rc;
	return 0;
}

void net_qp_stop(struct qp *qp)
{
	if (!qp->rc)
		return;
	purge(qp->rc);
	free(qp->rc);
	qp->rc = NULL;
}

void net_qp_rtr(struct qp *qp)
{
	struct rc *rc = qp->rc;
	struct frame f = {0};

	purge(rc);
	net_address(rc, &f);
	rc->overhead = roce_overhead(&f);
	rc->mtu = qp->mtu >= 1 && qp->mtu <= 5 ? 128u << qp->mtu : 1024;
	resp_start(rc);
}

void net_qp_rts(struct qp *qp)
{
	req_start(qp->rc);
}

void net_qp_resume(struct qp *qp)
{
	net_want_run(qp->rc);
}

/* An acknowledgement that is due goes out: the message was received, whatever comes now. */
struct send_wr *net_qp_abort(struct qp *qp)
{
	struct rc *rc = qp->rc;
	struct send_wr *list = rc->req.head;

	if (rc->resp.up && rc->resp.ack_due && !rc->resp.njobs)
		resp_ack(rc);
	leave_ack(rc);
	leave_run(rc);
	timer_cancel(&rc->net->dev->timers, &rc->req.timer);
	memset(&rc->resp, 0, sizeof(rc->resp));
	memset(&rc->req, 0, sizeof(rc->req));
	rc->req.tail = &rc->req.head;
	rc->req.timer.fire = req_timer;
	return list;
}

static bool run_acks(struct net *net)
{
	bool did = false;
	struct rc *rc;

	while ((rc = TAILQ_FIRST(&net->ack))) {
		leave_ack(rc);
		resp_ack(rc);
		did = true;
	}
	return did;
}

/* Each one that was active when the turn began gets one share. */
static bool run_queues(struct net *net)
{
	struct rc *last = TAILQ_LAST(&net->run, rc_list), *rc;
	bool did = false, end = false;

	while (!end && (rc = TAILQ_FIRST(&net->run))) {
		end = rc == last;
		leave_run(rc);
		did |= resp_run(rc);
		did |= req_run(rc);
		if (rc->resp.njobs || req_ready(rc))
			net_want_run(rc);
	}
	return did;
}

bool net_run(struct net *net, uint64_t now)
{
	bool did;

	net->now = now;
	did = run_acks(net);
	return run_queues(net) || did;
}
