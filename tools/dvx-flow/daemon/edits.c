/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests that change rules. They name rules by ID, by a range of IDs, by name, or by text. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* Marks the rules that `which` names. Of rules with one text, marks the first unmarked one. */
static int edits_mark(const struct holder *h, const json_t *which, bool *mark, size_t *first,
		      struct flow_fault *f)
{
	size_t n = holder_rules(h)->n, found = n;

	for (size_t i = 0; i < n && (found == n || json_is_array(which)); i++)
		if (!(mark[i] && json_is_string(which)) && edits_matches(h, i, which)) {
			found = found == n ? i : found;
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

void edits_save(struct holder *h, struct server_conn *c, const struct flow_msg *m)
{
	(void)m;
	conn_reply(
		c,
		json_pack("{s:i, s:I}", "exit", EXIT_DONE, "rules", (json_int_t)holder_rules(h)->n),
		h->text, h->len);
}
