/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes entries as commands "flow create PORT ... pattern ... actions ..." of DPDK's testpmd. */
#include <inttypes.h>

#include "entry.h"
#include "testpmd.h"

/* --- fields ------------------------------------------------------------------------------------ */

static void pmd_put(struct entry *e, const struct row *row, uint64_t v, uint64_t mask,
		    uint64_t most)
{
	if (mask == most)
		fprintf(e->out, " %s is %" PRIu64, row->names, v);
	else if (mask)
		fprintf(e->out, " %s spec %" PRIu64 " %s mask %" PRIu64, row->names, v & mask,
			row->names, mask);
}

void pmd_put_number(struct entry *e, const struct row *row, unsigned int key)
{
	uint64_t v, m;

	entry_take_masked(e, key, &v, &m);
	pmd_put(e, row, v, m, match_key_max(key));
}

/* Writes NVGRE's number, and takes what the item implies. */
void pmd_put_tni(struct entry *e, const struct row *row, unsigned int key)
{
	uint64_t v, m;

	entry_take(e, KEY_GRE_PROTO, &v);
	entry_take(e, KEY_GRE_HAS_KEY, &v);
	entry_take_masked(e, key, &v, &m);
	pmd_put(e, row, v >> 8, m >> 8, tunnel_ids[TUNNEL_VNI].max);
}

/* Writes the traffic class as one number. */
void pmd_put_tos(struct entry *e, const struct row *row, unsigned int key)
{
	uint64_t v, m;

	entry_take_tos(e, &v, &m);
	pmd_put(e, row, v, m, 0xff);
}

void pmd_put_mac(struct entry *e, const struct row *row, unsigned int key)
{
	uint64_t v, m;
	bool all;

	if (!entry_take_masked(e, key, &v, &m))
		return;
	all = m == match_key_max(key);
	fprintf(e->out, " %s %s ", row->names, all ? "is" : "spec");
	mac_print(e->out, v & m);
	if (all)
		return;
	fprintf(e->out, " %s mask ", row->names);
	mac_print(e->out, m);
}

void pmd_put_address(struct entry *e, const struct row *row, unsigned int key)
{
	int version = (int)row->arg;
	struct entry_address a;
	bool all;

	if (!entry_take_address(e, key, version, &a))
		return;
	all = a.bits == (version == 4 ? 32 : 128);
	fprintf(e->out, " %s %s ", row->names, all ? "is" : "spec");
	address_print(e->out, version, a.addr);
	if (all)
		return;
	fprintf(e->out, " %s mask ", row->names);
	address_print(e->out, version, a.mask);
}

/* --- items ------------------------------------------------------------------------------------- */

/* Writes an item and the fields that its rows have, without the slash behind. */
static void pmd_put_fields(struct entry *e, const struct pmd_item *item)
{
	fputs(item->name, e->out);
	for (const struct row *row = item->field; row->names; row++)
		entry_put(e, row);
}

static void pmd_put_item(struct entry *e, const struct pmd_item *item)
{
	pmd_put_fields(e, item);
	fputs(" / ", e->out);
}

/* Takes a tag's type as entry_take_tag() does. testpmd cannot say that there is no second tag. */
static int pmd_take_tag(struct entry *e, unsigned int cvlan, unsigned int svlan)
{
	cvlan = entry_key(e, cvlan);
	svlan = entry_key(e, svlan);
	if (entry_key(e, KEY_CVLAN2) == cvlan && entry_has(e, cvlan, 0) && entry_has(e, svlan, 0))
		return 0;
	return entry_take_tag(e, cvlan, svlan);
}

/* Writes what follows the last tag: a further tag, or an EtherType. */
static void pmd_put_type(struct entry *e, const char *word, int tag)
{
	unsigned int key = entry_key(e, KEY_ETHERTYPE);
	uint64_t type;

	if (tag == 0x88a8)
		fprintf(e->out, " %s is 0x88a8", word);
	if (tag <= 0 && !entry_has(e, key, 0x8847) && entry_take(e, key, &type))
		fprintf(e->out, " %s is 0x%04" PRIx64, word, type);
	fputs(" / ", e->out);
}

static void pmd_put_eth(struct entry *e)
{
	const struct pmd_item *vlan = pmd_item_find("vlan");
	int first = pmd_take_tag(e, KEY_CVLAN, KEY_SVLAN);
	int second = pmd_take_tag(e, KEY_CVLAN2, KEY_SVLAN2);

	pmd_put_fields(e, pmd_item_find("eth"));
	if (first == 0)
		fputs(" has_vlan is 0", e->out);
	pmd_put_type(e, "type", first);
	if (first <= 0)
		return;
	pmd_put_fields(e, vlan);
	pmd_put_type(e, "inner_type", second);
	if (second <= 0)
		return;
	e->second = true;
	pmd_put_item(e, vlan);
	e->second = false;
}

/* Returns the item of the entry's protocol; NULL: it has none. */
static const struct pmd_item *pmd_l4(const struct entry *e)
{
	unsigned int key = entry_key(e, KEY_PROTO);

	if (e->nvgre && !e->inner)
		return pmd_item_find("nvgre");
	return entry_has(e, key, e->value[key]) ? pmd_item_of_proto(e->value[key]) : NULL;
}

static void pmd_put_ip(struct entry *e)
{
	uint64_t version, proto;

	if (!entry_take(e, entry_key(e, MATCH_IP_VERSION), &version))
		return;
	pmd_put_fields(e, pmd_item_find(version == 4 ? "ipv4" : "ipv6"));
	/* IPv6's is the next header, which may be an extension. */
	if (version == 4 && !pmd_l4(e) && entry_take(e, entry_key(e, KEY_PROTO), &proto))
		fprintf(e->out, " proto is %" PRIu64, proto);
	fputs(" / ", e->out);
}

static void pmd_put_l4(struct entry *e)
{
	const struct pmd_item *l4 = pmd_l4(e);
	uint64_t v;

	if (!l4)
		return;
	entry_take(e, entry_key(e, KEY_PROTO), &v);
	/* The item has 8 bits of flags; NS is the ninth. */
	if (e->mask[entry_key(e, KEY_TCP_FLAGS)] & 0x100)
		fprintf(e->out, "%s / ", l4->name);
	else
		pmd_put_item(e, l4);
}

static bool pmd_has_inner(const struct entry *e)
{
	for (unsigned int k = 0; k < KEY_PER_LEVEL; k++)
		if (e->mask[KEY_INNER(k)])
			return true;
	for (unsigned int k = MATCH_LEVEL_END; k < MATCH_KEYS; k++)
		if (e->mask[k])
			return true;
	return false;
}

/* Writes the tunnel behind UDP's port, if the entry looks behind it. */
static void pmd_put_tunnel(struct entry *e, uint64_t port)
{
	static const struct {
		uint64_t port;
		const char *name;
	} tunnels[] = {{4789, "vxlan"}, {4790, "vxlan-gpe"}, {6081, "geneve"}};
	uint64_t v;

	for (size_t i = 0; i < 3; i++) {
		const struct pmd_item *item = pmd_item_find(tunnels[i].name);

		if (port == tunnels[i].port && (e->mask[item->field[0].key[0]] ||
						pmd_has_inner(e) || entry_change(e, CHANGE_DECAP)))
			pmd_put_item(e, item);
	}
	if (entry_has(e, KEY_GRE_HAS_KEY, 1) && e->mask[KEY_GRE_KEY]) {
		entry_take(e, KEY_GRE_HAS_KEY, &v);
		pmd_put_item(e, pmd_item_find("gre_key"));
	}
}

static void pmd_put_level(struct entry *e, bool inner)
{
	uint64_t type;

	e->inner = inner;
	pmd_put_eth(e);
	if (entry_has(e, entry_key(e, KEY_ETHERTYPE), 0x8847)) {
		entry_take(e, entry_key(e, KEY_ETHERTYPE), &type);
		pmd_put_item(e, pmd_item_find("mpls"));
	}
	pmd_put_ip(e);
	pmd_put_l4(e);
}

static void pmd_put_pattern(struct entry *e)
{
	uint64_t port = entry_has(e, MATCH_UDP_DPORT, e->value[MATCH_UDP_DPORT])
				? e->value[MATCH_UDP_DPORT]
				: 0;

	fputs(" pattern ", e->out);
	if (*e->from)
		fprintf(e->out, "represented_port ethdev_port_id is %s / ", e->from);
	pmd_put_level(e, false);
	pmd_put_tunnel(e, port);
	if (pmd_has_inner(e))
		pmd_put_level(e, true);
	fputs("end", e->out);
}

/* --- actions ----------------------------------------------------------------------------------- */

static void pmd_put_change(struct entry *e, const struct row *row)
{
	const struct rule_change *c = entry_change(e, row->what);

	/* The value of a key that was written is still there. */
	if (!c || (row->arg && row->arg != (c->of ? c->of : e->value[MATCH_IP_VERSION])))
		return;
	fprintf(e->out, "%s%s%s", e->nvgre && c->kind == CHANGE_DECAP ? "nvgre_decap" : row->names,
		row->word ? " " : "", row->word ? row->word : "");
	if (c->kind == CHANGE_PUSH)
		fprintf(e->out,
			" 0x8100 / of_set_vlan_vid vlan_vid %u / of_set_vlan_pcp vlan_pcp %u",
			c->value & 0xfff, c->value >> 13);
	else if (row->word)
		fputc(' ', e->out);
	if (c->kind != CHANGE_PUSH)
		change_print(e->out, c);
	fputs(" / ", e->out);
}

static void pmd_put_rss(struct entry *e, const struct rule_rss *rss)
{
	/* A type is spread on if all of its bits are. In the order of PMD_RSS_TYPES. */
	static const uint8_t types[] = {HASH_IPV4,
					HASH_IPV6,
					HASH_IPV4 | HASH_TCP,
					HASH_IPV6 | HASH_TCP,
					HASH_IPV4 | HASH_UDP,
					HASH_IPV6 | HASH_UDP};
	const char *name = PMD_RSS_TYPES;

	fputs("rss types", e->out);
	for (size_t i = 0; i < sizeof(types); i++, name += strcspn(name, " ") + 1)
		if ((rss->on & types[i]) == types[i])
			fprintf(e->out, " %.*s", (int)strcspn(name, " "), name);
	fputs(" end queues", e->out);
	for (uint32_t queue = rss->first; queue <= rss->last; queue++)
		fprintf(e->out, " %u", queue);
	fputs(" end / end\n", e->out);
}

/* `group`: where the packets go after a copy of them. */
static void pmd_put_actions(struct entry *e, uint32_t group)
{
	const struct rule *r = e->rule;

	fputs(" actions ", e->out);
	for (const struct row *row = pmd_changes; row->names; row++)
		pmd_put_change(e, row);
	if (r->count)
		fputs("count / ", e->out);
	if (r->has_tag)
		fprintf(e->out, "mark id %u / ", r->tag);
	if (r->encap)
		fprintf(e->out, "%s_encap / ", tunnel_rows[r->encap->tunnel].name);
	if (r->verdict == RULE_MIRROR) {
		fprintf(e->out, "sample ratio %u index 0 / jump group %u / end\n",
			r->sample ? r->sample : 1, group);
	} else if (rule_has_vport(r)) {
		fprintf(e->out, "represented_port ethdev_port_id %s / end\n", e->to);
	} else if (r->rss)
		pmd_put_rss(e, r->rss);
	else if (r->verdict == RULE_SEND)
		fprintf(e->out, "queue index %u / end\n", r->queue);
	else
		fputs("drop / end\n", e->out);
}

/* Writes the command that sets the tunnel of the flow behind it. */
static void pmd_put_tunnel_set(struct entry *e)
{
	const struct rule_encap *t = e->rule->encap;
	bool nvgre = t && t->tunnel == TUNNEL_NVGRE;

	if (!t)
		return;
	fprintf(e->out, "set %s ip-version ipv%u%s", nvgre ? "nvgre" : "vxlan-tos-ttl", t->family,
		nvgre ? "" : " udp-src 0 ip-tos 0");
	entry_put_encap(e, nvgre ? pmd_nvgre_encaps : pmd_encaps);
	fputc('\n', e->out);
}

/* mlx5's driver gives NVGRE these, and testpmd has no word for others, nor for a group policy. */
static bool pmd_can_encap(struct entry *e)
{
	const struct rule_encap *t = e->rule->encap;
	unsigned int ttl = t->family == 4 ? 64 : 255;

	if (t->tunnel == TUNNEL_NVGRE && t->ttl != ttl)
		return entry_refuse(e, entry_change(e, CHANGE_ENCAP)->at,
				    "testpmd's NVGRE tunnels over IPv%u have ttl %u", t->family,
				    ttl);
	if (t->has_gbp)
		return entry_refuse(e, entry_change(e, CHANGE_ENCAP)->at,
				    "testpmd's VXLAN tunnels have no group policy (gbp)");
	return t->tunnel == TUNNEL_VXLAN || t->tunnel == TUNNEL_NVGRE ||
	       entry_refuse(e, entry_change(e, CHANGE_ENCAP)->at,
			    "testpmd begins VXLAN and NVGRE tunnels only");
}

/* Returns whether testpmd can do all that the rule does. */
static bool pmd_can(struct entry *e)
{
	const struct rule_change *c = entry_change(e, CHANGE_DECAP);

	if (e->rule->dir == RULE_SWITCH && !entry_take_from(e, false))
		return false;
	if (e->rule->encap && !pmd_can_encap(e))
		return false;
	if (e->rule->verdict == RULE_MIRROR && e->rule->dir != RULE_SWITCH)
		return entry_refuse(e, e->rule->at, "copies are exported from the e-switch only");
	if (e->rule->verdict == RULE_MIRROR && !entry_goes_on(e))
		return entry_refuse(
			e, e->rule->at,
			"copied packets go on in a group, and what becomes of them there "
			"depends on DPDK's driver: write a rule behind this one");
	if (e->rule->verdict == RULE_PASS)
		return entry_refuse(e, e->rule->at,
				    "testpmd has no action that leaves a packet to the kernel");
	if (e->rule->rss && e->rule->rss->has_key)
		return entry_refuse(e, e->rule->queue_at,
				    "keys of rss are not exported: leave `key' out");
	if (c && !entry_has(e, MATCH_UDP_DPORT, 4789) && !e->nvgre)
		return entry_refuse(e, c->at, "testpmd ends VXLAN and NVGRE tunnels only");
	/* VXLAN and NVGRE carry Ethernet, and so does a tunnel whose entry compares a MAC. */
	if (pmd_has_inner(e) && !entry_has(e, MATCH_UDP_DPORT, 4789) && !e->nvgre &&
	    !e->mask[KEY_INNER(KEY_SMAC)] && !e->mask[KEY_INNER(KEY_DMAC)])
		return entry_refuse(e, e->rule->at,
				    "testpmd compares whether this tunnel carries Ethernet or IP, "
				    "this rule takes both");
	return true;
}

/* --- copies ------------------------------------------------------------------------------------ */

static struct export_group *pmd_group_find(struct export_state *s, const char *from)
{
	for (size_t i = 0; i < s->groups; i++)
		if (!strcmp(s->group[i].from, from))
			return &s->group[i];
	return NULL;
}

/* Returns the group of flows from the entry's port. */
static uint32_t pmd_group(struct export_state *s, const struct entry *e)
{
	const struct export_group *g = pmd_group_find(s, e->from);

	/* Entries of one rule are in one group, as a packet is copied once. */
	return !g ? 0 : g->group - (e->rule->verdict == RULE_MIRROR && g->rule == e->number);
}

static void pmd_put_head(struct entry *e, uint32_t group, size_t priority)
{
	static const char *const words[RULE_DIRS] = {"ingress", "egress", "transfer"};

	fprintf(e->out, "flow create %s ", e->netdev ? e->netdev : "0");
	if (group)
		fprintf(e->out, "group %u ", group);
	fprintf(e->out, "priority %zu %s", priority, words[e->rule->dir]);
}

/*
 * Begins a group for the rules behind a copy: what is copied jumps there, and so does what else
 * comes from the port.
 */
static bool pmd_begin_group(struct export_state *s, struct entry *e)
{
	struct export_group *g = pmd_group_find(s, e->from);

	if (!g && s->groups == EXPORT_GROUPS)
		return entry_refuse(e, e->rule->at, "copies are exported from up to %u vports",
				    EXPORT_GROUPS);
	if (g && g->rule == e->number)
		return true;
	if (!g) {
		g = &s->group[s->groups++];
		*g = (struct export_group){.group = 0};
		snprintf(g->from, sizeof(g->from), "%s", e->from);
	}
	g->rule = e->number;
	pmd_put_head(e, g->group++, e->number + 1);
	fprintf(e->out,
		" pattern represented_port ethdev_port_id is %s / end actions jump group %u / end\n"
		"set sample_actions 0 port_id id %s / end\n",
		e->from, g->group, e->to);
	return true;
}

static bool pmd_write(struct export_state *state, struct entry *e)
{
	uint32_t group;

	/* The key has the number in its upper bits; the lower ones are a flow's. */
	e->nvgre = entry_has(e, KEY_PROTO, TUNNEL_GRE_PROTO) &&
		   entry_has(e, KEY_GRE_PROTO, TUNNEL_BRIDGED) &&
		   entry_has(e, KEY_GRE_HAS_KEY, 1) && !(e->mask[KEY_GRE_KEY] & 0xff);
	if (!pmd_can(e) || (e->rule->verdict == RULE_MIRROR && !pmd_begin_group(state, e)))
		return false;
	group = pmd_group(state, e);
	pmd_put_tunnel_set(e);
	pmd_put_head(e, group, e->number);
	pmd_put_pattern(e);
	pmd_put_actions(e, group + 1);
	return entry_done(e, "testpmd");
}

const struct export_tool export_testpmd = {"testpmd", pmd_write};
