/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_FLOW_H
#define DVX_FLOW_H

/*
 * Steering: which packets go where.
 *
 *	domain	what a function receives, or what it sends
 *	table	a stop on a packet's path, which starts in the table of level 0 (the root)
 *	matcher	which fields are compared (the mask), and before or after which other matchers
 *	rule	with which values, and what happens to a packet that has them (actions)
 *
 *	struct dvx_flow_match m = {0};
 *	dvx_flow_match_ipv4(&m, DVX_FLOW_OUTER, DVX_FLOW_DST, 0x0a000001, 32);
 *	dvx_flow_match_port(&m, DVX_FLOW_OUTER, DVX_FLOW_DST, DVX_FLOW_UDP, 53, 0xffff);
 *	dvx_flow_matcher_create(table, &(struct dvx_flow_matcher_attr){
 *		.size = sizeof(struct dvx_flow_matcher_attr), .match = &m}, &matcher);
 *	dvx_flow_rule_create(&(struct dvx_flow_rule_attr){ .size = ..., .matcher = matcher,
 *		.match = &m, .actions = &drop, .action_count = 1}, &rule);
 *
 * The root is kept by the kernel and the firmware, the other levels by this process (software
 * steering): they take far more rules a second, and are gone when the process ends. A rule
 * means the same in each level. Packets reach a table of another level than 0 only through a rule
 * of a lower level.
 *
 * A refusal names the field, or the capability that the device lacks: dvx_strerror() (cmd.h).
 * An object in use refuses to be destroyed (-EBUSY). A domain and its contents belong to one thread
 * at a time.
 *
 * The implementation is libmlx5's mlx5dv_dr; it does not appear in the API.
 */
#include <stdio.h>
#include <dvx/common.h>
#include <dvx/prm/match.h>

DVX_BEGIN_DECLS

struct ibv_qp;
struct dvx_rxq;
struct dvx_rss;
struct dvx_flow_domain;
struct dvx_flow_table;
struct dvx_flow_matcher;
struct dvx_flow_rule;
struct dvx_flow_action;
struct dvx_flow_counter;

/* ---- Domain ---- */

enum dvx_flow_side {
	/* Packets that this function receives. A miss in the root leads to the kernel's tables; in
	 * another level it drops the packet (libmlx5 arranges it so). */
	DVX_FLOW_RX = 0,
	/* Packets that this function sends. A miss lets them out. */
	DVX_FLOW_TX = 1,
};

enum dvx_flow_domain_flags {
	/* A second rule with the same values in a matcher is refused with -EEXIST (not in the
	   root). */
	DVX_FLOW_NO_DUPLICATES = 1 << 0,
};

struct dvx_flow_domain_attr {
	uint32_t size;
	uint32_t flags; /* enum dvx_flow_domain_flags */
	enum dvx_flow_side side;
};

/* -EOPNOTSUPP names the capability that is missing. Needs CAP_NET_RAW on a kernel's device. */
int dvx_flow_domain_create(struct dvx_dev *dev, const struct dvx_flow_domain_attr *attr,
			   struct dvx_flow_domain **out);
int dvx_flow_domain_destroy(struct dvx_flow_domain *domain);
/* Whether tables of other levels than 0 are possible: the device offers software steering. */
bool dvx_flow_domain_has_levels(const struct dvx_flow_domain *domain);
/* Waits until every rule inserted or deleted so far has taken effect, caches included. */
int dvx_flow_domain_sync(struct dvx_flow_domain *domain);
/*
 * Whether the device has more steering memory for levels other than 0, beside what libmlx5 already
 * took. When you insert many rules, ask about every thousand and stop a few thousand rules after a
 * no: libmlx5 44.0 crashes if memory ends while it grows a hash table.
 */
bool dvx_flow_domain_has_room(struct dvx_flow_domain *domain);
/*
 * Writes tables, matchers and rules with their steering entries: mlx5_steering_dump's CSV lines
 * (other levels than 0 only). The ids in it are those of dvx_flow_*_id().
 */
int dvx_flow_domain_dump(struct dvx_flow_domain *domain, FILE *to);

/* ---- Table ---- */

/* Level 0 is the root, of which a function has one. A rule may only lead to a table of a higher
 * level. */
int dvx_flow_table_create(struct dvx_flow_domain *domain, uint32_t level,
			  struct dvx_flow_table **out);
int dvx_flow_table_destroy(struct dvx_flow_table *table);
uint32_t dvx_flow_table_level(const struct dvx_flow_table *table);
uint64_t dvx_flow_table_id(const struct dvx_flow_table *table);
/* As dvx_flow_domain_dump(), of this table alone: its domain's lines come first. */
int dvx_flow_table_dump(struct dvx_flow_table *table, FILE *to);

/* ---- Match ---- */

/*
 * What a packet is compared with: it matches if (packet & mask) == value. Both are the PRM's
 * fte_match_param, big-endian, to be read and written with the accessors of dvx/prm/match.h, with
 * the functions below, or by a field's path. All zero matches everything.
 */
struct dvx_flow_match {
	uint8_t value[PRM_FTE_MATCH_PARAM_BYTES];
	uint8_t mask[PRM_FTE_MATCH_PARAM_BYTES];
};

/*
 * By the field's path in the PRM: "outer_headers.udp_dport", "misc_parameters.vxlan_vni",
 * "outer_headers.dst_ipv4_dst_ipv6.ipv4_layout.ipv4", "metadata_reg_c_0" (the part before the
 * dot may be left out where only one has the field). -ENOENT: no such field; -ERANGE: value or mask
 * has more bits than the field; -EINVAL: value has bits outside mask.
 */
int dvx_flow_match_set(struct dvx_flow_match *m, const char *field, uint64_t value, uint64_t mask);
int dvx_flow_match_get(const struct dvx_flow_match *m, const char *field, uint64_t *value,
		       uint64_t *mask);

enum dvx_flow_depth {
	DVX_FLOW_OUTER = 0,
	DVX_FLOW_INNER = 1, /* of a packet in a tunnel */
};

enum dvx_flow_end {
	DVX_FLOW_SRC = 0,
	DVX_FLOW_DST = 1,
};

enum dvx_flow_proto {
	DVX_FLOW_ICMP = 1,
	DVX_FLOW_TCP = 6,
	DVX_FLOW_UDP = 17,
	DVX_FLOW_ICMPV6 = 58,
};

/*
 * Set fields that depend on each other together. Each refuses (-EINVAL) what contradicts fields
 * that are set already, e.g. an IPv6 address beside an IPv4 one; setting a field again replaces its
 * value.
 */
/* mask NULL: all 48 bits. */
int dvx_flow_match_mac(struct dvx_flow_match *m, enum dvx_flow_depth depth, enum dvx_flow_end end,
		       const uint8_t mac[6], const uint8_t mask[6]);
/* 4 or 6. */
int dvx_flow_match_ip_version(struct dvx_flow_match *m, enum dvx_flow_depth depth, uint8_t version);
/* addr as a number (10.0.0.1 is 0x0a000001); prefix 0 to 32 (0: any IPv4). */
int dvx_flow_match_ipv4(struct dvx_flow_match *m, enum dvx_flow_depth depth, enum dvx_flow_end end,
			uint32_t addr, unsigned int prefix);
/* prefix 0 to 128 (0: any IPv6). */
int dvx_flow_match_ipv6(struct dvx_flow_match *m, enum dvx_flow_depth depth, enum dvx_flow_end end,
			const uint8_t addr[16], unsigned int prefix);
int dvx_flow_match_proto(struct dvx_flow_match *m, enum dvx_flow_depth depth, uint8_t ip_protocol);
/* DVX_FLOW_TCP or DVX_FLOW_UDP. mask 0: any port of that protocol. */
int dvx_flow_match_port(struct dvx_flow_match *m, enum dvx_flow_depth depth, enum dvx_flow_end end,
			enum dvx_flow_proto proto, uint16_t port, uint16_t mask);
/* A packet with a (customer) VLAN tag; vid_mask up to 0xfff (-ERANGE), 0: any. */
int dvx_flow_match_vlan(struct dvx_flow_match *m, enum dvx_flow_depth depth, uint16_t vid,
			uint16_t vid_mask);

/*
 * "outer_headers.udp_dport=53/0xffff ...": each field under the mask. Writes at most size bytes
 * with a terminating 0; returns the length of the whole text.
 */
size_t dvx_flow_match_print(const struct dvx_flow_match *m, char *buf, size_t size);

/* A value under a mask; a range is split into several. */
struct dvx_flow_prefix {
	uint64_t value;
	uint64_t mask;
};

/* The most prefixes that a range of `width` bits needs: 30 for ports. */
#define DVX_FLOW_PREFIXES(width) ((width) > 1 ? 2 * (size_t)(width)-2 : 1)

/*
 * The fewest prefixes that cover first..last (both included) of a field of `width` bits (1..64), in
 * ascending order, at most max of them are written. Returns how many there are; 0 if first > last,
 * or if last has more than `width` bits.
 */
size_t dvx_flow_range(uint64_t first, uint64_t last, unsigned int width,
		      struct dvx_flow_prefix *out, size_t max);

/* ---- Matcher ---- */

struct dvx_flow_matcher_attr {
	uint32_t size;
	uint32_t priority; /* lower is tried first; 0 to 65535, in the root 0 to 15 */
	/*
	 * Its mask says what the rules compare. Its value is only a hint and may be zero:
	 * ip_version 4 or 6 promises that all rules have that version.
	 */
	const struct dvx_flow_match *match;
	uint32_t expected_rules; /* a hint that some devices use; 0: none */
	uint32_t reserved;
};

/*
 * -EINVAL and -EOPNOTSUPP name the field. Refused are (in every level alike): source_port under a
 * mask that is not all ones; ip_version under a mask that is not 0xf; addresses without ip_version;
 * TCP or UDP ports without ip_protocol under 0xff; TCP and UDP ports together.
 */
int dvx_flow_matcher_create(struct dvx_flow_table *table, const struct dvx_flow_matcher_attr *attr,
			    struct dvx_flow_matcher **out);
int dvx_flow_matcher_destroy(struct dvx_flow_matcher *matcher);
/*
 * To the device, rules of both IP versions are two matchers: `version` 4 or 6 selects one, 0 takes
 * whichever exists. Returns 0 if there is none.
 */
uint64_t dvx_flow_matcher_id(const struct dvx_flow_matcher *matcher, uint8_t version);

/* ---- Action ---- */

/* An action belongs to a domain, and can be used by any number of its rules. */
/* The packet is discarded. */
int dvx_flow_action_create_drop(struct dvx_flow_domain *domain, struct dvx_flow_action **out);
/* The packet goes where one that matches no rule goes: see enum dvx_flow_side. */
int dvx_flow_action_create_default(struct dvx_flow_domain *domain, struct dvx_flow_action **out);
/* dvx_cqe_flow_tag() of the completion will be `tag`, 24 bits. RX only. */
int dvx_flow_action_create_tag(struct dvx_flow_domain *domain, uint32_t tag,
			       struct dvx_flow_action **out);
/* Counts the packet in counter number `index` of `counter`. Any number of rules may share it. */
int dvx_flow_action_create_count(struct dvx_flow_domain *domain, struct dvx_flow_counter *counter,
				 uint32_t index, struct dvx_flow_action **out);
/* The packet goes on to a table of a higher level. */
int dvx_flow_action_create_table(struct dvx_flow_domain *domain, struct dvx_flow_table *table,
				 struct dvx_flow_action **out);
/*
 * From another level back to the root, to its rules of this priority and later. Use it for packets
 * that should go to the kernel's tables or to other programs' rules. -EOPNOTSUPP: a kernel before
 * 6.0 has no steering anchors.
 */
int dvx_flow_action_create_root(struct dvx_flow_domain *domain, uint32_t priority,
				struct dvx_flow_action **out);
/* To a receive queue, or to one of several by hash (rxq.h), or to a verbs raw packet QP. RX only.
 */
int dvx_flow_action_create_queue(struct dvx_flow_domain *domain, struct dvx_rxq *rxq,
				 struct dvx_flow_action **out);
int dvx_flow_action_create_rss(struct dvx_flow_domain *domain, struct dvx_rss *rss,
			       struct dvx_flow_action **out);
int dvx_flow_action_create_qp(struct dvx_flow_domain *domain, struct ibv_qp *ibqp,
			      struct dvx_flow_action **out);
int dvx_flow_action_destroy(struct dvx_flow_action *action);
/* The id in dvx_flow_domain_dump(); 0 as long as no rule below the root has the action. */
uint64_t dvx_flow_action_id(const struct dvx_flow_action *action);

/* ---- Rewrites ---- */

#define DVX_FLOW_MAX_REWRITES  32u
#define DVX_FLOW_REWRITE_BYTES 8u

/*
 * Changes of a packet's fields, in order: PRM set_add_copy_action_in_auto. Begin with all zero. The
 * functions append, or refuse and leave the list as it was.
 */
struct dvx_flow_rewrites {
	uint32_t count;
	uint32_t reserved;
	uint8_t action[DVX_FLOW_MAX_REWRITES][DVX_FLOW_REWRITE_BYTES];
};

/*
 * Fields have the names that dvx_flow_match_set() knows ("outer_headers.tcp_dport",
 * "metadata_reg_c_0"); the time to live has one for each IP version, "ipv4_ttl" and
 * "ipv6_hop_limit". Of a packet in a tunnel, the outermost headers are rewritten. -ENOENT: no such
 * field; -EOPNOTSUPP: no device rewrites it, or adds to it; -ERANGE: the value or the bits are
 * not within the field; -E2BIG: the list is full.
 */
int dvx_flow_rewrite_set(struct dvx_flow_rewrites *list, const char *field, uint32_t value);
/* Sets `bits` bits of the field from `bit` on, counted from the low end; the others stay. */
int dvx_flow_rewrite_set_bits(struct dvx_flow_rewrites *list, const char *field, uint32_t bit,
			      uint32_t bits, uint32_t value);
/* The field wraps: 0xff subtracts 1 from ipv4_ttl. Devices add to ipv4_ttl, ipv6_hop_limit,
 * outer_tcp_seq_num and outer_tcp_ack_num only. */
int dvx_flow_rewrite_add(struct dvx_flow_rewrites *list, const char *field, uint32_t value);
/* Bits are counted from the low end. */
int dvx_flow_rewrite_copy(struct dvx_flow_rewrites *list, const char *to, uint32_t to_bit,
			  const char *from, uint32_t from_bit, uint32_t bits);
/* What dvx_flow_match_mac(), ipv4(), ipv6() and port() match. */
int dvx_flow_rewrite_mac(struct dvx_flow_rewrites *list, enum dvx_flow_end end,
			 const uint8_t mac[6]);
int dvx_flow_rewrite_ipv4(struct dvx_flow_rewrites *list, enum dvx_flow_end end, uint32_t addr);
int dvx_flow_rewrite_ipv6(struct dvx_flow_rewrites *list, enum dvx_flow_end end,
			  const uint8_t addr[16]);
int dvx_flow_rewrite_port(struct dvx_flow_rewrites *list, enum dvx_flow_end end,
			  enum dvx_flow_proto proto, uint16_t port);

/*
 * Rewrites the packet; the device updates the checksums of IPv4, TCP and UDP. A rule's match must
 * say that its packets have the fields (-EINVAL names it): ip_version, ip_protocol, a VLAN tag.
 */
int dvx_flow_action_create_modify(struct dvx_flow_domain *domain,
				  const struct dvx_flow_rewrites *list,
				  struct dvx_flow_action **out);

/* Copies the list of such an action, which libmlx5's dump does not have. -EINVAL: it is another
 * action. */
int dvx_flow_action_rewrites(const struct dvx_flow_action *action, struct dvx_flow_rewrites *list);

/* ---- VLAN tags and tunnels ---- */

/*
 * Adds a VLAN tag behind the MAC addresses: ethertype 0x8100 or 0x88a8, and priority, DEI and VLAN
 * as the tag has them (16 bits). A rule adds two at most; the second one is the outer one. Not in
 * the root.
 */
int dvx_flow_action_create_push_vlan(struct dvx_flow_domain *domain, uint16_t ethertype,
				     uint16_t tci, struct dvx_flow_action **out);
/* Removes the first VLAN tag, which the match must say the packet has; or two, if it is twice in a
 * rule. Not in the root. */
int dvx_flow_action_create_pop_vlan(struct dvx_flow_domain *domain, struct dvx_flow_action **out);
/*
 * Removes a tunnel's headers. l2: the packet inside has an Ethernet header (VXLAN, NVGRE, Geneve).
 * l3: it has none and gets this one, of 14 bytes or, with a VLAN tag, 18 (GRE, IP in IP). Match
 * the tunnel: a packet without one is lost. RX only.
 */
int dvx_flow_action_create_decap_l2(struct dvx_flow_domain *domain, struct dvx_flow_action **out);
int dvx_flow_action_create_decap_l3(struct dvx_flow_domain *domain, const void *header,
				    uint32_t bytes, struct dvx_flow_action **out);

/* ---- Several destinations ---- */

/*
 * A destination: the packet goes to each of n members, 2 or more, which are queue, rss, qp or table
 * actions, e.g. to its queue and to one that mirrors. RX only.
 */
int dvx_flow_action_create_array(struct dvx_flow_domain *domain,
				 struct dvx_flow_action *const *members, uint32_t n,
				 struct dvx_flow_action **out);

/* ---- Counter ---- */

struct dvx_flow_count {
	uint64_t packets;
	uint64_t bytes; /* of whole frames without their FCS [I] */
};

/*
 * `n` counters (at least; 0 is 1) that are made, read and destroyed together, numbered from 0: one
 * bulk of up to 2048, or several. -EOPNOTSUPP: the device has no bulks (flow_counter_bulk_alloc).
 */
int dvx_flow_counter_create(struct dvx_dev *dev, uint32_t n, struct dvx_flow_counter **out);
/* Counters first .. first + n - 1, into out[0..n-1]. */
int dvx_flow_counter_query(struct dvx_flow_counter *counter, uint32_t first, uint32_t n,
			   struct dvx_flow_count *out);
int dvx_flow_counter_destroy(struct dvx_flow_counter *counter);
uint32_t dvx_flow_counter_size(const struct dvx_flow_counter *counter);

/* ---- Rule ---- */

#define DVX_FLOW_MAX_ACTIONS 16u

struct dvx_flow_rule_attr {
	uint32_t size;
	uint32_t action_count; /* 1 to DVX_FLOW_MAX_ACTIONS */
	struct dvx_flow_matcher *matcher;
	/* The values. Its mask must be the matcher's, or all zero. */
	const struct dvx_flow_match *match;
	/* In any order: at most one decap, two pops, one modify, two pushes, one tag, one count,
	 * and one destination (drop, default, table, root, queue, rss, qp, array), which is
	 * mandatory. They happen in this order. */
	struct dvx_flow_action *const *actions;
};

/* The rule takes effect some time after the call, at the end of dvx_flow_domain_sync() at the
   latest; so does its end. */
int dvx_flow_rule_create(const struct dvx_flow_rule_attr *attr, struct dvx_flow_rule **out);
int dvx_flow_rule_destroy(struct dvx_flow_rule *rule);
uint64_t dvx_flow_rule_id(const struct dvx_flow_rule *rule);

/* ---- Many rules ---- */

struct dvx_flow_bulk {
	uint32_t size;
	uint32_t every; /* rules from one call of progress to the next; 0: 1024 */
	/* The rules, as an array ... */
	const struct dvx_flow_rule_attr *attrs;
	/*
	 * ... or one by one: fills in *attr for rule i (all zero except its size) and returns 0, or
	 * a negative errno to cancel the whole insertion. The sentence of an error that libdvx
	 * returned inside is kept. Pointers in *attr must stay valid until the next call.
	 */
	int (*next)(void *arg, size_t i, struct dvx_flow_rule_attr *attr);
	/* Called with the number of rules inserted; nonzero ends the insertion (-ECANCELED). */
	int (*progress)(void *arg, size_t done);
	void *arg;
};

/*
 * All n rules or none: if one is refused, those before it are deleted again, dvx_strerror() begins
 * with "rule 17: ", and rules[] is unchanged. The device sees them one by one: to exchange rules
 * at once, insert the new ones into a table that no packet reaches, and lead there with one rule.
 */
int dvx_flow_rules_insert(const struct dvx_flow_bulk *bulk, size_t n, struct dvx_flow_rule **rules);
/*
 * Deletes rules[0..n-1], the last one first, and sets each to NULL; skips NULL. A rule that the
 * device refuses to delete stays in rules[], the others are deleted. Returns the first refusal.
 */
int dvx_flow_rules_delete(struct dvx_flow_rule **rules, size_t n);

DVX_END_DECLS

#endif
