/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_FLEX_H
#define SIM_STEER_FLEX_H

/*
 * Flex parsers by number, as flex_parser_id_* of fw/caps.def have them. Numbers 0 to 3 of format 0
 * take ICMP instead (ste/fields.def). [I] GTP-U's words are those of its header, of the word behind
 * it, and of the first extension.
 */
#include "parse.h"

#include <dvx/prm/object.h>
#include "obj/flex_sample.h"

enum flex_parser {
	FLEX_GTPU_DW_0,
	FLEX_GTPU_TEID,
	FLEX_GTPU_DW_2,
	FLEX_GTPU_EXT,
	FLEX_MPLS_GRE,
	FLEX_MPLS_UDP,
	FLEX_GENEVE_OPTION,
};

#define FLEX_GTPU_LONG 0x07 /* bits of GTP-U's flags: the word behind the TEID is there */
#define FLEX_GTPU_MORE 0x04 /* and its last byte is an extension's type, or 0 */

/* Returns a word of GTP-U's header; 0: the packet lacks it. */
static inline uint32_t flex_gtpu(const struct packet *p, uint32_t at)
{
	const uint8_t *header = p->data + p->tunnel_at;
	bool has = p->tunnel == PACKET_GTPU && parse_room(p->tunnel_at + at, 4, p->outer.l3_end);

	if (has && at >= 8)
		has = header[0] & FLEX_GTPU_LONG;
	if (has && at >= 12)
		has = header[0] & FLEX_GTPU_MORE && header[11];
	return has ? packet_load32(header + at) : 0;
}

/* Returns the first label behind a tunnel's header; 0: there is none. */
static inline uint32_t flex_label(const struct packet *p, enum packet_tunnel tunnel)
{
	return p->tunnel == tunnel && p->tunnel_mpls ? packet_load32(p->data + p->tunnel_mpls) : 0;
}

#define FLEX_OPTION_BYTES 4u
#define FLEX_OPTION_WORDS 0x1f /* of an option's data, in its last byte */

/*
 * Returns the offset of the first Geneve option of the class and type that the device looks for; 0:
 * there is none. An option that ends behind the header ends the search.
 */
static inline uint32_t flex_geneve_option(const struct packet *p)
{
	const uint8_t *header = p->data + p->tunnel_at;
	uint32_t at = p->tunnel_at + 8u, end, bytes;

	if (!p->geneve_option || p->tunnel != PACKET_GENEVE || !p->tunnel_at)
		return 0;
	end = at + 4u * (header[0] & 0x3fu);
	end = end < p->outer.l3_end ? end : p->outer.l3_end;
	for (; at + FLEX_OPTION_BYTES <= end; at += bytes) {
		bytes = FLEX_OPTION_BYTES + 4u * (p->data[at + 3] & FLEX_OPTION_WORDS);
		if (bytes > end - at)
			return 0;
		if (packet_load32(p->data + at) >> 8 == p->geneve_option >> 8)
			return at;
	}
	return 0;
}

/* Returns the first word of that option's data; 0: the packet lacks it. */
static inline uint32_t flex_geneve(const struct packet *p)
{
	uint32_t at = flex_geneve_option(p);

	return at && p->data[at + 3] & FLEX_OPTION_WORDS
		       ? packet_load32(p->data + at + FLEX_OPTION_BYTES)
		       : 0;
}

/* Returns where the header that a node describes begins; 0: the packet lacks it. */
static inline uint32_t flex_node(const struct packet *p, const struct flex_arc *arc)
{
	const struct packet_headers *o = &p->outer;

	switch (arc->node) {
	case PRM_GRAPH_NODE_MAC:
		if (!o->ethernet || o->ethertype != arc->value)
			return 0;
		return o->l3 ? o->l3 : o->mpls ? o->mpls : o->end;
	case PRM_GRAPH_NODE_IP:
		return o->ip_version && o->ip_protocol == arc->value ? o->l4 : 0;
	case PRM_GRAPH_NODE_UDP:
		return o->l4_type == PACKET_UDP && o->dport == arc->value ? o->end : 0;
	case PRM_GRAPH_NODE_TCP:
		return o->l4_type == PACKET_TCP && o->dport == arc->value ? o->end : 0;
	default:
		return 0;
	}
}

/* Returns the word of the node's header; 0: the packet has none, or [I] ends before it. */
static inline uint32_t flex_sampled(const struct packet *p, const struct flex_sample *s)
{
	const uint32_t end = p->outer.l3 ? p->outer.l3_end : p->len;

	for (unsigned int i = 0; i < s->arcs; i++) {
		uint32_t at = flex_node(p, &s->arc[i]);

		if (at)
			return parse_room(at + s->offset, 4, end)
				       ? packet_load32(p->data + at + s->offset)
				       : 0;
	}
	return 0;
}

/* Returns the word that the parser takes without software's nodes. */
static inline uint32_t flex_fixed(const struct packet *p, unsigned int parser)
{
	switch (parser) {
	case FLEX_GTPU_DW_0:
	case FLEX_GTPU_TEID:
	case FLEX_GTPU_DW_2:
	case FLEX_GTPU_EXT:
		return flex_gtpu(p, 4 * parser);
	case FLEX_MPLS_GRE:
		return flex_label(p, PACKET_GRE);
	case FLEX_MPLS_UDP:
		return flex_label(p, PACKET_MPLS_UDP);
	case FLEX_GENEVE_OPTION:
		return flex_geneve(p);
	default:
		return 0;
	}
}

/* Returns the word that a flex parser takes from the packet; 0: it takes none. */
static inline uint32_t flex_word(const struct packet *p, unsigned int parser)
{
	return p->samples && p->samples[parser].arcs ? flex_sampled(p, &p->samples[parser])
						     : flex_fixed(p, parser);
}

#endif
