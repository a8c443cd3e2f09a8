/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "trace_change.h"
#include "walk_trace.h"

struct trace_text {
	char *buf;
	size_t size, at;
};

static void __attribute__((format(printf, 2, 3)))
walk_trace_add(struct trace_text *t, const char *fmt, ...)
{
	size_t left = t->at < t->size ? t->size - t->at : 0;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(left ? t->buf + t->at : NULL, left, fmt, ap);
	va_end(ap);
	t->at += n > 0 ? (size_t)n : 0;
}

static void walk_trace_comma(struct trace_text *t)
{
	if (t->at)
		walk_trace_add(t, ", ");
}

/* --- actions of rules --- */

static const struct {
	uint32_t type;
	const char *words;
	int arg; /* which argument follows, -1: none */
} action_words[] = {
	{3400, "encapsulates (L2), reformat", 0},
	{3401, "encapsulates (L3), reformat", 0},
	{3402, "rewrites headers", -1},
	{3403, "drop", -1},
	{3404, "to QP", 0},
	{3405, "to flow table", 0},
	{3406, "counter", 0},
	{3407, "tag", 0},
	{3408, "to vport", 0},
	{3409, "decapsulates (L2)", -1},
	{3410, "decapsulates (L3)", -1},
	{3411, "to the TIR at", 0},
	{3412, "pushes VLAN", 0},
	{3413, "pops a VLAN", -1},
	{3414, "meter", 1},
	{3415, "sampler", 2},
	{3416, "to destination array", 0},
	{3417, "first hit object", 0},
	{3418, "flow meter object", 0},
	{3419, "connection tracking object", 0},
	{3420, "inserts a header, reformat", 0},
	{3421, "removes a header", -1},
	{3423, "default miss", -1},
	{3424, "to a root table, flow table", 0},
	{3425, "by a range", -1},
};

static void walk_trace_add_action(struct trace_text *t, const struct dump_action *a)
{
	walk_trace_comma(t);
	for (size_t i = 0; i < sizeof(action_words) / sizeof(action_words[0]); i++) {
		if (action_words[i].type != a->type)
			continue;
		walk_trace_add(t, "%s", action_words[i].words);
		if (action_words[i].arg >= 0 && action_words[i].arg < a->nargs)
			walk_trace_add(t, " 0x%" PRIx64, a->arg[action_words[i].arg]);
		return;
	}
	walk_trace_add(t, "action %" PRIu32, a->type);
}

size_t walk_trace_actions(char *buf, size_t size, const struct steering_dump *d,
			  const struct dump_rule *r)
{
	struct trace_text t = {buf, size, 0};

	if (size)
		buf[0] = 0;
	for (uint32_t i = 0; i < r->nactions; i++)
		walk_trace_add_action(&t, &d->action[r->first_action + i]);
	return t.at;
}

/* --- matches --- */

size_t walk_trace_mask(char *buf, size_t size, const struct match_mask *m)
{
	struct trace_text t = {buf, size, 0};
	char words[64];

	if (size)
		buf[0] = 0;
	for (unsigned int f = 0; f < F_COUNT; f++) {
		if (!m->mask[f])
			continue;
		walk_trace_comma(&t);
		if (f == F_SRC || f == F_DST)
			walk_trace_add(&t, m->l3 == 2 ? "ipv6 " : "ipv4 ");
		walk_trace_add(&t, "%s", field_words((enum field)f, words, sizeof(words)));
	}
	if (!t.at)
		walk_trace_add(&t, m->known ? "any packet" : "its mask is not in the dump");
	return t.at;
}

static bool first_row(const struct builder_view *v, unsigned int i)
{
	for (unsigned int k = 0; k < i; k++)
		if (v->row[k].field == v->row[i].field)
			return false;
	return v->row[i].field != F_NONE;
}

static unsigned int layout_l3(const struct builder_view *v)
{
	return v->layout && strstr(v->layout->name, "ipv6") ? 2 : 1;
}

/* The place where a register is compared, for the meaning of its value. */
struct trace_place {
	struct registers *registers;
	const struct explain_walk *w;
	uint32_t step;
};

/* Writes a field and its value, or its meaning as a code. */
static void trace_field(char *buf, size_t size, const struct trace_place *at, enum field f,
			u128 value, u128 mask, unsigned int l3)
{
	if (!at || !registers_describe(at->registers, at->w, at->step, f, (uint32_t)value,
				       (uint32_t)mask, buf, size))
		field_format(buf, size, f, value, mask, l3);
}

static size_t walk_trace_compared(char *buf, size_t size, const struct ste *s,
				  const struct builder_view *v, const struct trace_place *at)
{
	struct trace_text t = {buf, size, 0};
	char words[512];

	if (size)
		buf[0] = 0;
	for (unsigned int i = 0; v && i < v->rows; i++) {
		u128 mask = first_row(v, i) ? tag_get(s->mask, v, v->row[i].field) : 0;

		if (!mask)
			continue;
		trace_field(words, sizeof(words), at, v->row[i].field,
			    tag_get(s->tag, v, v->row[i].field), mask, layout_l3(v));
		walk_trace_comma(&t);
		walk_trace_add(&t, "%s", words);
	}
	if (!t.at)
		walk_trace_add(&t, s->any ? "any packet" : "bits of an unknown field");
	return t.at;
}

size_t walk_trace_entry(char *buf, size_t size, const struct ste *s, const struct builder_view *v)
{
	return walk_trace_compared(buf, size, s, v, NULL);
}

/* --- steps --- */

static void walk_trace_add_miss(struct trace_text *t, const struct walk_trace *s,
				const struct walk_step *st, const struct builder_view *v,
				const struct trace_place *at)
{
	char have[512], want[512];

	if (st->field == F_NONE) {
		walk_trace_add(t, "misses by bits of an unknown field");
		return;
	}
	trace_field(want, sizeof(want), at, st->field, st->want, st->mask, layout_l3(v));
	if (!registers_describe(at->registers, at->w, at->step, st->field, (uint32_t)st->have,
				(uint32_t)st->mask, have, sizeof(have)))
		field_value(have, sizeof(have), st->field, st->have, layout_l3(v));
	if (st->given)
		walk_trace_add(t, "misses: it wants %s, the packet has %s", want, have);
	else
		walk_trace_add(t, "misses: it wants %s, which %s", want,
			       s->written ? "was not given" : "the packet does not have");
}

static void walk_trace_add_table(struct trace_text *t, const struct dump_table *tbl)
{
	walk_trace_add(t, "table 0x%" PRIx64 " of level %" PRIu32, tbl->id, tbl->level);
	if (tbl->name)
		walk_trace_add(t, " (%s)", tbl->name);
}

/* An entry's sharers are searched among this many rules of a matcher. */
#define SHARERS_MAX 4096

/* Returns the text of the rule that an entry belongs to; NULL: several rules, or unknown. */
static const char *entry_name(const struct walk_trace *s, const struct steering_dump *d,
			      const struct dump_entry *e)
{
	const struct dump_matcher *m = &d->matcher[d->rule[e->rule].matcher];
	const char *name = s->name ? s->name(s->arg, d->rule[e->rule].id) : NULL;

	if (!name || entry_ends(d, e))
		return name;
	for (uint32_t i = 0; i < m->n; i++) {
		const struct dump_rule *r = &d->rule[m->first + i];

		if (i == SHARERS_MAX)
			return NULL;
		for (uint32_t k = r->first; k < r->first + r->n; k++)
			if (d->entry[k].index == e->index && s->name(s->arg, r->id) != name)
				return NULL;
	}
	return name;
}

static json_t *walk_trace_entry_json(const struct walk_trace *s, const struct explain_walk *w,
				     const struct walk_step *st, struct trace_text *t)
{
	const struct dump_entry *e = &w->d->entry[st->entry];
	const struct matcher_view *mv = matcher_view(s->cache, st->matcher, w->side);
	uint32_t place = entry_place(w->d, e);
	const struct builder_view *v = mv && place < w->d->matcher[st->matcher].builders[w->side]
					       ? &mv->view[w->side][place]
					       : NULL;
	const char *name = entry_name(s, w->d, e);
	struct trace_place at = {s->registers, w, (uint32_t)(st - w->step)};
	char what[1024], words[64];
	struct ste ste;
	json_t *j;

	entry_read(s->cache, e, &ste);
	walk_trace_add(t, "entry 0x%" PRIx64 " (%s) ", (uint64_t)e->index << 6,
		       ste_lookup_name(&ste));
	if (name)
		walk_trace_add(t, "of \"%s\" ", name);
	walk_trace_compared(what, sizeof(what), &ste, v, &at);
	if (st->hit)
		walk_trace_add(t, v ? "hits: %s" : "only acts", what);
	else
		walk_trace_add_miss(t, s, st, v, &at);
	if (st->hit && entry_ends(w->d, e) && dump_onward_of(w->d, &w->d->rule[e->rule]))
		walk_trace_add(t, "; a copy goes to another queue, the packet goes on");
	j = json_pack("{s:I, s:I, s:i, s:s, s:b, s:s}", "address", (json_int_t)e->index << 6,
		      "index", (json_int_t)e->index, "lookup", (int)ste.lookup, "lookup_name",
		      ste_lookup_name(&ste), "hit", (int)st->hit, "compares", what);
	if (j && name)
		json_object_set_new(j, "rule", json_string(name));
	if (j)
		json_object_set_new(j, "acts", json_boolean(st->hit && entry_ends(w->d, e)));
	if (j && !st->hit && st->field != F_NONE)
		json_object_set_new(j, "field",
				    json_string(field_words(st->field, words, sizeof(words))));
	return j;
}

static const struct walk_change *change_of_step(const struct explain_walk *w,
						const struct walk_step *st)
{
	uint32_t low = 0, high = w->nchanges, step = (uint32_t)(st - w->step);

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
	"headers are rewritten by a list that the dump does not have: what changes is not known";

/* Adds a change, with fields that a rule writes although the packet has the value already. */
static void walk_trace_change(const struct explain_walk *w, const struct walk_step *st,
			      struct trace_text *t, json_t *j)
{
	const struct walk_change *c = change_of_step(w, st);
	json_t *changes = c ? trace_change_json(c, true) : NULL;
	char text[512];

	if (!changes)
		return;
	if (trace_change_format(text, sizeof(text), changes))
		walk_trace_add(t, "; changes %s", text);
	else if (!c->unknown)
		walk_trace_add(t, "; changes nothing: the packet has these values already");
	if (c->unknown)
		walk_trace_add(t, "; %s", not_in_dump);
	json_object_set_new(j, "changes", changes);
	if (c->unknown)
		json_object_set_new(j, "unknown_changes", json_true());
}

static json_t *step_json(const struct walk_trace *s, const struct explain_walk *w,
			 const struct walk_step *st)
{
	static const char *const kinds[] = {"table", "empty", "entry", "no more"};
	const struct dump_table *tbl = &w->d->table[st->table];
	const struct dump_matcher *m = st->kind == STEP_EMPTY ? &w->d->matcher[st->matcher] : NULL;
	char buf[2048] = "", mask[256];
	struct trace_text t = {buf, sizeof(buf), 0};
	json_t *j;

	if (st->kind == STEP_ENTRY) {
		j = walk_trace_entry_json(s, w, st, &t);
		if (j)
			walk_trace_change(w, st, &t, j);
	} else if (st->kind == STEP_EMPTY) {
		walk_trace_mask(mask, sizeof(mask), &m->mask);
		walk_trace_add(&t, "matcher of priority %" PRIu32 " (%s): ", m->priority, mask);
		if (!m->n)
			walk_trace_add(&t, "it has no rules");
		else
			walk_trace_add(&t, "nothing in slot %" PRIu32 " of %" PRIu32, st->slot,
				       st->slots);
		j = json_pack("{s:I, s:s}", "priority", (json_int_t)m->priority, "compares", mask);
	} else {
		if (st->kind == STEP_NO_MORE)
			walk_trace_add(&t, "no more matchers in ");
		walk_trace_add_table(&t, tbl);
		j = json_pack("{s:I, s:I}", "table", (json_int_t)tbl->id, "level",
			      (json_int_t)tbl->level);
	}
	if (j) {
		json_object_set_new(j, "step", json_string(kinds[st->kind]));
		json_object_set_new(j, "says", json_string(buf));
	}
	return j;
}

/* --- the end --- */

#define TIR 3411 /* records: a queue, or a group of queues */

uint32_t walk_trace_rule(const struct walk_trace *s, const struct explain_walk *w)
{
	const struct dump_rule *r = &w->d->rule[w->rule];

	if (!s->name || s->name(s->arg, r->id) || w->via == DUMP_NONE)
		return w->rule;
	for (uint32_t i = r->first_action; i < r->first_action + r->nactions; i++)
		if (w->d->action[i].type == TIR)
			return w->via;
	return w->rule;
}

static void end_rule(const struct walk_trace *s, const struct explain_walk *w, struct trace_text *t,
		     json_t *j)
{
	const struct dump_rule *r = &w->d->rule[w->rule];
	const char *name = s->name ? s->name(s->arg, w->d->rule[walk_trace_rule(s, w)].id) : NULL;
	char does[256];

	walk_trace_actions(does, sizeof(does), w->d, r);
	if (name)
		walk_trace_add(t, "rule \"%s\": %s", name, does);
	else if (s->name)
		walk_trace_add(t, "no rule takes it: the default way (%s)", does);
	else
		walk_trace_add(t, "rule 0x%" PRIx64 ": %s", r->id, does);
	json_object_set_new(j, "rule", json_integer((json_int_t)r->id));
	if (name)
		json_object_set_new(j, "text", json_string(name));
	json_object_set_new(j, "actions", json_string(does));
	json_object_set_new(j, "address", json_integer((json_int_t)w->last));
}

static void end_default(const struct explain_walk *w, struct trace_text *t)
{
	const struct dump_domain *dmn = &w->d->domain[w->d->table[w->table].domain];

	walk_trace_add(t, "no rule takes it: ");
	if (dmn->type == DOMAIN_FDB)
		walk_trace_add(t, "it goes to the e-switch manager");
	else
		walk_trace_add(t, w->side == SIDE_RX ? "it is dropped" : "it is sent");
	walk_trace_add(t, ", the default of such tables");
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
static void end_changes(const struct explain_walk *w, struct trace_text *t, json_t *j)
{
	struct walk_change c = {.before = *w->packet, .after = w->now.f};
	json_t *changes;
	char text[512];

	if (!w->changed)
		return;
	for (uint32_t i = 0; i < w->nchanges; i++)
		c.decap = c.decap || w->change[i].decap;
	changes = trace_change_json(&c, false);
	if (changes && trace_change_format(text, sizeof(text), changes))
		walk_trace_add(t, "; the packet changes: %s", text);
	if (w->unknown && w->end != WALK_LOST)
		walk_trace_add(t, "; %s", not_in_dump);
	json_object_set_new(j, "changes", changes);
	json_object_set_new(j, "unknown_changes", json_boolean(w->unknown));
	if (w->now.framed && !w->unknown)
		end_frame(w, j);
}

static json_t *end_json(const struct walk_trace *s, const struct explain_walk *w)
{
	static const char *const ends[] = {"rule", "default", "lost"};
	char buf[1024] = "";
	struct trace_text t = {buf, sizeof(buf), 0};
	json_t *counters = json_array(), *j = json_object();

	if (!counters || !j)
		return json_decref(counters), json_decref(j), NULL;
	if (w->end == WALK_RULE)
		end_rule(s, w, &t, j);
	else if (w->end == WALK_DEFAULT)
		end_default(w, &t);
	else
		walk_trace_add(&t, "%s", w->lost);
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

json_t *walk_trace_json(const struct walk_trace *s, const struct explain_walk *w)
{
	json_t *steps = json_array(), *j = json_object();

	for (uint32_t i = 0; i < w->nsteps; i++)
		json_array_append_new(steps, step_json(s, w, &w->step[i]));
	if (!steps || !j || json_object_set_new(j, "steps", steps) ||
	    json_object_set_new(j, "end", end_json(s, w))) {
		json_decref(j);
		return NULL;
	}
	return j;
}
