/* SPDX-License-Identifier: BSD-2-Clause */
/* The items of a testpmd pattern. */
#include "rules/compile.h"
#include "testpmd.h"

/* --- values ------------------------------------------------------------------------------------ */

/* Returns the mask of a number: as written, or as so many leading bits, or all. */
static bool pmd_mask(const struct pmd_given *s, unsigned int bits, uint64_t *mask)
{
	uint64_t most = (1ull << bits) - 1, n;

	*mask = most;
	if (s->by[PMD_MASK])
		return number_parse(s->by[PMD_MASK]->text, 0, UINT64_MAX, mask);
	if (!s->by[PMD_PREFIX])
		return true;
	if (!number_parse(s->by[PMD_PREFIX]->text, 0, bits, &n))
		return false;
	*mask = n ? most & ~(most >> n) : 0;
	return true;
}

/* Parses a spec of row->bits bits, and its mask. `ranges`: the field may have a `last`. */
static bool pmd_spec(struct draft *d, const struct row *row, const struct token *at, bool ranges,
		     uint64_t *v, uint64_t *mask)
{
	const struct pmd_given *s = pmd_of(d)->given;
	uint64_t most = (1ull << row->bits) - 1;

	if (!number_parse(at->text, 0, most, v) || !pmd_mask(s, row->bits, mask))
		return draft_leave(d, at, REASON_VALUE);
	*mask &= most;
	return !s->by[PMD_LAST] || ranges || draft_leave(d, s->by[PMD_LAST], REASON_RANGE);
}

/* Returns the distance of the slots of the tag that is read from those of the first one. */
static unsigned int pmd_shift(struct draft *d)
{
	return pmd_of(d)->tags > 1 ? SLOT_VLAN2_ID - SLOT_VLAN_ID : 0;
}

static bool pmd_number(struct draft *d, const struct row *row, const struct token *at)
{
	bool tag = row->what >= SLOT_VLAN_ID && row->what <= SLOT_VLAN_DEI;
	const struct token *last = pmd_of(d)->given->by[PMD_LAST];
	uint64_t v, mask, end;

	if (!pmd_spec(d, row, at, row->what == SLOT_TTL, &v, &mask))
		return false;
	if (!last)
		return draft_match(d, at, row->what + (tag ? pmd_shift(d) : 0),
				   value_under_mask(d->im, v, mask, row->bits), false);
	if (mask != 0xff || !number_parse(last->text, 0, 0xff, &end))
		return draft_leave(d, last, REASON_RANGE);
	return draft_match(d, last, row->what, value_range(d->im, v, end, 8), false);
}

static bool pmd_port(struct draft *d, const struct row *row, const struct token *at)
{
	const struct token *last = pmd_of(d)->given->by[PMD_LAST];
	uint64_t v, mask, end;

	if (!pmd_spec(d, row, at, true, &v, &mask))
		return false;
	if (!last)
		return draft_match(d, at, row->what, value_port_mask(d->im, v, mask), false);
	if (mask != 0xffff)
		return draft_leave(d, last, REASON_RANGE);
	if (!number_parse(last->text, 0, 0xffff, &end) || end < v)
		return draft_leave(d, last, REASON_VALUE);
	return draft_match(d, last, row->what, value_ports_from(d->im, v, end), false);
}

static bool pmd_flags(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t v, mask;

	return pmd_spec(d, row, at, false, &v, &mask) &&
	       draft_match(d, at, row->what, value_flags(d->im, v, mask), false);
}

/*
 * Adds offset and "more fragments", as DPDK's mlx5 driver takes them: all of these bits 0, or any
 * of them set.
 */
static bool pmd_frag4(struct draft *d, const struct row *row, const struct token *at)
{
	const struct token *last = pmd_of(d)->given->by[PMD_LAST];
	const uint64_t bits = 0x3fff;
	uint64_t v, mask, end;

	if (!pmd_spec(d, row, at, true, &v, &mask))
		return false;
	end = v;
	if (last && !number_parse(last->text, 0, 0xffff, &end))
		return draft_leave(d, last, REASON_VALUE);
	v &= bits;
	if ((mask & bits) != bits || v > 1 || (end & bits) != (v ? bits : 0))
		return draft_leave(d, at, REASON_FRAGMENT);
	return draft_match_number(d, at, SLOT_FRAGMENT, v);
}

static bool pmd_frag6(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t v, mask;

	return pmd_spec(d, row, at, false, &v, &mask) &&
	       (!mask || draft_match_number(d, at, SLOT_FRAGMENT, v));
}

static bool pmd_proto(struct draft *d, const struct row *row, const struct token *at)
{
	const struct pmd_given *s = pmd_of(d)->given;
	uint64_t mask;

	if (!pmd_mask(s, 8, &mask) || (mask & 0xff) != 0xff)
		return draft_leave(d, s->at, REASON_MASK);
	return draft_match(d, at, row->what, value_proto(d, &(struct row){0}, at->text), false);
}

/* Adds a VLAN tag's 16 bits as its three fields. */
static bool pmd_tci(struct draft *d, const struct row *row, const struct token *at)
{
	static const struct {
		unsigned int slot, low;
		uint64_t most;
	} parts[] = {{SLOT_VLAN_ID, 0, 0xfff}, {SLOT_VLAN_PCP, 13, 7}, {SLOT_VLAN_DEI, 12, 1}};
	uint64_t v, mask;

	if (!pmd_spec(d, row, at, false, &v, &mask))
		return false;
	for (size_t i = 0; i < 3; i++) {
		uint64_t most = parts[i].most, part = mask >> parts[i].low & most;

		if (part && part != most)
			return draft_leave(d, at, REASON_MASK);
		if (part && !draft_match_number(d, at, parts[i].slot + pmd_shift(d),
						v >> parts[i].low & most))
			return false;
	}
	return true;
}

/* Parses a spec that is compared as a whole, or not at all: *mask 0. */
static bool pmd_spec_whole(struct draft *d, const struct row *row, const struct token *at,
			   uint64_t *v, uint64_t *mask)
{
	return pmd_spec(d, row, at, false, v, mask) &&
	       (!*mask || *mask == (1ull << row->bits) - 1 ||
		draft_leave(d, pmd_of(d)->given->at, REASON_MASK));
}

/* Adds a type behind a tag. It belongs to the tag that follows. */
static bool pmd_type(struct draft *d, const struct row *row, const struct token *at)
{
	unsigned int tags = pmd_of(d)->tags;
	uint64_t type, mask;

	if (!pmd_spec_whole(d, row, at, &type, &mask))
		return false;
	if (!mask)
		return true;
	if (type != 0x8100 && type != 0x88a8)
		return draft_add_type(d, type) || draft_leave(d, at, REASON_TWICE);
	if (tags > 1)
		return draft_leave(d, at, REASON_FIELD);
	return draft_match_number(d, at, tags ? SLOT_TAG2 : SLOT_TAG,
				  type == 0x8100 ? TAG_VLAN : TAG_SVLAN);
}

/* Adds whether there is a tag, or one behind the item's. The driver compares type 0x8100. */
static bool pmd_has_vlan(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t has, mask;

	if (!pmd_spec_whole(d, row, at, &has, &mask))
		return false;
	if (!mask)
		return true;
	if (pmd_of(d)->tags > 1)
		return draft_leave(d, at, REASON_FIELD);
	/* An earlier type, if it is a tag's, implies the tag already. */
	if (has && draft_has(d, row->what))
		return true;
	return draft_match_number(d, at, row->what,
				  has			  ? TAG_VLAN
				  : row->what == SLOT_TAG ? TAG_NONE
							  : TAG_LAST);
}

/* Adds an address, or a range of addresses if all of their bits are compared. */
static bool pmd_address(struct draft *d, const struct row *row, const struct token *spec)
{
	const struct pmd_given *s = pmd_of(d)->given;
	const struct token *mask = s->by[PMD_MASK] ? s->by[PMD_MASK] : s->by[PMD_PREFIX];
	struct value v = row->value(
		d, row, mask ? import_format(d->im, "%s/%s", spec->text, mask->text) : spec->text);

	if (!s->by[PMD_LAST])
		return draft_match(d, spec, row->what, v, false);
	if (row->value != value_net || !v.list.n || !net_is_host(v.list.item))
		return draft_leave(d, s->by[PMD_LAST], REASON_RANGE);
	return draft_match(d, spec, row->what,
			   value_nets(d, row,
				      import_format(d->im, "%.*s-%s", (int)strcspn(spec->text, "/"),
						    spec->text, s->by[PMD_LAST]->text)),
			   false);
}

/* Adds the port that packets come from: the function or wire behind it. */
static bool pmd_source(struct draft *d, const struct row *row, const struct token *at)
{
	const struct pmd_given *s = pmd_of(d)->given;
	struct iface i;

	if (s->by[PMD_MASK] || s->by[PMD_PREFIX] || s->by[PMD_LAST])
		return draft_leave(d, s->at, REASON_MASK);
	return draft_vport(d, at, &i) > 0 && draft_from(d, at, i.vport);
}

/* --- tables ------------------------------------------------------------------------------------ */

#define PMD_NUMBER(name, slot, width, match, ...)                      \
	ROW_READ(name, pmd_number, .what = SLOT_##slot, .bits = width, \
		 ROW_KEY(pmd_put_number, match), __VA_ARGS__)
#define PMD_ADDRESS(name, slot, version)                                \
	ROW_MATCH(name, slot, value_net, .arg = version, .whole = true, \
		  ROW_KEY(pmd_put_address, MATCH_##slot##_127_96))
#define PMD_TOS(name) \
	ROW_READ(name, pmd_number, .what = SLOT_TOS, .bits = 8, ROW_KEY(pmd_put_tos, KEY_DSCP))
#define PMD_PORT(name, slot)                                                     \
	ROW_READ(name, pmd_port, .what = SLOT_##slot, .bits = 16, .whole = true, \
		 ROW_KEY(pmd_put_number, MATCH_TCP_##slot, MATCH_UDP_##slot))

static const struct row pmd_eth[] = {
	ROW_MATCH("src", ETH_SRC, value_mac, .whole = true, ROW_KEY(pmd_put_mac, KEY_SMAC)),
	ROW_MATCH("dst", ETH_DST, value_mac, .whole = true, ROW_KEY(pmd_put_mac, KEY_DMAC)),
	ROW_READ("type", pmd_type, .bits = 16, .whole = true),
	ROW_READ("has_vlan", pmd_has_vlan, .what = SLOT_TAG, .bits = 1),
	{0},
};

/* The slots and keys of the second tag follow those of the first. */
static const struct row pmd_vlan[] = {
	PMD_NUMBER("vid", VLAN_ID, 12, KEY_VLAN_ID, .whole = true),
	PMD_NUMBER("pcp", VLAN_PCP, 3, KEY_VLAN_PCP),
	PMD_NUMBER("dei", VLAN_DEI, 1, KEY_VLAN_DEI),
	ROW_READ("tci", pmd_tci, .bits = 16),
	ROW_READ("inner_type", pmd_type, .bits = 16),
	ROW_READ("has_more_vlan", pmd_has_vlan, .what = SLOT_TAG2, .bits = 1),
	{0},
};

static const struct row pmd_ipv4[] = {
	PMD_ADDRESS("src", SRC, 4),
	PMD_ADDRESS("dst", DST, 4),
	PMD_TOS("tos"),
	PMD_NUMBER("ttl", TTL, 8, KEY_TTL),
	ROW_READ("proto", pmd_proto, .what = SLOT_PROTO),
	ROW_READ("fragment_offset", pmd_frag4, .bits = 16),
	{0},
};

static const struct row pmd_ipv6[] = {
	PMD_ADDRESS("src", SRC, 6),
	PMD_ADDRESS("dst", DST, 6),
	PMD_TOS("tc"),
	PMD_NUMBER("hop", TTL, 8, KEY_TTL),
	PMD_NUMBER("flow", FLOWLABEL, 20, KEY_FLOWLABEL),
	ROW_LEAVE("proto", NEXTHDR),
	ROW_READ("has_frag_ext", pmd_frag6, .bits = 1),
	{0},
};

static const struct row pmd_tcp[] = {
	PMD_PORT("src", SPORT),
	PMD_PORT("dst", DPORT),
	ROW_READ("flags", pmd_flags, .what = SLOT_FLAGS, .bits = 8,
		 ROW_KEY(pmd_put_number, KEY_TCP_FLAGS)),
	{0},
};
static const struct row pmd_udp[] = {PMD_PORT("src", SPORT), PMD_PORT("dst", DPORT), {0}};
static const struct row pmd_icmp[] = {
	PMD_NUMBER("type", TYPE, 8, KEY_ICMP_TYPE, .whole = true),
	PMD_NUMBER("code", CODE, 8, KEY_ICMP_CODE, .whole = true),
	{0},
};
static const struct row pmd_icmp6[] = {
	PMD_NUMBER("type", TYPE, 8, KEY_ICMP6_TYPE, .whole = true),
	PMD_NUMBER("code", CODE, 8, KEY_ICMP6_CODE, .whole = true),
	{0},
};
static const struct row pmd_vxlan[] = {PMD_NUMBER("vni", VNI, 24, KEY_VXLAN_VNI, .whole = true),
				       {0}};
static const struct row pmd_gpe[] = {PMD_NUMBER("vni", VNI, 24, KEY_GPE_VNI, .whole = true), {0}};
static const struct row pmd_geneve[] = {PMD_NUMBER("vni", VNI, 24, KEY_GENEVE_VNI, .whole = true),
					{0}};
static const struct row pmd_nvgre[] = {ROW_READ("tni", pmd_number, .what = SLOT_VNI, .bits = 24,
						.whole = true, ROW_KEY(pmd_put_tni, KEY_GRE_KEY)),
				       {0}};
static const struct row pmd_gre_key[] = {PMD_NUMBER("value", KEY, 32, KEY_GRE_KEY, .whole = true),
					 {0}};
static const struct row pmd_mpls[] = {
	PMD_NUMBER("label", MPLS_LABEL, 20, KEY_MPLS_LABEL, .whole = true),
	PMD_NUMBER("tc", MPLS_TC, 3, KEY_MPLS_TC),
	PMD_NUMBER("s", MPLS_BOS, 1, KEY_MPLS_BOTTOM),
	PMD_NUMBER("ttl", MPLS_TTL, 8, KEY_MPLS_TTL),
	{0},
};
static const struct row pmd_none[] = {{0}};
static const struct row pmd_represented[] = {
	ROW_READ("ethdev_port_id", pmd_source, .whole = true),
	{0},
};
static const struct row pmd_port_id[] = {ROW_READ("id", pmd_source, .whole = true), {0}};

static const struct pmd_item pmd_items[] = {
	{"void", 0, DRAFT_SLOTS, 0, pmd_none},
	{"represented_port", 0, SLOT_FROM, 0, pmd_represented},
	{"port_id", 0, SLOT_FROM, 0, pmd_port_id},
	{"eth", 1, DRAFT_SLOTS, 0, pmd_eth},
	{"vlan", PMD_TAGS, SLOT_TAG, TAG_VLAN, pmd_vlan},
	{"mpls", 3, SLOT_MPLS, 0, pmd_mpls},
	{"ipv4", 4, SLOT_IP, 4, pmd_ipv4},
	{"ipv6", 4, SLOT_IP, 6, pmd_ipv6},
	{"tcp", 5, SLOT_PROTO, 6, pmd_tcp},
	{"udp", 5, SLOT_PROTO, 17, pmd_udp},
	{"sctp", 5, SLOT_PROTO, 132, pmd_none},
	{"icmp", 5, SLOT_PROTO, 1, pmd_icmp},
	{"icmp6", 5, SLOT_PROTO, 58, pmd_icmp6},
	{"esp", 5, SLOT_PROTO, 50, pmd_none},
	{"ah", 5, SLOT_PROTO, 51, pmd_none},
	{"vxlan", PMD_TUNNEL, SLOT_TUNNEL, TUNNEL_VXLAN, pmd_vxlan},
	{"vxlan-gpe", PMD_TUNNEL, SLOT_TUNNEL, TUNNEL_GPE, pmd_gpe},
	{"geneve", PMD_TUNNEL, SLOT_TUNNEL, TUNNEL_GENEVE, pmd_geneve},
	{"nvgre", PMD_TUNNEL, SLOT_TUNNEL, TUNNEL_NVGRE, pmd_nvgre},
	{"gre", PMD_TUNNEL, SLOT_PROTO, 47, pmd_none},
	{"gre_key", PMD_TUNNEL, DRAFT_SLOTS, 0, pmd_gre_key},
};
#define PMD_ITEMS (sizeof(pmd_items) / sizeof(pmd_items[0]))

static const struct row pmd_refused[] = {
	ROW_LEAVE("raw flex integrity any fuzzy arp_eth_ipv4 gtpu gtpc gtp pppoes pfcp l2tpv2 "
		  "l2tpv3oip ecpri",
		  FIELD),
	ROW_LEAVE("conntrack", CONNTRACK),
	ROW_LEAVE("meta mark tag", MARK),
	ROW_LEAVE("pf vf phy_port port_representor", TRANSFER),
	ROW_LEAVE("invert", NEGATION),
	/* The item compares GRE's payload, too. */
	{0},
};

const struct pmd_item *pmd_item_find(const char *name)
{
	for (size_t i = 0; name && i < PMD_ITEMS; i++)
		if (!strcmp(name, pmd_items[i].name))
			return &pmd_items[i];
	return NULL;
}

const struct pmd_item *pmd_item_of_proto(uint64_t proto)
{
	for (size_t i = 0; i < PMD_ITEMS; i++)
		if (pmd_items[i].slot == SLOT_PROTO && pmd_items[i].number == proto)
			return &pmd_items[i];
	return NULL;
}

/* --- items ------------------------------------------------------------------------------------- */

#define PMD_FIELDS_MAX 8

/* Reads FIELD OPERATOR VALUE. */
static bool pmd_field_read(struct draft *d, const struct row *rows, struct pmd_given *given)
{
	const struct token *name = tokens_next(d->line), *how = tokens_next(d->line), *value;
	const struct row *row = row_find(rows, name->text);
	struct pmd_given *to = &given[row ? row - rows : 0];
	int by;

	if (!row)
		return draft_leave(d, name, REASON_FIELD);
	value = tokens_next(d->line);
	if (!value->text)
		return draft_leave(d, value, REASON_ENDS);
	by = names_index(PMD_OPERATORS, how->text, strlen(how->text));
	if (by < 0)
		return draft_leave(d, how, REASON_SYNTAX);
	to->at = name;
	to->by[by] = value;
	return true;
}

/* Adds a field. `masked`: one of the item's fields has a mask. */
static bool pmd_field_add(struct draft *d, const struct row *row, const struct pmd_given *s,
			  bool masked)
{
	const struct token *spec = s->by[PMD_IS] ? s->by[PMD_IS] : s->by[PMD_SPEC];

	if (!row->read && !row->value)
		return draft_leave(d, s->at, row->what);
	/* Without a spec the field may have any value. */
	if (!spec)
		return true;
	/* Another field's mask leaves this one uncompared; without any, the item's default does. */
	if (!s->by[PMD_IS] && !s->by[PMD_MASK] && !s->by[PMD_PREFIX] && (masked || !row->whole))
		return masked || draft_leave(d, s->at, REASON_MASK);
	pmd_of(d)->given = s;
	return row->read ? row->read(d, row, spec) : pmd_address(d, row, spec);
}

static bool pmd_fields(struct draft *d, const struct row *rows)
{
	struct pmd_given given[PMD_FIELDS_MAX] = {0};
	bool masked = false;

	while (tokens_peek(d->line)->text && !token_among(tokens_peek(d->line), "/ end"))
		if (!pmd_field_read(d, rows, given))
			return false;
	for (size_t i = 0; i < PMD_FIELDS_MAX; i++)
		masked |= given[i].by[PMD_IS] || given[i].by[PMD_MASK] || given[i].by[PMD_PREFIX];
	for (size_t i = 0; rows[i].names; i++)
		if (given[i].at && !pmd_field_add(d, &rows[i], &given[i], masked))
			return false;
	return true;
}

/* Checks an item's place. Headers have the packet's order; behind a tunnel they begin anew. */
static bool pmd_place(struct draft *d, const struct pmd_item *item, const struct token *at)
{
	struct pmd_read *r = pmd_of(d);

	if (!item->depth)
		return true;
	if (r->depth == PMD_TUNNEL && item->depth < PMD_TUNNEL) {
		if (d->inner)
			return draft_leave(d, at, REASON_FIELD);
		d->inner = true;
		r->tags = 0;
	} else if (item->depth < r->depth || (item->depth == r->depth && item->depth != PMD_TAGS &&
					      strcmp(item->name, "gre_key"))) {
		return draft_leave(d, at, REASON_SYNTAX);
	}
	r->depth = item->depth;
	return true;
}

static bool pmd_vlan_item(struct draft *d, const struct token *at)
{
	unsigned int slot = pmd_of(d)->tags ? SLOT_TAG2 : SLOT_TAG;
	int64_t given = draft_number(d, slot);

	if (pmd_of(d)->tags == 2)
		return draft_leave(d, at, REASON_FIELD);
	pmd_of(d)->tags++;
	/* A type may have set svlan, or a flag that there is no such tag. */
	d->nothing |= given == TAG_NONE || given == TAG_LAST;
	return given >= 0 || draft_match_number(d, at, slot, TAG_VLAN);
}

static bool pmd_item(struct draft *d, const struct token *at)
{
	const struct pmd_item *item = pmd_item_find(at->text);
	const struct row *refused = row_find(pmd_refused, at->text);

	if (refused)
		return draft_leave(d, at, refused->what);
	if (!item)
		return draft_leave(d, at, at->text ? REASON_UNKNOWN : REASON_ENDS);
	if (!pmd_place(d, item, at))
		return false;
	if (item->slot == SLOT_FROM) {
		pmd_of(d)->has_port = true;
		return pmd_of(d)->transfer ? pmd_fields(d, item->field)
					   : draft_leave(d, at, REASON_TRANSFER);
	}
	if (item->slot == SLOT_TAG ? !pmd_vlan_item(d, at)
				   : item->slot != DRAFT_SLOTS &&
					     !draft_match_number(d, at, item->slot, item->number))
		return false;
	return pmd_fields(d, item->field);
}

/*
 * Returns whether the protocol inside the tunnel is known. DPDK's mlx5 driver compares it:
 * Ethernet, or the IP version of the item behind it. VXLAN and NVGRE carry only Ethernet, and only
 * Ethernet has an address.
 */
static bool pmd_inside_known(const struct draft *d)
{
	int64_t tunnel = part_number(&d->part[0][SLOT_TUNNEL]);

	return tunnel == TUNNEL_VXLAN || tunnel == TUNNEL_NVGRE || draft_has(d, SLOT_ETH_SRC) ||
	       draft_has(d, SLOT_ETH_DST);
}

/* Adds the command's port as the source of a flow of the e-switch that names none, as the driver does. */
static bool pmd_command_port(struct draft *d)
{
	const struct pmd_read *r = pmd_of(d);
	struct iface i;

	return !r->transfer || r->has_port ||
	       (draft_vport(d, r->port, &i) > 0 && draft_from(d, r->port, i.vport));
}

/*
 * The place among flows of one priority by the depth of the pattern's last item, as the PMD has it
 * (MLX5_PRIORITY_MAP_L2 and so on): MPLS, tunnels and a pattern of no item are of layer 4.
 */
static const uint8_t pmd_layer[] = {0, 2, 2, 0, 1, 0, 0};

bool pmd_pattern(struct draft *d)
{
	const struct token *item = NULL;

	while (!tokens_take(d->line, "end")) {
		item = d->inner ? item : tokens_peek(d->line);
		if (!pmd_item(d, tokens_next(d->line)))
			return false;
		if (!token_is(tokens_peek(d->line), "end") && !tokens_take(d->line, "/"))
			return draft_leave(d, tokens_peek(d->line), REASON_SYNTAX);
	}
	d->order += pmd_layer[pmd_of(d)->depth];
	if (d->inner && !pmd_inside_known(d))
		return draft_leave(d, item, REASON_TUNNEL_PROTOCOL);
	d->inner = false;
	if (!pmd_command_port(d))
		return false;
	return tokens_take(d->line, "actions") ||
	       draft_leave(d, tokens_peek(d->line), REASON_SYNTAX);
}
