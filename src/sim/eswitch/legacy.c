/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Legacy switching: a frame goes to the function with its destination address, a group's frame to
 * all functions that want it, and a frame for an unknown address beyond the wire.
 */
#include <string.h>
#include "base/log.h"
#include "obj/mcg.h"
#include "priv.h"
#include "steer/steer.h"

/* --- destinations ---------------------------------------------------------------------------- */

/* Finds a function by its MAC address; NULL if it is unknown or a group's. */
static struct vhca *legacy_find_mac(const struct eswitch *e, const uint8_t mac[6])
{
	for (unsigned int i = 0; i < e->dev->nfunctions; i++)
		if (!memcmp(e->dev->vhca[i].mac, mac, 6))
			return &e->dev->vhca[i];
	return NULL;
}

/* Returns true if the function has this GID, in the packet's VLAN [I]. */
static bool legacy_has_gid(const struct vhca *v, const uint8_t gid[16], bool v1, uint16_t vlan)
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
 * Returns the function that a RoCE packet is for, by its MAC. If no function has the MAC, the GID
 * decides: programs take a peer's MAC from the GID's netdev, and dvx-sim shows none. [I]
 */
static struct vhca *legacy_find_gid(const struct eswitch *e, const uint8_t mac[6],
				    const uint8_t gid[16], bool v1, uint16_t vlan)
{
	struct vhca *v = legacy_find_mac(e, mac);

	if (v)
		return legacy_has_gid(v, gid, v1, vlan) ? v : NULL;
	for (unsigned int i = 0; i < e->dev->nfunctions && !(mac[0] & 1); i++)
		if (legacy_has_gid(&e->dev->vhca[i], gid, v1, vlan))
			return &e->dev->vhca[i];
	return NULL;
}

struct vhca *legacy_find_path(const struct eswitch *e, const struct roce_path *path)
{
	return legacy_find_gid(e, path->dmac, path->dgid, path->source->type == GID_ROCE_V1,
			       path->source->vlan);
}

struct vhca *legacy_find_roce(const struct eswitch *e, const struct frame *f, struct roce_bytes *b)
{
	if (!roce_decode(f->data, f->len, b))
		return NULL;
	if (f->arrived && !legacy_find_mac(e, f->data))
		return NULL;
	return f->forced ? f->to
			 : legacy_find_gid(e, f->data, b->dgid, roce_is_v1(b), roce_vlan(b));
}

unsigned int legacy_route(const struct eswitch *e, const struct frame *f)
{
	struct roce_bytes b;

	if (f->data[0] & 1)
		return PORT_INSIDE | PORT_OUTSIDE;
	return legacy_find_mac(e, f->data) || legacy_find_roce(e, f, &b) ? PORT_INSIDE
									  : PORT_OUTSIDE;
}

/* --- delivery -------------------------------------------------------------------------------- */

static void legacy_deliver_roce(struct eswitch *e, struct vhca *v, const struct frame *f,
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

	e->transport++;
	roce_grh(b, grh);
	if (f->icrc_good || roce_icrc_good(b)) {
		e->ops->roce(v, &r);
	} else {
		v->stats->rx_icrc_errors++;
		v->drops.n[DROP_ICRC]++;
		sim_note("vhca %u: a RoCE packet was dropped: its ICRC is wrong", v->id);
	}
}

/*
 * Delivers a frame of an unknown or group address to a function that has an RX root table or an
 * interface that wants it.
 */
static bool legacy_deliver_ethernet_to(const struct eswitch *e, struct vhca *v,
				       const struct frame *f)
{
	if (!steer_has_rx_root(v) && !e->ops->netdev(v, f->data))
		return false;
	e->ops->ethernet(v, f);
	return true;
}

/* A group's frame that also left by the wire is not dropped. */
static void legacy_drop_unclaimed(const struct eswitch *e, const struct frame *f)
{
	e->dev->drops.n[DROP_UNCLAIMED] += !(port_route(e->dev->port, f) & PORT_OUTSIDE);
}

static void legacy_deliver_ethernet(const struct eswitch *e, const struct frame *f)
{
	struct vhca *v = f->forced ? f->to : legacy_find_mac(e, f->data);
	bool claimed = v;

	if (v)
		e->ops->ethernet(v, f);
	for (unsigned int i = 0; i < e->dev->nfunctions && !v; i++)
		claimed |= legacy_deliver_ethernet_to(e, &e->dev->vhca[i], f);
	if (!claimed)
		legacy_drop_unclaimed(e, f);
}

/*
 * Delivers a group's packet. [I] A function with queue pairs in the group takes it for them, and
 * not for its tables.
 */
static void legacy_deliver_group(struct eswitch *e, const struct frame *f,
				 const struct roce_bytes *b)
{
	bool claimed = false;

	for (unsigned int i = 0; i < e->dev->nfunctions; i++) {
		struct vhca *v = &e->dev->vhca[i];
		bool member = mcg_find(v, b->dgid);

		if (member)
			legacy_deliver_roce(e, v, f, b, b->dgid);
		claimed |= member || legacy_deliver_ethernet_to(e, v, f);
	}
	if (!claimed)
		legacy_drop_unclaimed(e, f);
}

/* Returns true for a RoCE packet to a group whose MAC follows from its GID. */
static bool legacy_is_group(const struct frame *f, struct roce_bytes *b)
{
	uint8_t mac[6];

	if (!(f->data[0] & 1) || f->forced || !roce_decode(f->data, f->len, b) ||
	    !gid_is_multicast(b->dgid))
		return false;
	gid_group_mac(b->dgid, mac);
	return !memcmp(f->data, mac, sizeof(mac));
}

void legacy_deliver_to(struct eswitch *e, struct vhca *v, const struct frame *f)
{
	struct roce_bytes b;

	if (legacy_find_roce(e, f, &b) == v)
		legacy_deliver_roce(e, v, f, &b, NULL);
	else if (legacy_is_group(f, &b) && mcg_find(v, b.dgid))
		legacy_deliver_roce(e, v, f, &b, b.dgid);
	else
		e->ops->ethernet(v, f);
}

void legacy_deliver(struct eswitch *e, const struct frame *f)
{
	struct roce_bytes b;
	struct vhca *v = legacy_find_roce(e, f, &b);

	if (v)
		legacy_deliver_roce(e, v, f, &b, NULL);
	else if (legacy_is_group(f, &b))
		legacy_deliver_group(e, f, &b);
	else
		legacy_deliver_ethernet(e, f);
}
