/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "walk.h"

/* The packet's position: an address, and the matcher whose entries are there. */
struct walk_position {
	uint32_t table, matcher;
	uint32_t index;	  /* of the entry to look at */
	uint32_t builder; /* how many entries of this matcher have hit */
	uint32_t slot, slots;
	bool chained; /* it was reached through a miss */
};

static struct walk_step *explain_walk_step(struct explain_walk *w, enum step_kind kind,
					   const struct walk_position *at)
{
	struct walk_step *s;

	if ((w->nsteps & (w->nsteps - 1)) == 0) {
		size_t n = w->nsteps ? 2 * (size_t)w->nsteps : 1;

		s = realloc(w->step, n * sizeof(*s));
		if (!s) {
			w->err = -ENOMEM;
			return NULL;
		}
		w->step = s;
	}
	s = &w->step[w->nsteps++];
	*s = (struct walk_step){.kind = kind,
				.table = at->table,
				.matcher = at->matcher,
				.field = F_NONE,
				.slot = at->slot,
				.slots = at->slots};
	return s;
}

void walk_lost(struct explain_walk *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(w->lost, sizeof(w->lost), fmt, ap);
	va_end(ap);
	w->end = WALK_LOST;
}

static const struct builder_view *view_at(struct explain_walk *w, const struct walk_position *at,
					  uint32_t builder)
{
	const struct matcher_view *v = matcher_view(w->cache, at->matcher, w->side);

	if (!v) {
		w->err = -ENOMEM;
		return NULL;
	}
	return builder < w->d->matcher[at->matcher].builders[w->side] ? &v->view[w->side][builder]
								      : NULL;
}

/*
 * Enters the first table of a matcher, or of the next one that has entries on this side. Returns
 * false if there is none.
 */
static bool enter_matcher(struct explain_walk *w, struct walk_position *at, uint32_t matcher)
{
	const struct dump_table *t = &w->d->table[at->table];

	for (at->matcher = matcher; at->matcher < t->first + t->n; at->matcher++) {
		const struct dump_matcher *m = &w->d->matcher[at->matcher];
		const struct matcher_view *v;
		uint8_t tag[STE_TAG_BYTES];

		at->builder = at->slot = at->slots = 0;
		at->chained = false;
		if (!m->has[w->side])
			continue;
		if (!m->builders[w->side] || !m->n) {
			explain_walk_step(w, STEP_EMPTY, at);
			continue;
		}
		v = matcher_view(w->cache, at->matcher, w->side);
		if (!v || !v->slots[w->side]) {
			walk_lost(w, "the entries of matcher 0x%llx fit no table of any size",
				  (unsigned long long)m->id);
			return false;
		}
		tag_of_packet(tag, &v->view[w->side][0], &w->now.f);
		at->slots = v->slots[w->side];
		at->slot = tag_slot(tag, v->view[w->side][0].tag_bytes,
				    tag_byte_mask(v->view[w->side][0].mask), at->slots);
		at->index = m->start[w->side] + at->slot;
		return true;
	}
	explain_walk_step(w, STEP_NO_MORE, at);
	w->end = WALK_DEFAULT;
	w->table = at->table;
	return false;
}

/* Enters a table. To enter it twice with the same packet is a circle. */
static bool enter_table(struct explain_walk *w, struct walk_position *at, uint32_t table)
{
	for (uint32_t i = w->since; i < w->nsteps; i++)
		if (w->step[i].kind == STEP_TABLE && w->step[i].table == table) {
			walk_lost(w, "the tables lead in a circle");
			return false;
		}
	if (w->unknown) {
		walk_lost(w,
			  "headers were rewritten by a list that the dump does not have: how the "
			  "packet goes on in table 0x%llx is not known",
			  (unsigned long long)w->d->table[table].id);
		return false;
	}
	*at = (struct walk_position){.table = table};
	/* Without a circle, a table's way meets each entry and each matcher's end once. */
	w->hops = 2 * (uint64_t)w->d->nmatchers + w->d->nentries + 1;
	if (!explain_walk_step(w, STEP_TABLE, at))
		return false;
	return enter_matcher(w, at, w->d->table[table].first);
}

static bool explain_walk_compare(struct explain_walk *w, struct walk_position *at,
				 const struct dump_entry *e, struct ste *s)
{
	const struct builder_view *v = view_at(w, at, at->builder);
	struct walk_step *st = explain_walk_step(w, STEP_ENTRY, at);
	uint8_t tag[STE_TAG_BYTES];

	if (!st)
		return false;
	st->entry = (uint32_t)(e - w->d->entry);
	st->hit = s->any;
	if (s->any || !v)
		return s->any;
	tag_of_packet(tag, v, &w->now.f);
	st->hit = tag_hits(s, v, tag, &st->field);
	if (!st->hit && st->field != F_NONE) {
		st->have = w->now.f.value[st->field];
		st->want = tag_get(s->tag, v, st->field);
		st->mask = tag_get(s->mask, v, st->field);
		st->given = w->now.f.known[st->field];
	}
	return st->hit;
}

bool entry_ends(const struct steering_dump *d, const struct dump_entry *e)
{
	const struct dump_rule *r = &d->rule[e->rule];
	uint32_t at = (uint32_t)(e - d->entry);

	return at + 1 == r->first + r->n || d->entry[at + 1].side != e->side;
}

static void account(struct explain_walk *w, const struct ste *s)
{
	if (s->counter && w->ncounters < WALK_COUNTERS)
		w->counter[w->ncounters++] = s->counter;
	if (s->tags) {
		w->tagged = true;
		w->tag = s->flow_tag;
	}
}

/* Follows a hit to the rule's next entry, another table, or the end. Returns false at the end. */
static bool explain_walk_follow(struct explain_walk *w, struct walk_position *at,
				const struct dump_entry *e, const struct ste *s)
{
	const struct builder_view *v = view_at(w, at, ++at->builder);
	const struct dump_table *t;
	uint8_t tag[STE_TAG_BYTES];

	account(w, s);
	if (!walk_act(w, e, s))
		return false;
	if (!entry_ends(w->d, e)) {
		at->index = ste_index(s->next);
		at->chained = false;
		at->slot = at->slots = 0;
		if (v) {
			tag_of_packet(tag, v, &w->now.f);
			at->slots = s->next_entries;
			at->slot = tag_slot(tag, v->tag_bytes, s->byte_mask, s->next_entries);
			at->index += at->slot;
		}
		return true;
	}
	w->last = s->next;
	w->rule = e->rule;
	w->table = at->table;
	t = s->next_entries == 1 && !dump_rule_ends(w->d, &w->d->rule[e->rule])
		    ? dump_table_at(w->d, e->domain, w->side, ste_index(s->next))
		    : NULL;
	if (!t)
		t = dump_onward_of(w->d, &w->d->rule[e->rule]);
	if (t) {
		w->via = e->rule;
		return enter_table(w, at, (uint32_t)(t - w->d->table));
	}
	w->end = WALK_RULE;
	return false;
}

/* Goes on to the next matcher: no entry is here, so it is an empty slot or the matcher's end. */
static bool explain_walk_nothing(struct explain_walk *w, struct walk_position *at)
{
	if (at->chained && at->index != w->d->matcher[at->matcher].end[w->side]) {
		walk_lost(w, "an entry leads to 0x%llx, where the dump has nothing",
			  (unsigned long long)at->index << 6);
		return false;
	}
	if (!at->chained)
		explain_walk_step(w, STEP_EMPTY, at);
	return enter_matcher(w, at, at->matcher + 1);
}

static bool explain_walk_look(struct explain_walk *w, struct walk_position *at)
{
	uint32_t domain = w->d->table[at->table].domain;
	const struct dump_entry *e = dump_entry_at(w->d, domain, at->index);
	struct ste s;

	if (!e || e->side != w->side || w->d->rule[e->rule].matcher != at->matcher)
		return explain_walk_nothing(w, at);
	entry_read(w->cache, e, &s);
	if (!s.mask_known && !s.any) {
		walk_lost(w,
			  "the fields that the entry of line %u compares are not in the dump, or "
			  "unknown",
			  w->d->rule[e->rule].line);
		return false;
	}
	if (explain_walk_compare(w, at, e, &s))
		return explain_walk_follow(w, at, e, &s);
	at->index = ste_index(s.miss);
	at->chained = true;
	return true;
}

/*
 * Hops that are taken for a circle: the packet may change each time that it enters a table. dvx-sim
 * gives up then, too.
 */
#define HOPS_MAX (1u << 17)

static void walk_all(struct explain_walk *w, struct walk_position *at)
{
	for (uint32_t hops = 0; !w->err; hops++) {
		if (!w->hops--) {
			walk_lost(w, "the tables lead in a circle");
			return;
		}
		if (hops == HOPS_MAX) {
			walk_lost(w,
				  "after %u entries it is still on its way: the tables lead in "
				  "a circle that changes the packet each time",
				  HOPS_MAX);
			return;
		}
		if (!explain_walk_look(w, at))
			return;
	}
}

int walk_run(struct explain_walk *w, const struct steering_dump *d, uint32_t table, enum side side,
	     const struct fields *packet)
{
	struct walk_position at;

	*w = (struct explain_walk){.d = d,
				   .side = side,
				   .packet = packet,
				   .cache = w->cache,
				   .frame = w->frame,
				   .len = w->len,
				   .keep = w->keep,
				   .table = table,
				   .via = DUMP_NONE};
	w->err = changing_packet_begin(&w->now, packet, w->frame, w->len);
	if (!w->err && enter_table(w, &at, table))
		walk_all(w, &at);
	return w->err;
}

void walk_free(struct explain_walk *w)
{
	changing_packet_end(&w->now);
	free(w->change);
	free(w->step);
	w->change = NULL;
	w->step = NULL;
	w->nsteps = w->nchanges = 0;
}
