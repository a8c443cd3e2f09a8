/* SPDX-License-Identifier: BSD-2-Clause */
/* Matches: each sets fields or headers of the rule, or of the group behind `not`. */
#include <inttypes.h>

#include "build.h"
#include "compile.h"
#include "words.h"

#define PROTO_GRE 47

void build_level(struct rule_build *b, bool inner)
{
	build_group_end(b);
	b->is_inner = inner;
	b->h = inner ? &b->inner : &b->rule.outer;
	b->context = CONTEXT_NONE;
}

/* --- fields ---------------------------------------------------------------------------------- */

/* Returns whether packets of the rule's direction have the field. */
static bool field_is_possible(struct rule_build *b, const struct rule_node *n)
{
	if (n->of == KEY_VPORT && !rule_dirs[b->rule.dir].from_vport)
		node_mistake(
			b, n,
			"vport is the origin of incoming packets; this rule is for outgoing ones");
	else if (n->of == KEY_SQN && !rule_dirs[b->rule.dir].sqn)
		node_mistake(b, n,
			     "sqn is the send queue of outgoing packets; this rule is for "
			     "incoming ones");
	else
		return n->list.n;
	return false;
}

static void match_field(struct rule_build *b, const struct rule_node *n)
{
	if (field_is_possible(b, n))
		build_set_values(b, n, (enum rule_key)n->of, &n->list);
}

static void match_tos(struct rule_build *b, const struct rule_node *n)
{
	uint64_t mask = n->second == UINT64_MAX ? 0xff : n->second;

	if (n->number > 0xff || mask > 0xff || !mask) {
		node_mistake(b, n, "a TOS is 0 to 255, its mask 1 to 255");
		return;
	}
	if (mask >> 2)
		build_set_field(b, &n->at, KEY_DSCP, n->number >> 2, mask >> 2);
	if (mask & 3)
		build_set_field(b, &n->at, KEY_ECN, n->number & 3, mask & 3);
}

/* --- layers ---------------------------------------------------------------------------------- */

static void match_ip(struct rule_build *b, const struct rule_node *n)
{
	build_set_ip(b, &n->at, (uint8_t)n->of);
}

static void set_ethertype(struct rule_build *b, const struct rule_node *n, uint64_t type)
{
	if (type == 0x8100 || type == 0x88a8)
		node_mistake(b, n, "the EtherType behind all VLAN tags is compared; write %s",
			     type == 0x8100 ? "vlan" : "svlan");
	else if (type < 0x600 || type > 0xffff)
		node_mistake(b, n, "an EtherType is 0x600 to 0xffff, not 0x%" PRIx64, type);
	else if (b->h->ip && type != TYPE_MPLS && build_type_version(type) != b->h->ip)
		node_mistake(b, n, "EtherType 0x%04" PRIx64 " in a rule that said %s before", type,
			     build_ip_name(b->h->ip));
	else
		build_set_value(b, n, KEY_ETHERTYPE, type);
}

static void match_ethertype(struct rule_build *b, const struct rule_node *n)
{
	set_ethertype(b, n, n->number);
}

/* Sets the protocol. A rule may name the same one twice (`tcp ... proto 6`). */
static void set_proto(struct rule_build *b, const struct rule_node *n, uint64_t proto)
{
	bool negated = build_group_of_value(b, n);

	build_set_field(b, &n->at, KEY_PROTO, proto, 0xff);
	if (proto == 1 || proto == 58) {
		b->context = proto == 1 ? CONTEXT_ICMP : CONTEXT_ICMP6;
		build_set_ip(b, &n->at, proto == 1 ? 4 : 6);
	}
	if (negated) {
		b->group.chain = true;
		b->group.scope = SCOPE_L4;
		build_group_end(b);
	}
}

static void match_proto(struct rule_build *b, const struct rule_node *n)
{
	set_proto(b, n, n->number);
}

static void match_protocol(struct rule_build *b, const struct rule_node *n)
{
	uint64_t v = n->number;
	bool type = n->name ? ethertype_number(n->name, &v) : v >= 0x600;

	build_group_target(b, type ? SCOPE_ONE : SCOPE_L4, !type);
	if (type)
		set_ethertype(b, n, v);
	else if (n->name && !proto_number(n->name, &v))
		node_mistake(b, n, "no protocol is called \"%s\"; give its number", n->name);
	else
		set_proto(b, n, v);
}

static bool only_outer(struct rule_build *b, const struct source_range *at, const char *name)
{
	if (b->is_inner)
		parse_mistake(b->ps, at, "%s is compared in the outer headers only", name);
	return !b->is_inner;
}

static void set_icmp(struct rule_build *b, const struct rule_node *n, enum rule_key key,
		     uint64_t value)
{
	if (only_outer(b, &n->at, match_keys[key].noun))
		build_set_value(b, n, key, value);
}

static void match_type(struct rule_build *b, const struct rule_node *n)
{
	bool v6 = b->context == CONTEXT_ICMP6, eth = b->context == CONTEXT_ETH;
	uint64_t v = n->number;

	build_group_target(b, eth ? SCOPE_ONE : SCOPE_L4, false);
	if (b->context == CONTEXT_NONE)
		node_mistake(b, n,
			     "type needs a protocol before it: eth type, icmp type or icmp6 type");
	else if (n->name && !(eth ? ethertype_number(n->name, &v) : icmp_number(n->name, v6, &v)))
		node_mistake(b, n, "no %s is called \"%s\"; give its number",
			     eth  ? "EtherType"
			     : v6 ? "ICMPv6 type"
				  : "ICMP type",
			     n->name);
	else if (eth)
		set_ethertype(b, n, v);
	else
		set_icmp(b, n, v6 ? KEY_ICMP6_TYPE : KEY_ICMP_TYPE, v);
}

static void match_code(struct rule_build *b, const struct rule_node *n)
{
	bool v6 = b->context == CONTEXT_ICMP6;

	if (v6 || b->context == CONTEXT_ICMP)
		set_icmp(b, n, v6 ? KEY_ICMP6_CODE : KEY_ICMP_CODE, n->number);
	else
		node_mistake(b, n, "code belongs behind icmp or icmp6");
}

static void match_any(struct rule_build *b, const struct rule_node *n)
{
	if (b->group.active && b->group.empty)
		node_mistake(b, n, "no packet matches not any");
	build_group_target(b, SCOPE_ONE, false);
}

static void match_level(struct rule_build *b, const struct rule_node *n)
{
	build_level(b, n->of);
	b->has_inner |= n->of;
}

static void match_eth(struct rule_build *b, const struct rule_node *n)
{
	(void)n;
	if (!b->group.empty)
		build_group_end(b);
	b->context = CONTEXT_ETH;
}

/* --- VLAN tags ------------------------------------------------------------------------------- */

/* Returns the second tag's key for one of the first tag. */
static enum rule_key second_tag(enum rule_key key)
{
	_Static_assert(KEY_VLAN_PCP - KEY_CVLAN == KEY_VLAN2_PCP - KEY_CVLAN2, "the same order");
	return (enum rule_key)(key + KEY_CVLAN2 - KEY_CVLAN);
}

static bool has_bit(const struct rule_build *b, enum rule_key key)
{
	return build_field(&b->fields, build_key(b, key))->value || build_field_here(b, key)->value;
}

/* Returns how many VLAN tags the rule names so far at this level, negated or not. */
static unsigned int vlan_tags(const struct rule_build *b)
{
	return has_bit(b, KEY_CVLAN2) || has_bit(b, KEY_SVLAN2) ? 2
	       : has_bit(b, KEY_CVLAN) || has_bit(b, KEY_SVLAN) ? 1
								: 0;
}

/* Adds a tag of this kind; 0: there is no first tag. */
static void set_tag(struct rule_build *b, const struct source_range *at, enum rule_key kind)
{
	unsigned int tags = vlan_tags(b);

	if (tags > 1) {
		parse_mistake(b->ps, at, "a rule names at most two VLAN tags");
	} else if (kind) {
		build_set_field(b, at, tags ? second_tag(kind) : kind, 1, 1);
	} else {
		build_set_field(b, at, KEY_CVLAN, 0, 1);
		build_set_field(b, at, KEY_SVLAN, 0, 1);
	}
}

static void match_tag(struct rule_build *b, const struct rule_node *n)
{
	_Static_assert(KEY_CVLAN && KEY_SVLAN, "0 is no kind of tag");
	set_tag(b, &n->at, (enum rule_key)n->of);
}

static void no_second_tag(struct rule_build *b, const struct rule_node *n)
{
	if (b->group.active) {
		node_mistake(b, n, "num_of_vlans cannot be negated");
		return;
	}
	build_set_field(b, &n->at, KEY_CVLAN2, 0, 1);
	build_set_field(b, &n->at, KEY_SVLAN2, 0, 1);
}

/* Takes a number of tags, which the words before it may name, too; or 0-1: no second tag. */
static void match_tags(struct rule_build *b, const struct rule_node *n)
{
	uint64_t tags = n->number;

	if (n->second != UINT64_MAX && (tags != 0 || n->second != 1))
		node_mistake(b, n, "num_of_vlans is 0, 1, 2 or 0-1");
	else if (n->second != UINT64_MAX)
		no_second_tag(b, n);
	else if (tags > 2)
		node_mistake(b, n, "the device sees two VLAN tags");
	else if (!tags)
		set_tag(b, &n->at, 0);
	else if (vlan_tags(b) != tags)
		node_mistake(b, n, "num_of_vlans %u belongs behind %s, which say the tags' types",
			     (unsigned int)tags,
			     tags == 1 ? "vlan or svlan" : "two words vlan or svlan");
	else if (tags == 1)
		no_second_tag(b, n);
}

static void match_native(struct rule_build *b, const struct rule_node *n)
{
	if (b->group.active)
		node_mistake(b, n, "native cannot be negated: write `vlan != 0'");
	else if (only_outer(b, &n->at, "native"))
		b->rule.native = true;
}

static void match_tag_field(struct rule_build *b, const struct rule_node *n)
{
	enum rule_key key = (enum rule_key)n->of;
	unsigned int tags;

	if (n->number && !vlan_tags(b) && !build_field_here(b, KEY_CVLAN)->mask)
		set_tag(b, &n->at, KEY_CVLAN);
	tags = vlan_tags(b);
	if (!tags)
		node_mistake(b, n, "%s belongs behind vlan or svlan", match_keys[key].noun);
	else
		build_set_values(b, n, tags > 1 ? second_tag(key) : key, &n->list);
}

/* --- addresses and ports --------------------------------------------------------------------- */

static void match_nets(struct rule_build *b, const struct rule_node *n)
{
	static const char *const names[] = {"source", "destination", "host"};
	bool negated = build_group_of_value(b, n);
	struct rule_nets *p = n->of == SIDE_SRC	  ? &b->h->src
			      : n->of == SIDE_DST ? &b->h->dst
						  : &b->h->host;
	const struct rule_net *net = n->list.item;

	if (negated && n->list.n)
		b->h->ip = net->family;
	if (p->n)
		node_mistake(b, n,
			     "a second %s address in one rule; if it may be either, write a list: "
			     "10.0.0.0/8,192.168.0.0/16",
			     names[n->of]);
	*p = (struct rule_nets){net, n->list.n, build_location(b, &n->at)};
	if (negated)
		build_group_end(b);
}

static void match_ports(struct rule_build *b, const struct rule_node *n)
{
	bool negated = build_group_of_value(b, n);
	struct rule_ports *p = n->of == SIDE_SRC   ? &b->h->sport
			       : n->of == SIDE_DST ? &b->h->dport
						   : &b->h->port;

	if (p->n)
		node_mistake(b, n,
			     "a second list of these ports in one rule; write them as one: 80,443");
	*p = (struct rule_ports){n->list.item, (uint32_t)ranges_merge(n->list.item, n->list.n),
				 build_location(b, &n->at)};
	if (negated)
		build_group_end(b);
}

/* --- tunnels and labels ---------------------------------------------------------------------- */

/* Sets the fields that show what a tunnel over GRE carries, by which its kinds differ. */
static void match_gre_kind(struct rule_build *b, const struct rule_node *n,
			   const struct tunnel_row *t)
{
	build_set_field(b, &n->at, t->inside, t->value[INSIDE_ETHERNET], 0xffff);
	if (!t->id_optional)
		build_set_field(b, &n->at, KEY_GRE_HAS_KEY, 1, 1);
}

static void match_tunnel(struct rule_build *b, const struct rule_node *n)
{
	enum node_tunnel tunnel = (enum node_tunnel)n->of;
	const struct tunnel_row *t = &tunnel_rows[tunnel];

	if (only_outer(b, &n->at, "a tunnel") && b->tunnel && b->tunnel != tunnel &&
	    !b->group.active)
		node_mistake(b, n, "a packet is in one tunnel; the rule said %s before",
			     tunnel_rows[b->tunnel].name);
	b->tunnel = tunnel;
	b->group.names_tunnel = b->group.active;
	set_proto(b, n, t->protocol);
	if (t->protocol == PROTO_GRE)
		match_gre_kind(b, n, t);
}

/* Makes a list's values those of the field that has the number above other bits. */
static void match_shift(struct rule_build *b, const struct rule_node *n, const struct tunnel_row *t)
{
	const struct tunnel_id_row *id = &tunnel_ids[t->id];
	struct rule_value *v = n->list.item;

	for (size_t i = 0; i < n->list.n && t->low; i++) {
		if (v[i].mask == UINT64_MAX)
			v[i].mask = id->max;
		if (v[i].value > id->max || v[i].mask > id->max)
			node_mistake(b, n, "a %s is 0 to %" PRIu64 ", not %" PRIu64, id->noun,
				     id->max, v[i].value);
		v[i].value <<= t->low;
		v[i].mask <<= t->low;
	}
}

static void match_tunnel_id(struct rule_build *b, const struct rule_node *n)
{
	const struct tunnel_row *t = &tunnel_rows[b->tunnel];

	if (n->of == TUNNEL_TEID && b->tunnel != TUNNEL_GTPU) {
		node_mistake(b, n, "teid belongs behind gtpu");
	} else if (n->of == TUNNEL_VNI && (!b->tunnel || t->id != TUNNEL_VNI)) {
		node_mistake(b, n, "vni belongs behind vxlan, vxlan-gpe, geneve or nvgre");
	} else if (t->no_id) {
		node_mistake(b, n, "%s", t->no_id);
	} else {
		if (t->id == TUNNEL_KEY)
			build_set_field(b, &n->at, KEY_GRE_HAS_KEY, 1, 1);
		match_shift(b, n, t);
		build_set_values(b, n, t->key, &n->list);
	}
}

static void match_oam(struct rule_build *b, const struct rule_node *n)
{
	if (b->tunnel != TUNNEL_GENEVE)
		node_mistake(b, n, "oam is a bit of Geneve's header; it belongs behind geneve");
	else
		build_set_field(b, &n->at, KEY_GENEVE_OAM, n->number, 1);
}

/* Compares the bit that shows a group policy, too: without it the word's other half is reserved. */
static void match_gbp(struct rule_build *b, const struct rule_node *n)
{
	struct rule_value *v = n->list.item;

	if (b->tunnel != TUNNEL_VXLAN)
		node_mistake(b, n, "gbp is the group policy of VXLAN; it belongs behind vxlan");
	for (size_t i = 0; i < n->list.n; i++) {
		v[i].mask = v[i].mask == UINT64_MAX ? VXLAN_GBP_MAX : v[i].mask;
		if (v[i].value > VXLAN_GBP_MAX || v[i].mask > VXLAN_GBP_MAX)
			node_mistake(b, n, "a group policy is 0 to %u, not %" PRIu64, VXLAN_GBP_MAX,
				     v[i].value);
		v[i].value |= VXLAN_HAS_GBP;
		v[i].mask |= VXLAN_HAS_GBP;
	}
	if (b->tunnel == TUNNEL_VXLAN)
		build_set_values(b, n, KEY_VXLAN_GBP, &n->list);
}

/* Returns the option's number in struct rule; 0: a mistake was reported. */
static uint32_t match_option_kind(struct rule_build *b, const struct rule_node *n)
{
	uint32_t kind = (uint32_t)(n->number << 16 | n->second << 8 | 1);

	if (b->tunnel != TUNNEL_GENEVE)
		node_mistake(b, n, "options are Geneve's; they belong behind geneve");
	else if (n->number > 0xffff)
		node_mistake(b, n, "an option's class is 0 to 0xffff, not 0x%" PRIx64, n->number);
	else if (n->second > 0xff)
		node_mistake(b, n, "an option's type is 0 to 0xff, not 0x%" PRIx64, n->second);
	else if (b->option && b->option != kind)
		node_mistake(b, n,
			     "the device looks for one option: all rules compare that of class "
			     "0x%x, type 0x%x (line %u)",
			     b->option >> 16, b->option >> 8 & 0xff, b->option_line);
	else
		return kind;
	return 0;
}

/* Takes an option. The device has 0 for packets that lack it, so a value of 0 is refused. */
static void match_option(struct rule_build *b, const struct rule_node *n)
{
	uint32_t kind = match_option_kind(b, n);
	const struct rule_value *v = n->list.item;

	for (size_t i = 0; kind && i < n->list.n; i++)
		if (!(v[i].value & v[i].mask)) {
			node_mistake(b, n,
				     "packets without the option match this, too: the device "
				     "compares its data only; name data other than 0");
			return;
		}
	if (!kind)
		return;
	b->option_line = b->option ? b->option_line : n->at.line;
	b->rule.option = b->option = kind;
	build_set_values(b, n, KEY_GENEVE_OPTION, &n->list);
}

static void match_gre_key(struct rule_build *b, const struct rule_node *n)
{
	if (!only_outer(b, &n->at, "a GRE key"))
		return;
	build_set_field(b, &n->at, KEY_PROTO, PROTO_GRE, 0xff);
	build_set_field(b, &n->at, KEY_GRE_HAS_KEY, 1, 1);
	build_set_values(b, n, KEY_GRE_KEY, &n->list);
}

static void match_mpls(struct rule_build *b, const struct rule_node *n)
{
	set_ethertype(b, &(struct rule_node){.at = n->at}, TYPE_MPLS);
	if (n->of)
		build_set_values(b, n, (enum rule_key)n->of, &n->list);
}

/* --- nodes ----------------------------------------------------------------------------------- */

static void take_count(struct rule_build *b, const struct rule_node *n)
{
	if (!b->rule.count)
		b->rule.count_at = build_location(b, &n->at);
	b->rule.count = true;
}

/* `scope`: the header that a match belongs to. Nodes without one choose it themselves. */
static const struct {
	void (*take)(struct rule_build *b, const struct rule_node *n);
	enum build_scope scope;
	bool word; /* it names the header */
} nodes[NODE_KINDS] = {
	[NODE_NOT] = {build_not},
	[NODE_ANY] = {match_any},
	[NODE_LEVEL] = {match_level},
	[NODE_ETH] = {match_eth},
	[NODE_ETHERTYPE] = {match_ethertype, SCOPE_ONE},
	[NODE_TYPE] = {match_type},
	[NODE_CODE] = {match_code, SCOPE_L4},
	[NODE_TAG] = {match_tag, SCOPE_VLAN, true},
	[NODE_UNTAGGED] = {match_tag, SCOPE_ONE},
	[NODE_NATIVE] = {match_native, SCOPE_ONE},
	[NODE_TAGS] = {match_tags, SCOPE_ONE},
	[NODE_TAG_FIELD] = {match_tag_field, SCOPE_VLAN},
	[NODE_IP] = {match_ip, SCOPE_ONE},
	[NODE_IP_ALSO] = {match_ip},
	[NODE_NETS] = {match_nets},
	[NODE_FIELD] = {match_field, SCOPE_ONE},
	[NODE_FLOWLABEL] = {match_field},
	[NODE_FLAGS] = {match_field, SCOPE_L4},
	[NODE_PROTO] = {match_proto, SCOPE_L4, true},
	[NODE_PROTOCOL] = {match_protocol},
	[NODE_TOS] = {match_tos, SCOPE_ONE},
	[NODE_PORTS] = {match_ports, SCOPE_L4},
	[NODE_TUNNEL] = {match_tunnel, SCOPE_L4, true},
	[NODE_TUNNEL_ID] = {match_tunnel_id, SCOPE_L4},
	[NODE_OAM] = {match_oam, SCOPE_L4},
	[NODE_GBP] = {match_gbp, SCOPE_L4},
	[NODE_OPTION] = {match_option, SCOPE_L4},
	[NODE_GRE_KEY] = {match_gre_key, SCOPE_L4},
	[NODE_CT] = {build_ct, SCOPE_ONE},
	[NODE_MPLS] = {match_mpls, SCOPE_MPLS, true},
	[NODE_MPLS_FIELD] = {match_mpls, SCOPE_MPLS},
	[NODE_QUEUE] = {build_queue},
	[NODE_TO_VPORT] = {build_to_vport},
	[NODE_RSS] = {build_rss},
	[NODE_RSS_ON] = {build_rss_on},
	[NODE_RSS_KEY] = {build_rss_key},
	[NODE_GOTO] = {build_goto},
	[NODE_MARK] = {build_mark},
	[NODE_COUNT] = {take_count},
	[NODE_NAME] = {build_name},
	[NODE_CHANGE] = {build_change},
	[NODE_CHANGE_PORT] = {build_change_port},
	[NODE_PUSH] = {build_push},
	[NODE_OVER] = {build_over},
	[NODE_BURST] = {build_burst},
	[NODE_EXPIRE] = {build_expire},
	[NODE_MAX] = {build_max},
	[NODE_SAMPLE] = {build_sample},
	[NODE_ENCAP] = {build_encap},
	[NODE_ENCAP_WORD] = {build_encap_word},
	[NODE_DECAP_MAC] = {build_decap_mac},
};

void build_add(struct rule_build *b, const struct rule_node *n)
{
	build_group_target(b, nodes[n->kind].scope, nodes[n->kind].word);
	nodes[n->kind].take(b, n);
}
