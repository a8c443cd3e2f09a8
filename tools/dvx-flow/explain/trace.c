/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <dvx/flow.h>
#include "codes.h"
#include "trace.h"

static void sentence_add_comma(struct sentence *t)
{
	if (t->at)
		sentence_add(t, ", ");
}

static void sentence_add_vport(struct sentence *t, uint32_t vport)
{
	char name[32];

	dvx_flow_vport_name(vport, name, sizeof(name));
	sentence_add(t, " 0x%" PRIx32 " (%s)", vport, name);
}

void sentence_add_actions(struct sentence *t, const struct steering *d,
			  const struct steering_rule *r)
{
	for (uint32_t i = 0; i < r->nactions; i++) {
		const struct steering_action *a = &d->action[r->first_action + i];

		if (i)
			sentence_add(t, ", ");
		if (a->words)
			sentence_add(t, "%s", a->words);
		else
			sentence_add(t, "action %" PRIu32, a->type);
		if (a->type == ACTION_VPORT)
			sentence_add_vport(t, (uint32_t)a->arg);
		else if (a->has_arg)
			sentence_add(t, " 0x%" PRIx64, a->arg);
	}
}

void sentence_add_mask(struct sentence *t, const struct match_mask *m)
{
	for (unsigned int f = 0; f < F_COUNT; f++) {
		if (!m->mask[f])
			continue;
		sentence_add_comma(t);
		if (f == F_SRC || f == F_DST)
			sentence_add(t, m->l3 == 2 ? "ipv6 " : "ipv4 ");
		sentence_add_words(t, (enum field)f);
	}
	if (!t->at)
		sentence_add(t, m->known ? "any packet" : "its mask is not in the dump");
}

/* --- entries --- */

/* Adds a field and its value under a mask, or its meaning as a code. */
static void sentence_add_wanted(struct sentence *t, const struct steering_entry *e, enum field f,
				const struct explain_walk *w, uint32_t step)
{
	u128 value, mask;

	entry_field(e, f, &value, &mask);
	if (!w || !sentence_add_register(t, w, step, f, (uint32_t)value, (uint32_t)mask))
		sentence_add_field(t, f, value, mask, e->l3);
}

void sentence_add_entry(struct sentence *t, const struct steering_entry *e,
			const struct explain_walk *w, uint32_t step)
{
	bool seen[F_COUNT] = {false};

	for (unsigned int i = 0; i < e->nkeys; i++) {
		enum field f = (enum field)e->key[i].field;
		u128 value, mask;

		if (f == F_NONE || seen[f] || !entry_field(e, f, &value, &mask))
			continue;
		seen[f] = true;
		sentence_add_comma(t);
		sentence_add_wanted(t, e, f, w, step);
	}
	if (!t->at)
		sentence_add(t, e->any ? "any packet" : "bits of an unknown field");
}

static void trace_add_miss(struct sentence *t, const struct explain_walk *w, uint32_t step,
			   const struct steering_entry *e, bool written)
{
	const struct walk_step *st = &w->step[step];
	u128 value, mask;

	if (st->field == F_NONE) {
		sentence_add(t, "misses by bits of an unknown field");
		return;
	}
	sentence_add(t, "misses: it wants ");
	sentence_add_wanted(t, e, st->field, w, step);
	if (!st->given) {
		sentence_add(t, ", which %s",
			     written ? "was not given" : "the packet does not have");
		return;
	}
	sentence_add(t, ", the packet has ");
	entry_field(e, st->field, &value, &mask);
	if (!sentence_add_register(t, w, step, st->field, (uint32_t)st->have, (uint32_t)mask))
		sentence_add_value(t, st->field, st->have, e->l3);
}

/* An entry's sharers are searched among this many rules of a matcher. */
#define SHARERS_MAX 4096

/* Returns the text of the rule that an entry belongs to; NULL: several rules, or unknown. */
static const char *trace_rule_of(const struct steering *d, const struct steering_record *e)
{
	const struct steering_matcher *m = &d->matcher[d->rule[e->rule].matcher];
	const char *text = d->rule[e->rule].text;

	if (!text || steering_is_last(d, e))
		return text;
	for (uint32_t i = 0; i < m->n; i++) {
		const struct steering_rule *r = &d->rule[m->first + i];

		if (i == SHARERS_MAX)
			return NULL;
		for (uint32_t k = r->first; k < r->first + r->n; k++)
			if (d->entry[k].index == e->index && r->text != text)
				return NULL;
	}
	return text;
}

static void trace_add_copy(struct sentence *t, const struct steering_action *a)
{
	if (a && a->sample)
		sentence_add(t,
			     "; one packet in %" PRIu32 " is copied elsewhere, the packet goes on",
			     a->sample);
	else if (a)
		sentence_add(t, "; a copy goes elsewhere, the packet goes on");
}

static json_t *trace_entry_json(const struct explain_walk *w, uint32_t step, bool written,
				struct sentence *t)
{
	const struct walk_step *st = &w->step[step];
	const struct steering_record *r = &w->d->entry[st->entry];
	const char *rule = trace_rule_of(w->d, r);
	bool acts = st->hit && steering_is_last(w->d, r);
	struct steering_entry e;
	char what[1024];
	struct sentence compares = SENTENCE(what);
	json_t *j;

	steering_read(w->d, r, &e);
	sentence_add(t, "entry 0x%" PRIx64 " (%s) ", (uint64_t)r->index << 6, e.lookup_name);
	if (rule)
		sentence_add(t, "of \"%s\" ", rule);
	sentence_add_entry(&compares, &e, w, step);
	if (!st->hit)
		trace_add_miss(t, w, step, &e, written);
	else if (e.acts)
		sentence_add(t, "only acts");
	else
		sentence_add(t, "hits: %s", what);
	if (acts)
		trace_add_copy(t, steering_copies(w->d, &w->d->rule[r->rule]));
	j = json_pack("{s:I, s:I, s:i, s:s, s:b, s:s, s:s*, s:b}", "address",
		      (json_int_t)r->index << 6, "index", (json_int_t)r->index, "lookup",
		      (int)e.lookup, "lookup_name", e.lookup_name, "hit", (int)st->hit, "compares",
		      what, "rule", rule, "acts", (int)acts);
	if (!st->hit && st->field != F_NONE) {
		char words[64];
		struct sentence field = SENTENCE(words);

		sentence_add_words(&field, st->field);
		json_object_set_new(j, "field", json_string(words));
	}
	return j;
}

/* --- changes --- */

#define TAG_FIELDS 4u /* kind, id, dei, pcp */

/* Returns whether the field has no row of its own: other rows cover it, or it is not printed. */
static bool trace_change_skips(enum field f)
{
	return (f >= F_VLAN_KIND && f < F_VLAN_KIND + 2 * TAG_FIELDS) || f == F_L3 || f == F_L4 ||
	       (f >= F_L3_OK && f <= F_L4_SUM_OK);
}

static bool differs(const struct walk_change *c, enum field f)
{
	return c->before.value[f] != c->after.value[f] || c->before.known[f] != c->after.known[f];
}

static void trace_change_add(json_t *rows, const char *name, const char *before, const char *after)
{
	json_array_append_new(rows, json_pack("{s:s, s:s?, s:s?}", "field", name, "before", before,
					      "after", after));
}

/* Returns NULL if the value is unknown. */
static const char *value_text(char *buf, size_t size, const struct fields *p, enum field f)
{
	struct sentence t = sentence_begin(buf, size);

	sentence_add_value(&t, f, p->value[f], (unsigned int)p->value[F_L3]);
	return p->known[f] || f >= F_REG_A ? buf : NULL;
}

static void add_field(json_t *rows, const struct walk_change *c, enum field f)
{
	char name[64], before[64], after[64];
	struct sentence t = SENTENCE(name);

	if (f == F_SRC || f == F_DST)
		sentence_add(&t, c->after.value[F_L3] == 2 ? "ipv6 " : "ipv4 ");
	sentence_add_words(&t, f);
	trace_change_add(rows, name, value_text(before, sizeof(before), &c->before, f),
			 value_text(after, sizeof(after), &c->after, f));
}

static void add_tag(struct sentence *t, const struct fields *p, enum field kind)
{
	unsigned int pcp = (unsigned int)p->value[kind + 3], dei = (unsigned int)p->value[kind + 2];

	sentence_add(t, "%s%u", p->value[kind] == 1 ? "0x88a8 " : "",
		     (unsigned int)p->value[kind + 1]);
	if (pcp)
		sentence_add(t, " pcp %u", pcp);
	if (dei)
		sentence_add(t, " dei 1");
}

/* Writes the tags, the outer one first. */
static void tags_text(char *buf, size_t size, const struct fields *p)
{
	struct sentence t = sentence_begin(buf, size);

	if (!p->value[F_VLAN_KIND]) {
		sentence_add(&t, "none");
		return;
	}
	add_tag(&t, p, F_VLAN_KIND);
	if (p->value[F_VLAN2_KIND]) {
		sentence_add(&t, " and ");
		add_tag(&t, p, F_VLAN2_KIND);
	}
}

static void add_tags(json_t *rows, const struct walk_change *c)
{
	char before[96], after[96];

	for (unsigned int i = 0; i < 2 * TAG_FIELDS; i++)
		if (differs(c, (enum field)(F_VLAN_KIND + i))) {
			tags_text(before, sizeof(before), &c->before);
			tags_text(after, sizeof(after), &c->after);
			trace_change_add(rows, "vlan", before, after);
			return;
		}
}

static void add_headers(json_t *rows, const struct walk_change *c)
{
	char before[256], after[256];

	fields_line(before, sizeof(before), &c->before);
	fields_line(after, sizeof(after), &c->after);
	trace_change_add(rows, "headers", before, after);
}

/*
 * Returns [{"field": "ipv4 dst", "before": "10.0.0.9", "after": "192.0.2.7"}, ...], each value null
 * if it is unknown. Returns NULL if there is no memory.
 */
static json_t *trace_change_json(const struct walk_change *c, bool registers)
{
	json_t *rows = json_array();

	if (!rows)
		return NULL;
	if (c->tunnel) {
		add_headers(rows, c);
	} else {
		add_tags(rows, c);
		for (int f = 0; f < F_PER_LEVEL; f++)
			if (!trace_change_skips((enum field)f) && differs(c, (enum field)f))
				add_field(rows, c, (enum field)f);
	}
	for (int f = F_REG_A; registers && f <= F_REG_C7; f++)
		if (differs(c, (enum field)f))
			add_field(rows, c, (enum field)f);
	return rows;
}

/* Adds `begin` and "ipv4 dst 10.0.0.9 -> 192.0.2.7, vlan 7 -> none". False: nothing changed. */
static bool sentence_add_changes(struct sentence *t, const char *begin, json_t *changes)
{
	char text[512];
	struct sentence all = SENTENCE(text);
	size_t i;
	json_t *row;

	json_array_foreach (changes, i, row) {
		const char *before = json_string_value(json_object_get(row, "before"));
		const char *after = json_string_value(json_object_get(row, "after"));

		sentence_add(&all, "%s%s %s -> %s", i ? ", " : "",
			     json_string_value(json_object_get(row, "field")),
			     before ? before : "?", after ? after : "?");
	}
	if (all.at)
		sentence_add(t, "%s%s", begin, text);
	return all.at;
}

static const struct walk_change *trace_change_of(const struct explain_walk *w, uint32_t step)
{
	uint32_t low = 0, high = w->nchanges;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (w->change[mid].step < step)
			low = mid + 1;
		else
			high = mid;
	}
	return low < w->nchanges && w->change[low].step == step ? &w->change[low] : NULL;
}

static const char not_in_dump[] =
	"; headers are rewritten by a list that the dump does not have: what changes is not known";

/* Adds a change, with fields that a rule writes although the packet has the value already. */
static void trace_add_change(const struct walk_change *c, struct sentence *t, json_t *j)
{
	json_t *changes = c ? trace_change_json(c, true) : NULL;

	if (!changes)
		return;
	if (c->object) {
		sentence_add(t, "; %s", c->object);
		json_object_set_new(j, "object", json_string(c->object));
	}
	if (!sentence_add_changes(t, "; changes ", changes) && !c->unknown && !c->object)
		sentence_add(t, "; changes nothing: the packet has these values already");
	json_object_set_new(j, "changes", changes);
	if (!c->unknown)
		return;
	sentence_add(t, "%s", not_in_dump);
	json_object_set_new(j, "unknown_changes", json_true());
}

/* --- steps --- */

static json_t *trace_empty_json(const struct explain_walk *w, const struct walk_step *st,
				struct sentence *t)
{
	const struct steering_matcher *m = &w->d->matcher[st->matcher];
	char mask[256];
	struct sentence compares = SENTENCE(mask);

	sentence_add_mask(&compares, &m->mask);
	sentence_add(t, "matcher of priority %" PRIu32 " (%s): ", m->priority, mask);
	if (!m->n)
		sentence_add(t, "it has no rules");
	else
		sentence_add(t, "nothing in slot %" PRIu32 " of %" PRIu32, st->slot, st->slots);
	return json_pack("{s:I, s:s}", "priority", (json_int_t)m->priority, "compares", mask);
}

static json_t *trace_table_json(const struct explain_walk *w, const struct walk_step *st,
				struct sentence *t)
{
	const struct steering_table *tbl = &w->d->table[st->table];

	sentence_add(t, "%stable 0x%" PRIx64 " of level %" PRIu32,
		     st->kind == STEP_NO_MORE ? "no more matchers in " : "", tbl->id, tbl->level);
	if (tbl->name)
		sentence_add(t, " (%s)", tbl->name);
	return json_pack("{s:I, s:I}", "table", (json_int_t)tbl->id, "level",
			 (json_int_t)tbl->level);
}

static json_t *trace_step_json(const struct explain_walk *w, uint32_t step, bool written)
{
	static const char *const kinds[] = {"table", "empty", "entry", "no more"};
	const struct walk_step *st = &w->step[step];
	char buf[2048];
	struct sentence t = SENTENCE(buf);
	json_t *j;

	if (st->kind == STEP_ENTRY) {
		j = trace_entry_json(w, step, written, &t);
		trace_add_change(trace_change_of(w, step), &t, j);
	} else if (st->kind == STEP_EMPTY) {
		j = trace_empty_json(w, st, &t);
	} else {
		j = trace_table_json(w, st, &t);
	}
	json_object_set_new(j, "step", json_string(kinds[st->kind]));
	json_object_set_new(j, "says", json_string(buf));
	return j;
}

/* --- the end --- */

uint32_t trace_rule(const struct explain_walk *w)
{
	const struct steering_rule *r = &w->d->rule[w->rule];

	return w->d->named && !r->text && w->via != TABLES_NONE &&
			       steering_rule_has(w->d, r, ACTION_TIR, ACTION_TIR)
		       ? w->via
		       : w->rule;
}

static void end_rule(const struct explain_walk *w, struct sentence *t, json_t *j)
{
	const struct steering_rule *r = &w->d->rule[w->rule];
	const char *text = w->d->rule[trace_rule(w)].text;
	char does[256];
	struct sentence actions = SENTENCE(does);

	sentence_add_actions(&actions, w->d, r);
	if (text)
		sentence_add(t, "rule \"%s\": %s", text, does);
	else if (w->d->named)
		sentence_add(t, "no rule takes it: the default way (%s)", does);
	else
		sentence_add(t, "rule 0x%" PRIx64 ": %s", r->id, does);
	json_object_set_new(j, "rule", json_integer((json_int_t)r->id));
	if (text)
		json_object_set_new(j, "text", json_string(text));
	json_object_set_new(j, "actions", json_string(does));
	json_object_set_new(j, "address", json_integer((json_int_t)w->last));
}

static void end_default(const struct explain_walk *w, struct sentence *t)
{
	const struct steering_domain *dmn = &w->d->domain[w->d->table[w->table].domain];

	sentence_add(t, "no rule takes it: %s, the default of such tables",
		     dmn->type == DOMAIN_FDB ? "it goes to the e-switch manager"
		     : w->side == SIDE_RX    ? "it is dropped"
					     : "it is sent");
}

static void end_frame(const struct explain_walk *w, json_t *j)
{
	char *hex = calloc(2 * w->now.len + 1, 1);

	for (size_t i = 0; hex && i < w->now.len; i++)
		snprintf(hex + 2 * i, 3, "%02x", w->now.bytes[i]);
	if (hex)
		json_object_set_new(j, "frame", json_string(hex));
	free(hex);
}

/* Adds the changes of the whole way, without registers, which end with it. */
static void end_changes(const struct explain_walk *w, struct sentence *t, json_t *j)
{
	struct walk_change c = {.before = *w->packet, .after = w->now.f};
	json_t *changes;

	if (!w->changed)
		return;
	for (uint32_t i = 0; i < w->nchanges; i++)
		c.tunnel = c.tunnel || w->change[i].tunnel;
	changes = trace_change_json(&c, false);
	sentence_add_changes(t, "; the packet changes: ", changes);
	if (w->unknown && w->end != WALK_LOST)
		sentence_add(t, "%s", not_in_dump);
	json_object_set_new(j, "changes", changes);
	json_object_set_new(j, "unknown_changes", json_boolean(w->unknown));
	if (w->now.framed && !w->unknown)
		end_frame(w, j);
}

static json_t *end_json(const struct explain_walk *w)
{
	static const char *const ends[] = {"rule", "default", "lost"};
	char buf[1024];
	struct sentence t = SENTENCE(buf);
	json_t *counters = json_array(), *j = json_object();

	if (w->end == WALK_RULE)
		end_rule(w, &t, j);
	else if (w->end == WALK_DEFAULT)
		end_default(w, &t);
	else
		sentence_add(&t, "%s", w->lost);
	end_changes(w, &t, j);
	for (unsigned int i = 0; i < w->ncounters; i++)
		json_array_append_new(counters, json_integer((json_int_t)w->counter[i]));
	json_object_set_new(j, "counters", counters);
	if (w->tagged)
		json_object_set_new(j, "tag", json_integer((json_int_t)w->tag));
	json_object_set_new(j, "end", json_string(ends[w->end]));
	json_object_set_new(j, "says", json_string(buf));
	return j;
}

json_t *trace_json(const struct explain_walk *w, bool written)
{
	json_t *steps = json_array(), *j = json_object();

	for (uint32_t i = 0; i < w->nsteps; i++)
		json_array_append_new(steps, trace_step_json(w, i, written));
	if (!json_object_set_new(j, "steps", steps) && !json_object_set_new(j, "end", end_json(w)))
		return j;
	json_decref(j);
	return NULL;
}
