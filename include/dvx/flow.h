/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_FLOW_H
#define DVX_FLOW_H

/*
 * Steering: rules that decide where packets go.
 *
 *	domain	one direction: the packets that a function receives (RX), or sends (TX), or all
 *		that the e-switch switches (FDB)
 *	table	a list of matchers; a packet starts in the table of level 0 (the root)
 *	matcher	the mask of the fields that its rules compare, and a priority in the table
 *	rule	the values of these fields, and actions for packets that have them
 *
 *	struct dvx_flow_match m = {0};
 *	dvx_flow_match_ipv4(&m, DVX_FLOW_OUTER, DVX_FLOW_DST, 0x0a000001, 32);
 *	dvx_flow_match_port(&m, DVX_FLOW_OUTER, DVX_FLOW_DST, DVX_FLOW_UDP, 53, 0xffff);
 *	dvx_flow_matcher_create(table, &(struct dvx_flow_matcher_attr){
 *		.size = sizeof(struct dvx_flow_matcher_attr), .match = &m}, &matcher);
 *	dvx_flow_rule_create(&(struct dvx_flow_rule_attr){ .size = ..., .matcher = matcher,
 *		.match = &m, .actions = &drop, .action_count = 1}, &rule);
 *
 * The kernel and the firmware keep the root. This process keeps the other levels (software
 * steering): they take far more rules a second, and are gone when the process ends. A rule means
 * the same in each level. Packets reach a table of another level than 0 only through a rule of a
 * lower level.
 *
 * The sentence of an error names the field, or the capability that the device lacks: dvx_strerror()
 * (cmd.h). Objects in use can't be destroyed (-EBUSY). A domain and its contents belong to one
 * thread at a time.
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
	/* Packets that this function receives. One that misses all rules of the root goes to the
	 * kernel's tables; one that misses in another level is dropped (by libmlx5). */
	DVX_FLOW_RX = 0,
	/* Packets that this function sends. One that misses all rules is sent. */
	DVX_FLOW_TX = 1,
	/*
	 * Packets that functions send to the e-switch, and that it receives from its uplink (the
	 * wire). Only on the function that manages the e-switch, in switchdev mode. One that misses
	 * goes to that function. Rules of level 0 only drop, or lead to tables.
	 */
	DVX_FLOW_FDB = 2,
};

enum dvx_flow_domain_flags {
	/* A second rule with the same values in a matcher fails with -EEXIST (not in the root). */
	DVX_FLOW_NO_DUPLICATES = 1 << 0,
	/*
	 * Hardware steering: the device finds the place of a rule that a request writes (hws.h).
	 * -EOPNOTSUPP on devices without it; RX and TX only.
	 */
	DVX_FLOW_HARDWARE = 1 << 1,
};

struct dvx_flow_domain_attr {
	uint32_t size;
	uint32_t flags; /* enum dvx_flow_domain_flags */
	enum dvx_flow_side side;
};

/* Needs CAP_NET_RAW on a kernel's device. -EOPNOTSUPP: its sentence names what the device lacks. */
int dvx_flow_domain_create(struct dvx_dev *dev, const struct dvx_flow_domain_attr *attr,
			   struct dvx_flow_domain **out);
int dvx_flow_domain_destroy(struct dvx_flow_domain *domain);
/* Tells whether the device has software steering, and so tables of other levels than 0. */
bool dvx_flow_domain_has_levels(const struct dvx_flow_domain *domain);
/* Waits until every rule inserted or deleted so far has taken effect, caches included. */
int dvx_flow_domain_sync(struct dvx_flow_domain *domain);
/*
 * Tells whether the device has free steering memory for levels other than 0, beside the memory that
 * libmlx5 already took. When you insert many rules, ask about every thousand, and stop at most a
 * few thousand rules after the answer is no: libmlx5 44.0 crashes if memory ends while it grows a
 * hash table.
 */
bool dvx_flow_domain_has_room(struct dvx_flow_domain *domain);
/*
 * Writes tables, matchers and rules with their steering entries: mlx5_steering_dump's CSV lines
 * (levels other than 0 only). dvx_flow_*_id() return the ids in it.
 */
int dvx_flow_domain_dump(struct dvx_flow_domain *domain, FILE *to);

/* ---- Table ---- */

/* Level 0 is the root, one table per function. Rules can only lead to tables of higher levels. */
int dvx_flow_table_create(struct dvx_flow_domain *domain, uint32_t level,
			  struct dvx_flow_table **out);
int dvx_flow_table_destroy(struct dvx_flow_table *table);
uint32_t dvx_flow_table_level(const struct dvx_flow_table *table);
uint64_t dvx_flow_table_id(const struct dvx_flow_table *table);
/* Writes this table alone as dvx_flow_domain_dump() does, after the lines of its domain. */
int dvx_flow_table_dump(struct dvx_flow_table *table, FILE *to);

/* ---- Match ---- */

/*
 * Values and masks of a packet's fields: a packet matches if (packet & mask) == value. Both are the
 * PRM's fte_match_param, big-endian; set fields with the functions below or the accessors of
 * dvx/prm/match.h. All zero matches every packet.
 */
struct dvx_flow_match {
	uint8_t value[PRM_FTE_MATCH_PARAM_BYTES];
	uint8_t mask[PRM_FTE_MATCH_PARAM_BYTES];
};

/*
 * Set and read a field by its path in the PRM: "outer_headers.udp_dport",
 * "misc_parameters.vxlan_vni", "outer_headers.dst_ipv4_dst_ipv6.ipv4_layout.ipv4",
 * "metadata_reg_c_0" (the part before the dot may be left out if the rest is unique). -ENOENT: no
 * such field; -ERANGE: value or mask has more bits than the field; -EINVAL: value has bits outside
 * mask.
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
 * These functions set a field together with those that it depends on. -EINVAL: it contradicts a
 * field that is set already, e.g. an IPv6 address beside an IPv4 one. Setting a field again
 * replaces its value.
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
/* Matches packets with a (customer) VLAN tag; vid_mask is at most 0xfff (-ERANGE), 0: any. */
int dvx_flow_match_vlan(struct dvx_flow_match *m, enum dvx_flow_depth depth, uint16_t vid,
			uint16_t vid_mask);

/* ---- Vports: the e-switch's ends ---- */

/* VF n is vport n + 1; SFs have numbers that the device chooses. */
enum dvx_flow_vport {
	DVX_FLOW_PF = 0,	  /* of the host */
	DVX_FLOW_ECPF = 0xfffe,	  /* of the DPU's own cores */
	DVX_FLOW_UPLINK = 0xffff, /* the wire */
};

/* Finds a vport's number by its name: "pf", "ecpf", "uplink", "vf0" ... -ENOENT: no such name. */
int dvx_flow_vport_number(const char *name, uint32_t *vport);
/* Writes a vport's name, as snprintf() does; "vport 40000" if the number can be an SF's. */
size_t dvx_flow_vport_name(uint32_t vport, char *buf, size_t size);
/* Matches packets that come from a vport; in RX and FDB domains. */
int dvx_flow_match_vport(struct dvx_flow_match *m, uint32_t vport);

/*
 * Prints each field under the mask: "outer_headers.udp_dport=53/0xffff ...". Writes at most `size`
 * bytes, including a terminating 0; returns the length of the whole text without it.
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
 * Splits first..last (both included) of a field of `width` bits (1..64) into the fewest prefixes,
 * and writes up to `max` of them in ascending order. Returns how many there are; 0 if first > last,
 * or if last has more than `width` bits.
 */
size_t dvx_flow_range(uint64_t first, uint64_t last, unsigned int width,
		      struct dvx_flow_prefix *out, size_t max);

/* ---- Matcher ---- */

struct dvx_flow_matcher_attr {
	uint32_t size;
	uint32_t priority; /* lower is tried first; 0 to 65535, in the root 0 to 15 */
	/*
	 * The rules compare the fields of its mask. Its value may be zero; an ip_version of 4 or 6
	 * there promises that all rules have that version.
	 */
	const struct dvx_flow_match *match;
	uint32_t expected_rules; /* a hint that some devices use; 0: none */
	uint32_t reserved;
};

/*
 * -EINVAL and -EOPNOTSUPP: the sentence names the field. In every level, these masks are refused:
 * source_port not all ones; ip_version not 0xf; addresses without ip_version; TCP or UDP ports
 * without an ip_protocol of 0xff; TCP and UDP ports together.
 */
int dvx_flow_matcher_create(struct dvx_flow_table *table, const struct dvx_flow_matcher_attr *attr,
			    struct dvx_flow_matcher **out);
int dvx_flow_matcher_destroy(struct dvx_flow_matcher *matcher);
/*
 * Returns the matcher's id in the dump, 0 if it has none. On the device, a matcher with rules of
 * both IP versions is two matchers: `version` 4 or 6 selects one, 0 takes the one that exists.
 */
uint64_t dvx_flow_matcher_id(const struct dvx_flow_matcher *matcher, uint8_t version);

/* ---- Action ---- */

/*
 * An action belongs to a domain; any number of the domain's rules can use it. The functions below
 * create one each.
 */
/* Discards the packet. */
int dvx_flow_action_create_drop(struct dvx_flow_domain *domain, struct dvx_flow_action **out);
/* Treats the packet as one that matches no rule: see enum dvx_flow_side. */
int dvx_flow_action_create_default(struct dvx_flow_domain *domain, struct dvx_flow_action **out);
/* Sets dvx_cqe_flow_tag() of the completion to `tag`, 24 bits. RX only. */
int dvx_flow_action_create_tag(struct dvx_flow_domain *domain, uint32_t tag,
			       struct dvx_flow_action **out);
/* Counts the packet in counter number `index` of `counter`. Any number of rules may share it. */
int dvx_flow_action_create_count(struct dvx_flow_domain *domain, struct dvx_flow_counter *counter,
				 uint32_t index, struct dvx_flow_action **out);
/* Sends the packet to a table of a higher level. */
int dvx_flow_action_create_table(struct dvx_flow_domain *domain, struct dvx_flow_table *table,
				 struct dvx_flow_action **out);
/*
 * Sends the packet from another level back to the root, to the rules with this priority and later
 * ones. Use it for packets that should go to the kernel's tables or to other programs' rules. Not
 * in the FDB.
 * -EOPNOTSUPP: the kernel has no steering anchors (6.0 and later have them).
 */
int dvx_flow_action_create_root(struct dvx_flow_domain *domain, uint32_t priority,
				struct dvx_flow_action **out);
/* Send the packet to a receive queue, to one of several by hash (rxq.h), to a verbs QP. RX only. */
int dvx_flow_action_create_queue(struct dvx_flow_domain *domain, struct dvx_rxq *rxq,
				 struct dvx_flow_action **out);
int dvx_flow_action_create_rss(struct dvx_flow_domain *domain, struct dvx_rss *rss,
			       struct dvx_flow_action **out);
int dvx_flow_action_create_qp(struct dvx_flow_domain *domain, struct ibv_qp *ibqp,
			      struct dvx_flow_action **out);
/* Sends the packet to the function of a vport, or to the wire. FDB only, not in the root. */
int dvx_flow_action_create_vport(struct dvx_flow_domain *domain, uint32_t vport,
				 struct dvx_flow_action **out);
int dvx_flow_action_destroy(struct dvx_flow_action *action);
/* Returns the id in dvx_flow_domain_dump(); 0 until a rule outside the root has the action. */
uint64_t dvx_flow_action_id(const struct dvx_flow_action *action);

/* ---- Rewrites ---- */

#define DVX_FLOW_MAX_REWRITES  32u
#define DVX_FLOW_REWRITE_BYTES 8u

/*
 * A list of changes of a packet's fields, made in this order: PRM set_add_copy_action_in_auto.
 * Begin with all zero. The functions below append a change; on errors the list is unchanged.
 */
struct dvx_flow_rewrites {
	uint32_t count;
	uint32_t reserved;
	uint8_t action[DVX_FLOW_MAX_REWRITES][DVX_FLOW_REWRITE_BYTES];
};

/*
 * Sets a field. Fields have the names that dvx_flow_match_set() takes ("outer_headers.tcp_dport",
 * "metadata_reg_c_0"); the time to live has one name for each IP version, "ipv4_ttl" and
 * "ipv6_hop_limit". In a tunnelled packet, the outermost headers are rewritten. -ENOENT: no such
 * field; -EOPNOTSUPP: no device rewrites it, or adds to it; -ERANGE: the value or the bits are not
 * within the field; -E2BIG: the list is full.
 */
int dvx_flow_rewrite_set(struct dvx_flow_rewrites *list, const char *field, uint32_t value);
/* Sets `bits` bits of the field from `bit` on, counted from the low end; the others stay. */
int dvx_flow_rewrite_set_bits(struct dvx_flow_rewrites *list, const char *field, uint32_t bit,
			      uint32_t bits, uint32_t value);
/* Adds to a field, modulo its size: 0xff subtracts 1 from ipv4_ttl. Devices add to ipv4_ttl,
 * ipv6_hop_limit, outer_tcp_seq_num and outer_tcp_ack_num only. */
int dvx_flow_rewrite_add(struct dvx_flow_rewrites *list, const char *field, uint32_t value);
/* Copies `bits` bits from one field to another. Bits are counted from the low end. */
int dvx_flow_rewrite_copy(struct dvx_flow_rewrites *list, const char *to, uint32_t to_bit,
			  const char *from, uint32_t from_bit, uint32_t bits);
/* Set the field that dvx_flow_match_mac(), _ipv4(), _ipv6() or _port() matches. */
int dvx_flow_rewrite_mac(struct dvx_flow_rewrites *list, enum dvx_flow_end end,
			 const uint8_t mac[6]);
int dvx_flow_rewrite_ipv4(struct dvx_flow_rewrites *list, enum dvx_flow_end end, uint32_t addr);
int dvx_flow_rewrite_ipv6(struct dvx_flow_rewrites *list, enum dvx_flow_end end,
			  const uint8_t addr[16]);
int dvx_flow_rewrite_port(struct dvx_flow_rewrites *list, enum dvx_flow_end end,
			  enum dvx_flow_proto proto, uint16_t port);

/*
 * Rewrites the packet; the device updates the checksums of IPv4, TCP and UDP. The rule must match
 * ip_version, ip_protocol or a VLAN tag, so that all its packets have the fields; if not,
 * dvx_flow_rule_create() fails with -EINVAL, and the sentence names what is missing.
 */
int dvx_flow_action_create_modify(struct dvx_flow_domain *domain,
				  const struct dvx_flow_rewrites *list,
				  struct dvx_flow_action **out);

/* Copies the list of a modify action, which libmlx5's dump lacks. -EINVAL: another action. */
int dvx_flow_action_rewrites(const struct dvx_flow_action *action, struct dvx_flow_rewrites *list);

/* ---- VLAN tags and tunnels ---- */

/*
 * Adds a VLAN tag behind the MAC addresses: ethertype is 0x8100 or 0x88a8, tci is the tag's 16 bits
 * of priority, DEI and VLAN. A rule can add two tags, of which the second becomes the outer one.
 * Not in the root.
 */
int dvx_flow_action_create_push_vlan(struct dvx_flow_domain *domain, uint16_t ethertype,
				     uint16_t tci, struct dvx_flow_action **out);
/* Removes the first VLAN tag, which the rule must match; twice in a rule it removes two. Not in the
 * root. */
int dvx_flow_action_create_pop_vlan(struct dvx_flow_domain *domain, struct dvx_flow_action **out);
/*
 * Removes a tunnel's headers. l2: the inner packet has an Ethernet header (VXLAN, NVGRE, Geneve).
 * l3: the inner packet has none (GRE, IP in IP) and gets `header`, 14 bytes or, with a VLAN tag,
 * 18. The rule must match the tunnel: other packets are lost. RX; FDB, if the rule matches the
 * uplink as the source.
 */
int dvx_flow_action_create_decap_l2(struct dvx_flow_domain *domain, struct dvx_flow_action **out);
int dvx_flow_action_create_decap_l3(struct dvx_flow_domain *domain, const void *header,
				    uint32_t bytes, struct dvx_flow_action **out);
/*
 * Puts a tunnel's header in front of the packet. `header` is all of it, from the outer Ethernet
 * header to the tunnel's own, an even number of bytes. The device fills in lengths, IPv4's
 * identification and checksum, and a UDP source port that is the same for the packets of a flow;
 * the rest stays as given. l2: the packet's Ethernet header stays inside (VXLAN, NVGRE, Geneve).
 * l3: it goes (GRE, IP in IP); a packet that is not IP is lost. TX and FDB; on devices with
 * steering_format_version 0, an FDB rule must match a vport other than the uplink.
 */
int dvx_flow_action_create_encap_l2(struct dvx_flow_domain *domain, const void *header,
				    uint32_t bytes, struct dvx_flow_action **out);
int dvx_flow_action_create_encap_l3(struct dvx_flow_domain *domain, const void *header,
				    uint32_t bytes, struct dvx_flow_action **out);

/* ---- Several destinations ---- */

/*
 * A destination: sends a copy of the packet to each of n >= 2 members, e.g. to its queue and to one
 * that captures packets. In RX domains they are queue, rss, qp or table actions, in FDB domains
 * vport or table actions.
 */
int dvx_flow_action_create_array(struct dvx_flow_domain *domain,
				 struct dvx_flow_action *const *members, uint32_t n,
				 struct dvx_flow_action **out);
/*
 * A destination: sends the packet to a table, as dvx_flow_action_create_table() does, and before
 * that a copy of one packet in `ratio`, chosen at random, to `to`: in RX domains a queue, rss or qp
 * action, in FDB domains a vport action. Not in the root. -EOPNOTSUPP also in the FDB of devices
 * with steering_format_version 0.
 */
int dvx_flow_action_create_sample(struct dvx_flow_domain *domain, uint32_t ratio,
				  struct dvx_flow_action *to, struct dvx_flow_table *table,
				  struct dvx_flow_action **out);

/* ---- Counter ---- */

struct dvx_flow_count {
	uint64_t packets;
	uint64_t bytes; /* of whole frames without their FCS [I] */
};

/*
 * Makes at least `n` counters (0: 1), numbered from 0, in one or several bulks of the device, each
 * of up to 2048. -EOPNOTSUPP: the device has no bulks (flow_counter_bulk_alloc).
 */
int dvx_flow_counter_create(struct dvx_dev *dev, uint32_t n, struct dvx_flow_counter **out);
/* Reads the counters first .. first + n - 1 into out[0..n-1]. */
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
	/* In any order: at most one decap, two pops, one modify, two pushes, one encap, one tag,
	 * one count, one meter, hit or connection (aso.h), and exactly one destination (drop,
	 * default, table, root, queue, rss, qp, vport, array, sample). The device executes them in this
	 * order. */
	struct dvx_flow_action *const *actions;
};

/*
 * Both take effect some time after the call, at the latest when dvx_flow_domain_sync() returns.
 * That call fails if the device has refused one since.
 */
int dvx_flow_rule_create(const struct dvx_flow_rule_attr *attr, struct dvx_flow_rule **out);
int dvx_flow_rule_destroy(struct dvx_flow_rule *rule);
uint64_t dvx_flow_rule_id(const struct dvx_flow_rule *rule);

/* ---- Many rules ---- */

struct dvx_flow_bulk {
	uint32_t size;
	uint32_t every; /* rules between two calls of progress(); 0: 1024 */
	/* The rules, as an array ... */
	const struct dvx_flow_rule_attr *attrs;
	/*
	 * ... or a function that fills in *attr (all zero except its size) for rule i and returns
	 * 0, or a negative errno to cancel the whole insertion. If that errno came from a libdvx
	 * call, dvx_strerror() keeps its sentence. Pointers in *attr must stay valid until the next
	 * call.
	 */
	int (*next)(void *arg, size_t i, struct dvx_flow_rule_attr *attr);
	/* Called with the number of rules inserted; nonzero ends the insertion (-ECANCELED). */
	int (*progress)(void *arg, size_t done);
	void *arg;
};

/*
 * Inserts all n rules or none: if one fails, those before it are deleted again, dvx_strerror()
 * begins with "rule 17: ", and rules[] is unchanged. Rules take effect one by one: to exchange
 * rules at once, insert the new ones into a table that no packet reaches, then add one rule that
 * leads there.
 */
int dvx_flow_rules_insert(const struct dvx_flow_bulk *bulk, size_t n, struct dvx_flow_rule **rules);
/*
 * Deletes rules[0..n-1], the last one first, and sets each to NULL; skips NULL. A rule whose
 * deletion fails stays in rules[], the others are deleted. Returns the first error.
 */
int dvx_flow_rules_delete(struct dvx_flow_rule **rules, size_t n);

DVX_END_DECLS

#endif
