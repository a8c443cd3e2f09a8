/* SPDX-License-Identifier: BSD-2-Clause */
/* A rule of nft: its matches, its verdict, and the other statements of nft(8). */
#include "nft.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nft_match.h"
#include "rules/arena.h"
#include "values.h"

/* --- statements that are no matches ------------------------------------------------------------ */

/* Statements that end or leave out a rule. */
static const struct {
	const char *name;
	enum import_reason reason;
	bool ends; /* the packet goes elsewhere */
} nft_others[] = {
	{"reject", REASON_REPLY, false},  {"log", REASON_LOG, false},
	{"limit", REASON_LIMIT, false},	  {"quota", REASON_LIMIT, false},
	{"queue", REASON_TARGET, true},	  {"continue", REASON_FINAL, false},
	{"goto", REASON_RETURN, false},	  {"dnat", REASON_NAT, false},
	{"snat", REASON_NAT, false},	  {"masquerade", REASON_NAT, false},
	{"redirect", REASON_NAT, false},  {"dup", REASON_TARGET, false},
	{"fwd", REASON_TARGET, true},	  {"flow", REASON_CONNTRACK, false},
	{"ct", REASON_CONNTRACK, false},  {"notrack", REASON_CONNTRACK, false},
	{"tproxy", REASON_TARGET, false}, {"synproxy", REASON_REPLY, false},
	{"meter", REASON_LIMIT, false},	  {"update", REASON_MEMORY, false},
	{"add", REASON_MEMORY, false},	  {"delete", REASON_MEMORY, false},
	{"reset", REASON_CHANGE, false},  {"mark", REASON_MARK, false},
	{"oif", REASON_DIRECTION, false}, {"oifname", REASON_DIRECTION, false},
	{"fib", REASON_HOST, false},	  {"rt", REASON_HOST, false},
	{"ipsec", REASON_HOST, false},	  {"socket", REASON_HOST, false},
	{"osf", REASON_HOST, false},	  {"numgen", REASON_LIMIT, false},
	{"jhash", REASON_FIELD, false},	  {"symhash", REASON_FIELD, false},
	{"skuid", REASON_HOST, false},	  {"skgid", REASON_HOST, false},
	{"pkttype", REASON_HOST, false},  {"arp", REASON_FIELD, false},
	{"exthdr", REASON_FIELD, false},  {"sctp", REASON_FIELD, false},
	{"dccp", REASON_FIELD, false},	  {"udplite", REASON_FIELD, false},
	{"esp", REASON_FIELD, false},	  {"ah", REASON_FIELD, false},
	{"comp", REASON_FIELD, false},	  {"igmp", REASON_FIELD, false},
	{"frag", REASON_FRAGMENT, false}, {"hbh", REASON_FIELD, false},
	{"dst", REASON_FIELD, false},	  {"mh", REASON_FIELD, false},
};

static size_t nft_counter(const struct nft *t, size_t at, size_t end, struct draft *d)
{
	if (nft_is(t, at, "name"))
		return at + 2;
	d->count = true;
	while (at + 1 < end && (nft_is(t, at, "packets") || nft_is(t, at, "bytes")))
		at += 2;
	return at;
}

/* --- verdicts ---------------------------------------------------------------------------------- */

/* Returns whether the rule needs IP, but does not give the version. */
static bool nft_is_of_both(const struct nft_chain *c, const struct draft *d)
{
	bool positive = false, any = false;

	if (draft_value(d, SLOT_IP))
		return false;
	for (unsigned int s = SLOT_SRC; s < SLOT_TUNNEL; s++) {
		any |= d->part[0][s].text != NULL;
		positive |= d->part[0][s].text && !d->part[0][s].negated;
	}
	/* A condition on an IP field implies IP, but labels may be between. */
	return d->no_labels ? any || c->family == NFT_INET : c->family == NFT_INET && !positive;
}

/* Adds a rule. In an inet chain it is for both IP versions and for no other packets. */
static void nft_add(struct nft *t, const struct nft_chain *c, struct draft *d)
{
	static const char *const versions[] = {"ipv4", "ipv6"};
	struct draft both = *d;

	/* At ingress the protocol is the one behind the first tag. */
	d->no_labels |= c->family == NFT_NETDEV;
	for (size_t i = 0; i < 2 && nft_is_of_both(c, d); i++) {
		both = *d;
		both.part[0][SLOT_IP].text = versions[i];
		if (c->family == NFT_NETDEV)
			draft_one_tag(t->im, &both);
		import_add(t->im, &both);
	}
	if (nft_is_of_both(c, d))
		return;
	if (c->family == NFT_NETDEV)
		draft_one_tag(t->im, d);
	import_add(t->im, d);
}

static void nft_jump(struct nft *t, struct nft_chain *from, size_t at, const struct draft *d)
{
	struct nft_chain *to =
		at < t->words.n ? nft_chain_find(t, from, t->words.token[at].text) : NULL;

	if (!to || to->running || to->base) {
		nft_leave(t, d, at, REASON_CHAIN);
		return;
	}
	if (t->depth == NFT_DEPTH_MAX) {
		nft_leave(t, d, at, REASON_LONG);
		return;
	}
	/* Whether an `accept' there is final depends on the place of the jump. */
	to->last = from->last;
	t->depth++;
	nft_run(t, to, d);
	t->depth--;
}

/* Reads a verdict. Returns the word behind it, or 0 if there is none. */
static size_t nft_verdict(struct nft *t, struct nft_chain *c, size_t at, bool is_last,
			  struct draft *d)
{
	if (nft_is(t, at, "drop")) {
		d->verdict = "drop";
		nft_add(t, c, d);
	} else if (nft_is(t, at, "accept")) {
		d->verdict = "pass";
		if (c->last)
			nft_add(t, c, d);
		else
			nft_leave_end(t, d, at, REASON_HOOK);
	} else if (nft_is(t, at, "return")) {
		if (c->base && c->drops)
			d->verdict = "drop";
		else if (c->base)
			d->verdict = "pass";
		if (c->base && (c->drops || c->last))
			nft_add(t, c, d);
		else if (!is_last || c->base)
			nft_leave(t, d, at, c->base ? REASON_HOOK : REASON_RETURN);
	} else if (nft_is(t, at, "jump") || (nft_is(t, at, "goto") && is_last)) {
		/* A goto of a chain's last rule ends where the jump would. */
		nft_jump(t, c, at + 1, d);
		return at + 2;
	} else {
		return 0;
	}
	return at + 1;
}

/* --- alternatives ------------------------------------------------------------------------------ */

static void nft_statements(struct nft *t, struct nft_chain *c, size_t at, size_t end, bool is_last,
			   const struct draft *before);

static bool nft_enough(struct nft *t, const struct draft *d, size_t at)
{
	if (t->emitted++ < NFT_RULES_MAX)
		return false;
	nft_leave(t, d, at, REASON_LONG);
	return true;
}

/* Returns the end of an element: a comma, or a colon before a verdict. */
static size_t nft_element_end(const struct nft *t, size_t at, size_t end, const char *stop)
{
	while (at < end && !nft_is(t, at, ",") && !nft_is(t, at, stop))
		at++;
	return at;
}

/* Reads one value for each key of a concatenation, with a word "." between. */
static bool nft_element(struct nft *t, const struct nft_chain *c, const struct nft_key *const *key,
			size_t keys, struct nft_span e, struct draft *d)
{
	for (size_t k = 0; k < keys; k++) {
		while (e.from < e.end && nft_is(t, e.from, "\n"))
			e.from++;
		if (e.from >= e.end)
			return nft_leave(t, d, e.from, REASON_VALUE);
		if (!nft_match_one(t, c, key[k], e.from, d))
			return false;
		e.from++;
		if (k + 1 < keys && !nft_is(t, e.from++, "."))
			return nft_leave(t, d, e.from - 1, REASON_SYNTAX);
	}
	e.from--;
	return nft_element_rest(t, &e, d);
}

/* Adds one rule for each element, with the rest of the statement or the element's verdict. */
static void nft_each(struct nft *t, struct nft_chain *c, const struct nft_key *const *key,
		     size_t keys, struct nft_span set, bool verdicts, size_t rest, size_t end,
		     bool is_last, const struct draft *before)
{
	while (set.from < set.end) {
		size_t stop = nft_element_end(t, set.from, set.end, verdicts ? ":" : ",");
		struct draft d = *before;
		bool empty = true;

		for (size_t i = set.from; i < stop; i++)
			empty &= nft_is(t, i, "\n");
		if (nft_enough(t, before, set.from))
			return;
		if (!empty && nft_element(t, c, key, keys, (struct nft_span){set.from, stop}, &d)) {
			if (!verdicts)
				nft_statements(t, c, rest, end, is_last, &d);
			else if (!d.nothing && (!nft_is(t, stop, ":") ||
						!nft_verdict(t, c, stop + 1, is_last, &d)))
				nft_leave(t, &d, stop, REASON_VALUE);
		}
		set.from = nft_element_end(t, stop, set.end, ",") + 1;
	}
}

/* Finds the elements of { ... } or @NAME. Returns false if it is neither, or left out. */
static bool nft_set_span(struct nft *t, const struct nft_chain *c, size_t at, size_t end,
			 struct nft_span *span, size_t *next, const struct draft *d)
{
	const struct nft_set *s;

	if (nft_is(t, at, "{")) {
		*next = nft_skip(t, at, end);
		*span = (struct nft_span){at + 1, *next - 1};
		return true;
	}
	if (at >= end || *t->words.token[at].text != '@')
		return nft_leave(t, d, at, REASON_VALUE);
	s = nft_set_find(t, c, t->words.token[at].text + 1);
	if (!s || s->changes)
		return nft_leave(t, d, at, REASON_SETS);
	*span = s->elements;
	*next = at + 1;
	return true;
}

/* --- matches ----------------------------------------------------------------------------------- */

#define NFT_KEYS_MAX 6

/* Reads KEY [. KEY]... [OPERATOR] VALUE|SET|vmap MAP, and the rest of the rule. */
static void nft_match(struct nft *t, struct nft_chain *c, size_t at, size_t end, bool is_last,
		      struct draft *d)
{
	const struct nft_key *key[NFT_KEYS_MAX];
	struct nft_span span;
	size_t keys = 0, next;

	do {
		key[keys] = nft_key_read(t, c, &at, end, keys > 0, d);
		if (!key[keys++])
			return;
	} while (keys < NFT_KEYS_MAX && nft_is(t, at, ".") && ++at);
	if (nft_is(t, at, "vmap")) {
		if (nft_set_span(t, c, at + 1, end, &span, &next, d))
			nft_each(t, c, key, keys, span, true, next, end, is_last, d);
		return;
	}
	if (keys == 1 && nft_match_list(t, c, key[0], &at, end, d)) {
		nft_statements(t, c, at, end, is_last, d);
		return;
	}
	if (at == end + 1)
		return;
	if (nft_is(t, at, "==") || nft_is(t, at, "eq"))
		at++;
	if (nft_is(t, at, "!="))
		nft_leave(t, d, at, REASON_NEGATION);
	else if (nft_set_span(t, c, at, end, &span, &next, d))
		nft_each(t, c, key, keys, span, false, next, end, is_last, d);
}

/* Reads the statements of a rule from here on. */
static void nft_statements(struct nft *t, struct nft_chain *c, size_t at, size_t end, bool is_last,
			   const struct draft *before)
{
	struct draft d = *before;

	d.inner = false;
	while (at < end) {
		size_t next;

		if (d.nothing)
			return;
		if (nft_is(t, at, "counter")) {
			at = nft_counter(t, at + 1, end, &d);
			continue;
		}
		if (nft_is(t, at, "comment")) {
			at += 2;
			continue;
		}
		next = nft_verdict(t, c, at, is_last, &d);
		if (next) {
			while (nft_is(t, next, "comment") && next < end)
				next += 2;
			if (next < end)
				nft_leave(t, &d, next, REASON_SYNTAX);
			return;
		}
		for (size_t i = 0; i < sizeof(nft_others) / sizeof(nft_others[0]); i++)
			if (nft_is(t, at, nft_others[i].name)) {
				(nft_others[i].ends ? nft_leave_end
						    : nft_leave)(t, &d, at, nft_others[i].reason);
				return;
			}
		if (t->depth == NFT_DEPTH_MAX) {
			nft_leave(t, &d, at, REASON_LONG);
			return;
		}
		t->depth++;
		nft_match(t, c, at, end, is_last, &d);
		t->depth--;
		return;
	}
	if (!d.nothing)
		nft_leave(t, &d, end, REASON_FINAL);
}

void nft_rule(struct nft *t, struct nft_chain *chain, const struct nft_rule *rule,
	      const struct draft *before)
{
	struct draft d = *before;

	d.at = &t->words.token[rule->words.from];
	if (chain->base || !nft_enough(t, &d, rule->words.from))
		nft_statements(t, chain, rule->words.from, rule->words.end, !rule->next, &d);
}

void nft_run(struct nft *t, struct nft_chain *chain, const struct draft *before)
{
	chain->running = true;
	for (const struct nft_rule *r = chain->first; r && t->emitted <= NFT_RULES_MAX; r = r->next)
		nft_rule(t, chain, r, before);
	chain->running = false;
}
