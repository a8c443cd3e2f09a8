/* SPDX-License-Identifier: BSD-2-Clause */
#include "neighbour.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "neighbour_msg.h"
#include "obj/device.h"
#include "port.h"

/*
 * Time limits of address queries. The kernel allows one second for all tries (ib_core,
 * rdma_addr_find_l2_eth_by_grh()).
 */
#define NEIGHBOURS_MOST	 256u
#define NEIGHBOUR_TRIES	 4u
#define NEIGHBOUR_WAIT	 250000000u   /* ns to wait for a reply */
#define NEIGHBOUR_FRESH	 30000000000u /* ns without a new query */
#define NEIGHBOUR_FAILED 100000000u   /* ns in which all that waited learn of the failure */

enum neighbour_state { NEIGHBOUR_FREE, NEIGHBOUR_PENDING, NEIGHBOUR_KNOWN, NEIGHBOUR_TIMED_OUT };

struct neighbour_entry {
	struct neighbours *all;
	enum neighbour_state state;
	bool has_mac; /* valid also while a new query is under way */
	uint8_t gid[16], mac[6];
	uint16_t vlan;
	unsigned int tries;
	uint64_t at; /* time of the last change of state */
	struct timer timer;
};

struct neighbours {
	struct device *dev;
	bool changed;
	struct neighbour_entry at[NEIGHBOURS_MOST];
};

static uint64_t neighbours_now(const struct neighbours *n)
{
	return n->dev->clock->now(n->dev->clock);
}

static struct neighbour_entry *neighbour_find(struct neighbours *n, uint16_t vlan,
					      const uint8_t gid[16])
{
	for (unsigned int i = 0; i < NEIGHBOURS_MOST; i++)
		if (n->at[i].state != NEIGHBOUR_FREE && n->at[i].vlan == vlan &&
		    !memcmp(n->at[i].gid, gid, 16))
			return &n->at[i];
	return NULL;
}

/* Takes a free entry, or else the oldest without a query. Returns NULL if all have queries. */
static struct neighbour_entry *neighbour_add(struct neighbours *n, uint16_t vlan,
					     const uint8_t gid[16])
{
	struct neighbour_entry *e = NULL;

	for (unsigned int i = 0; i < NEIGHBOURS_MOST; i++) {
		struct neighbour_entry *o = &n->at[i];

		if (o->state == NEIGHBOUR_FREE) {
			e = o;
			break;
		}
		if (o->state != NEIGHBOUR_PENDING && (!e || o->at < e->at))
			e = o;
	}
	if (!e)
		return NULL;
	e->has_mac = false;
	e->vlan = vlan;
	memcpy(e->gid, gid, sizeof(e->gid));
	return e;
}

static void neighbour_set_state(struct neighbour_entry *e, enum neighbour_state state)
{
	e->state = state;
	e->at = neighbours_now(e->all);
}

/* Returns the GID of a function in whose network a GID lies; NULL if there is none. */
static const struct gid_entry *neighbour_source(const struct vhca *v, uint16_t vlan,
						const uint8_t gid[16])
{
	for (unsigned int i = 0; i < v->ngids; i++)
		if (v->gids[i].type == GID_ROCE_V2 && v->gids[i].vlan == vlan &&
		    gid_common(v->gids[i].gid, gid) >= v->gids[i].prefix)
			return &v->gids[i];
	return NULL;
}

static const uint8_t broadcast[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

/* Sends a query. Returns false if no function has an address in the GID's network. */
static bool neighbour_request(const struct neighbours *n, uint16_t vlan, const uint8_t gid[16])
{
	struct neighbour_msg m = {.is_query = true, .vlan = vlan};
	const struct gid_entry *source;
	uint8_t frame[NEIGHBOUR_FRAME];

	memcpy(m.target, gid, sizeof(m.target));
	for (unsigned int i = 0; i < n->dev->nfunctions; i++) {
		struct vhca *v = &n->dev->vhca[i];

		source = neighbour_source(v, vlan, gid);
		if (!source)
			continue;
		memcpy(m.sender, source->gid, sizeof(m.sender));
		memcpy(m.mac, v->mac, sizeof(m.mac));
		port_transmit(v, frame, (uint32_t)neighbour_msg_write(&m, broadcast, NULL, frame));
		return true;
	}
	return false;
}

static void neighbour_timeout(struct timer *t)
{
	struct neighbour_entry *e =
		(struct neighbour_entry *)(void *)((char *)t -
						   offsetof(struct neighbour_entry, timer));
	struct neighbours *n = e->all;

	if (++e->tries < NEIGHBOUR_TRIES && neighbour_request(n, e->vlan, e->gid) &&
	    !timer_set(&n->dev->timers, t, neighbours_now(n) + NEIGHBOUR_WAIT))
		return;
	e->has_mac = false;
	neighbour_set_state(e, NEIGHBOUR_TIMED_OUT);
	n->changed = true;
	neighbours_notify(n);
}

static int neighbour_begin(struct neighbours *n, struct neighbour_entry *e)
{
	if (!neighbour_request(n, e->vlan, e->gid) ||
	    timer_set(&n->dev->timers, &e->timer, neighbours_now(n) + NEIGHBOUR_WAIT)) {
		e->state = NEIGHBOUR_FREE;
		return -EHOSTUNREACH;
	}
	e->tries = 0;
	neighbour_set_state(e, NEIGHBOUR_PENDING);
	return -EINPROGRESS;
}

/* Finds a MAC address. An old address stays in use while it is confirmed, as in a kernel. */
int neighbours_resolve(struct neighbours *n, uint16_t vlan, const uint8_t gid[16], uint8_t mac[6])
{
	static const uint8_t link_local[8] = {0xfe, 0x80};
	struct neighbour_entry *e = neighbour_find(n, vlan, gid);
	uint64_t age = e ? neighbours_now(n) - e->at : 0;
	int err = -EINPROGRESS;

	if (!memcmp(gid, link_local, sizeof(link_local)))
		return -EHOSTUNREACH; /* the MAC address is part of the GID */
	if (e && e->state == NEIGHBOUR_TIMED_OUT && age < NEIGHBOUR_FAILED)
		return -ETIMEDOUT;
	if (!e || e->state == NEIGHBOUR_TIMED_OUT ||
	    (e->state == NEIGHBOUR_KNOWN && age >= NEIGHBOUR_FRESH)) {
		e = e ? e : neighbour_add(n, vlan, gid);
		err = e ? neighbour_begin(n, e) : -EHOSTUNREACH;
	}
	if (!e || !e->has_mac || e->state == NEIGHBOUR_FREE)
		return err;
	memcpy(mac, e->mac, sizeof(e->mac));
	return 0;
}

/* --- messages from others --------------------------------------------------------------------- */

static struct vhca *neighbour_own(const struct neighbours *n, uint16_t vlan, const uint8_t gid[16],
				  unsigned int *index)
{
	return device_vhca_by_gid(n->dev, vlan, gid, index);
}

static void neighbour_reply(const struct neighbours *n, struct vhca *v, unsigned int index,
			    const struct neighbour_msg *query)
{
	static const uint8_t all_nodes[16] = {0xff, 2, [15] = 1};
	static const uint8_t all_nodes_mac[6] = {0x33, 0x33, [5] = 1};
	static const uint8_t unspecified[16] = {0};
	struct neighbour_msg m = {.vlan = query->vlan};
	uint8_t frame[NEIGHBOUR_FRAME];
	const bool probes = !gid_is_ip4(query->target) && !memcmp(query->sender, unspecified, 16);

	(void)n;
	memcpy(m.target, query->target, sizeof(m.target));
	memcpy(m.mac, v->gids[index].mac, sizeof(m.mac));
	port_transmit(v, frame,
		      (uint32_t)neighbour_msg_write(&m, probes ? all_nodes_mac : query->mac,
						    probes ? all_nodes : query->sender, frame));
}

/*
 * Updates an entry from a message. As in RFC 826, known addresses are always updated, and an
 * unknown one is added only if the message is for the chip.
 */
static void neighbour_learn(struct neighbours *n, const struct neighbour_msg *m, bool wants)
{
	struct neighbour_entry *e = neighbour_find(n, m->vlan, m->sender);
	unsigned int index;

	if (!m->has_mac || neighbour_own(n, m->vlan, m->sender, &index) ||
	    (e && e->has_mac && !m->overrides && memcmp(e->mac, m->mac, 6)))
		return;
	if (!e && wants)
		e = neighbour_add(n, m->vlan, m->sender);
	if (!e)
		return;
	n->changed |= e->state == NEIGHBOUR_PENDING;
	timer_cancel(&n->dev->timers, &e->timer);
	memcpy(e->mac, m->mac, sizeof(e->mac));
	e->has_mac = true;
	neighbour_set_state(e, NEIGHBOUR_KNOWN);
}

void neighbours_take(struct neighbours *n, const uint8_t *frame, size_t len)
{
	struct neighbour_msg m;
	unsigned int index;
	struct vhca *v;

	if (n->dev->link_down || !neighbour_msg_read(frame, len, &m))
		return;
	v = m.is_query ? neighbour_own(n, m.vlan, m.target, &index) : NULL;
	neighbour_learn(n, &m, v);
	if (v && !v->netdev.present)
		neighbour_reply(n, v, index, &m);
}

static void neighbour_announce_gid(struct vhca *v, const struct gid_entry *e)
{
	struct neighbour_msg m = {.vlan = e->vlan};
	uint8_t frame[NEIGHBOUR_FRAME];

	memcpy(m.target, e->gid, sizeof(m.target));
	memcpy(m.mac, e->mac, sizeof(m.mac));
	port_transmit(v, frame, (uint32_t)neighbour_msg_write(&m, broadcast, NULL, frame));
}

void neighbours_announce(struct neighbours *n)
{
	for (unsigned int f = 0; f < n->dev->nfunctions; f++) {
		struct vhca *v = &n->dev->vhca[f];

		for (unsigned int i = 0; i < v->ngids && !v->netdev.present; i++)
			if (v->gids[i].type == GID_ROCE_V2)
				neighbour_announce_gid(v, &v->gids[i]);
	}
}

void neighbours_notify(struct neighbours *n)
{
	bool changed = n->changed;

	n->changed = false;
	if (changed && n->dev->front->neighbour)
		n->dev->front->neighbour(n->dev->front_ctx);
}

struct neighbours *neighbours_new(struct device *dev)
{
	struct neighbours *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->dev = dev;
	for (unsigned int i = 0; i < NEIGHBOURS_MOST; i++) {
		n->at[i].all = n;
		n->at[i].timer.fire = neighbour_timeout;
	}
	return n;
}

void neighbours_free(struct neighbours *n)
{
	for (unsigned int i = 0; n && i < NEIGHBOURS_MOST; i++)
		timer_cancel(&n->dev->timers, &n->at[i].timer);
	free(n);
}
