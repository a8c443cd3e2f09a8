/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "nft list ruleset", and the commands "add table|chain|rule|set". Chains of the hooks ingress,
 * prerouting and input become rules for incoming packets.
 */
#include "nft.h"

#include <stdlib.h>
#include <string.h>

#include "rules/arena.h"

const struct token *nft_word(const struct nft *t, size_t at)
{
	return &t->words.token[at < t->words.n ? at : t->words.n];
}

bool nft_is(const struct nft *t, size_t at, const char *words)
{
	return token_among(nft_word(t, at), words);
}

bool nft_leave(const struct nft_read *r, size_t at, enum import_reason reason)
{
	return draft_leave(&r->d, nft_word(r->t, at), reason);
}

size_t nft_skip(const struct nft *t, size_t from, size_t end)
{
	int depth = 0;

	for (; from < end; from++) {
		depth += nft_is(t, from, "{ (");
		depth -= nft_is(t, from, "} )");
		if (depth <= 0)
			return from + 1;
	}
	return end;
}

static uint64_t nft_hash(enum nft_family family, const char *table, const char *name)
{
	return map_mix_text(map_mix_text(family, table), name);
}

struct nft_chain *nft_chain_find(const struct nft *t, const struct nft_chain *from,
				 const char *name)
{
	uint64_t h = nft_hash(from->family, from->table, name);
	const struct map_slot *slot;

	for (; (slot = map_get(&t->chain_names, h)); h = map_again(h)) {
		struct nft_chain *c = &t->chain[slot->what];

		if (c->family == from->family && !strcmp(c->table, from->table) &&
		    !strcmp(c->name, name))
			return c;
	}
	return NULL;
}

const struct nft_set *nft_set_find(const struct nft *t, const struct nft_chain *of,
				   const char *name)
{
	uint64_t h = nft_hash(of->family, of->table, name);
	const struct map_slot *slot;

	for (; (slot = map_get(&t->set_names, h)); h = map_again(h)) {
		const struct nft_set *s = &t->set[slot->what];

		if (s->family == of->family && !strcmp(s->table, of->table) &&
		    !strcmp(s->name, name))
			return s;
	}
	return NULL;
}

/* Notes the last element of an array under its name. */
static bool nft_name(struct map *names, uint64_t h, size_t place)
{
	const struct map_slot *slot;

	while ((slot = map_put(names, h, (uint32_t)place)) && slot->what != place)
		h = map_again(h);
	return slot;
}

/* --- reading ----------------------------------------------------------------------------------- */

/* The place of a declaration. */
struct nft_scope {
	enum nft_family family;
	const char *table;
};

/* Reads [FAMILY] TABLE. Returns the next word. */
static size_t nft_scope(const struct nft *t, size_t at, struct nft_scope *scope)
{
	const char *text = nft_word(t, at)->text;
	int family = text ? names_index("ip ip6 inet netdev bridge arp", text, strlen(text)) : -1;

	scope->family = family < 0	     ? NFT_IP
			: family < NFT_OTHER ? (enum nft_family)family
					     : NFT_OTHER;
	at += family >= 0;
	scope->table = at < t->words.n ? t->words.token[at].text : "";
	return at + 1;
}

/* Returns the end of a statement: a line's end or a semicolon outside of braces. */
static size_t nft_statement_end(const struct nft *t, size_t from, size_t end)
{
	while (from < end && !nft_is(t, from, "\n ;"))
		from = nft_is(t, from, "{ (") ? nft_skip(t, from, end) : from + 1;
	return from;
}

/* Reads NAME [+|-] NUMBER, or a number. */
static long nft_priority(const struct nft *t, size_t at, size_t end)
{
	static const char names[] =
		"raw=-300 mangle=-150 dstnat=-100 filter=0 security=50 srcnat=100";
	char named[16];
	long v = 0;

	if (at < end)
		v = strtol(names_value(names, t->words.token[at].text, named)
				   ? named
				   : t->words.token[at].text,
			   NULL, 10);
	if (at + 2 < end && nft_is(t, at + 1, "+ -")) {
		long more = strtol(t->words.token[at + 2].text, NULL, 10) % 100000;

		v = v % 100000 + (nft_is(t, at + 1, "+") ? more : -more);
	}
	return v;
}

/* Returns the names behind the word device or devices: NAME, = NAME, or = { NAME, ... }. */
static struct nft_span nft_devices(const struct nft *t, size_t at, size_t end)
{
	at += nft_is(t, at, "=");
	return nft_is(t, at, "{") ? (struct nft_span){at + 1, nft_skip(t, at, end) - 1}
				  : (struct nft_span){at, at + (at < end)};
}

static void nft_base(const struct nft *t, struct nft_chain *c, size_t at, size_t end)
{
	c->base = true;
	c->at = at;
	c->filter = nft_is(t, at + 1, "filter");
	for (; at + 1 < end; at++) {
		if (nft_is(t, at, "hook"))
			c->hook = t->words.token[at + 1].text;
		if (nft_is(t, at, "device devices"))
			c->devices = nft_devices(t, at + 1, end);
		if (nft_is(t, at, "priority"))
			c->priority = nft_priority(t, at + 1, end);
	}
}

static void nft_add_rule(struct nft *t, struct nft_chain *c, struct nft_span words, bool first)
{
	struct nft_rule *rule = arena_get(t->im->out->memory, sizeof(*rule));

	if (!rule) {
		t->im->no_memory = true;
		return;
	}
	*rule = (struct nft_rule){words, first ? c->first : NULL};
	if (!c->first || !first) {
		*(c->first ? &c->end->next : &c->first) = rule;
		c->end = rule;
	}
	if (first)
		c->first = rule;
}

static void nft_chain_statement(struct nft *t, struct nft_chain *c, size_t at, size_t end)
{
	if (at == end || nft_is(t, at, "comment flags"))
		return;
	if (nft_is(t, at, "type"))
		nft_base(t, c, at, end);
	else if (nft_is(t, at, "devices"))
		c->devices = nft_devices(t, at + 1, end);
	else if (nft_is(t, at, "policy"))
		c->drops = nft_is(t, at + 1, "drop");
	else
		nft_add_rule(t, c, (struct nft_span){at, end}, false);
}

static struct nft_chain *nft_chain(struct nft *t, const struct nft_scope *scope, const char *name)
{
	struct nft_chain key = {.table = scope->table, .family = scope->family};
	struct nft_chain *c = nft_chain_find(t, &key, name);

	if (c)
		return c;
	if (!array_grow((void **)&t->chain, t->nchains, &t->chain_room, sizeof(*t->chain))) {
		t->im->no_memory = true;
		return NULL;
	}
	if (!nft_name(&t->chain_names, nft_hash(key.family, key.table, name), t->nchains)) {
		t->im->no_memory = true;
		return NULL;
	}
	key.name = name;
	t->chain[t->nchains] = key;
	return &t->chain[t->nchains++];
}

/* Reads "{" behind the words of a declaration, and finds its end, if they exist. */
static bool nft_block(const struct nft *t, size_t *at, size_t *end)
{
	size_t last = *end;

	while (nft_is(t, *at, "\n"))
		++*at;
	if (!nft_is(t, *at, "{")) {
		*end = *at;
		return false;
	}
	*end = nft_skip(t, *at, last);
	++*at;
	return true;
}

/* Reads NAME { STATEMENT... }. Returns the word behind it. */
static size_t nft_read_chain(struct nft *t, const struct nft_scope *scope, size_t at, size_t end)
{
	struct nft_chain *c;
	size_t stop = end;

	if (at >= end)
		return end;
	c = nft_chain(t, scope, t->words.token[at++].text);
	if (c)
		c->made = true;
	if (!nft_block(t, &at, &stop) || !c)
		return stop;
	while (at + 1 < stop) {
		size_t last = nft_statement_end(t, at, stop - 1);

		nft_chain_statement(t, c, at, last);
		at = last + 1;
	}
	return stop;
}

/* Reads NAME { type ...; flags ...; elements = { ... } }. Returns the word behind it. */
static size_t nft_read_set(struct nft *t, const struct nft_scope *scope, size_t at, size_t end)
{
	struct nft_set s = {.table = scope->table, .family = scope->family, .changes = true};
	size_t stop = end;

	if (at >= end)
		return end;
	s.name = t->words.token[at++].text;
	if (!nft_block(t, &at, &stop))
		return stop;
	for (; at < stop; at++) {
		s.live |= nft_is(t, at, "timeout dynamic");
		if (nft_is(t, at, "elements") && nft_is(t, at + 1, "=") && nft_is(t, at + 2, "{")) {
			s.elements = (struct nft_span){at + 3, nft_skip(t, at + 2, stop) - 1};
			s.changes = false;
			at = s.elements.end;
		}
	}
	s.changes |= s.live;
	if (array_grow((void **)&t->set, t->nsets, &t->set_room, sizeof(*t->set)) &&
	    nft_name(&t->set_names, nft_hash(s.family, s.table, s.name), t->nsets))
		t->set[t->nsets++] = s;
	else
		t->im->no_memory = true;
	return stop;
}

/* Reads one declaration of a table. Returns the word behind it. */
static size_t nft_read_part(struct nft *t, const struct nft_scope *scope, size_t at, size_t end)
{
	size_t stop;

	if (nft_is(t, at, "chain"))
		return nft_read_chain(t, scope, at + 1, end);
	if (nft_is(t, at, "set map"))
		return nft_read_set(t, scope, at + 1, end);
	/* Counters, quotas, helpers: no rules. */
	stop = nft_statement_end(t, at, end);
	return stop > at ? stop : at + 1;
}

static size_t nft_read_table(struct nft *t, size_t at)
{
	struct nft_scope scope;
	size_t end = t->words.n;

	at = nft_scope(t, at, &scope);
	if (!nft_block(t, &at, &end))
		return end;
	/* No packet meets a dormant table. */
	for (size_t i = at; i + 1 < end; i++)
		if (nft_is(t, i, "flags") && nft_is(t, i + 1, "dormant"))
			return end;
	while (at + 1 < end)
		at = nft_read_part(t, &scope, at, end - 1);
	return end;
}

/*
 * Reads [FAMILY] TABLE SET { ... } of a command. Returns whether these are all elements of the set.
 * If not, the set is not known: rules with it are left out.
 */
static bool nft_read_elements(struct nft *t, size_t at, size_t end, bool adds)
{
	struct nft_chain in = {.base = false};
	const struct nft_set *found;
	struct nft_scope scope;
	struct nft_set *s;

	at = nft_scope(t, at, &scope);
	in.family = scope.family;
	in.table = scope.table;
	found = at < end ? nft_set_find(t, &in, nft_word(t, at)->text) : NULL;
	if (!found)
		return false;
	s = &t->set[found - t->set];
	adds &= s->changes && !s->live && nft_is(t, at + 1, "{");
	s->changes = s->live = !adds;
	if (adds)
		s->elements = (struct nft_span){at + 2, nft_skip(t, at + 1, end) - 1};
	return adds;
}

/* Reads add|insert|create OBJECT [FAMILY] TABLE NAME ... */
static bool nft_read_add(struct nft *t, size_t at, size_t end, bool first)
{
	bool rule = nft_is(t, at, "rule");
	struct nft_scope scope;
	struct nft_chain *c;
	size_t next;

	if (nft_is(t, at, "table"))
		return true;
	next = nft_scope(t, at + 1, &scope);
	if (next >= end)
		return false;
	if (nft_is(t, at, "chain")) {
		nft_read_chain(t, &scope, next, end);
	} else if (nft_is(t, at, "set map")) {
		nft_read_set(t, &scope, next, end);
	} else if (rule) {
		c = nft_chain(t, &scope, t->words.token[next].text);
		if (c)
			nft_add_rule(t, c, (struct nft_span){next + 1, end}, first);
	} else {
		return nft_is(t, at, "element") && nft_read_elements(t, at + 1, end, !first);
	}
	return true;
}

/* sudo: behind a semicolon, as a line's first one is taken off. */
static const char nft_programs[] = "nft /sbin/nft /usr/sbin/nft sudo";

static size_t nft_read_command(struct nft *t, size_t at)
{
	const struct token *from = nft_word(t, at);
	size_t end;

	while (nft_is(t, at, nft_programs))
		at++;
	if (nft_is(t, at, "table"))
		return nft_read_table(t, at + 1);
	end = nft_statement_end(t, at, t->words.n);
	if (nft_is(t, at, "add insert create")) {
		if (!nft_read_add(t, at + 1, end, nft_is(t, at, "insert")))
			import_leave(t->im, from, nft_word(t, at + 1), REASON_COMMAND);
		return end + 1;
	}
	if (end > at + 1 && nft_is(t, at + 1, "element set map"))
		nft_read_elements(t, at + 2, end, false);
	if (end > at && (!nft_is(t, at, "flush") || t->nchains))
		import_leave(t->im, from, nft_word(t, at), REASON_COMMAND);
	return end + 1;
}

/* --- what packets meet ------------------------------------------------------------------------- */

static const char *const nft_hooks[] = {"ingress", "prerouting", "input"};

static size_t nft_hook(const struct nft_chain *c)
{
	size_t i = 0;

	while (i < 3 && (!c->hook || strcmp(c->hook, nft_hooks[i])))
		i++;
	return i;
}

/*
 * Returns whether the device is among the chain's: 1, 0, or -1 (unknown). Of several names none is
 * certainly the device's, if it has no name yet.
 */
static int nft_has_device(const struct nft *t, const struct nft_chain *c)
{
	bool named = t->im->ask->netdev || t->im->netdev;
	int ours = c->devices.from == c->devices.end;

	if (!named && c->devices.end - c->devices.from > 1)
		return -1;
	for (size_t at = c->devices.from; at < c->devices.end; at++) {
		int one = nft_is(t, at, ", \n") ? 0 : import_netdev(t->im, nft_word(t, at)->text);

		if (one > 0)
			return 1;
		ours |= one;
	}
	return ours;
}

bool nft_at_ingress(const struct nft_chain *c)
{
	return c->family == NFT_NETDEV || (c->hook && !strcmp(c->hook, nft_hooks[0]));
}

/* Returns whether the device's packets enter the chain: 1, 0 (others do), or -1 (left out). */
static int nft_enters(const struct nft *t, const struct nft_chain *c)
{
	const struct token *at = nft_word(t, c->at);
	enum import_reason reason = IMPORT_REASONS;
	int ours = nft_has_device(t, c);

	if (nft_hook(c) == 3)
		reason = REASON_DIRECTION;
	else if (!c->filter)
		reason = REASON_TABLE;
	else if (c->family == NFT_OTHER)
		reason = REASON_HOST;
	else if (ours < 0)
		reason = REASON_INTERFACE;
	if (reason == IMPORT_REASONS)
		return ours;
	for (const struct nft_rule *r = c->first; r; r = r->next)
		import_leave(t->im, at, nft_word(t, r->words.from), reason);
	if (c->drops && !c->first)
		import_leave(t->im, at, at, reason);
	return -1;
}

/* Compares chains: by hook, then by priority, then in text order. */
static int nft_order(const void *one, const void *two)
{
	const struct nft_chain *a = *(struct nft_chain *const *)one;
	const struct nft_chain *b = *(struct nft_chain *const *)two;

	if (nft_hook(a) != nft_hook(b))
		return nft_hook(a) < nft_hook(b) ? -1 : 1;
	if (a->priority != b->priority)
		return a->priority < b->priority ? -1 : 1;
	return a < b ? -1 : 1;
}

/* Marks chains that share no packets with a later one. */
static void nft_find_last(struct nft_chain *const *chain, size_t n)
{
	bool any = false, ip = false, ip6 = false;

	while (n-- > 0) {
		struct nft_chain *c = chain[n];

		c->last = !any && !(ip && c->family != NFT_IP6) && !(ip6 && c->family != NFT_IP);
		ip |= c->family == NFT_IP;
		ip6 |= c->family == NFT_IP6;
		any |= c->family != NFT_IP && c->family != NFT_IP6;
	}
}

/* Adds a base chain's rules and its policy. */
static void nft_enter(struct nft *t, struct nft_chain *c)
{
	bool versions = c->family == NFT_IP || c->family == NFT_IP6;
	struct draft d = {
		.im = t->im, .at = nft_word(t, c->at), .direction = "in", .of_version = versions};
	size_t first = t->im->out->n;

	if (versions)
		draft_set(&d, SLOT_IP, c->family == NFT_IP ? 4 : 6);
	nft_run(t, c, &d);
	import_leave_unmet(t->im, 0, first);
	if (!c->drops)
		return;
	d.verdict = "drop";
	for (uint64_t version = 4; version <= 6; version += 2) {
		if (c->family == NFT_INET)
			draft_replace(&d, SLOT_IP, version);
		if (nft_at_ingress(c))
			draft_one_tag(&d);
		if (!import_add_last(&d, first) || c->family != NFT_INET)
			return;
	}
}

/* Leaves out rules for a chain that the text does not make: which packets come there? */
static void nft_leave_unmade(struct nft *t, const struct nft_chain *c)
{
	for (const struct nft_rule *r = c->first; r && !c->made; r = r->next)
		import_leave(t->im, nft_word(t, r->words.from), nft_word(t, r->words.from - 1),
			     REASON_CHAIN);
}

static void nft_emit(struct nft *t)
{
	struct nft_chain **order = calloc(t->nchains + 1, sizeof(*order));
	size_t n = 0;

	if (!order) {
		t->im->no_memory = true;
		return;
	}
	for (size_t i = 0; i < t->nchains; i++)
		nft_leave_unmade(t, &t->chain[i]);
	for (size_t i = 0; i < t->nchains; i++)
		if (t->chain[i].base && nft_enters(t, &t->chain[i]) == 1)
			order[n++] = &t->chain[i];
	qsort(order, n, sizeof(*order), nft_order);
	nft_find_last(order, n);
	for (size_t i = 0; i < n; i++)
		nft_enter(t, order[i]);
	free(order);
}

/* --- the text ---------------------------------------------------------------------------------- */

/* Reads all words, with a " " behind each line. */
static bool nft_words(struct nft *t, struct token_reader *r)
{
	struct tokens line = {0};

	while (!r->no_memory && tokens_line(r, &line))
		for (size_t i = 0; i <= line.n; i++) {
			if (!array_grow((void **)&t->words.token, t->words.n + 1, &t->words.room,
					sizeof(struct token))) {
				r->no_memory = true;
				break;
			}
			t->words.token[t->words.n] = line.token[i];
			if (i == line.n)
				t->words.token[t->words.n].text = "\n";
			t->words.n++;
		}
	free(line.token);
	if (t->words.n)
		t->words.token[t->words.n] = (struct token){NULL, r->line, r->column, false};
	return t->words.n && !r->no_memory;
}

void nft_read(struct import *im, struct token_reader *r)
{
	struct nft t = {.im = im};

	im->once = true;
	if (nft_words(&t, r)) {
		for (size_t at = 0; at < t.words.n;)
			at = nft_read_command(&t, at);
		nft_emit(&t);
	}
	free(t.chain);
	free(t.set);
	map_free(&t.chain_names);
	map_free(&t.set_names);
	free(t.words.token);
}

bool nft_looks(const struct tokens *line)
{
	const struct token *t = &line->token[0];

	if (line->n > 1 && (token_among(t, nft_programs) || token_is(t, "table")))
		return true;
	if (line->n > 1 && token_is(t, "flush"))
		return token_among(t + 1, "ruleset table");
	return token_among(t, "add insert") &&
	       token_among(t + 1, "table chain rule set map element");
}
