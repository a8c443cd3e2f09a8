/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands "tc filter add dev ... ingress ... flower ... action ...". A filter of a smaller
 * preference comes first. Inside one preference the kernel looks up masks in the order in which
 * they were added, and filters of one mask exclude each other.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "rules/arena.h"
#include "rules/map.h"
#include "rules/words.h"
#include "tc.h"
#include "values.h"

/* A preference. */
struct tc_prio {
	bool used;
	uint64_t protocol;
	const char **mask; /* the fields that are compared, in the order of the masks */
	size_t n, room;
	struct map rank; /* from a mask's hash to its index */
};

struct tc_chain {
	struct tc_prio *prio; /* all preferences; NULL: no memory */
	uint32_t number;
	/* the last preference taken without one given, or a higher one that was given */
	uint64_t last_auto;
};

#define TC_PRIOS  65536u
#define TC_CHAINS 256u

struct tc {
	struct import *im;
	struct tc_chain chain[TC_CHAINS];
	size_t n;
};

/* --- the head: up to the kind of filter ------------------------------------------------------- */

enum tc_head_kind {
	TC_DEV,
	TC_PROTOCOL,
	TC_PRIO,
	TC_CHAIN,
	TC_PARENT,
	TC_INGRESS,
	TC_SKIP1,
	TC_HEAD_REFUSE,
};

static const struct tc_head {
	const char *name;
	enum tc_head_kind kind;
	enum import_reason reason;
} tc_heads[] = {
	{"dev", TC_DEV, 0},
	{"protocol", TC_PROTOCOL, 0},
	{"proto", TC_PROTOCOL, 0},
	{"prio", TC_PRIO, 0},
	{"preference", TC_PRIO, 0},
	{"pref", TC_PRIO, 0},
	{"chain", TC_CHAIN, 0},
	{"parent", TC_PARENT, 0},
	{"handle", TC_SKIP1, 0},
	{"ingress", TC_INGRESS, 0},
	{"egress", TC_HEAD_REFUSE, REASON_EGRESS},
	{"root", TC_HEAD_REFUSE, REASON_EGRESS},
	{"block", TC_HEAD_REFUSE, REASON_BLOCK},
};

/* The parents of an ingress qdisc and of clsact's ingress side. */
static const char *const tc_parents[] = {"ffff:", "ffff:fff2", "ffff:0", "ffff:ffff", NULL};

static bool tc_head_value(struct tc_read *r, enum tc_head_kind kind, const struct token *at)
{
	uint64_t n = 0;
	int ours;

	switch (kind) {
	case TC_DEV:
		ours = import_netdev(r->im, at->text);
		r->elsewhere |= ours == 0;
		return ours >= 0 || tc_leave(r, at, REASON_INTERFACE);
	case TC_PROTOCOL:
		r->protocol = at;
		return true;
	case TC_PRIO:
		return value_number(at->text, 0, 0xffff, &r->prio) || tc_leave(r, at, REASON_VALUE);
	case TC_CHAIN:
		if (!value_number(at->text, 0, UINT32_MAX, &n))
			return tc_leave(r, at, REASON_VALUE);
		r->d->table = (uint32_t)n;
		return true;
	case TC_PARENT:
		r->ingress = dialect_among(at, tc_parents);
		return r->ingress || tc_leave(r, at, REASON_EGRESS);
	default:
		return true;
	}
}

static bool tc_head_word(struct tc_read *r, const struct tc_head *h, const struct token *name)
{
	const struct token *value;

	if (h->kind == TC_HEAD_REFUSE)
		return tc_leave(r, name, h->reason);
	if (h->kind == TC_INGRESS) {
		r->ingress = true;
		return true;
	}
	value = tokens_next(r->line);
	return value->text ? tc_head_value(r, h->kind, value) : tc_leave(r, value, REASON_ENDS);
}

/* Reads the head. Returns false if the filter is left out. */
static bool tc_head(struct tc_read *r)
{
	for (;;) {
		const struct token *name = tokens_next(r->line);
		size_t i = 0;

		if (token_is(name, "flower") || token_is(name, "matchall"))
			return r->ingress || tc_leave(r, name, REASON_EGRESS);
		if (!name->text)
			return tc_leave(r, name, REASON_ENDS);
		while (i < sizeof(tc_heads) / sizeof(tc_heads[0]) &&
		       !token_is(name, tc_heads[i].name))
			i++;
		if (i == sizeof(tc_heads) / sizeof(tc_heads[0]))
			return tc_leave(r, name, REASON_KIND);
		if (!tc_head_word(r, &tc_heads[i], name))
			return false;
	}
}

/* --- the order --------------------------------------------------------------------------------- */

/* Returns the preference that a filter names, or the kernel's choice: one less than the last. */
static uint64_t tc_take_prio(struct tc_chain *c, const struct tc_read *r)
{
	uint64_t prio = r->prio ? r->prio : c->last_auto - 1;

	if (prio >= 0x8000 && prio < c->last_auto)
		c->last_auto = prio;
	return prio;
}

/* Finds or adds a chain. Returns NULL if there is no memory, or too many chains. */
static struct tc_chain *tc_chain_of(struct tc *t, uint32_t number)
{
	struct tc_chain *c;

	for (size_t i = 0; i < t->n; i++)
		if (t->chain[i].number == number)
			return &t->chain[i];
	if (t->n == TC_CHAINS)
		return NULL;
	c = &t->chain[t->n];
	*c = (struct tc_chain){calloc(TC_PRIOS, sizeof(*c->prio)), number, 0xc001};
	t->im->no_memory |= !c->prio;
	t->n += c->prio != NULL;
	return c->prio ? c : NULL;
}

/*
 * Returns the filter's mask as a text: equal masks have equal texts, in whatever order their words
 * stand.
 */
static const char *tc_mask_text(const struct tc_read *r)
{
	const char *text = "";

	for (unsigned int slot = 0; slot < DRAFT_SLOTS; slot++)
		if (r->mask[slot])
			text = import_format(r->im, "%s %u%s", text, slot, r->mask[slot]);
	return text;
}

/* Returns the place of a mask among those of its preference. */
static uint64_t tc_mask_rank(struct tc *t, struct tc_prio *p, const char *mask)
{
	uint64_t hash = map_mix_text(0, mask);
	struct map_slot *slot = map_put(&p->rank, hash, (uint32_t)p->n);

	while (slot && slot->what < p->n && strcmp(p->mask[slot->what], mask) != 0) {
		hash = map_again(hash);
		slot = map_put(&p->rank, hash, (uint32_t)p->n);
	}
	if (slot && slot->what < p->n)
		return slot->what;
	if (!slot || !array_grow((void **)&p->mask, p->n, &p->room, sizeof(*p->mask))) {
		t->im->no_memory = true;
		return 0;
	}
	p->mask[p->n] = mask;
	return p->n++;
}

/* Places the filter among the preferences. Returns false if the kernel would not take it. */
static bool tc_order(struct tc *t, struct tc_read *r, struct tc_prio **p)
{
	uint64_t protocol = TC_ALL;
	struct tc_chain *c = tc_chain_of(t, r->d->table);
	uint64_t prio = c ? tc_take_prio(c, r) : 0;

	if (!c)
		return tc_leave(r, r->d->at, REASON_LONG);
	if (r->protocol && !tc_type(r->protocol->text, &protocol))
		return tc_leave(r, r->protocol, REASON_VALUE);
	r->d->order = prio << 32;
	*p = &c->prio[prio];
	if (!(*p)->used)
		(*p)->protocol = protocol;
	(*p)->used = true;
	return (*p)->protocol == protocol ||
	       tc_leave(r, r->protocol ? r->protocol : r->d->at, REASON_PRIORITY);
}

/* --- lines ------------------------------------------------------------------------------------- */

static const char *const tc_adds[] = {"add", "replace", NULL};
static const char *const tc_objects[] = {"filter", "qdisc", "chain", "class", "actions", NULL};
static const char *const tc_programs[] = {"tc", "sudo", "/sbin/tc", "/usr/sbin/tc", NULL};
/* Options of tc itself, and prompts. */
static const char *const tc_options[] = {"-s", "-force", "-b", "-batch", "$", "-p", NULL};

static void tc_filter(struct tc *t, struct tokens *line)
{
	struct draft d = {.at = &line->token[0], .direction = "in", .no_labels = true};
	struct tc_read r = {.im = t->im, .d = &d, .line = line};
	struct tc_prio *p = NULL;

	if (!tc_head(&r) || r.elsewhere || !tc_order(t, &r, &p) || !tc_protocol(&r) ||
	    !tc_keys_read(&r))
		return;
	d.order += tc_mask_rank(t, p, tc_mask_text(&r));
	if (tc_actions_read(&r))
		import_add(t->im, &d);
}

/* Returns whether it is `replace' with a handle, which may remove a filter that was read before. */
static bool tc_replaces(const struct tokens *line)
{
	bool handle = false;

	for (size_t i = line->at; i < line->n; i++)
		handle |= token_is(&line->token[i], "handle");
	return handle && token_is(tokens_peek(line), "replace");
}

static void tc_line(struct tc *t, struct tokens *line)
{
	const struct draft d = {.at = &line->token[0]};

	while (dialect_among(tokens_peek(line), tc_programs) ||
	       dialect_among(tokens_peek(line), tc_options))
		tokens_next(line);
	if (!tc_looks(line)) {
		dialect_leave_line(t->im, &d, line);
	} else if (tokens_take(line, "filter")) {
		if (dialect_among(tokens_peek(line), tc_adds) && !tc_replaces(line)) {
			tokens_next(line);
			tc_filter(t, line);
		} else {
			import_leave(t->im, &d, tokens_peek(line), REASON_COMMAND);
		}
	} else if (token_is(tokens_peek(line), "qdisc") &&
		   (!t->im->out->n || token_is(tokens_peek(line) + 1, "add"))) {
		/* This makes a place for filters, or removes it before there are any. */
	} else {
		import_leave(t->im, &d, tokens_peek(line), REASON_COMMAND);
	}
}

void tc_read(struct import *im, struct token_reader *r)
{
	struct tc t = {.im = im};
	struct tokens line = {0};

	while (tokens_line(r, &line))
		tc_line(&t, &line);
	for (size_t c = 0; c < t.n; c++) {
		for (size_t i = 0; i < TC_PRIOS; i++) {
			free(t.chain[c].prio[i].mask);
			map_free(&t.chain[c].prio[i].rank);
		}
		free(t.chain[c].prio);
	}
	free(line.token);
}

bool tc_looks(const struct tokens *line)
{
	size_t i = 0;

	while (i < line->n && (dialect_among(&line->token[i], tc_programs) ||
			       dialect_among(&line->token[i], tc_options)))
		i++;
	return i < line->n && dialect_among(&line->token[i], tc_objects);
}
