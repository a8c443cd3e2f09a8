/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests that change rules. They name rules by ID, by a range of IDs, by name, or by text. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "dvx-flow.h"
#include "holder.h"

/* --- which rules ------------------------------------------------------------------------------ */

static bool edits_has_name(const struct holder *h, size_t i, const char *name)
{
	const char *its = holder_rules(h)->rule[i].name;

	return its && !strcmp(its, name);
}

static bool edits_matches(const struct holder *h, size_t i, const json_t *which)
{
	const char *text = json_string_value(which);
	json_int_t id = generation_id(h->now, i);

	if (text)
		return !strcmp(holder_rules(h)->rule[i].text, text) || edits_has_name(h, i, text);
	if (json_is_array(which))
		return id >= json_integer_value(json_array_get(which, 0)) &&
		       id <= json_integer_value(json_array_get(which, 1));
	return json_is_integer(which) && id == json_integer_value(which);
}

static int edits_no_rule(const json_t *which, struct flow_fault *f)
{
	const char *text = json_string_value(which);

	if (text)
		return flow_fault_set(
			f, EXIT_RULES, "there is no such rule (%.300s); %ssee dvx-flow list", text,
			strchr(text, '$') ? "rules have the values of variables, " : "");
	if (json_is_array(which))
		return flow_fault_set(f, EXIT_RULES,
				      "there is no such rule (%lld to %lld); see dvx-flow list",
				      json_integer_value(json_array_get(which, 0)),
				      json_integer_value(json_array_get(which, 1)));
	return flow_fault_set(f, EXIT_RULES, "there is no such rule (%lld); see dvx-flow list",
			      json_integer_value(which));
}

/*
 * Marks the rules that `which` names, and finds the first of them. Of rules with one text, marks the
 * first unmarked one. mark NULL: only finds it.
 */
static int edits_mark(const struct holder *h, const json_t *which, bool *mark, size_t *first,
		      struct flow_fault *f)
{
	size_t n = holder_rules(h)->n, found = n;

	for (size_t i = 0; i < n && (found == n || json_is_array(which)); i++)
		if (!(mark && mark[i] && json_is_string(which)) && edits_matches(h, i, which)) {
			found = found == n ? i : found;
			if (mark)
				mark[i] = true;
		}
	*first = found;
	return found == n ? edits_no_rule(which, f) : 0;
}

/* --- answers ---------------------------------------------------------------------------------- */

json_t *edits_summary(const struct holder *h)
{
	return json_pack("{s:i, s:I, s:I, s:b}", "exit", EXIT_DONE, "rules",
			 (json_int_t)holder_rules(h)->n, "entries_written", (json_int_t)h->written,
			 "rebuilt", (int)h->rebuilt);
}

struct edits_answer {
	struct server_conn *c;
	const struct holder *h;
	size_t added; /* the index of the added rule; SIZE_MAX: none */
};

static void edits_done(void *arg)
{
	struct edits_answer *a = arg;
	json_t *j = edits_summary(a->h);

	if (a->added != SIZE_MAX)
		json_object_set_new(j, "id", json_integer(generation_id(a->h->now, a->added)));
	conn_reply(a->c, j, NULL, 0);
}

static bool *edits_marks(const struct holder *h, struct flow_fault *f)
{
	bool *mark = calloc(holder_rules(h)->n + 1, sizeof(*mark));

	if (!mark)
		flow_fault_set(f, EXIT_INPUT, "%s", strerror(ENOMEM));
	return mark;
}

void edits_del(struct holder *h, struct server_conn *c, const struct flow_msg *m)
{
	const json_t *rules = json_object_get(m->head, "rules");
	struct edits_answer a = {c, h, SIZE_MAX};
	struct flow_fault f = {0};
	bool *gone = edits_marks(h, &f);
	size_t first, n = json_array_size(rules);
	int ret = gone ? 0 : -1;

	if (!ret && !n)
		ret = flow_fault_set(&f, EXIT_RULES, "there is no such rule; see dvx-flow list");
	for (size_t i = 0; i < n && !ret; i++)
		ret = edits_mark(h, json_array_get(rules, i), gone, &first, &f);
	if (!ret)
		ret = holder_edit(h, gone, (struct holder_place){0}, NULL, edits_done, &a, &f);
	if (ret)
		conn_fault(c, &f);
	free(gone);
}

void edits_flush(struct holder *h, struct server_conn *c, const struct flow_msg *m)
{
	struct edits_answer a = {c, h, SIZE_MAX};
	struct flow_fault f = {0};
	bool *gone = edits_marks(h, &f);

	(void)m;
	if (gone)
		memset(gone, true, holder_rules(h)->n);
	if (!gone || holder_edit(h, gone, (struct holder_place){0}, NULL, edits_done, &a, &f))
		conn_fault(c, &f);
	free(gone);
}

/* Returns the index behind the last rule of the first table. */
static size_t edits_end(const struct holder *h)
{
	size_t n = holder_rules(h)->n;

	while (n && holder_rules(h)->rule[n - 1].table)
		n--;
	return n;
}

void edits_add(struct holder *h, struct server_conn *c, const struct flow_msg *m)
{
	const json_t *before = json_object_get(m->head, "before");
	const json_t *replace = json_object_get(m->head, "replace");
	struct edits_answer a = {c, h, edits_end(h)};
	struct holder_place to = {0};
	struct flow_fault f = {0};
	bool *mark = edits_marks(h, &f);
	int ret = mark ? 0 : -1;

	if (!ret && (before || replace))
		ret = edits_mark(h, replace ? replace : before, mark, &a.added, &f);
	to.rule = a.added;
	if (!ret && (before || replace))
		to.table = holder_rules(h)->rule[to.rule].table;
	if (!ret)
		ret = holder_edit(h, replace ? mark : NULL, to, m, edits_done, &a, &f);
	if (ret)
		conn_fault(c, &f);
	free(mark);
}

/* --- many edits -------------------------------------------------------------------------------- */

/* A rule that a batch adds. */
struct edits_added {
	size_t at;     /* the rule in effect that it is put before */
	bool in_table; /* of that one; else it ends the table before */
	uint32_t table;
	uint32_t input; /* its place among the added rules of the request */
	size_t index;	/* its place among the rules in effect afterwards */
};

struct edits_batch {
	struct server_conn *c;
	struct holder *h;
	struct batch batch;
	struct ruleset more;
	bool *gone;
	/* by added rule, in their order */
	struct edits_added *added;
	size_t *at;
};

/* Marks what leaves by the command, or finds the place of its rule. */
static int edits_resolve(struct edits_batch *b, const struct batch_edit *e, size_t *at,
			 struct flow_fault *f)
{
	size_t n = e->command == BATCH_DEL ? json_array_size(e->which) : 1;
	int ret = 0;

	for (size_t i = 0; i < n && !ret; i++)
		ret = edits_mark(b->h,
				 e->command == BATCH_DEL ? json_array_get(e->which, i) : e->which,
				 e->command == BATCH_INSERT ? NULL : b->gone, at, f);
	if (ret) {
		f->line = e->line;
		f->column = e->column;
	}
	return ret;
}

static int edits_find_places(struct edits_batch *b, struct flow_fault *f)
{
	const struct ruleset *set = holder_rules(b->h);
	size_t m = 0, at = 0;
	int ret = 0;

	for (uint32_t i = 0; i < b->more.n; i++)
		b->added[i] = (struct edits_added){.at = edits_end(b->h), .input = i};
	for (size_t i = 0; i < b->batch.n && !ret; i++) {
		const struct batch_edit *e = &b->batch.edit[i];

		ret = edits_resolve(b, e, &at, f);
		while (m < b->more.n && b->more.rule[m].line < e->line)
			m++;
		if (!ret && e->command != BATCH_DEL && m < b->more.n) {
			b->added[m].at = at;
			b->added[m].in_table = true;
			b->added[m].table = set->rule[at].table;
		}
	}
	return ret;
}

static int edits_by_place(const void *a, const void *b)
{
	const struct edits_added *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->in_table != y->in_table)
		return x->in_table ? 1 : -1;
	return x->input < y->input ? -1 : x->input > y->input;
}

/* Puts the added rules in the order of their places. Returns false if there is no memory. */
static bool edits_sort(struct edits_batch *b)
{
	struct rule *sorted;
	size_t left = 0, i = 0;

	if (!b->more.n)
		return true;
	sorted = calloc(b->more.n, sizeof(*sorted));
	if (!sorted)
		return false;
	qsort(b->added, b->more.n, sizeof(*b->added), edits_by_place);
	for (size_t m = 0; m < b->more.n; m++) {
		struct edits_added *a = &b->added[m];

		sorted[m] = b->more.rule[a->input];
		sorted[m].table = a->table;
		b->at[m] = a->at;
		for (; i < a->at; i++)
			left += !b->gone[i];
		a->index = left + m;
	}
	memcpy(b->more.rule, sorted, b->more.n * sizeof(*sorted));
	free(sorted);
	return true;
}

static void edits_batch_done(void *arg)
{
	const struct edits_batch *b = arg;
	json_t *j = edits_summary(b->h), *ids = json_array();

	for (size_t m = 0; m < b->more.n; m++)
		json_array_append_new(ids, json_null());
	for (size_t m = 0; m < b->more.n; m++)
		json_array_set_new(ids, b->added[m].input,
				   json_integer(generation_id(b->h->now, b->added[m].index)));
	json_object_set_new(j, "ids", ids);
	conn_reply(b->c, j, NULL, 0);
}

/* Finds a fault's place in the request: that of an added rule, else it has none. */
static void edits_batch_fault(const struct edits_batch *b, const struct source_place *place,
			      struct flow_fault *f)
{
	for (size_t m = 0; m < b->more.n && f->line; m++)
		if (place[b->added[m].index].line == f->line) {
			f->line = b->more.rule[m].line;
			f->column += b->more.rule[m].at.column - 1u;
			return;
		}
	flow_fault_place(f);
}

/* Makes the edited text and applies it. */
static int edits_batch_apply(struct edits_batch *b, struct flow_fault *f)
{
	struct rules_edit e = {holder_rules(b->h), b->gone, &b->more, b->at};
	struct source_place *place = calloc(edit_count(&e) + 1, sizeof(*place));
	size_t len;
	char *text = NULL;
	int ret = -1;

	if (place && edits_sort(b))
		text = source_edit(b->h->text ? b->h->text : "", b->h->len, &e, place, &len);
	if (!text)
		flow_fault_set(f, EXIT_INPUT, "%s", strerror(ENOMEM));
	else
		ret = holder_apply(b->h, text, len, NULL, b, edits_batch_done, f);
	if (text && ret)
		edits_batch_fault(b, place, f);
	free(text);
	free(place);
	return ret;
}

static int edits_batch_read(struct edits_batch *b, const struct flow_msg *m, struct flow_fault *f)
{
	int ret = batch_read(m->body, m->body_len, &b->batch, f);

	if (!ret)
		ret = holder_parse_part(b->h, b->batch.rules, b->batch.len, &b->more, f);
	if (!ret && !b->more.n && !b->batch.n)
		ret = flow_fault_set(f, EXIT_RULES, "there is no edit in this");
	if (ret)
		return ret;
	b->gone = edits_marks(b->h, f);
	b->added = calloc(b->more.n + 1, sizeof(*b->added));
	b->at = calloc(b->more.n + 1, sizeof(*b->at));
	return b->gone && b->added && b->at ? 0
					    : flow_fault_set(f, EXIT_INPUT, "%s", strerror(ENOMEM));
}

void edits_batch(struct holder *h, struct server_conn *c, const struct flow_msg *m)
{
	struct edits_batch b = {.c = c, .h = h};
	struct flow_fault f = {0};

	if (edits_batch_read(&b, m, &f) || edits_find_places(&b, &f) || edits_batch_apply(&b, &f))
		conn_fault(c, &f);
	ruleset_free(&b.more);
	batch_free(&b.batch);
	free(b.gone);
	free(b.added);
	free(b.at);
}

void edits_save(struct holder *h, struct server_conn *c, const struct flow_msg *m)
{
	(void)m;
	conn_reply(
		c,
		json_pack("{s:i, s:I}", "exit", EXIT_DONE, "rules", (json_int_t)holder_rules(h)->n),
		h->text, h->len);
}
