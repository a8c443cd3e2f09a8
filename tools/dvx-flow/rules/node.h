/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A node: one match, change or destination of a rule, with its place in the text. The grammar reads
 * nodes; build.h makes rules of them, one node after the other.
 */
#ifndef DVX_FLOW_NODE_H
#define DVX_FLOW_NODE_H

#include "rule.h"

/* A range of the text. Bytes count from the text's beginning; line and column are the first byte's. */
struct source_range {
	uint32_t first_byte, end_byte;
	uint32_t line, column;
};

enum node_side { SIDE_SRC, SIDE_DST, SIDE_EITHER };

/* Tunnels by name: tunnels.h. */
enum node_tunnel {
	TUNNEL_NONE,
	TUNNEL_VXLAN,
	TUNNEL_GPE,
	TUNNEL_GENEVE,
	TUNNEL_NVGRE,
	TUNNEL_GRETAP,
	TUNNEL_GRE,
	TUNNEL_GTPU,
	TUNNEL_MPLSOUDP,
	TUNNELS
};

enum node_kind {
	NODE_NOT, /* of the next match */
	/* matches */
	NODE_ANY,
	NODE_LEVEL, /* of: the following matches are about the headers inside a tunnel */
	NODE_ETH,
	NODE_ETHERTYPE,
	NODE_TYPE, /* of ICMP, or an EtherType: a name or a number */
	NODE_CODE,
	NODE_TAG, /* of: KEY_CVLAN or KEY_SVLAN */
	NODE_UNTAGGED,
	NODE_NATIVE,
	NODE_TAGS,	/* `number` tags, or from `number` to `second` */
	NODE_TAG_FIELD, /* of: a key of the last tag; number 1: implies vlan, as in tc */
	NODE_IP,	/* of: the version */
	NODE_IP_ALSO,	/* of the other addresses of a list */
	NODE_NETS,	/* of: a side */
	NODE_FIELD,	/* of: a key */
	NODE_FLOWLABEL,
	NODE_FLAGS,
	NODE_PROTO,
	NODE_PROTOCOL,	/* of tc: an EtherType (ip, arp, 0x88cc), else an IP protocol (tcp, 6) */
	NODE_TOS,	/* `number` under the mask `second` */
	NODE_PORTS,	/* of: a side */
	NODE_TUNNEL,	/* of: the tunnel */
	NODE_TUNNEL_ID, /* of: an enum tunnel_id; TUNNEL_IDS: the number follows the tunnel */
	NODE_OAM,
	NODE_GBP,
	NODE_OPTION, /* of Geneve, with class `number` and type `second` */
	NODE_GRE_KEY,
	NODE_CT,
	NODE_MPLS,	 /* the word, with labels if `of` is KEY_MPLS_LABEL */
	NODE_MPLS_FIELD, /* of: a key */
	/* destinations and the rest */
	NODE_QUEUE,
	NODE_TO_VPORT,
	NODE_RSS,     /* from queue `number` to queue `second` */
	NODE_RSS_ON,  /* of: an enum rule_hash */
	NODE_RSS_KEY, /* hexadecimal digits behind 0x, or in pairs with colons between them */
	NODE_GOTO,
	NODE_MARK, /* the word tag */
	NODE_COUNT,
	NODE_NAME,
	NODE_CHANGE,	  /* of: its kind; second: the IP version or protocol */
	NODE_CHANGE_PORT, /* of: a side; second: the protocol */
	NODE_PUSH,	  /* a tag with ID `number` and priority `second` */
	NODE_OVER,	  /* `number` in a second; name: its unit, NULL: packets */
	NODE_BURST,	  /* name: its unit; NULL: none */
	NODE_EXPIRE,	  /* name: its unit; NULL: seconds */
	NODE_MAX,
	NODE_SAMPLE,
	NODE_ENCAP,	 /* of: the tunnel */
	NODE_ENCAP_WORD, /* of: an enum encap_word; second: of ENCAP_ID an enum tunnel_id */
	NODE_DECAP_MAC,	 /* of: a side */
	NODE_KINDS
};

/* Words behind encap. */
enum encap_word {
	ENCAP_ID,
	ENCAP_SRC,
	ENCAP_DST,
	ENCAP_ETH_SRC,
	ENCAP_ETH_DST,
	ENCAP_PORT,
	ENCAP_TTL,
	ENCAP_GBP,
	ENCAP_OPTION, /* of Geneve; values: class, type, data, each with its largest one */
	ENCAP_WORDS
};

/* An array in the set's memory that doubles. */
struct node_list {
	void *item;
	uint32_t n, room;
};

struct rule_node {
	enum node_kind kind;
	int of;
	struct source_range at;
	struct source_range ne; /* `!=` or `not` before the value; empty: neither */
	uint64_t number, second;
	struct source_range second_at;
	const char *name;
	const struct rule_net *net; /* an address */
	uint64_t mac;
	struct node_list list; /* of rule_value, rule_net or rule_range */
};

#endif
