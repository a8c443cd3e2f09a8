/* SPDX-License-Identifier: BSD-2-Clause */
/* E-switch functions for all modes: descriptors of messages, and the port's callbacks. */
#include <stdlib.h>
#include "priv.h"

static struct vhca *eswitch_resolve_path(const struct eswitch *e, const struct roce_path *path)
{
	if (port_observed(e->dev->port))
		return NULL;
	if (path->forced)
		return path->from;
	return steer_has_fdb(e->dev) ? NULL : legacy_find_path(e, path);
}

struct vhca *eswitch_find_path(struct roce_path *path)
{
	const struct device *dev = path->from->dev;

	path->to = eswitch_resolve_path(dev->eswitch, path);
	path->resolved = dev->paths;
	return path->to;
}

/* --- purge ----------------------------------------------------------------------------------- */

struct eswitch_target {
	const struct eswitch *eswitch;
	const struct vhca *vhca;
	uint32_t qpn;
};

/* Returns the destination QPN of a RoCE packet for this function; ~0 for another packet. */
static uint32_t eswitch_dest_qp(const struct eswitch *e, const struct frame *f,
				const struct vhca *v)
{
	const uint8_t *bth = f->burst.hdr;
	struct roce_bytes b;

	if (f->burst.npkts ? f->to != v : legacy_find_roce(e, f, &b) != v)
		return ~0u;
	if (!f->burst.npkts)
		bth = b.bth;
	return (uint32_t)bth[5] << 16 | (uint32_t)bth[6] << 8 | bth[7];
}

/* A replay waits until its frames are delivered, so they stay, though they may be stray then. */
static bool eswitch_is_for(const struct frame *f, const void *arg)
{
	const struct eswitch_target *t = arg;

	return !f->injected && eswitch_dest_qp(t->eswitch, f, t->vhca) == t->qpn;
}

void eswitch_purge(const struct vhca *v, uint32_t qpn)
{
	const struct eswitch_target t = {v->dev->eswitch, v, qpn};

	port_purge(v->dev->port, eswitch_is_for, &t);
}

/* --- frames from the port -------------------------------------------------------------------- */

static void eswitch_deliver_burst(const struct eswitch *e, const struct frame *f)
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

	e->ops->roce(f->to, &r);
}

static void eswitch_add_ends(struct port_results *now, const struct steer_stats *stats)
{
	now->dropped += stats->ends[STEER_DROP] + stats->ends[STEER_INGRESS_DROP] +
			stats->ends[STEER_EGRESS_DROP];
	now->missed += stats->ends[STEER_MISS];
	now->lost += stats->ends[STEER_LOST];
}

/*
 * Sums up the results so far, of Ethernet frames of all functions and of those from the wire that
 * end in the FDB.
 */
static struct port_results eswitch_results(const struct eswitch *e)
{
	const struct device *dev = e->dev;
	struct port_results now = {
		.unclaimed = port_unclaimed(dev->port),
		.transport = e->transport,
	};

	for (unsigned int i = 0; i < dev->nfunctions; i++) {
		const struct raw_stats *raw = &dev->vhca[i].raw;

		now.queued += raw->received;
		now.no_buffer += raw->out_of_buffer;
		now.failed += raw->failed;
		eswitch_add_ends(&now, steer_stats(&dev->vhca[i]));
	}
	eswitch_add_ends(&now, steer_fdb_stats(dev, NULL));
	return now;
}

static void eswitch_deliver(struct eswitch *e, const struct frame *f)
{
	if (f->switched)
		legacy_deliver_to(e, f->to, f);
	else if ((f->arrived || f->injected) && steer_has_fdb(e->dev))
		fdb_receive(e, f);
	else
		legacy_deliver(e, f);
}

/*
 * Delivers a frame of a replay. A packet is handled completely in one call, so the counters' growth
 * during the call is its result.
 */
static void eswitch_deliver_injected(struct eswitch *e, const struct frame *f)
{
	const struct port_results before = eswitch_results(e);
	struct port_results gained;

	eswitch_deliver(e, f);
	gained = eswitch_results(e);
	port_results_sub(&gained, &before);
	gained.frames = 1;
	gained.bytes = f->len;
	port_count_injected(e->dev->port, &gained);
}

static void eswitch_receive(void *eswitch, const struct frame *f)
{
	struct eswitch *e = eswitch;

	if (f->burst.npkts)
		eswitch_deliver_burst(e, f);
	else if (f->injected)
		eswitch_deliver_injected(e, f);
	else
		eswitch_deliver(e, f);
}

static unsigned int eswitch_route(void *eswitch, const struct frame *f)
{
	return legacy_route(eswitch, f);
}

static const struct port_ops eswitch_port_ops = {
	.route = eswitch_route,
	.receive = eswitch_receive,
};

struct eswitch *eswitch_new(struct device *dev, const struct eswitch_ops *ops)
{
	struct eswitch *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->dev = dev;
	e->ops = ops;
	port_set_ops(dev->port, &eswitch_port_ops, e);
	return e;
}

void eswitch_free(struct eswitch *e)
{
	free(e);
}
