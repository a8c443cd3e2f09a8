/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes entries as commands "tc filter add ... flower ... action ...". */
#include <inttypes.h>

#include "entry.h"
#include "tc.h"

/* A packet's types, as tc names them: the filter's protocol is the first one's type. */
struct tc_tags {
	const char *type[2]; /* of each tag; NULL: no tag */
	const char *behind;  /* the EtherType behind the tags; NULL: it is not compared */
	int ip;		     /* its version; 0: another type */
};

static const char tc_q[] = "802.1Q", tc_ad[] = "802.1ad";

/* Returns the kind of a tag: 802.1Q, 802.1ad or none (""); NULL: the entry does not compare it. */
static const char *tc_tag_kind(struct entry *e, unsigned int cvlan, unsigned int svlan)
{
	int type = entry_take_tag(e, cvlan, svlan);

	return type < 0 ? NULL : type == 0x8100 ? tc_q : type ? tc_ad : "";
}

/* --- matches ---------------------------------------------------------------------------------- */

/* Returns the EtherType behind the tags; NULL: the entry does not compare it. */
static const char *tc_ethertype(struct entry *e, char *text, size_t size)
{
	uint64_t v;

	if (entry_has(e, MATCH_IP_VERSION, 4) || entry_has(e, MATCH_IP_VERSION, 6)) {
		entry_take(e, MATCH_IP_VERSION, &v);
		if (entry_has(e, KEY_ETHERTYPE, v == 4 ? 0x0800 : 0x86dd))
			e->mask[KEY_ETHERTYPE] = 0;
		return v == 4 ? "ip" : "ipv6";
	}
	if (!entry_take(e, KEY_ETHERTYPE, &v))
		return NULL;
	if (v == 0x8847)
		return "mpls_uc";
	snprintf(text, size, "0x%" PRIx64, v);
	return text;
}

void tc_put_tag(struct entry *e, const struct row *row, unsigned int key)
{
	if (e->tags->type[row->what > SLOT_TAG2])
		tc_put_number(e, row, key);
}

/* Writes the type of what follows a tag. */
void tc_put_ethtype(struct entry *e, const struct row *row, unsigned int key)
{
	const struct tc_tags *tags = e->tags;
	const char *next = row->arg == 1 && tags->type[1] ? tags->type[1] : tags->behind;

	if (tags->type[row->arg - 1] && next)
		fprintf(e->out, " %s %s", row->names, next);
}

void tc_put_mac(struct entry *e, const struct row *row, unsigned int key)
{
	uint64_t v, m;

	if (!entry_take_masked(e, key, &v, &m))
		return;
	fprintf(e->out, " %s ", row->names);
	mac_print(e->out, v);
	if (m == match_key_max(key))
		return;
	fputc('/', e->out);
	mac_print(e->out, m);
}

void tc_put_proto(struct entry *e, const struct row *row, unsigned int key)
{
	static const struct {
		uint64_t number;
		const char *name;
	} protos[] = {{1, "icmp"}, {6, "tcp"}, {17, "udp"}, {58, "icmpv6"}, {132, "sctp"}};
	uint64_t v;
	size_t i = 0;

	if (!e->tags->ip || !entry_take(e, key, &v))
		return;
	while (i < 5 && protos[i].number != v)
		i++;
	if (i < 5)
		fprintf(e->out, " %s %s", row->names, protos[i].name);
	else
		fprintf(e->out, " %s 0x%" PRIx64, row->names, v);
}

void tc_put_tos(struct entry *e, const struct row *row, unsigned int key)
{
	uint64_t v, m;

	if (e->tags->ip && entry_take_tos(e, &v, &m))
		fprintf(e->out, " %s 0x%" PRIx64 "/0x%" PRIx64, row->names, v, m);
}

void tc_put_fragment(struct entry *e, const struct row *row, unsigned int key)
{
	uint64_t v;

	if (e->tags->ip && entry_take(e, key, &v))
		fprintf(e->out, " %s %s", row->names, v ? "frag" : "nofrag");
}

void tc_put_flags(struct entry *e, const struct row *row, unsigned int key)
{
	uint64_t v, m;

	if (e->tags->ip && entry_take_masked(e, key, &v, &m))
		fprintf(e->out, " %s 0x%" PRIx64 "/0x%" PRIx64, row->names, v & m, m);
}

void tc_put_address(struct entry *e, const struct row *row, unsigned int key)
{
	struct entry before = *e;
	struct entry_address a;

	if (!e->tags->ip || !entry_take_address(e, key, e->tags->ip, &a))
		return;
	if (a.bits < 0) {
		/* Puts the keys back. */
		*e = before;
		return;
	}
	fprintf(e->out, " %s ", row->names);
	address_print(e->out, e->tags->ip, a.addr);
	fprintf(e->out, "/%d", a.bits);
}

void tc_put_number(struct entry *e, const struct row *row, unsigned int key)
{
	uint64_t v;

	if (entry_take(e, key, &v))
		fprintf(e->out, " %s %" PRIu64, row->names, v);
}

/* Writes a number, or one under a mask, which tc reads as hexadecimal or in any base. */
void tc_put_masked(struct entry *e, const struct row *row, unsigned int key)
{
	uint64_t v, m;

	tc_put_number(e, row, key);
	if (entry_take_masked(e, key, &v, &m))
		fprintf(e->out,
			key == KEY_TTL ? " %s %" PRIu64 "/0x%" PRIx64 : " %s %" PRIu64 "/%" PRIu64,
			row->names, v & m, m);
}

/* --- actions ---------------------------------------------------------------------------------- */

/* Writes `csum` with the protocols that have a checksum over the changed fields. */
static void tc_put_csum(struct entry *e, unsigned int sums)
{
	static const char *const names[] = {"ip4h", "tcp", "udp", "icmp"};
	const char *joint = " action csum ";

	for (int i = 0; i < 4; i++)
		if (sums >> i & 1) {
			fprintf(e->out, "%s%s", joint, names[i]);
			joint = " and ";
		}
	if (sums)
		fputs(" pipe", e->out);
}

/* Writes one change of pedit. NULL: the rule does not have it. */
static void tc_put_edit(struct entry *e, const struct row *row, const struct rule_change *c,
			bool *begun)
{
	int layer = (int)strcspn(row->names, ".");

	if (!c)
		return;
	fprintf(e->out, "%s munge %.*s %.*s ", *begun ? "" : " action pedit ex", layer, row->names,
		(int)strcspn(row->names + layer + 1, " "), row->names + layer + 1);
	fputs(c->kind == CHANGE_DEC_TTL ? "dec" : "set ", e->out);
	if (c->kind == CHANGE_DSCP)
		fprintf(e->out, "0x%x retain 0xfc", c->value << 2);
	else
		change_print(e->out, c);
	*begun = true;
}

static void tc_put_edits(struct entry *e, int64_t proto)
{
	unsigned int sums = 0;
	bool begun = false;

	for (const struct row *row = tc_munges; row->names; row++) {
		const struct rule_change *c = entry_change(e, row->what), *dec = NULL;
		unsigned int of = c && c->of ? c->of : e->tags->ip == 6 ? 6 : 4;

		if (row->arg && row->arg != of)
			continue;
		if (row->what == CHANGE_TTL)
			dec = entry_change(e, CHANGE_DEC_TTL);
		tc_put_edit(e, row, c, &begun);
		tc_put_edit(e, row, dec, &begun);
		sums |= c || dec ? tc_sums_of(row) : 0;
	}
	if (begun)
		fputs(" pipe", e->out);
	tc_put_csum(e, sums & tc_sums(proto));
}

static void tc_put_actions(struct entry *e, int64_t proto)
{
	const struct rule_change *c;

	if (e->rule->verdict == RULE_DROP) {
		fputs(" action drop\n", e->out);
		return;
	}
	if (entry_change(e, CHANGE_POP))
		fputs(" action vlan pop pipe", e->out);
	tc_put_edits(e, proto);
	if ((c = entry_change(e, CHANGE_VLAN)))
		fprintf(e->out, " action vlan modify id %u pipe", c->value);
	if ((c = entry_change(e, CHANGE_PUSH)))
		fprintf(e->out, " action vlan push id %u priority %u pipe", c->value & 0xfff,
			c->value >> 13);
	if (e->rule->encap) {
		fputs(" action tunnel_key set", e->out);
		entry_put_encap(e, tc_encaps);
		fputs(" nocsum pipe", e->out);
	}
	if (rule_has_vport(e->rule))
		fprintf(e->out,
			e->rule->verdict == RULE_MIRROR
				? " action mirred egress mirror dev %s continue\n"
				: " action mirred egress redirect dev %s\n",
			e->to);
	else
		fputs(" action pass\n", e->out);
}

/* --- all --------------------------------------------------------------------------------------- */

/* Finds the interface of the tunnel whose next hop the rule names. */
static bool tc_take_tunnel(struct entry *e)
{
	const struct rule_encap *t = e->rule->encap;

	return e->rule->vport == DVX_FLOW_UPLINK && *e->from &&
	       iface_tunnel_name(e->ports, (enum node_tunnel)t->tunnel, t->eth_src, t->eth_dst,
				 e->to, sizeof(e->to));
}

/* Returns whether tc can do all that the rule does. */
static bool tc_can(struct entry *e)
{
	const struct rule_change *c;

	if (e->rule->dir == RULE_OUT)
		return entry_refuse(
			e, e->rule->dir_at,
			"tc's egress filters see the kernel's packets, not those of this "
			"function's own queues");
	if (e->rule->dir == RULE_SWITCH && !entry_take_from(e, true))
		return false;
	if (rule_has_queue(e->rule))
		return entry_refuse(e, e->rule->queue_at, "tc has no queues of dvx-flow's daemon");
	if (e->rule->sample)
		return entry_refuse(e, e->rule->sample_at,
				    "tc copies samples to a program (psample), not to a vport");
	if ((c = entry_change(e, CHANGE_DECAP)))
		return entry_refuse(e, c->at, "tc ends a tunnel on the tunnel's own interface");
	if ((c = entry_change(e, CHANGE_ENCAP)) && !tc_take_tunnel(e))
		return entry_refuse(e, c->at,
				    "tc begins a tunnel on the tunnel's own interface: --port "
				    "NAME=uplink,SRC,DST gives one with these MACs");
	if ((c = entry_change(e, CHANGE_VLAN)) && e->mask[KEY_SVLAN])
		return entry_refuse(e, c->at,
				    "tc's `vlan modify' would make the tag one of 802.1Q");
	return true;
}

/* Sets the filter's preference: each rule has its own, and each protocol of the rule. */
static bool tc_priority(struct export_state *state, struct entry *e, const char *protocol)
{
	if (state->priority && state->rule == e->number && !strcmp(state->protocol, protocol))
		return true;
	state->rule = e->number;
	snprintf(state->protocol, sizeof(state->protocol), "%s", protocol);
	if (++state->priority <= 65535)
		return true;
	return entry_refuse(e, e->rule->at, "tc has 65535 preferences, and these rules need more");
}

/* Writes a filter of the entry for packets with these tags. */
static bool tc_filter_write(struct export_state *state, struct entry *e, const struct tc_tags *tags)
{
	const char *protocol = tags->type[0] ? tags->type[0] : tags->behind ? tags->behind : "all";
	int64_t proto = e->mask[KEY_PROTO] ? (int64_t)e->value[KEY_PROTO] : -1;
	struct entry copy = *e;

	copy.tags = tags;
	if (tc_priority(state, &copy, protocol)) {
		fprintf(e->out, "tc filter add dev %s ingress protocol %s prio %u flower",
			*e->from    ? e->from
			: e->netdev ? e->netdev
				    : "eth0",
			protocol, state->priority);
		for (const struct row *row = tc_keys; row->names; row++)
			entry_put(&copy, row);
		tc_put_actions(&copy, proto);
		if (entry_done(&copy, "tc"))
			return true;
	}
	e->at = copy.at;
	memcpy(e->why, copy.why, sizeof(e->why));
	return false;
}

/*
 * Writes the entry for one kind of the first or second tag, or, if it compares the type but not the
 * tag, for each: tc's type may be a tag's.
 */
static bool tc_write_tag(struct export_state *state, struct entry *e, struct tc_tags *tags,
			 const char *const kind[2], int tag)
{
	const char *const each[] = {NULL, tc_q, tc_ad};
	bool all = tag < 2 && !kind[tag] && tags->behind && (!tag || tags->type[0]);

	if (tag == 2)
		return tc_filter_write(state, e, tags);
	for (size_t i = 0; i < (all ? 3u : 1u); i++) {
		tags->type[tag] = all ? each[i] : kind[tag] && *kind[tag] ? kind[tag] : NULL;
		if (!tc_write_tag(state, e, tags, kind, tag + 1))
			return false;
	}
	return true;
}

static bool tc_write(struct export_state *state, struct entry *e)
{
	struct tc_tags tags = {.ip = 0};
	const struct rule_change *c;
	const char *kind[2];
	char text[16];

	if (!tc_can(e))
		return false;
	kind[0] = tc_tag_kind(e, KEY_CVLAN, KEY_SVLAN);
	kind[1] = tc_tag_kind(e, KEY_CVLAN2, KEY_SVLAN2);
	tags.behind = tc_ethertype(e, text, sizeof(text));
	if (tags.behind && !strncmp(tags.behind, "ip", 2))
		tags.ip = tags.behind[2] ? 6 : 4;
	if ((c = entry_change(e, CHANGE_DSCP)) && tags.ip != 4)
		return entry_refuse(e, c->at, "tc changes the DSCP of IPv4 packets only");
	if (kind[0] && !*kind[0] && !tags.behind)
		return entry_refuse(
			e, rule_location(e->rule, KEY_CVLAN),
			"tc cannot say `untagged' without a protocol: add one, such as ipv4");
	if (kind[1] && !*kind[1] && !tags.behind)
		return entry_refuse(e, rule_location(e->rule, KEY_CVLAN2),
				    "tc cannot say that there is no second tag without a protocol: "
				    "add one, such as ipv4");
	return tc_write_tag(state, e, &tags, kind, 0);
}

const struct export_tool export_tc = {"tc", tc_write};
