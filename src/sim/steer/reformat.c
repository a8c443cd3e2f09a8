/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tunnels. Software gives the header to add; the device fills in what differs from packet to
 * packet.
 *
 * [I] Filled in: IPv4's total length, checksum and identification (a number that counts up), IPv6's
 * payload length, UDP's length and source port. As given: time to live, traffic class, DF, the
 * checksums of UDP and GRE, GRE's key and sequence number. Neither takes bits of the inner packet.
 * The port's MTU is not compared.
 */
#include <string.h>
#include <dvx/prm/flow.h>
#include "base/crc32.h"
#include "obj/flow.h"
#include "parse.h"
#include "priv.h"
#include "reformat.h"

#define ETHERTYPE_AT 12u
#define TAG_BYTES    4u
#define IPV4_BYTES   20u
#define IPV6_BYTES   40u
#define UDP_BYTES    8u
#define PROTO_UDP    17u
#define PORT_MIN     0xc000u /* of a tunnel's source ports: RFC 7348, RFC 8926 */

/* A header on its way to the packet, and the number of bytes from its begin to the frame's end. */
struct outer {
	uint8_t *header;
	uint32_t bytes, frame;
	uint16_t source_port, id;
};

/* --- flows ---------------------------------------------------------------------------------- */

/*
 * Hashes addresses, protocol and ports of a packet; of one that is not IP, its Ethernet header.
 * [I] The device's hash is not known; only that packets of a flow have one.
 */
static uint32_t reformat_hash(const struct packet *p)
{
	const struct packet_headers *h = &p->outer;
	uint32_t crc = UINT32_MAX;
	bool ports = h->l4 && !h->frag && (h->l4_type == PACKET_TCP || h->l4_type == PACKET_UDP);

	if (!h->ip_version)
		return crc32_add(crc, p->data, VHCA_FRAME_MIN);
	crc = h->ip_version == 4 ? crc32_add(crc, p->data + h->l3 + 12, 8)
				 : crc32_add(crc, p->data + h->l3 + 8, 32);
	crc = crc32_add(crc, &h->ip_protocol, 1);
	return ports ? crc32_add(crc, p->data + h->l4, 4) : crc;
}

static uint16_t reformat_source_port(const struct packet *p)
{
	uint32_t hash = reformat_hash(p);

	return (uint16_t)(PORT_MIN | (hash ^ hash >> 16));
}

void reformat_note_flow(struct packet *p)
{
	p->tunnel_sport = reformat_source_port(p);
}

/* --- headers -------------------------------------------------------------------------------- */

static bool outer_has(const struct outer *o, uint32_t at, uint32_t n)
{
	return at + n <= o->bytes;
}

static bool outer_fill_udp(const struct outer *o, uint32_t at)
{
	if (!outer_has(o, at, UDP_BYTES))
		return false;
	packet_store16(o->header + at, o->source_port);
	packet_store16(o->header + at + 4, o->frame - at);
	return true;
}

static bool outer_fill_ipv4(const struct outer *o, uint32_t at)
{
	uint8_t *ip = o->header + at;
	uint32_t n;

	if (!outer_has(o, at, IPV4_BYTES) || ip[0] >> 4 != 4)
		return false;
	n = (ip[0] & 0xfu) * 4;
	if (n < IPV4_BYTES || !outer_has(o, at, n))
		return false;
	packet_store16(ip + 2, o->frame - at);
	packet_store16(ip + 4, o->id);
	packet_store16(ip + 10, 0);
	packet_store16(ip + 10, (uint16_t)~packet_sum(ip, n, 0));
	return ip[9] != PROTO_UDP || outer_fill_udp(o, at + n);
}

static bool outer_fill_ipv6(const struct outer *o, uint32_t at)
{
	uint8_t *ip = o->header + at;

	if (!outer_has(o, at, IPV6_BYTES) || ip[0] >> 4 != 6)
		return false;
	packet_store16(ip + 4, o->frame - at - IPV6_BYTES);
	return ip[6] != PROTO_UDP || outer_fill_udp(o, at + IPV6_BYTES);
}

/* Fills in the header; false if it ends before the headers that it announces. */
static bool outer_fill(const struct outer *o)
{
	uint32_t at = ETHERTYPE_AT;
	uint16_t type;

	do {
		if (!outer_has(o, at, 2))
			return false;
		type = packet_load16(o->header + at);
		at += type == ETHERTYPE_CVLAN || type == ETHERTYPE_SVLAN ? TAG_BYTES : 2;
	} while (type == ETHERTYPE_CVLAN || type == ETHERTYPE_SVLAN);
	switch (type) {
	case ETHERTYPE_IPV4:
		return outer_fill_ipv4(o, at);
	case ETHERTYPE_IPV6:
		return outer_fill_ipv6(o, at);
	default:
		return true;
	}
}

bool reformat_encap(const struct steer_walk *w, const uint8_t *header, uint32_t bytes,
		    unsigned int *changed)
{
	uint8_t room[VHCA_MAX_REFORMAT_BYTES];
	struct packet *p = w->packet;
	uint16_t sport = p->tunnel_sport ? p->tunnel_sport : reformat_source_port(p);
	struct outer o = {.header = room,
			  .bytes = bytes,
			  .frame = p->len + bytes,
			  .source_port = sport,
			  .id = ++w->vhca->tunnel_ids};

	memcpy(room, header, bytes);
	p->tunnel_sport = 0;
	if (!outer_fill(&o))
		return steer_lost(w,
				  "the tunnel's header of %u bytes ends before the headers that it "
				  "announces",
				  bytes);
	return ste_insert(w, 0, room, bytes, changed);
}

bool reformat_encap_l3(const struct steer_walk *w, const uint8_t *header, uint32_t bytes,
		       unsigned int *changed)
{
	if (!w->packet->outer.ip_version)
		return steer_lost(w, "a tunnel for IP takes a packet that is not IP");
	reformat_note_flow(w->packet);
	return ste_remove(w, 0, w->packet->outer.l3, changed) &&
	       reformat_encap(w, header, bytes, changed);
}

const struct flow_reformat *reformat_find(const struct steer_walk *w, uint32_t id, uint32_t bytes)
{
	const struct flow_reformat *r = obj_find(w->vhca, OBJ_REFORMAT, id);

	if (r && bytes <= r->bytes)
		return r;
	steer_lost(w, "an entry inserts %u bytes of packet reformat 0x%x, which has %u", bytes, id,
		   r ? r->bytes : 0u);
	return NULL;
}

/* --- VLAN tags -------------------------------------------------------------------------------- */

bool reformat_pop(const struct steer_walk *w, unsigned int *changed)
{
	const struct packet_headers *h = &w->packet->outer;

	if (!h->vlans)
		return steer_lost(w,
				  "an action removes a VLAN tag, which the packet does not have");
	return ste_remove(w, h->l2 + ETHERTYPE_AT, TAG_BYTES, changed);
}

bool reformat_push(const struct steer_walk *w, uint32_t tag, unsigned int *changed)
{
	uint8_t bytes[TAG_BYTES];

	prm_store32(bytes, 0, tag);
	return ste_insert(w, w->packet->outer.l2 + ETHERTYPE_AT, bytes, sizeof(bytes), changed);
}

/* --- entries of firmware's tables ------------------------------------------------------------ */

bool reformat_has_side(const struct steer_walk *w, bool ends)
{
	if (ends ? !w->tx : w->tx || w->version->format)
		return true;
	return steer_lost(w, "its %s side has no actions that %s tunnels", w->tx ? "TX" : "RX",
			  ends ? "end" : "begin");
}

/* [I] A packet without such a tunnel is lost, as one is that an STE's action does not fit. */
static bool reformat_decap_l2(const struct steer_walk *w, unsigned int *changed)
{
	const struct packet_headers *inner = &w->packet->inner;

	if (!inner->ethernet)
		return steer_lost(w, "DECAP of a packet without a tunnel of Ethernet packets");
	return ste_remove(w, 0, inner->l2, changed);
}

static bool reformat_decap_l3(const struct steer_walk *w, const struct flow_reformat *r,
			      unsigned int *changed)
{
	const struct packet_headers *inner = &w->packet->inner;

	if (!inner->ip_version)
		return steer_lost(w,
				  "packet reformat 0x%x of a packet without a tunnel of IP packets",
				  r->o.id);
	return ste_remove(w, 0, inner->l3, changed) && ste_insert(w, 0, r->data, r->bytes, changed);
}

static bool reformat_end_tunnel(const struct steer_walk *w, const struct flow_actions *a,
				unsigned int *changed)
{
	const struct flow_reformat *r = a->reformat;
	const bool l3 = r && r->type == PRM_REFORMAT_TYPE_L3_TUNNEL_TO_L2;
	const bool l2 = a->action & PRM_FLOW_ACTION_DECAP;

	if (!l2 && !l3)
		return true;
	if (!reformat_has_side(w, true))
		return false;
	return l2 ? reformat_decap_l2(w, changed) : reformat_decap_l3(w, r, changed);
}

/* --- bytes at a header ----------------------------------------------------------------------- */

/*
 * Finds the place that a context of INSERT_HDR or REMOVE_HDR names. [I] A packet without the header
 * is lost.
 */
static bool reformat_place(const struct steer_walk *w, const struct flow_reformat *r, uint32_t *at)
{
	const struct packet_headers *h = &w->packet->outer;
	bool has = false;

	*at = r->offset;
	switch (r->anchor) {
	case PRM_REFORMAT_ANCHOR_MAC_START:
		has = h->ethernet;
		*at += h->l2;
		break;
	case PRM_REFORMAT_ANCHOR_IP_START:
		has = h->ip_version;
		*at += h->l3;
		break;
	default:
		has = h->l4_type == PACKET_TCP || h->l4_type == PACKET_UDP;
		*at += h->l4;
	}
	return has ||
	       steer_lost(w,
			  "packet reformat 0x%x counts from anchor 0x%x, which the packet does not "
			  "have",
			  r->o.id, r->anchor);
}

/* [I] Lengths and checksums of headers around the place stay as they are. */
static bool reformat_insert_bytes(const struct steer_walk *w, const struct flow_reformat *r,
				  unsigned int *changed)
{
	uint32_t at;

	return reformat_place(w, r, &at) && ste_insert(w, at, r->data, r->bytes, changed);
}

static bool reformat_remove_bytes(const struct steer_walk *w, const struct flow_reformat *r,
				  unsigned int *changed)
{
	uint32_t at;

	if (!r || r->type != PRM_REFORMAT_TYPE_REMOVE_HDR)
		return true;
	return reformat_place(w, r, &at) && ste_remove(w, at, r->bytes, changed);
}

bool reformat_begin_tunnel(const struct steer_walk *w, const struct flow_reformat *r)
{
	unsigned int changed = 0;

	if (!r || r->type == PRM_REFORMAT_TYPE_L3_TUNNEL_TO_L2 ||
	    r->type == PRM_REFORMAT_TYPE_REMOVE_HDR)
		return true;
	if (r->type == PRM_REFORMAT_TYPE_INSERT_HDR)
		return reformat_insert_bytes(w, r, &changed);
	if (!reformat_has_side(w, false))
		return false;
	if (r->type == PRM_REFORMAT_TYPE_L2_TO_L3_TUNNEL)
		return reformat_encap_l3(w, r->data, r->bytes, &changed);
	return reformat_encap(w, r->data, r->bytes, &changed);
}

bool reformat_remove(const struct steer_walk *w, const struct flow_actions *a)
{
	static const uint16_t pops[FLOW_VLANS] = {PRM_FLOW_ACTION_VLAN_POP,
						  PRM_FLOW_ACTION_VLAN_POP_2};
	unsigned int changed = 0;

	if (!reformat_end_tunnel(w, a, &changed) ||
	    !reformat_remove_bytes(w, a->reformat, &changed))
		return false;
	for (unsigned int i = 0; i < FLOW_VLANS && a->action & pops[i]; i++)
		if (!reformat_pop(w, &changed))
			return false;
	return true;
}

bool reformat_add(const struct steer_walk *w, const struct flow_actions *a)
{
	static const uint16_t pushes[FLOW_VLANS] = {PRM_FLOW_ACTION_VLAN_PUSH,
						    PRM_FLOW_ACTION_VLAN_PUSH_2};
	unsigned int changed = 0;

	for (unsigned int i = 0; i < FLOW_VLANS && a->action & pushes[i]; i++)
		if (!reformat_push(w, a->push[i], &changed))
			return false;
	return reformat_begin_tunnel(w, a->reformat);
}
