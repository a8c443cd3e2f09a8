/* SPDX-License-Identifier: BSD-2-Clause */
/* A rule while the grammar reads it. Each call takes the place it came from, for its mistakes. */
#ifndef DVX_FLOW_DRAFT_H
#define DVX_FLOW_DRAFT_H

#include <stdarg.h>

#include "arena.h"
#include "rule.h"

/* From the first character to the last one; bytes count from the text's start. */
struct place {
	uint32_t first_line, first_column, last_line, last_column;
	size_t first_byte, end_byte;
};

struct draft_ports {
	struct rule_range *range;
	size_t n, room;
};

struct draft_nets {
	struct rule_prefix *prefix;
	size_t n, room;
};

struct address {
	struct rule_prefix ip; /* family 0: it is a MAC */
	uint64_t mac, mac_mask;
};

/* Who `type` and `code` belong to. */
enum draft_context { CONTEXT_NONE, CONTEXT_ETH, CONTEXT_ICMP, CONTEXT_ICMP6 };

/* Who `vni` belongs to. */
enum draft_tunnel { TUNNEL_NONE, TUNNEL_VXLAN, TUNNEL_GPE, TUNNEL_GENEVE, TUNNELS };

#define TYPE_MPLS 0x8847

struct draft {
	/* the text and what comes of it */
	const char *text;
	size_t len;
	struct ruleset *set;
	size_t room;
	mistake_fn tell;
	void *tell_arg;
	int mistakes;
	bool no_memory, ended;
	/* the rule under way */
	struct rule rule;
	struct rule_field field[RULE_KEYS]; /* mask 0: not said */
	enum draft_context context;
	enum draft_tunnel tunnel;
	struct rule_headers inner;
	struct rule_headers *h; /* whose headers the words are about: the rule's outer, or inner */
	bool bad, has_queue;
	bool asks_inner;	  /* the word stood there */
	struct draft_ports ports; /* the lists under way */
	struct draft_nets nets;
	uint64_t flags, flags_mask;
};

void draft_mistake(struct draft *d, const struct place *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* How a rule remembers a place. */
struct spot draft_spot(const struct draft *d, const struct place *at);

void draft_begin(struct draft *d, const struct place *at, enum rule_verdict verdict, bool count);
void draft_direction(struct draft *d, const struct place *at, enum rule_dir dir);
void draft_end(struct draft *d, const struct place *at);

/* Words from here on are about the headers inside a tunnel, or about the outer ones. */
void draft_level(struct draft *d, bool inner);
bool draft_inner(const struct draft *d);
/* What was said of a key so far, at this level. */
struct rule_field *draft_said(struct draft *d, enum rule_key key);

const char *draft_ip_name(uint8_t version);

/* Matches. */
void draft_field(struct draft *d, const struct place *at, enum rule_key key, uint64_t value,
		 uint64_t mask);
void draft_ethertype(struct draft *d, const struct place *at, uint64_t type);
/* tc's word: an EtherType by its name or number (ip, arp, 0x88cc), else an IP protocol (tcp, 6). */
void draft_protocol(struct draft *d, const struct place *at, const char *name, uint64_t value);
void draft_proto(struct draft *d, const struct place *at, uint64_t proto);
void draft_vport(struct draft *d, const struct place *at, uint64_t vport);
void draft_sqn(struct draft *d, const struct place *at, uint64_t sqn);
void draft_tos(struct draft *d, const struct place *at, uint64_t value, uint64_t mask);
void draft_ip(struct draft *d, const struct place *at, uint8_t version);
void draft_vlan(struct draft *d, const struct place *at, bool customer, bool provider);
/* vlan_id and vlan_prio need no vlan before them, as in tc. */
void draft_vlan_word(struct draft *d, const struct place *at, bool says_vlan);
void draft_vlan_part(struct draft *d, const struct place *at, enum rule_key key, uint64_t value);
void draft_type(struct draft *d, const struct place *at, const char *name, uint64_t value);
void draft_code(struct draft *d, const struct place *at, uint64_t value);
void draft_flag(struct draft *d, const struct place *at, const char *name, bool set);
void draft_flags(struct draft *d, const struct place *at);

/* Tunnels and labels. */
void draft_tunnel(struct draft *d, const struct place *at, enum draft_tunnel tunnel);
void draft_vni(struct draft *d, const struct place *at, uint64_t value, uint64_t mask);
void draft_oam(struct draft *d, const struct place *at, uint64_t value);
void draft_gre_key(struct draft *d, const struct place *at, uint64_t value, uint64_t mask);
void draft_mpls(struct draft *d, const struct place *at);
void draft_mpls_part(struct draft *d, const struct place *at, enum rule_key key, uint64_t value);
/* UDP to the tunnel's port, if the rule does not say so itself. */
void draft_settle_tunnel(struct draft *d, const struct place *at);
/* An EtherType was named behind which there is no IP. */
bool draft_not_ip(struct draft *d);
/* A packet without a tunnel does not meet what is said of the inner headers. */
void draft_settle_inner(struct draft *d, const struct place *at);
bool draft_says_inner(const struct draft *d);
/* False, after a mistake: no device compares this of the inner headers. */
bool draft_only_outer(struct draft *d, const struct place *at, const char *name);

enum draft_side { SIDE_SRC, SIDE_DST, SIDE_EITHER };
void draft_mac(struct draft *d, const struct place *at, enum draft_side side,
	       const struct address *a);
/* Takes the list that draft_net() gathered. */
void draft_net_list(struct draft *d, const struct place *at, enum draft_side side);
void draft_net(struct draft *d, const struct place *at, const struct address *a);
/* Takes the list that draft_range() gathered. */
void draft_port_list(struct draft *d, const struct place *at, enum draft_side side);
void draft_range(struct draft *d, const struct place *at, uint64_t first, uint64_t last);
uint64_t draft_service(struct draft *d, const struct place *at, const char *name);

/* A prefix length behind an address; what an address can't be. */
void draft_prefix(struct draft *d, const struct place *at, struct address *a, uint64_t bits);
void draft_mac_mask(struct draft *d, const struct place *at, struct address *a, uint64_t mask);

/* What becomes of the packet. */
void draft_queue(struct draft *d, const struct place *at, uint64_t queue);
void draft_tag(struct draft *d, const struct place *at, uint64_t tag);
void draft_count(struct draft *d, const struct place *at);

#endif
