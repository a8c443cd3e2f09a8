/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules of ethtool's receive classifier: commands "ethtool -N DEV flow-type ..." and what
 * "ethtool -n DEV" lists, as mlx5's driver means them: its tables of rules with more fields come
 * first, those of Ethernet alone last. A rule without `vlan' takes tagged packets, too. A listing
 * becomes the words of commands before it is read.
 */
#include <arpa/inet.h>
#include <stdlib.h>

#include "dialect.h"
#include "rules/arena.h"
#include "rules/map.h"

#define ETHTOOL_LOCATIONS 1024u /* of mlx5's driver; rules without one take the last free one */

struct ethtool {
	struct import *im;
	struct map rule; /* from a location, mixed, to the index of its item, or ETHTOOL_NO_RULE */
	/* A listing's rule: its first line, and the words of the others. */
	struct token filter, location; /* filter.text NULL: no rule is being listed */
	struct tokens words;
	bool elsewhere; /* the listing is of another interface */
};
#define ETHTOOL_NO_RULE UINT32_MAX
#define ETHTOOL_LABEL	64u

struct ethtool_read {
	struct draft d;
	unsigned int kind;	   /* of its flow-type, a bit of the words that it may have */
	const char *ignored;	   /* bits of the value that is read; NULL: none */
	const struct token *ports; /* the first word about ports */
};

static inline struct ethtool_read *ethtool_of(struct draft *d)
{
	return (struct ethtool_read *)d;
}

/* --- values ------------------------------------------------------------------------------------ */

/* Parses a number of so many bits, and the bits of it that are compared. */
static bool ethtool_bits(struct draft *d, const struct row *row, const char *text, uint64_t *v,
			 uint64_t *mask)
{
	const uint64_t most = row->bits == 64 ? UINT64_MAX : (1ull << row->bits) - 1;
	uint64_t ignored = 0;

	if (!number_parse(text, 0, most, v) ||
	    (ethtool_of(d)->ignored && !number_parse(ethtool_of(d)->ignored, 0, most, &ignored)))
		return false;
	*mask = most & ~ignored;
	return true;
}

static struct value ethtool_number(struct draft *d, const struct row *row, const char *text)
{
	uint64_t v, mask;

	return ethtool_bits(d, row, text, &v, &mask) ? value_under_mask(d->im, v, mask, row->bits)
						     : VALUE_BAD;
}

static struct value ethtool_net(struct draft *d, const struct row *row, const char *text)
{
	int family = d->family == 4 ? AF_INET : AF_INET6;
	const char *ignored = ethtool_of(d)->ignored;
	char compared[INET6_ADDRSTRLEN];
	uint8_t mask[16] = {0};

	if (strchr(text, '/') || (ignored && inet_pton(family, ignored, mask) != 1))
		return VALUE_BAD;
	for (unsigned int i = 0; i < sizeof(mask); i++)
		mask[i] = (uint8_t)~mask[i];
	inet_ntop(family, mask, compared, sizeof(compared));
	return value_net(d, &(struct row){0}, import_format(d->im, "%s/%s", text, compared));
}

static struct value ethtool_mac(struct draft *d, const struct row *row, const char *text)
{
	const char *ignored = ethtool_of(d)->ignored;
	struct value v = value_mac(d, row, text);
	struct value m = value_mac(d, row, ignored ? ignored : "0:0:0:0:0:0");

	if (v.bad || m.bad || !v.list.n || !m.list.n || strchr(text, '/'))
		return VALUE_BAD;
	return value_under_mask(d->im, ((const struct rule_value *)v.list.item)->value,
				~((const struct rule_value *)m.list.item)->value, 48);
}

static bool ethtool_type(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t v, mask;

	if (!ethtool_bits(d, row, at->text, &v, &mask))
		return draft_leave(d, at, REASON_VALUE);
	if (mask != 0xffff)
		return draft_match(d, at, SLOT_ETHERTYPE, value_under_mask(d->im, v, mask, 16),
				   false);
	return draft_add_type(d, v) || draft_leave(d, at, REASON_TWICE);
}

/* Reads a tag's 16 bits. */
static bool ethtool_vlan(struct draft *d, const struct row *row, const struct token *at)
{
	static const struct {
		enum draft_slot slot;
		unsigned int low, bits;
	} parts[] = {{SLOT_VLAN_ID, 0, 12}, {SLOT_VLAN_DEI, 12, 1}, {SLOT_VLAN_PCP, 13, 3}};
	uint64_t v, mask;
	bool ok = true;

	if (!ethtool_bits(d, row, at->text, &v, &mask))
		return draft_leave(d, at, REASON_VALUE);
	for (size_t i = 0; i < 3 && ok; i++)
		ok = draft_match(d, at, parts[i].slot,
				 value_under_mask(d->im,
						  v >> parts[i].low & ((1u << parts[i].bits) - 1),
						  mask >> parts[i].low, parts[i].bits),
				 false);
	return ok;
}

/* Reads the type of the tag itself. */
static bool ethtool_tag(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t v, mask;

	if (!ethtool_bits(d, row, at->text, &v, &mask))
		return draft_leave(d, at, REASON_VALUE);
	if (!mask)
		return true;
	if (mask != 0xffff || (v != 0x8100 && v != 0x88a8))
		return draft_leave(d, at - 1, REASON_FIELD);
	return draft_match_number(d, at, SLOT_TAG, v == 0x8100 ? TAG_VLAN : TAG_SVLAN);
}

/* Reads 16 bits of each port from `arg` on. */
static bool ethtool_ports(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t v, mask;

	if (!ethtool_bits(d, row, at->text, &v, &mask))
		return draft_leave(d, at, REASON_VALUE);
	if (mask && !ethtool_of(d)->ports)
		ethtool_of(d)->ports = at - 1;
	if (row->bits == 32 &&
	    !draft_match(d, at, SLOT_SPORT, value_port_mask(d->im, v >> 16, mask >> 16), false))
		return false;
	return draft_match(d, at, row->what, value_port_mask(d->im, v & 0xffff, mask & 0xffff),
			   false);
}

/* Reads a field that a device of another kind compares: all of its bits have to be ignored. */
static bool ethtool_other(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t v, mask;

	if (!ethtool_bits(d, row, at->text, &v, &mask))
		return draft_leave(d, at, REASON_VALUE);
	return !mask || draft_leave(d, at - 1, REASON_FIELD);
}

/* Reads an action or a queue, of a command or a listing. Bits above 32 name a function. */
static bool ethtool_action(struct draft *d, const struct row *row, const struct token *at)
{
	static const char queue[] = "Direct-to-queue-";
	bool listed = names_begin(queue, at->text);
	uint64_t n;

	if (d->verdict || ethtool_of(d)->ignored)
		return draft_leave(d, at - 1, REASON_SYNTAX);
	d->verdict = "drop";
	if (row->what && token_among(at, "-1 Drop"))
		return true;
	if (row->what && token_among(at, "-2 Wake-on-LAN"))
		return draft_leave(d, at, REASON_TARGET);
	if (names_begin("Direct-to-VF", at->text))
		return draft_leave(d, at, REASON_TRANSFER);
	if (!number_parse(at->text + (listed ? strlen(queue) : 0), 0, UINT64_MAX, &n))
		return draft_leave(d, at, REASON_VALUE);
	if (n > UINT32_MAX)
		return draft_leave(d, at, REASON_TRANSFER);
	d->verdict = "send";
	d->queue = import_format(d->im, "queue %u", (unsigned int)n);
	return true;
}

/* --- words ------------------------------------------------------------------------------------- */

/* Kinds of flow types. */
enum { ETHER = 1, PORTS4 = 2, SPI4 = 4, USER4 = 8, PORTS6 = 16, SPI6 = 32, USER6 = 64 };
#define OF_IP4	 (PORTS4 | SPI4 | USER4)
#define OF_IP6	 (PORTS6 | SPI6 | USER6)
#define OF_IP	 (OF_IP4 | OF_IP6)
#define OF_USER	 (USER4 | USER6)
#define OF_PORTS (PORTS4 | PORTS6)
#define OF_SPI	 (SPI4 | SPI6)
#define OF_ALL	 (ETHER | OF_IP)

static const struct row ethtool_words[] = {
	ROW_MATCH("src", ETH_SRC, ethtool_mac, .arg = ETHER),
	ROW_MATCH("dst", ETH_DST, ethtool_mac, .arg = ETHER),
	ROW_READ("proto", ethtool_type, .arg = ETHER, .bits = 16),
	ROW_MATCH("dst-mac", ETH_DST, ethtool_mac, .arg = OF_ALL),
	ROW_MATCH("src-ip", SRC, ethtool_net, .arg = OF_IP),
	ROW_MATCH("dst-ip", DST, ethtool_net, .arg = OF_IP),
	ROW_MATCH("tos", TOS, ethtool_number, .arg = OF_IP4, .bits = 8),
	ROW_MATCH("tclass", TOS, ethtool_number, .arg = OF_IP6, .bits = 8),
	ROW_MATCH("l4proto", PROTO, ethtool_number, .arg = OF_USER, .bits = 8),
	ROW_READ("src-port", ethtool_ports, .what = SLOT_SPORT, .arg = OF_PORTS | OF_USER,
		 .bits = 16),
	ROW_READ("dst-port", ethtool_ports, .what = SLOT_DPORT, .arg = OF_PORTS | OF_USER,
		 .bits = 16),
	ROW_READ("l4data", ethtool_ports, .what = SLOT_DPORT, .arg = OF_USER, .bits = 32),
	ROW_READ("spi", ethtool_other, .arg = OF_SPI | OF_USER, .bits = 32),
	ROW_READ("user-def", ethtool_other, .arg = OF_ALL, .bits = 64),
	ROW_READ("vlan", ethtool_vlan, .arg = OF_ALL, .bits = 16),
	ROW_READ("vlan-etype", ethtool_tag, .arg = OF_ALL, .bits = 16),
	ROW_READ("action", ethtool_action, .what = true, .arg = OF_ALL),
	ROW_READ("queue", ethtool_action, .arg = OF_ALL),
	ROW_READ("loc", row_skip_value, .arg = OF_ALL),
	{.names = "vf", .what = REASON_TRANSFER, .arg = OF_ALL},
	{.names = "context", .what = REASON_TARGET, .arg = OF_ALL},
	{0},
};

/* The EtherType (what), the protocol (bits) and the kind of each type, as in commands and lists. */
#define ETHTOOL_FLOW(name, type, proto, kind)                           \
	{                                                               \
		.names = name, .what = type, .bits = proto, .arg = kind \
	}
static const struct row ethtool_flows[] = {
	ETHTOOL_FLOW("ether Raw-Ethernet", 0, 0, ETHER),
	ETHTOOL_FLOW("ip4 Raw-IPv4", 4, 0, USER4),
	ETHTOOL_FLOW("tcp4 TCP-over-IPv4", 4, 6, PORTS4),
	ETHTOOL_FLOW("udp4 UDP-over-IPv4", 4, 17, PORTS4),
	ETHTOOL_FLOW("sctp4 SCTP-over-IPv4", 4, 132, PORTS4),
	ETHTOOL_FLOW("ah4 IPSEC-AH-over-IPv4", 4, 51, SPI4),
	ETHTOOL_FLOW("esp4 IPSEC-ESP-over-IPv4", 4, 50, SPI4),
	ETHTOOL_FLOW("ip6 Raw-IPv6", 6, 0, USER6),
	ETHTOOL_FLOW("tcp6 TCP-over-IPv6", 6, 6, PORTS6),
	ETHTOOL_FLOW("udp6 UDP-over-IPv6", 6, 17, PORTS6),
	ETHTOOL_FLOW("sctp6 SCTP-over-IPv6", 6, 132, PORTS6),
	ETHTOOL_FLOW("ah6 IPSEC-AH-over-IPv6", 6, 51, SPI6),
	ETHTOOL_FLOW("esp6 IPSEC-ESP-over-IPv6", 6, 50, SPI6),
	{0},
};

static bool ethtool_flow(struct ethtool_read *r)
{
	const struct token *at = tokens_next(r->d.line);
	const struct row *flow;

	if (!token_is(at, "flow-type"))
		return draft_leave(&r->d, at, at->text ? REASON_SYNTAX : REASON_ENDS);
	at = tokens_next(r->d.line);
	flow = row_find(ethtool_flows, at->text);
	if (!flow)
		return draft_leave(&r->d, at, at->text ? REASON_UNKNOWN : REASON_ENDS);
	r->kind = flow->arg;
	r->d.family = (uint8_t)flow->what;
	if (flow->what)
		draft_set(&r->d, SLOT_IP, flow->what);
	if (flow->bits)
		draft_set(&r->d, SLOT_PROTO, flow->bits);
	return true;
}

/* Reads a word, its value, and the bits of it that are ignored. */
static bool ethtool_word(struct ethtool_read *r)
{
	const struct token *name = tokens_next(r->d.line), *value;
	const struct row *row = row_find(ethtool_words, name->text);

	if (!row)
		return draft_leave(&r->d, name, REASON_UNKNOWN);
	if (!(row->arg & r->kind))
		return draft_leave(&r->d, name, REASON_SYNTAX);
	if (!row->read && !row->value)
		return draft_leave(&r->d, name, row->what);
	value = tokens_next(r->d.line);
	r->ignored = NULL;
	if (token_among(tokens_peek(r->d.line), "m mask:") ||
	    token_is(tokens_peek(r->d.line), import_format(r->d.im, "%s-mask", name->text))) {
		tokens_next(r->d.line);
		r->ignored = tokens_peek(r->d.line)->text;
		if (!tokens_next(r->d.line)->text)
			return draft_leave(&r->d, tokens_peek(r->d.line), REASON_ENDS);
	}
	return value->text ? row_apply(&r->d, row, value) : draft_leave(&r->d, value, REASON_ENDS);
}

/* Completes a rule. A command without an action sends to queue 0. */
static bool ethtool_settle(struct ethtool_read *r, bool listed)
{
	struct draft *d = &r->d;
	int64_t proto = draft_number(d, SLOT_PROTO);

	if (r->ports && proto != L4_TCP && proto != L4_UDP)
		return draft_leave(d, r->ports, REASON_PORTS);
	if ((draft_has(d, SLOT_VLAN_ID) || draft_has(d, SLOT_VLAN_DEI) ||
	     draft_has(d, SLOT_VLAN_PCP)) &&
	    !draft_has(d, SLOT_TAG))
		draft_set(d, SLOT_TAG, TAG_VLAN);
	if (!d->verdict && listed)
		return draft_leave(d, tokens_peek(d->line), REASON_FATE);
	if (!d->verdict) {
		d->verdict = "send";
		d->queue = "queue 0";
	}
	return true;
}

/* --- rules by their locations ------------------------------------------------------------------ */

/* Returns the number of fields as mlx5's driver counts them. */
static unsigned int ethtool_fields(const struct ethtool_read *r)
{
	static const enum draft_slot counted[] = {
		SLOT_ETH_SRC, SLOT_ETH_DST, SLOT_VLAN_ID, SLOT_ETHERTYPE, SLOT_MPLS,  SLOT_IP,
		SLOT_SRC,     SLOT_DST,	    SLOT_PROTO,	  SLOT_SPORT,	  SLOT_DPORT,
	};
	unsigned int n = 0;

	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++)
		n += draft_has(&r->d, counted[i]);
	/* TCP over IPv4 is one field. */
	return n - ((r->kind & (OF_PORTS | OF_SPI)) != 0);
}

/* Finds the rule's location: the one that it names, or the last free one. */
static bool ethtool_location(struct ethtool *e, struct ethtool_read *r, uint64_t *at)
{
	const struct tokens *line = r->d.line;
	const struct map_slot *slot = NULL;

	for (size_t i = line->at; i + 1 < line->n; i++)
		if (token_is(&line->token[i], "loc"))
			return number_parse(line->token[i + 1].text, 0, UINT32_MAX, at) ||
			       draft_leave(&r->d, &line->token[i + 1], REASON_VALUE);
	for (*at = ETHTOOL_LOCATIONS; *at; --*at) {
		slot = map_get(&e->rule, map_mix(0, *at - 1));
		if (!slot || slot->what == ETHTOOL_NO_RULE)
			break;
	}
	return (*at)-- > 0 || draft_leave(&r->d, r->d.at, REASON_LONG);
}

/* Removes the rule at a location, which another one replaces or a command deletes. */
static bool ethtool_forget(struct ethtool *e, uint64_t at)
{
	const struct map_slot *slot = map_get(&e->rule, map_mix(0, at));
	struct import_item *item;

	if (!slot || slot->what == ETHTOOL_NO_RULE)
		return false;
	item = &e->im->out->item[slot->what];
	e->im->out->left_out -= !item->rule;
	item->number = 0;
	return true;
}

static void ethtool_keep(struct ethtool *e, uint64_t at, uint32_t item)
{
	struct map_slot *slot = map_put(&e->rule, map_mix(0, at), item);

	if (slot)
		slot->what = item;
	e->im->no_memory |= !slot;
}

/* Reads a rule from its word flow-type on; `first` is the place of all. */
static void ethtool_rule(struct ethtool *e, struct tokens *line, const struct token *first)
{
	struct ethtool_read r = {.d = {.im = e->im,
				       .line = line,
				       .at = first,
				       .direction = "in",
				       .no_labels = true}};
	struct import_result *out = e->im->out;
	size_t before = out->n;
	uint64_t at;
	bool ok;

	if (!ethtool_location(e, &r, &at))
		return;
	ethtool_forget(e, at);
	ok = ethtool_flow(&r);
	while (ok && tokens_peek(line)->text)
		ok = ethtool_word(&r);
	ok = ok && ethtool_settle(&r, first == &e->filter);
	r.d.order = (uint64_t)(r.kind == ETHER) << 40 |
		    (uint64_t)(DRAFT_SLOTS - ethtool_fields(&r)) << 32 | at;
	if (ok)
		import_add(&r.d);
	else if (out->n > before)
		out->item[before].order = r.d.order;
	ethtool_keep(e, at, out->n > before ? (uint32_t)before : ETHTOOL_NO_RULE);
}

/* Takes the removed rules out of the result. */
static void ethtool_compact(struct import_result *out)
{
	size_t n = 0;

	for (size_t i = 0; i < out->n; i++)
		if (out->item[i].number)
			out->item[n++] = out->item[i];
	out->n = n;
}

/* --- listings ---------------------------------------------------------------------------------- */

/* The words of commands (word) for those of a listing, with - instead of blanks. */
static const struct row ethtool_labels[] = {
	{.names = "Rule-Type: Flow-Type:", .word = "flow-type", .whole = true},
	{.names = "Action:", .word = "action", .whole = true},
	{.names = "Src-IP-addr:", .word = "src-ip"},
	{.names = "Dest-IP-addr:", .word = "dst-ip"},
	{.names = "TOS:", .word = "tos"},
	{.names = "Traffic-Class:", .word = "tclass"},
	{.names = "Protocol:", .word = "l4proto"},
	{.names = "L4-bytes:", .word = "l4data"},
	{.names = "Src-port:", .word = "src-port"},
	{.names = "Dest-port:", .word = "dst-port"},
	{.names = "SPI:", .word = "spi"},
	{.names = "Src-MAC-addr:", .word = "src"},
	{.names = "Dest-MAC-addr:", .word = "dst-mac"},
	{.names = "Ethertype:", .word = "proto"},
	{.names = "VLAN-EtherType:", .word = "vlan-etype"},
	{.names = "VLAN:", .word = "vlan"},
	{.names = "User-defined:", .word = "user-def"},
	{.names = "RSS-Context-ID:", .word = "context"},
	{0},
};

static void ethtool_push(struct ethtool *e, const struct token *at, const char *text)
{
	struct tokens *w = &e->words;

	if (!array_grow((void **)&w->token, w->n + 1, &w->room, sizeof(*w->token))) {
		e->im->no_memory = true;
		return;
	}
	w->token[w->n++] = (struct token){text, at->line, at->column, false};
	w->token[w->n] = (struct token){NULL, at->line, at->column, false};
}

/* Joins the words of a line up to one that ends with a colon, or all. */
static const char *ethtool_join(struct ethtool *e, struct tokens *line)
{
	const char *text = tokens_next(line)->text;

	while (tokens_peek(line)->text && *text && text[strlen(text) - 1] != ':' &&
	       strlen(text) < ETHTOOL_LABEL)
		text = import_format(e->im, "%s-%s", text, tokens_next(line)->text);
	return text;
}

/* Adds the words of a line of a rule. An unknown line is an unknown word. */
static void ethtool_list_line(struct ethtool *e, struct tokens *line)
{
	const struct token *label = tokens_peek(line), *at;
	const char *name = ethtool_join(e, line);
	const struct row *row = row_find(ethtool_labels, name);

	ethtool_push(e, label, row ? row->word : name);
	at = tokens_peek(line);
	if (row && row->whole && at->text)
		ethtool_push(e, at, ethtool_join(e, line));
	while ((at = tokens_next(line))->text)
		ethtool_push(e, at, at->text);
}

/* Reads the rule whose lines end here, if there is one. */
static void ethtool_list_end(struct ethtool *e)
{
	if (e->filter.text && !e->elsewhere && !e->im->no_memory) {
		ethtool_push(e, &e->location, "loc");
		ethtool_push(e, &e->location, e->location.text);
		if (!e->im->no_memory)
			ethtool_rule(e, &e->words, &e->filter);
	}
	e->filter.text = NULL;
	e->words.n = e->words.at = 0;
}

/* --- lines ------------------------------------------------------------------------------------- */

static const char ethtool_programs[] = "ethtool /sbin/ethtool /usr/sbin/ethtool";
static const char ethtool_sets[] = "-N -U --config-nfc --config-ntuple";
static const char ethtool_shows[] = "-n -u --show-nfc --show-ntuple";

/* Takes the program's name. Returns whether one was there. */
static bool ethtool_program(struct tokens *line)
{
	bool is = token_among(tokens_peek(line), ethtool_programs);

	line->at += is;
	return is;
}

/* Reads a command that changes rules, behind its option. */
static void ethtool_set(struct ethtool *e, struct tokens *line)
{
	const struct token *dev = tokens_next(line), *word = tokens_peek(line);
	int ours = dev->text ? import_netdev(e->im, dev->text) : 1;
	uint64_t at;

	if (ours < 0)
		import_leave(e->im, &line->token[0], dev, REASON_INTERFACE);
	if (ours <= 0)
		return;
	if (token_is(word, "flow-type"))
		ethtool_rule(e, line, &line->token[0]);
	else if (token_is(word, "delete") && word[1].text &&
		 number_parse(word[1].text, 0, UINT32_MAX, &at) && ethtool_forget(e, at))
		ethtool_keep(e, at, ETHTOOL_NO_RULE);
	else
		import_leave(e->im, &line->token[0], word, REASON_COMMAND);
}

/* Reads "ethtool -n DEV", which stands before what it listed. */
static void ethtool_show(struct ethtool *e, struct tokens *line)
{
	const struct token *dev = tokens_next(line);
	int ours = dev->text ? import_netdev(e->im, dev->text) : 1;

	e->elsewhere = ours != 1;
	if (ours < 0)
		import_leave(e->im, &line->token[0], dev, REASON_INTERFACE);
}

/* Returns whether the line is one about the number of rings, or of rules. */
static bool ethtool_is_head(const struct tokens *line)
{
	const struct token *t = &line->token[line->at];

	return line->n - line->at > 2 && ((token_is(&t[1], "RX") && token_is(&t[2], "rings")) ||
					  (token_is(t, "Total") && token_is(&t[2], "rules")));
}

/* Returns whether the line is one of a listed rule. All of these have a label. */
static bool ethtool_has_label(const struct tokens *line)
{
	for (size_t i = line->at; i < line->n; i++) {
		size_t n = strlen(line->token[i].text);

		if (n && line->token[i].text[n - 1] == ':')
			return true;
	}
	return false;
}

static void ethtool_line(struct ethtool *e, struct tokens *line)
{
	bool program = ethtool_program(line), rule = token_is(tokens_peek(line), "Filter:");

	if (e->filter.text && !program && !rule && ethtool_has_label(line)) {
		ethtool_list_line(e, line);
		return;
	}
	ethtool_list_end(e);
	if (rule && line->n - line->at == 2) {
		e->filter = *tokens_next(line);
		e->location = *tokens_next(line);
	} else if (token_among(tokens_peek(line), ethtool_sets)) {
		tokens_next(line);
		ethtool_set(e, line);
	} else if (program && token_among(tokens_peek(line), ethtool_shows)) {
		tokens_next(line);
		ethtool_show(e, line);
	} else if (program && line->n > 2 && token_is(&line->token[line->n - 2], "ntuple")) {
		/* "-K DEV ntuple on" makes a place for rules. */
	} else if (program) {
		import_leave(e->im, &line->token[0], tokens_peek(line), REASON_COMMAND);
	} else if (!ethtool_is_head(line)) {
		dialect_leave_line(e->im, line);
	}
}

void ethtool_read(struct import *im, struct token_reader *r)
{
	struct ethtool e = {.im = im};
	struct tokens line = {0};

	while (tokens_line(r, &line))
		ethtool_line(&e, &line);
	ethtool_list_end(&e);
	ethtool_compact(im->out);
	map_free(&e.rule);
	free(e.words.token);
	free(line.token);
}

bool ethtool_looks(const struct tokens *line)
{
	struct tokens t = *line;
	bool program = ethtool_program(&t);

	return program || token_is(tokens_peek(&t), "Filter:") || ethtool_is_head(&t) ||
	       (token_among(tokens_peek(&t), ethtool_sets) && t.n > t.at + 2 &&
		token_among(&t.token[t.at + 2], "flow-type delete rx-flow-hash"));
}
