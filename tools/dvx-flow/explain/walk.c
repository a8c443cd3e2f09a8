/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
	struct walk_step *s = STEERING_GROW(w->step, w->nsteps);

	if (!s) {
		w->err = -ENOMEM;
		return NULL;
	}
	*s = (struct walk_step){.kind = kind,
				.table = at->table,
				.matcher = at->matcher,
				.field = F_NONE,
				.slot = at->slot,
				.slots = at->slots};
	return s;
}

/* Ends the walk where the dump does. Returns false. */
static bool __attribute__((format(printf, 2, 3)))
walk_lost(struct explain_walk *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(w->lost, sizeof(w->lost), fmt, ap);
	va_end(ap);
	w->end = WALK_LOST;
	return false;
}

/*
 * Enters the first table of a matcher, or of the next one that has entries on this side. Returns
 * false if there is none.
 */
static bool enter_matcher(struct explain_walk *w, struct walk_position *at, uint32_t matcher)
{
	const struct steering_table *t = &w->d->table[at->table];

	for (at->matcher = matcher; at->matcher < t->first + t->n; at->matcher++) {
		const struct steering_matcher *m = &w->d->matcher[at->matcher];

		at->builder = at->slot = at->slots = 0;
		at->chained = false;
		if (!m->has[w->side])
			continue;
		if (!m->builders[w->side] || !m->n) {
			explain_walk_step(w, STEP_EMPTY, at);
			continue;
		}
		at->slots = matcher_slots(w->d, at->matcher, w->side);
		if (!at->slots)
			return walk_lost(w,
					 m->mask.more ? "matcher 0x%llx compares fields that "
							"explain does not know"
						      : "the entries of matcher 0x%llx fit no "
							"table of any size",
					 (unsigned long long)m->id);
		at->slot = matcher_slot(w->d, at->matcher, w->side, 0, NULL, &w->now.f);
		at->index = m->start[w->side] + (at->slot << m->log_depth);
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
		if (w->step[i].kind == STEP_TABLE && w->step[i].table == table)
			return walk_lost(w, "the tables lead in a circle");
	if (w->unseen)
		return walk_lost(w,
				 "the state of the rule's meter or connection is not in the dump: "
				 "how the packet goes on in table 0x%llx is not known",
				 (unsigned long long)w->d->table[table].id);
	if (w->unknown)
		return walk_lost(
			w,
			"headers were rewritten by a list that the dump does not have: how "
			"the packet goes on in table 0x%llx is not known",
			(unsigned long long)w->d->table[table].id);
	*at = (struct walk_position){.table = table};
	/* Without a circle, a table's way meets each entry and each matcher's end once. */
	w->hops = 2 * (uint64_t)w->d->nmatchers + w->d->nentries + 1;
	if (!explain_walk_step(w, STEP_TABLE, at))
		return false;
	return enter_matcher(w, at, w->d->table[table].first);
}

/* Compares the packet with the entry, and notes the first field that differs. */
static bool explain_walk_compare(struct explain_walk *w, struct walk_position *at,
				 const struct steering_record *r, const struct steering_entry *e)
{
	struct walk_step *st = explain_walk_step(w, STEP_ENTRY, at);
	const struct fields *p = &w->now.f;

	if (!st)
		return false;
	st->entry = (uint32_t)(r - w->d->entry);
	for (const struct entry_key *k = e->key; !e->any && k < e->key + e->nkeys; k++) {
		enum field f = (enum field)k->field;
		uint32_t have = f == F_NONE ? 0 : (uint32_t)(p->value[f] >> k->shift);

		if (!((have ^ k->value) & k->mask))
			continue;
		st->field = f;
		if (f != F_NONE) {
			st->have = p->value[f];
			st->given = p->known[f];
		}
		return false;
	}
	st->hit = true;
	return true;
}

/* --- changes of the packet --- */

static bool walk_change_one(struct explain_walk *w, const struct steering_record *e,
			    const struct packet_change *c)
{
	const char *why = NULL;
	int ret = packet_change(&w->now, c, &why);

	if (ret == -ENOMEM)
		w->err = ret;
	else if (ret)
		walk_lost(w, "the entry at 0x%llx %s: the packet is lost",
			  (unsigned long long)e->index << 6, why);
	return !ret;
}

/* Makes a list's changes. If the dump lacks it, or a rewrite is unknown, so is the packet. */
static bool walk_change_list(struct explain_walk *w, const struct steering_record *e, int format)
{
	const struct steering_action *a = steering_rewrites(w->d, &w->d->rule[e->rule]);

	w->unknown = w->unknown || !a || !a->n;
	for (uint32_t i = 0; a && i < a->n; i++) {
		const struct steering_rewrite *r = &w->d->rewrite[a->first + i];
		struct packet_change c;

		if (r->prm)
			change_of_prm(&c, r->bytes);
		else
			change_of_entry(&c, r->bytes, format);
		if (c.kind == PACKET_UNKNOWN)
			w->unknown = true;
		else if (!walk_change_one(w, e, &c))
			return false;
	}
	return true;
}

/* Writes the result of the rule's object, as the object is now. */
static bool walk_meet_object(struct explain_walk *w, const struct steering_record *e,
			     const struct packet_change *c)
{
	const struct steering_rule *r = &w->d->rule[e->rule];
	struct packet_change set = {.kind = PACKET_SET, .to = c->to, .value = r->result};

	if (r->object && c->to.dword != DW_NONE)
		return walk_change_one(w, e, &set);
	w->unseen = true;
	return true;
}

/* Begins the tunnel of the rule's action, whose header the daemon knows. */
static bool walk_encap(struct explain_walk *w, const struct steering_record *e)
{
	const char *hex = steering_encap(w->d, &w->d->rule[e->rule]);
	size_t digits = hex ? strlen(hex) : 0;
	uint8_t header[ENCAP_MAX];
	struct packet_change c = {
		.kind = PACKET_ENCAP, .header = header, .bytes = (uint16_t)(digits / 2)};

	if (digits && digits / 2 <= sizeof(header) && dump_hex_bytes(hex, digits, header))
		return walk_change_one(w, e, &c);
	w->unknown = true;
	return true;
}

/* Makes a change. A program's own list is preferred to what the library made of it. */
static bool walk_change_any(struct explain_walk *w, const struct steering_record *e,
			    const struct packet_change *c)
{
	const struct steering_action *a =
		c->inlined ? steering_rewrites(w->d, &w->d->rule[e->rule]) : NULL;

	if (c->kind == PACKET_LIST || (a && a->n && w->d->rewrite[a->first].prm))
		return walk_change_list(w, e, e->format ? w->d->domain[e->domain].format : 0);
	if (c->kind == PACKET_OBJECT)
		return walk_meet_object(w, e, c);
	if (c->kind == PACKET_ENCAP)
		return walk_encap(w, e);
	if (c->kind != PACKET_UNKNOWN)
		return walk_change_one(w, e, c);
	w->unknown = true;
	return true;
}

/* Changes that are kept. */
#define WALK_CHANGES_MAX 4096u

static void walk_change_keep(struct explain_walk *w, const struct walk_change *new)
{
	struct walk_change *c;

	if (!w->keep || w->nchanges == WALK_CHANGES_MAX)
		return;
	c = STEERING_GROW(w->change, w->nchanges);
	if (c)
		*c = *new;
	else
		w->err = -ENOMEM;
}

/* Changes the packet as an entry that was hit does. Returns false if the walk ends here. */
static bool walk_act(struct explain_walk *w, const struct steering_record *r,
		     const struct steering_entry *e)
{
	struct walk_change kept;
	bool on = true;

	if (!e->nchanges)
		return true;
	kept = (struct walk_change){.step = w->nsteps - 1, .before = w->now.f};
	for (unsigned int i = 0; on && i < e->nchanges; i++) {
		kept.tunnel = kept.tunnel || e->change[i].kind == PACKET_REMOVE_TO ||
			      e->change[i].kind == PACKET_ENCAP;
		if (e->change[i].kind == PACKET_OBJECT)
			kept.object = w->d->rule[r->rule].object;
		on = walk_change_any(w, r, &e->change[i]);
	}
	w->changed = true;
	if (memcmp(kept.before.value, w->now.f.value, sizeof(kept.before.value)))
		w->since = w->nsteps;
	kept.after = w->now.f;
	kept.unknown = w->unknown;
	if (on)
		walk_change_keep(w, &kept);
	return on && !w->err;
}

/* --- hits and misses --- */

static void account(struct explain_walk *w, const struct steering_entry *s)
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
				const struct steering_record *e, const struct steering_entry *s)
{
	const struct steering_action *copies;
	const struct steering_table *t;

	at->builder++;
	account(w, s);
	if (!walk_act(w, e, s))
		return false;
	if (!steering_is_last(w->d, e)) {
		at->index = steering_index_of(s->next);
		at->chained = false;
		at->slot = at->slots = 0;
		if (at->builder < w->d->matcher[at->matcher].builders[w->side]) {
			at->slots = s->next_entries;
			at->slot =
				matcher_slot(w->d, at->matcher, w->side, at->builder, s, &w->now.f);
			at->index += at->slot;
		}
		return true;
	}
	w->last = s->next;
	w->rule = e->rule;
	w->table = at->table;
	t = steering_leads(w->d, e, s);
	copies = t ? NULL : steering_copies(w->d, &w->d->rule[e->rule]);
	if (copies)
		t = &w->d->table[copies->onward - 1];
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
	if (at->chained && at->index != w->d->matcher[at->matcher].end[w->side])
		return walk_lost(w, "an entry leads to 0x%llx, where the dump has nothing",
				 (unsigned long long)at->index << 6);
	if (!at->chained)
		explain_walk_step(w, STEP_EMPTY, at);
	return enter_matcher(w, at, at->matcher + 1);
}

static bool explain_walk_look(struct explain_walk *w, struct walk_position *at)
{
	uint32_t domain = w->d->table[at->table].domain;
	const struct steering_record *e = steering_entry_at(w->d, domain, at->index);
	struct steering_entry s;

	if (!e || e->side != w->side || w->d->rule[e->rule].matcher != at->matcher)
		return explain_walk_nothing(w, at);
	steering_read(w->d, e, &s);
	if (!s.known && !s.any)
		return walk_lost(w,
				 "the fields that the entry of line %u compares are not in the "
				 "dump, or unknown",
				 w->d->rule[e->rule].line);
	if (explain_walk_compare(w, at, e, &s))
		return explain_walk_follow(w, at, e, &s);
	at->index = steering_index_of(s.miss);
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
	for (uint32_t hops = 0; hops < HOPS_MAX; hops++) {
		if (w->err || (!w->hops-- && !walk_lost(w, "the tables lead in a circle")) ||
		    !explain_walk_look(w, at))
			return;
	}
	walk_lost(
		w,
		"after %u entries it is still on its way: the tables lead in a circle that changes "
		"the packet each time",
		HOPS_MAX);
}

int walk_run(struct explain_walk *w, struct steering *d, uint32_t table, enum side side,
	     const struct fields *packet)
{
	struct walk_position at;

	*w = (struct explain_walk){.d = d,
				   .side = side,
				   .packet = packet,
				   .frame = w->frame,
				   .len = w->len,
				   .keep = w->keep,
				   .table = table,
				   .via = TABLES_NONE};
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
