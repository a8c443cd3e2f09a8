/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "bth.h"
#include "roce_port.h"
#include "transport.h"
#include "base/log.h"
#include "base/probe.h"
#include "obj/qp.h"
#include "obj/device.h"
#include "eswitch/eswitch.h"

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
	v->drops.n[why] += npkts;
	sim_note("a packet for qp 0x%x was dropped: %s", dqpn, drop_words(why));
}

void roce_port_purge(const struct qp *qp)
{
	eswitch_purge(qp->q.o.vhca, qp->q.o.id);
}
