/* SPDX-License-Identifier: BSD-2-Clause */
/* The tunnels that rules name: what their packets have, and the header that begins one. */
#ifndef DVX_FLOW_TUNNELS_H
#define DVX_FLOW_TUNNELS_H

#include "node.h"

#define TUNNEL_GRE_PROTO 47
#define TUNNEL_BRIDGED	 0x6558 /* GRE's and Geneve's protocol of Ethernet packets */

/* draft-smith-vxlan-group-policy: the first word's bit that shows a policy, and the policy. */
#define VXLAN_HAS_GBP 0x80000000u
#define VXLAN_GBP_MAX 0xffffu

/* RFC 8926: the first word's length of options in words, and the bit of critical ones. */
#define GENEVE_OPTIONS(words)  ((uint32_t)(words) << 24)
#define GENEVE_CRITICAL	       0x00400000u
#define GENEVE_OPTION_CRITICAL 0x80u /* of an option's type */

/* A tunnel's number, by its word. */
enum tunnel_id { TUNNEL_VNI, TUNNEL_TEID, TUNNEL_KEY, TUNNEL_LABEL, TUNNEL_IDS };

struct tunnel_id_row {
	const char *word, *noun;
	uint64_t max;
};
extern const struct tunnel_id_row tunnel_ids[TUNNEL_IDS];

/* Packets that a tunnel carries. */
enum tunnel_inside { INSIDE_ETHERNET, INSIDE_IPV4, INSIDE_IPV6, INSIDE_KINDS };

struct tunnel_row {
	const char *name;
	const char *ifaces; /* beginnings of interfaces' names that Linux and OVS use; NULL: none */
	uint8_t protocol;   /* of IP */
	uint16_t port;	    /* UDP's destination; 0: it is not over UDP */
	bool ethernet;	    /* it carries Ethernet packets here; false: IP packets */
	enum tunnel_id id;
	enum rule_key key; /* what the number is compared with */
	uint8_t low;	   /* lowest bit of the number in that key */
	/* The field that shows what is carried, by value; RULE_KEYS: none */
	enum rule_key inside;
	uint16_t value[INSIDE_KINDS];
	/* The header: a word that also has the value of `inside`, and one of the number. */
	uint32_t first;
	uint32_t has_id;  /* bits of the first word if there is a number */
	bool id_optional; /* without one there is one word */
	bool id_first;	  /* the number is in the first word */
	uint8_t id_low;
	/* Reasons why rules cannot compare its number, and why they cannot begin it; NULL: they can. */
	const char *no_id, *no_encap;
};
extern const struct tunnel_row tunnel_rows[TUNNELS];

/* Writes the header of the tunnel itself. Returns its bytes. */
#define TUNNEL_OWN_MOST 16u
size_t tunnel_own_header(const struct rule_encap *e, enum tunnel_inside inside,
			 uint8_t bytes[TUNNEL_OWN_MOST]);
#endif
