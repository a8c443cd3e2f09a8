/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_FLEX_H
#define SIM_STEER_FLEX_H

/*
 * Flex parsers by number, as flex_parser_id_* of fw/caps.def have them. Numbers 0 to 3 of format 0
 * take ICMP instead (ste/fields.def). [I] GTP-U's words are those of its header, of the word behind
 * it, and of the first extension.
 */
#include "parse.h"

enum flex_parser {
	FLEX_GTPU_DW_0,
	FLEX_GTPU_TEID,
	FLEX_GTPU_DW_2,
	FLEX_GTPU_EXT,
	FLEX_MPLS_GRE,
	FLEX_MPLS_UDP,
	FLEX_PARSERS = 8
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

/* Returns the word that a flex parser takes from the packet; 0: it takes none. */
static inline uint32_t flex_word(const struct packet *p, unsigned int parser)
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
	default:
		return 0;
	}
}

#endif
