/* SPDX-License-Identifier: BSD-2-Clause */
/* The actions of a testpmd flow. They may stand in any order; the PMD has an order of its own. */
#include <string.h>

#include "testpmd.h"

static bool pmd_set_verdict(struct draft *d, const struct token *at, const char *verdict)
{
	if (d->verdict)
		return draft_leave(d, at, REASON_TARGET);
	d->verdict = verdict;
	return true;
}

static bool pmd_drop(struct draft *d, const struct row *row, const struct token *at)
{
	return pmd_set_verdict(d, at, "drop");
}

static bool pmd_queue(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t n;

	if (!number_parse(at->text, 0, 0xffff, &n))
		return draft_leave(d, at, REASON_VALUE);
	d->queue = import_format(d->im, "queue %u", (unsigned int)n);
	return pmd_set_verdict(d, at, "send");
}

/* --- rss --------------------------------------------------------------------------------------- */

/* Bits of PMD_RSS_TYPES for IPv4, or, shifted by one, for IPv6. */
enum { RSS_ADDRESS = 1, RSS_TCP = 4, RSS_UDP = 16, RSS_KINDS = 21 };

/* Reads FIRST FIRST+1 ... end: the queues of `to rss` are in a row. */
static bool rss_queues(struct draft *d, const struct token *at)
{
	uint64_t first = 0, last = 0, n, count = 0;

	while (!tokens_take(d->line, "end")) {
		const struct token *queue = tokens_next(d->line);

		if (!queue->text)
			return draft_leave(d, queue, REASON_ENDS);
		if (!number_parse(queue->text, 0, 0xffff, &n) || (count && n != last + 1))
			return draft_leave(d, queue, REASON_TARGET);
		first = count++ ? first : n;
		last = n;
	}
	if (!count)
		return draft_leave(d, at, REASON_TARGET);
	d->queue = count == 1 ? import_format(d->im, "queue %u", (unsigned int)first)
			      : import_format(d->im, "rss %u-%u", (unsigned int)first,
					      (unsigned int)last);
	return true;
}

static bool rss_read_types(struct draft *d, unsigned int *kinds)
{
	*kinds = 0;
	while (!tokens_take(d->line, "end")) {
		const struct token *type = tokens_next(d->line);
		size_t n = type->text ? strlen(type->text) : 0;
		int one = names_index(PMD_RSS_TYPES, type->text, n);
		int both = names_index("ip tcp udp", type->text, n);

		if (one < 0 && both < 0)
			return draft_leave(d, type, type->text ? REASON_TARGET : REASON_ENDS);
		*kinds |= one >= 0 ? 1u << one : 3u << 2 * both;
	}
	return true;
}

/*
 * Returns the kinds as `on`, for the packets of the pattern. NULL: dvx-flow cannot, as it hashes
 * ports with addresses only, and alike for both IP versions.
 */
static const char *rss_on(struct draft *d, unsigned int kinds)
{
	int64_t ip = draft_number(d, SLOT_IP), l4 = draft_number(d, SLOT_PROTO);
	unsigned int v4 = kinds & RSS_KINDS, v6 = kinds >> 1 & RSS_KINDS, one = ip == 6 ? v6 : v4;

	if (ip < 0 && v4 != v6)
		return NULL;
	one &= ~((l4 == L4_TCP ? RSS_UDP : 0u) | (l4 == L4_UDP ? RSS_TCP : 0u));
	if (!one || (!(one & RSS_ADDRESS) && l4 != L4_TCP && l4 != L4_UDP))
		return NULL;
	return import_format(d->im, "%s%s%s",
			     ip == 4   ? "ipv4"
			     : ip == 6 ? "ipv6"
				       : "ipv4,ipv6",
			     one & RSS_TCP ? ",tcp" : "", one & RSS_UDP ? ",udp" : "");
}

/*
 * Reads queues, and the kinds of packets that are spread. The driver's own key differs from
 * dvx-flow's; without a key in the action, a flow may reach another queue.
 */
static bool pmd_rss(struct draft *d, const struct row *row, const struct token *at)
{
	unsigned int kinds = RSS_ADDRESS | RSS_ADDRESS << 1; /* the driver's default */
	const char *on;

	for (;;) {
		if (tokens_take(d->line, "queues")) {
			if (!rss_queues(d, at))
				return false;
		} else if (tokens_take(d->line, "types")) {
			if (!rss_read_types(d, &kinds))
				return false;
		} else {
			break;
		}
	}
	/* Keys, functions and levels. */
	if (!d->queue || !token_among(tokens_peek(d->line), "/ end"))
		return draft_leave(d, d->queue ? tokens_peek(d->line) : at, REASON_TARGET);
	if (strncmp(d->queue, "queue", 5)) {
		on = rss_on(d, kinds);
		if (!on)
			return draft_leave(d, at, REASON_TARGET);
		d->queue = import_format(d->im, "%s on %s", d->queue, on);
	}
	return pmd_set_verdict(d, at, "send");
}

/* --- others ------------------------------------------------------------------------------------ */

static bool pmd_mark(struct draft *d, const struct row *row, const struct token *at)
{
	d->tag = value_masked(d, row, at->text);
	return d->tag.list.n || draft_leave(d, at, REASON_VALUE);
}

/* Reads count. An indirect counter is shared by several rules. */
static bool pmd_count(struct draft *d, const struct row *row, const struct token *at)
{
	if (token_among(tokens_peek(d->line), "identifier shared"))
		return draft_leave(d, tokens_peek(d->line), REASON_INDIRECT);
	d->count = true;
	return true;
}

/* Adds a change. A port is of the pattern's protocol. */
static bool pmd_change(struct draft *d, const struct row *row, const struct token *at)
{
	bool port = row->what == CHANGE_SPORT || row->what == CHANGE_DPORT;
	int64_t of = port ? draft_number(d, SLOT_PROTO) : (int64_t)row->arg;
	struct rule_change c = {.kind = row->what};

	if (row->value &&
	    (!change_fill(&c, row->what, (unsigned int)of, row->value(d, row, at->text)) || of < 0))
		return draft_leave(d, at, REASON_VALUE);
	return draft_change(d, at, c, false);
}

/* Sets a VLAN ID. Behind a push it is the new tag's. */
static bool pmd_vid(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t id;

	if (!number_parse(at->text, 0, 0xfff, &id))
		return draft_leave(d, at, REASON_VALUE);
	if (!pmd_of(d)->push_open)
		return draft_change(d, at,
				    (struct rule_change){.kind = row->what, .value = (uint32_t)id},
				    false);
	d->change[CHANGE_PUSH].value = (uint32_t)id;
	pmd_of(d)->push_open = false;
	return true;
}

static bool pmd_push(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t n;

	if (!number_parse(at->text, 0, 0xffff, &n) || n != 0x8100)
		return draft_leave(d, at, REASON_CHANGE);
	pmd_of(d)->push_open = true;
	return draft_change(d, at, (struct rule_change){.kind = row->what}, false);
}

/* Sets the priority of a tag that was pushed before. */
static bool pmd_pcp(struct draft *d, const struct row *row, const struct token *at)
{
	if (draft_has_change(d, CHANGE_PUSH) && !number_parse(at->text, 0, 0xff, &d->pcp))
		return draft_leave(d, at, REASON_VALUE);
	if (!draft_has_change(d, CHANGE_PUSH) || d->has_pcp)
		return draft_leave(d, at, REASON_CHANGE);
	d->has_pcp = true;
	return true;
}

/* --- the e-switch ------------------------------------------------------------------------------ */

/* Sends packets to the function or wire behind a port. */
static bool pmd_to(struct draft *d, const struct row *row, const struct token *at)
{
	struct iface i;

	if (!pmd_of(d)->transfer)
		return draft_leave(d, at, REASON_TRANSFER);
	return draft_vport(d, at, &i) > 0 && pmd_set_verdict(d, at, "send") &&
	       draft_to(d, at, i.vport);
}

/* Leads to a group, which is a table: what no flow of it takes goes to the manager, as here. */
static bool pmd_jump(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t n;

	if (!pmd_of(d)->transfer)
		return draft_leave(d, at, REASON_GROUP);
	if (!number_parse(at->text, 0, UINT32_MAX, &n))
		return draft_leave(d, at, REASON_VALUE);
	d->leads = true;
	d->go = (uint32_t)n;
	return pmd_set_verdict(d, at, "send");
}

/* Begins the tunnel that was set before. */
static bool pmd_encap(struct draft *d, const struct row *row, const struct token *at)
{
	const struct pmd_tunnel *tunnel = &pmd_of(d)->set->tunnel[row->arg];

	if (!(tunnel->given >> ENCAP_ETH_DST & 1))
		return draft_leave(d, at, REASON_ENCAP);
	d->tunnel = (enum node_tunnel)row->arg;
	d->encap_given = tunnel->given;
	memcpy(d->encap, tunnel->word, sizeof(d->encap));
	return draft_encap_to(d, at, &(struct iface){0});
}

/* Reads "sample ratio N index INDEX": a copy of one packet in N, by actions that were set before. */
static bool pmd_copy(struct draft *d, const struct row *row, const struct token *at)
{
	const struct pmd_sample *samples = pmd_of(d)->set->sample;
	const struct token *index;
	uint64_t ratio, n;

	if (!number_parse(at->text, 0, UINT32_MAX, &ratio) || !ratio)
		return draft_leave(d, at, REASON_VALUE);
	if (!tokens_take(d->line, "index"))
		return draft_leave(d, tokens_peek(d->line), REASON_SYNTAX);
	index = tokens_next(d->line);
	if (!index->text || !number_parse(index->text, 0, PMD_SAMPLES - 1, &n))
		return draft_leave(d, index, index->text ? REASON_VALUE : REASON_ENDS);
	if (!pmd_of(d)->transfer || !samples[n].given)
		return draft_leave(d, index, REASON_TARGET);
	if (d->changes)
		return draft_leave(d, at, REASON_ORDER);
	return draft_copy(d, at, samples[n].vport, ratio);
}

#define PMD_CHANGE(name, field, change, of, how, ...) \
	ROW_CHANGE(name, change, of, how, .word = field, .read = pmd_change, __VA_ARGS__)

const struct row pmd_changes[] = {
	PMD_CHANGE("vxlan_decap", NULL, DECAP, 0, NULL),
	PMD_CHANGE("of_pop_vlan", NULL, POP, 0, NULL),
	PMD_CHANGE("set_mac_src", "mac_addr", ETH_SRC, 0, value_mac),
	PMD_CHANGE("set_mac_dst", "mac_addr", ETH_DST, 0, value_mac),
	PMD_CHANGE("set_ipv4_src", "ipv4_addr", IP_SRC, 4, value_net),
	PMD_CHANGE("set_ipv6_src", "ipv6_addr", IP_SRC, 6, value_net),
	PMD_CHANGE("set_ipv4_dst", "ipv4_addr", IP_DST, 4, value_net),
	PMD_CHANGE("set_ipv6_dst", "ipv6_addr", IP_DST, 6, value_net),
	PMD_CHANGE("set_tp_src", "port", SPORT, 0, value_number, .bits = 16),
	PMD_CHANGE("set_tp_dst", "port", DPORT, 0, value_number, .bits = 16),
	PMD_CHANGE("set_ttl", "ttl_value", TTL, 0, value_number, .bits = 8),
	PMD_CHANGE("dec_ttl", NULL, DEC_TTL, 0, NULL),
	PMD_CHANGE("set_ipv4_dscp", "dscp_value", DSCP, 4, value_number, .bits = 6),
	PMD_CHANGE("set_ipv6_dscp", "dscp_value", DSCP, 6, value_number, .bits = 6),
	ROW_READ("of_set_vlan_vid", pmd_vid, .word = "vlan_vid", .what = CHANGE_VLAN),
	ROW_READ("of_push_vlan", pmd_push, .word = "ethertype", .what = CHANGE_PUSH),
	ROW_READ("of_set_vlan_pcp", pmd_pcp, .word = "vlan_pcp", .what = RULE_CHANGE_KINDS),
	{0},
};

static const struct row pmd_others[] = {
	ROW_READ("drop", pmd_drop),
	ROW_READ("queue", pmd_queue, .word = "index"),
	ROW_READ("rss", pmd_rss),
	ROW_READ("mark", pmd_mark, .word = "id", .bits = 32),
	ROW_READ("count", pmd_count),
	ROW_READ("void", row_skip),
	/* The action sets when the driver reports the flow as idle; the flow stays. */
	ROW_READ("age", row_skip, .word = "timeout"),
	ROW_READ("jump", pmd_jump, .word = "group"),
	ROW_READ("represented_port", pmd_to, .word = "ethdev_port_id"),
	ROW_READ("port_id", pmd_to, .word = "id"),
	ROW_READ("sample", pmd_copy, .word = "ratio"),
	ROW_READ("vxlan_encap", pmd_encap, .arg = TUNNEL_VXLAN),
	PMD_CHANGE("nvgre_decap", NULL, DECAP, 0, NULL),
	ROW_READ("nvgre_encap", pmd_encap, .arg = TUNNEL_NVGRE),
	ROW_LEAVE("passthru", FINAL),
	ROW_LEAVE("flag set_meta set_tag", MARK),
	ROW_LEAVE("pf vf phy_port port_representor", TRANSFER),
	ROW_LEAVE("meter", LIMIT),
	ROW_LEAVE("conntrack", CONNTRACK),
	ROW_LEAVE("indirect indirect_list shared_indirect", INDIRECT),
	ROW_LEAVE("l2_encap raw_encap mplsogre_encap mplsoudp_encap", ENCAP),
	ROW_LEAVE("security raw_decap l2_decap mplsogre_decap mplsoudp_decap "
		  "modify_field",
		  CHANGE),
	{0},
};

static bool pmd_action(struct draft *d)
{
	const struct token *at = tokens_next(d->line), *value = at;
	const struct row *a = row_find(pmd_changes, at->text);

	a = a ? a : row_find(pmd_others, at->text);
	if (!a)
		return draft_leave(d, at, at->text ? REASON_UNKNOWN : REASON_ENDS);
	if (a->word) {
		if (!tokens_take(d->line, a->word))
			return draft_leave(d, tokens_peek(d->line), REASON_SYNTAX);
		value = tokens_next(d->line);
		if (!value->text)
			return draft_leave(d, value, REASON_ENDS);
	}
	return a->read ? a->read(d, a, value) : draft_leave(d, value, a->what);
}

bool pmd_actions(struct draft *d)
{
	while (!tokens_take(d->line, "end")) {
		if (!pmd_action(d))
			return false;
		if (!token_is(tokens_peek(d->line), "end") && !tokens_take(d->line, "/"))
			return draft_leave(d, tokens_peek(d->line), REASON_SYNTAX);
	}
	return draft_settle(d, tokens_peek(d->line), REASON_FATE) &&
	       (!pmd_of(d)->push_open || draft_leave(d, tokens_peek(d->line), REASON_CHANGE));
}
