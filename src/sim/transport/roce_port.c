/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "bth.h"
#include "cnp.h"
#include "gsi.h"
#include "roce_port.h"
#include "transport.h"
#include "base/log.h"
#include "base/probe.h"
#include "obj/mcg.h"
#include "obj/qp.h"
#include "obj/device.h"
#include "eswitch/eswitch.h"

#define QPN_GROUP   0xffffffu /* BTH.destqp of multicast packets */
#define BURST_BYTES (64u << 10)

void roce_port_path(const struct qp *qp, struct roce_path *path)
{
	*path = (struct roce_path){
		.from = qp->q.o.vhca,
		.source = &qp->q.o.vhca->gids[qp->gid_index % VHCA_GIDS],
		.udp_sport = qp->udp_sport,
		.tclass = qp->tclass,
		.prio = qp->prio,
		.hop_limit = qp->hop_limit,
		.flow_label = qp->flow_label,
		.forced = qp->fl,
	};
	memcpy(path->dgid, qp->rgid, sizeof(path->dgid));
	memcpy(path->dmac, qp->rmac, sizeof(path->dmac));
	path->overhead = roce_overhead(path);
}

uint32_t roce_port_burst(struct roce_path *path, uint32_t mtu)
{
	return eswitch_direct(path) ? BURST_BYTES / mtu : 1;
}

struct frame *roce_port_frame(const struct roce_path *path, uint32_t mtu, size_t payload)
{
	struct frame *f = port_frame(path->from->dev->port, payload);

	if (!f)
		return NULL;
	f->len = (uint32_t)payload;
	f->forced = path->forced;
	f->burst.mtu = (uint16_t)mtu;
	f->burst.source = path->source;
	return f;
}

/*
 * Returns the bytes of a frame's packets. hdr covers the headers beside BTH of the first and the
 * last packet; the last READ response also has an AETH, and each request of XRC an XRCETH.
 */
static uint32_t roce_port_octets(const struct roce_path *path, const struct frame *f)
{
	bool read = f->burst.npkts > 1 && f->burst.last_opcode % BTH_OPS == BTH_READ_RESP_LAST &&
		    f->burst.hdr[0] % BTH_OPS == BTH_READ_RESP_FIRST;
	uint32_t more = bth_has_xrceth(f->burst.hdr[0]) ? (f->burst.npkts - 1u) * XRCETH_LEN : 0;

	return f->burst.npkts * path->overhead + (f->burst.hdr_len - BTH_LEN) + more +
	       (read ? AETH_LEN : 0) + f->len + (-f->len & 3);
}

void roce_port_put(struct roce_path *path, struct frame *f, bool datagram)
{
	struct port_stats *stats = path->from->stats;

	f->burst.octets = roce_port_octets(path, f);
	stats->xmit_packets += f->burst.npkts;
	stats->xmit_bytes += f->burst.octets;
	stats->multicast_xmit_packets += path->dmac[0] & 1;
	f->to = eswitch_direct(path);
	if (f->to && datagram)
		roce_describe_grh(path, f);
	eswitch_send(path->from, f->to ? f : roce_encode(path, f));
}

void roce_port_send_to(const struct qp *qp, struct roce_path *path, struct bth_packet *p,
		       struct frame *f)
{
	bth_build(p, f);
	probe(PROBE_FRAME_OUT, .frame = {.queue = &qp->q, .bth = p, .len = f->len});
	roce_port_put(path, f, qp->q.transport->datagrams);
}

void roce_port_send(const struct qp *qp, struct roce_path *path, struct bth_packet *p,
		    struct frame *f)
{
	const uint8_t type = (uint8_t)(qp->q.transport->bth_type * BTH_OPS);

	p->opcode |= type;
	p->last_opcode |= type;
	p->dqpn = qp->remote_qpn;
	roce_port_send_to(qp, path, p, f);
}

/* Counts dropped packets: a burst is several. A group's dqpn is not a queue pair's. */
void roce_port_dropped(struct vhca *v, uint32_t dqpn, uint32_t npkts, enum drop why)
{
	if (!why)
		return;
	v->drops.n[why] += npkts;
	sim_note("a packet for qp 0x%x was dropped: %s", dqpn, drop_words(why));
}

/* Delivers a copy to each member, also to the sender unless it blocks that. */
static enum drop roce_port_deliver_group(struct vhca *vhca, const struct roce_packet *r,
					   const struct bth_packet *p)
{
	const struct mcg *g = mcg_find(vhca, r->group);

	for (unsigned int i = 0; g && i < g->n; i++) {
		struct queue *q = &g->member[i]->q;
		bool own = p->sqpn == q->o.id && vhca_has_gid(vhca, r->sgid);
		struct bth_packet copy = *p;

		if (!own || !g->member[i]->block_lb_mc)
			roce_port_dropped(vhca, q->o.id, r->npkts,
					  q->transport->receive(q, &copy));
	}
	return DROP_NONE;
}

/* Delivers the packet to its QP. */
static enum drop roce_port_deliver(struct vhca *vhca, const struct roce_packet *r,
				     struct bth_packet *p)
{
	enum drop why = bth_parse(p, r);
	struct dct *dct;
	struct qp *qp;

	if (why)
		return cnp_is(r) ? cnp_receive(vhca, r) : why;
	vhca->stats->rcv_packets += r->npkts;
	vhca->stats->rcv_bytes += r->octets;
	vhca->stats->multicast_rcv_packets += r->group != NULL;
	p->mtu = r->mtu;
	p->roce = r;
	if (r->group)
		return p->dqpn == QPN_GROUP && BTH_TYPE(p->opcode) == BTH_UD
			       ? roce_port_deliver_group(vhca, r, p)
			       : DROP_GROUP;
	if (BTH_TYPE(p->opcode) == BTH_DC && (dct = obj_find(vhca, OBJ_DCT, p->dqpn)))
		return dct_receive(dct, p);
	if (p->dqpn == GSI_QPN)
		return gsi_receive(vhca, p);
	qp = obj_find(vhca, OBJ_QP, p->dqpn);
	if (!qp)
		return DROP_QPN;
	if (qp->q.transport->bth_type != BTH_TYPE(p->opcode))
		return DROP_TRANSPORT;
	if (!qp->q.transport->datagrams && BTH_TYPE(p->opcode) != BTH_DC && !r->forced &&
	    memcmp(r->sgid, qp->rgid, sizeof(qp->rgid)) != 0)
		return DROP_PEER;
	if (cnp_is_marked(r))
		cnp_marked(qp, r);
	return qp->q.transport->receive(&qp->q, p);
}

void roce_port_rx(struct vhca *vhca, const struct roce_packet *r)
{
	struct bth_packet p = {0};
	enum drop why = roce_port_deliver(vhca, r, &p);

	roce_port_dropped(vhca, p.dqpn, r->npkts, why);
}

void roce_port_purge(const struct qp *qp)
{
	eswitch_purge(qp->q.o.vhca, qp->q.o.id);
}
