/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "bth.h"
#include "roce.h"
#include "roce_port.h"
#include "sched.h"
#include "transport.h"
#include "base/log.h"
#include "obj/qp.h"
#include "obj/vhca.h"

#define BURST_BYTES (64u << 10)

static struct sched *roce_port_sched(const struct qp *qp)
{
	return qp->o.vhca->dev->sched;
}

static bool roce_port_observed(const struct sched *s)
{
	return s->port.observed(s->port.ctx);
}

static void roce_port_address(const struct qp *qp, uint32_t mtu, struct frame *f)
{
	const struct gid_entry *gid = &qp->o.vhca->gids[qp->gid_index % VHCA_GIDS];

	f->from = qp->o.vhca->index;
	f->loopback = qp->fl;
	f->mtu = (uint16_t)mtu;
	f->udp_sport = qp->udp_sport;
	f->tclass = qp->tclass;
	f->hop_limit = qp->hop_limit;
	f->roce_v1 = gid->type == GID_ROCE_V1;
	memcpy(f->sgid, gid->gid, sizeof(f->sgid));
	memcpy(f->smac, gid->mac, sizeof(f->smac));
	memcpy(f->dgid, qp->rgid, sizeof(f->dgid));
	memcpy(f->dmac, qp->rmac, sizeof(f->dmac));
}

uint32_t roce_port_overhead(const struct qp *qp)
{
	struct frame f = {0};

	roce_port_address(qp, 0, &f);
	return roce_overhead(&f);
}

uint32_t roce_port_burst(const struct qp *qp, uint32_t mtu)
{
	return roce_port_observed(roce_port_sched(qp)) ? 1 : BURST_BYTES / mtu;
}

struct frame *roce_port_frame(const struct qp *qp, uint32_t mtu, size_t payload)
{
	struct frame *f = frame_new(roce_port_sched(qp)->pool, payload);

	if (!f)
		return NULL;
	roce_port_address(qp, mtu, f);
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

void roce_port_send(const struct qp *qp, struct bth_packet *p, struct frame *f)
{
	struct sched *s = roce_port_sched(qp);

	p->dqpn = qp->remote_qpn;
	bth_build(p, f);
	if (roce_port_observed(s)) {
		f->has_icrc = true;
		f->icrc = roce_icrc(f);
	}
	if (sim_tracing)
		sim_trace("tx", NULL, NULL, 0, "qp 0x%x -> 0x%x bth.opcode 0x%02x..0x%02x psn 0x%06x"
			  " packets %u bytes %u", qp->o.id, p->dqpn, p->opcode, p->last_opcode,
			  p->psn & PSN_MASK, p->npkts, f->len);
	count_sent(qp->o.vhca->port, f);
	s->port.send(s->port.ctx, f);
}

static struct vhca *roce_port_receiver(struct device *dev, const struct frame *f)
{
	unsigned int index;

	if (f->loopback)
		return f->from < dev->nfunctions ? &dev->vhca[f->from] : NULL;
	return device_vhca_by_gid(dev, f->dgid, &index);
}

static bool roce_port_from_peer(const struct qp *qp, const struct frame *f)
{
	return f->loopback || !memcmp(f->sgid, qp->rgid, sizeof(f->sgid));
}

/* Its QP takes it; or why it is dropped. */
static const char *roce_port_deliver(struct sched *s, struct frame *f, struct bth_packet *p)
{
	struct vhca *vhca = roce_port_receiver(s->dev, f);
	const char *why;
	struct qp *qp;

	if (!vhca)
		return "nobody has its destination GID";
	if (f->has_icrc && f->icrc != roce_icrc(f))
		return "its ICRC is wrong";
	if (!bth_parse(p, f, &why))
		return why;
	count_received(vhca->port, f);
	qp = obj_find(vhca, OBJ_QP, p->dqpn);
	if (!qp || qp->transport->bth_type != BTH_TYPE(p->opcode))
		return "no queue pair of its transport has its number";
	if (!roce_port_from_peer(qp, f))
		return "its source GID is not the peer's";
	p->mtu = f->mtu;
	return qp->transport->receive(qp, p);
}

void roce_port_rx(void *ctx, struct frame *f)
{
	struct bth_packet p = {0};
	const char *why = roce_port_deliver(ctx, f, &p);

	if (why)
		sim_note("a packet for qp 0x%x was dropped: %s", p.dqpn, why);
	frame_free(f);
}

struct target {
	struct device *dev;
	const struct qp *qp;
};

static bool roce_port_is_for(const struct frame *f, void *arg)
{
	const struct target *t = arg;

	return f->hdr_len >= BTH_LEN && (bth_get32(f->hdr + 4) & 0xffffff) == t->qp->o.id &&
	       roce_port_receiver(t->dev, f) == t->qp->o.vhca;
}

void roce_port_purge(const struct qp *qp)
{
	struct sched *s = roce_port_sched(qp);
	struct target t = {s->dev, qp};

	s->port.purge(s->port.ctx, roce_port_is_for, &t);
}
