/* SPDX-License-Identifier: BSD-2-Clause */
#include "port.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "fault.h"
#include "loop.h"
#include "obj/mcg.h"
#include "obj/device.h"
#include "roce.h"
#include "wire.h"

_Static_assert(PORT_PACKET_MIN == VHCA_FRAME_MIN && PORT_PACKET_MAX == VHCA_FRAME_MAX,
	       "queues and the port take the same packets");

#define FRAME_LEAST 60u /* of what is sent, without FCS; any frame has room for it */

struct port {
	struct device *dev;
	struct port_ops ops;
	struct frame_pool *pool;
	struct loop loop;
	struct fault fault;
	port_hook hook;
	void *hook_ctx;
	const struct port_tap *tap;
	struct wire *wire;
	struct port_fates injected;
	uint64_t transport;
};

static void port_put(void *port, struct frame *);

struct port *port_new(struct device *dev, const struct port_ops *ops)
{
	struct port *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->pool = frame_pool_new();
	if (!p->pool) {
		free(p);
		return NULL;
	}
	p->dev = dev;
	p->ops = *ops;
	dev->paths++; /* none is found yet */
	loop_init(&p->loop);
	fault_init(&p->fault, dev, port_put, p);
	return p;
}

void port_free(struct port *p)
{
	if (!p)
		return;
	port_set_wire(p, NULL);
	fault_fini(&p->fault);
	loop_fini(&p->loop);
	frame_pool_free(p->pool);
	free(p);
}

struct frame *port_frame(struct port *p, size_t room)
{
	return frame_new(p->pool, room);
}

const struct port_fates *port_injected(const struct port *p)
{
	return &p->injected;
}

uint64_t port_unclaimed(const struct port *p)
{
	return p->dev->drops.n[DROP_UNCLAIMED];
}

/* --- who is meant -------------------------------------------------------------------------- */

/* By the MAC table; NULL: unknown, or a group. */
static struct vhca *port_find_mac(const struct port *p, const uint8_t mac[6])
{
	for (unsigned int i = 0; i < p->dev->nfunctions; i++)
		if (!memcmp(p->dev->vhca[i].mac, mac, 6))
			return &p->dev->vhca[i];
	return NULL;
}

/* Is this RoCE packet addressed to a GID of the function's? [I] The GID is one of its VLAN. */
static bool port_has_gid(const struct vhca *v, const uint8_t gid[16], bool v1, uint16_t vlan)
{
	for (unsigned int i = 0; i < v->ngids; i++) {
		const struct gid_entry *e = &v->gids[i];

		if (e->type == (v1 ? GID_ROCE_V1 : GID_ROCE_V2) && e->vlan == vlan &&
		    !memcmp(e->gid, gid, 16))
			return true;
	}
	return false;
}

/*
 * The function that a RoCE packet is for, by its MAC. One that no function has leads to the GID's
 * function: programs take a peer's MAC from the GID's netdev, and dvx-sim shows none. [I]
 */
static struct vhca *port_find_roce(const struct port *p, const uint8_t mac[6],
				   const uint8_t gid[16], bool v1, uint16_t vlan)
{
	struct vhca *v = port_find_mac(p, mac);

	if (v)
		return port_has_gid(v, gid, v1, vlan) ? v : NULL;
	for (unsigned int i = 0; i < p->dev->nfunctions && !(mac[0] & 1); i++)
		if (port_has_gid(&p->dev->vhca[i], gid, v1, vlan))
			return &p->dev->vhca[i];
	return NULL;
}

static struct vhca *port_resolve_path(const struct port *p, const struct roce_path *path)
{
	if (port_observed(p))
		return NULL;
	if (path->forced)
		return path->from;
	return port_find_roce(p, path->dmac, path->dgid, path->source->type == GID_ROCE_V1,
			      path->source->vlan);
}

struct vhca *port_find_path(struct roce_path *path)
{
	const struct device *dev = path->from->dev;

	path->to = port_resolve_path(dev->port, path);
	path->resolved = dev->paths;
	return path->to;
}

/* Whose RoCE packet it is, taken apart; NULL: it is none, or of no function. */
static struct vhca *port_roce_of(const struct port *p, const struct frame *f, struct roce_bytes *b)
{
	if (!roce_decode(f->data, f->len, b))
		return NULL;
	if (f->arrived && !port_find_mac(p, f->data))
		return NULL;
	return f->forced ? f->to : port_find_roce(p, f->data, b->dgid, roce_is_v1(b), roce_vlan(b));
}

/* The destination queue of a RoCE packet that is this function's; ~0: it is not. */
static uint32_t port_dest_qp(const struct port *p, const struct frame *f, const struct vhca *v)
{
	const uint8_t *bth = f->burst.hdr;
	struct roce_bytes b;

	if (f->burst.npkts ? f->to != v : port_roce_of(p, f, &b) != v)
		return ~0u;
	if (!f->burst.npkts)
		bth = b.bth;
	return (uint32_t)bth[5] << 16 | (uint32_t)bth[6] << 8 | bth[7];
}

struct port_target {
	const struct port *port;
	const struct vhca *vhca;
	uint32_t qpn;
};

static bool port_is_for(const struct frame *f, const void *arg)
{
	const struct port_target *t = arg;

	return port_dest_qp(t->port, f, t->vhca) == t->qpn;
}

void port_purge(struct port *p, const struct vhca *v, uint32_t qpn)
{
	const struct port_target t = {p, v, qpn};

	loop_purge(&p->loop, port_is_for, &t);
}

/* --- in ------------------------------------------------------------------------------------ */

static void port_deliver_burst(struct port *p, const struct frame *f)
{
	const struct roce_packet r = {
		.sgid = f->burst.source->gid,
		.smac = f->burst.source->mac,
		.grh = f->grh,
		.forced = f->forced,
		.hdr = f->burst.hdr,
		.hdr_len = f->burst.hdr_len,
		.data = f->data,
		.len = f->len,
		.npkts = f->burst.npkts,
		.mtu = f->burst.mtu,
		.last_opcode = f->burst.last_opcode,
		.tagged = f->burst.tci != 0,
		.tci = f->burst.tci,
		.octets = f->burst.octets,
	};

	p->ops.roce(f->to, &r);
}

static void port_deliver_roce(struct port *p, struct vhca *v, const struct frame *f,
			      const struct roce_bytes *b, const uint8_t *group)
{
	uint8_t grh[ROCE_GRH];
	const struct roce_packet r = {
		.sgid = b->sgid,
		.smac = f->data + 6,
		.group = group,
		.grh = grh,
		.tagged = b->tagged,
		.tci = b->tagged ? b->tci : 0,
		.forced = f->forced,
		.hdr = b->bth,
		.hdr_len = b->len,
		.npkts = 1,
		.octets = f->len,
	};

	p->transport++;
	roce_grh(b, grh);
	if (f->icrc_good || roce_icrc_good(b)) {
		p->ops.roce(v, &r);
	} else {
		v->stats->rx_icrc_errors++;
		v->drops.n[DROP_ICRC]++;
		sim_note("vhca %u: a RoCE packet was dropped: its ICRC is wrong", v->id);
	}
}

/* A function gets frames for its own MAC; other addresses reach all that have an RX root table. */
static bool port_deliver_ethernet_to(struct port *p, struct vhca *v, const struct frame *f)
{
	if (!p->ops.listens(v) && !(p->ops.netdev && p->ops.netdev(v, f->data)))
		return false;
	p->ops.ethernet(v, f);
	return true;
}

static void port_deliver_ethernet(struct port *p, const struct frame *f)
{
	struct vhca *v = f->forced ? f->to : port_find_mac(p, f->data);
	bool claimed = v;

	if (v)
		p->ops.ethernet(v, f);
	for (unsigned int i = 0; i < p->dev->nfunctions && !v; i++)
		claimed |= port_deliver_ethernet_to(p, &p->dev->vhca[i], f);
	p->dev->drops.n[DROP_UNCLAIMED] += !claimed;
}

/* [I] A function that has queue pairs in the group takes it for them, and not for its tables. */
static void port_deliver_group(struct port *p, const struct frame *f, const struct roce_bytes *b)
{
	bool claimed = false;

	for (unsigned int i = 0; i < p->dev->nfunctions; i++) {
		struct vhca *v = &p->dev->vhca[i];
		bool member = mcg_find(v, b->dgid);

		if (member)
			port_deliver_roce(p, v, f, b, b->dgid);
		claimed |= member || port_deliver_ethernet_to(p, v, f);
	}
	p->dev->drops.n[DROP_UNCLAIMED] += !claimed;
}

/* A RoCE packet for a group, whose MAC is the one of its GID. */
static bool port_is_group(const struct frame *f, struct roce_bytes *b)
{
	uint8_t mac[6];

	if (!(f->data[0] & 1) || f->forced || !roce_decode(f->data, f->len, b) ||
	    !gid_is_multicast(b->dgid))
		return false;
	gid_group_mac(b->dgid, mac);
	return !memcmp(f->data, mac, sizeof(mac));
}

static void port_deliver_bytes(struct port *p, const struct frame *f)
{
	struct roce_bytes b;
	struct vhca *v = port_roce_of(p, f, &b);

	if (v)
		port_deliver_roce(p, v, f, &b, NULL);
	else if (port_is_group(f, &b))
		port_deliver_group(p, f, &b);
	else
		port_deliver_ethernet(p, f);
}

static struct port_fates port_fates_now(const struct port *p)
{
	struct port_fates now = {.unclaimed = port_unclaimed(p), .transport = p->transport};

	p->ops.fates(p->dev, &now);
	return now;
}

/* A packet's whole way is one call, so its fate is what the counters gained in it. */
static void port_deliver_injected(struct port *p, const struct frame *f)
{
	struct port_fates before = port_fates_now(p), after, *sum = &p->injected;

	port_deliver_bytes(p, f);
	after = port_fates_now(p);
	port_fates_sub(&after, &before);
	after.frames = 1;
	after.bytes = f->len;
	port_fates_add(sum, &after);
}

bool port_run(struct port *p)
{
	struct frame *f = loop_take(&p->loop);

	if (!f && fault_idle(&p->fault))
		f = loop_take(&p->loop);
	if (!f)
		return false;
	if (f->burst.npkts)
		port_deliver_burst(p, f);
	else if (f->injected)
		port_deliver_injected(p, f);
	else
		port_deliver_bytes(p, f);
	frame_free(f);
	return true;
}

/* --- out ----------------------------------------------------------------------------------- */

/* For somebody outside, alone or among others? */
static bool port_leaves(const struct port *p, const struct frame *f, bool *stays)
{
	struct roce_bytes b;

	*stays = true;
	if (!p->wire || f->forced || f->injected || f->arrived || f->burst.npkts)
		return false;
	if (f->data[0] & 1)
		return true;
	*stays = port_find_mac(p, f->data) || port_roce_of(p, f, &b);
	return !*stays;
}

/* [I] Forced loopback stays inside the function: no wire carries it. */
void port_queue(struct port *p, struct frame *f)
{
	bool stays;

	if (p->tap && !f->forced)
		p->tap->frame(p->tap->ctx, f);
	if (port_leaves(p, f, &stays))
		p->wire->ops->send(p->wire, f);
	if (stays)
		p->dev->drops.n[DROP_FULL] += loop_put(&p->loop, f);
	else
		frame_free(f);
}

static void port_put(void *port, struct frame *f)
{
	port_queue(port, f);
}

static void port_to_wire(struct port *p, struct frame *f)
{
	if (f->forced || f->injected) {
		port_queue(p, f);
	} else if (p->dev->link_down) {
		p->fault.counts.down++;
		frame_free(f);
	} else if (fault_active(&p->fault)) {
		fault_pass(&p->fault, f);
	} else {
		port_queue(p, f);
	}
}

void port_send(struct port *p, struct frame *f)
{
	if (!f)
		return;
	if (!p->hook) {
		port_to_wire(p, f);
		return;
	}
	f->icrc_good = false;
	p->hook(p->hook_ctx, p, f);
}

static struct frame *port_bytes(struct port *p, const void *bytes, size_t len)
{
	struct frame *f = port_frame(p, len);

	if (!f) {
		p->dev->drops.n[DROP_MEMORY]++;
		return NULL;
	}
	f->len = (uint32_t)len;
	memcpy(f->data, bytes, len);
	return f;
}

/*
 * Tables may have pushed headers, so the port has the last word on the length; and as any MAC does,
 * it pads what is shorter than Ethernet's least frame (IEEE 802.3, 64 bytes with FCS).
 */
void port_transmit(struct vhca *v, const uint8_t *bytes, uint32_t len)
{
	struct frame *f = len <= PORT_PACKET_MAX ? port_bytes(v->dev->port, bytes, len) : NULL;

	if (!f) {
		v->drops.n[DROP_LENGTH] += len > PORT_PACKET_MAX;
		sim_note("vhca %u: a raw packet of %u bytes was dropped at the port", v->id, len);
		return;
	}
	if (f->len < FRAME_LEAST) {
		memset(f->data + f->len, 0, FRAME_LEAST - f->len);
		f->len = FRAME_LEAST;
	}
	port_send(v->dev->port, f);
}

int port_inject(struct port *p, const void *bytes, size_t len)
{
	struct frame *f;

	if (len < PORT_PACKET_MIN || len > PORT_PACKET_MAX)
		return -EMSGSIZE;
	if (p->dev->link_down)
		return -ENETDOWN;
	if (!port_room(p))
		return -EAGAIN;
	f = port_bytes(p, bytes, len);
	if (!f)
		return -ENOMEM;
	f->injected = true;
	port_send(p, f);
	return 0;
}

bool port_room_in(const struct port *p)
{
	return loop_room(&p->loop) && fault_room(&p->fault);
}

bool port_busy(const struct port *p)
{
	return p->loop.head;
}

bool port_room(const struct port *p)
{
	return port_room_in(p) && (!p->wire || p->wire->ops->room(p->wire)) &&
	       (!p->tap || p->tap->room(p->tap->ctx));
}

/* --- the wire ------------------------------------------------------------------------------- */

void port_set_wire(struct port *p, struct wire *wire)
{
	if (p->wire)
		p->wire->ops->close(p->wire);
	p->wire = wire;
	p->dev->paths++;
}

struct wire *port_wire(const struct port *p)
{
	return p->wire;
}

bool port_run_wire(struct port *p)
{
	return p->wire && p->wire->ops->run(p->wire);
}

bool port_flush_wire(struct port *p)
{
	return p->wire && p->wire->ops->flush && p->wire->ops->flush(p->wire);
}

void port_receive(struct port *p, const void *bytes, size_t len, bool icrc_good)
{
	struct frame *f = port_bytes(p, bytes, len);

	if (!f)
		return;
	f->arrived = true;
	f->icrc_good = icrc_good;
	port_to_wire(p, f);
}

/* --- observers ------------------------------------------------------------------------------ */

bool port_observed(const struct port *p)
{
	return p->hook || p->tap || fault_active(&p->fault) || p->dev->link_down;
}

void port_set_faults(struct port *p, const struct fault_rates *rates)
{
	fault_set(&p->fault, rates);
	p->dev->paths++;
}

void port_faults(const struct port *p, struct fault_rates *rates, struct fault_counts *counts)
{
	*rates = p->fault.rates;
	*counts = p->fault.counts;
}

void port_gids_changed(struct port *p)
{
	p->dev->paths++;
	if (p->wire && p->wire->ops->gids_changed)
		p->wire->ops->gids_changed(p->wire);
}

void port_set_link(struct port *p, bool up)
{
	p->dev->link_down = !up;
	p->dev->paths++;
}

void port_set_hook(struct port *p, port_hook hook, void *ctx)
{
	p->hook = hook;
	p->hook_ctx = ctx;
	p->dev->paths++;
}

void port_set_tap(struct port *p, const struct port_tap *tap)
{
	p->tap = tap;
	p->dev->paths++;
}
