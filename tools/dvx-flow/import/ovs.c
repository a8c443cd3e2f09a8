/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * OpenFlow flows as ovs-ofctl(8) takes and prints them. Higher priorities come first. `normal' and
 * `local' are the default way. A packet that no flow of a table takes is dropped.
 */
#include <stdlib.h>
#include <string.h>

#include "ovs.h"
#include "rules/arena.h"

/* --- a flow's parts ---------------------------------------------------------------------------- */

/* Returns the length of a part: up to a comma outside of parentheses. */
static size_t ovs_part_length(const char *text, int *depth)
{
	size_t n = 0;

	for (; text[n] && (text[n] != ',' || *depth); n++)
		*depth += (text[n] == '(' || text[n] == '[') - (text[n] == ')' || text[n] == ']');
	return n;
}

/* Splits words at commas. Blanks inside parentheses end a part, too: nothing there is imported. */
static bool ovs_split(struct import *im, const struct tokens *line, size_t from, struct tokens *out)
{
	out->n = out->at = 0;
	for (size_t i = from; i <= line->n; i++) {
		struct token t = line->token[i];
		int depth = 0;

		do {
			size_t n = t.text ? ovs_part_length(t.text, &depth) : 0;
			const char *rest = t.text && t.text[n] ? t.text + n + 1 : NULL;

			if (!array_grow((void **)&out->token, out->n, &out->room, sizeof(t)))
				return false;
			out->token[out->n] = t;
			if (!t.text)
				return true;
			out->token[out->n].text = import_format(im, "%.*s", (int)n, t.text);
			out->n += n != 0;
			t.column += (uint32_t)n + 1;
			t.text = rest;
		} while (t.text);
	}
	return true;
}

/* --- flows ------------------------------------------------------------------------------------- */

static void ovs_emit(struct ovs_read *r)
{
	struct draft *d = &r->d;

	/* A tag of either type. */
	if (r->any_tag && !draft_set(d, SLOT_TAG, TAG_VLAN)) {
		draft_leave(d, d->at, REASON_TWICE);
		return;
	}
	draft_one_tag(d);
	import_add(d);
	if (!r->any_tag)
		return;
	draft_replace(d, SLOT_TAG, TAG_SVLAN);
	import_add(d);
}

static bool ovs_has_conditions(const struct draft *d)
{
	for (unsigned int s = 0; s < DRAFT_SLOTS; s++)
		if (draft_has(d, s))
			return true;
	return false;
}

static struct ovs_table *ovs_table_of(struct ovs *o, uint32_t number)
{
	size_t i = 0;

	while (i < o->n && o->table[i].number != number)
		i++;
	if (i < o->n)
		return &o->table[i];
	if (!array_grow((void **)&o->table, o->n, &o->room, sizeof(*o->table))) {
		o->im->no_memory = true;
		return NULL;
	}
	o->table[o->n] = (struct ovs_table){.number = number};
	return &o->table[o->n++];
}

static void ovs_flow(struct ovs *o, struct tokens *parts)
{
	struct ovs_read r = {
		.d = {.im = o->im, .line = parts, .at = &parts->token[0], .direction = "in"},
		.priority = 32768};
	bool ok = ovs_match_read(&r.d);
	struct ovs_table *table = ovs_table_of(o, r.d.table);
	struct import_result *out = o->im->out;
	size_t before;
	bool all;

	r.d.order = 65535 - r.priority;
	/* An item that is left out keeps its place among the others. */
	if (!ok && out->n)
		out->item[out->n - 1].order = r.d.order;
	if (!ok || !table || r.elsewhere)
		return;
	/* Even if the flow's actions cannot be expressed, no packet reaches the table's end. */
	all = !r.any_tag && !r.tunnel && !ovs_has_conditions(&r.d);
	table->whole |= all;
	before = out->n;
	if (!ovs_actions_read(&r.d)) {
		if (out->n > before)
			out->item[before].all = all;
		return;
	}
	/* Changes are of the headers inside. */
	if (r.tunnel && r.d.changes)
		draft_leave(&r.d, r.d.at, REASON_CHANGE);
	else
		ovs_emit(&r);
}

/* --- lines ------------------------------------------------------------------------------------- */

/* Leaves out flows of a second bridge. */
static bool ovs_bridge(struct ovs *o, const struct token *at)
{
	if (!o->bridge)
		o->bridge = at->text;
	return !at->text || !strcmp(at->text, o->bridge) ||
	       import_leave(o->im, at, at, REASON_TABLES);
}

/* Reads a command. A new bridge has a flow for all other packets, until del-flows. */
static void ovs_command(struct ovs *o, struct tokens *line, struct tokens *parts)
{
	while (tokens_peek(line)->text && *tokens_peek(line)->text == '-') {
		bool value = token_is(tokens_peek(line), "-O");

		tokens_next(line);
		if (value)
			tokens_next(line);
	}
	if (tokens_take(line, "add-flow")) {
		o->commands = true;
		if (!ovs_bridge(o, tokens_next(line)))
			return;
		if (!ovs_split(o->im, line, line->at, parts))
			o->im->no_memory = true;
		else
			ovs_flow(o, parts);
	} else if (token_is(tokens_peek(line), "del-flows") && line->n - line->at == 2 &&
		   !o->im->out->n) {
		o->deleted = true;
	} else {
		import_leave(o->im, &line->token[0], tokens_peek(line), REASON_COMMAND);
	}
}

static void ovs_line(struct ovs *o, struct tokens *line, struct tokens *parts)
{
	if (tokens_take(line, "ovs-ofctl")) {
		ovs_command(o, line, parts);
	} else if (strstr(line->token[0].text, "ST_FLOW")) {
		/* The heading of dump-flows. */
	} else if (!ovs_looks(line)) {
		dialect_leave_line(o->im, line);
	} else if (!ovs_split(o->im, line, line->at, parts)) {
		o->im->no_memory = true;
	} else {
		o->flows = true;
		ovs_flow(o, parts);
	}
}

/* Adds the default of each table. A bridge begins with a flow in the first, unless deleted. */
static void ovs_miss(struct ovs *o, const struct token_reader *r)
{
	const struct token end = {NULL, r->line, r->column, false};
	struct draft d = {
		.im = o->im, .at = &end, .direction = "in", .verdict = "drop", .order = UINT64_MAX};

	for (size_t i = 0; i < o->n; i++) {
		d.table = o->table[i].number;
		import_leave_unmet(o->im, d.table, 0);
		if (!o->table[i].whole && (d.table || o->deleted || (o->flows && !o->commands)))
			import_add_last(&d, 0);
	}
}

void ovs_read(struct import *im, struct token_reader *r)
{
	struct ovs o = {.im = im};
	struct tokens line = {0}, parts = {0};

	while (tokens_line(r, &line))
		ovs_line(&o, &line, &parts);
	ovs_miss(&o, r);
	free(o.table);
	free(line.token);
	free(parts.token);
}

bool ovs_looks(const struct tokens *line)
{
	for (size_t i = 0; i < line->n; i++)
		if (strstr(line->token[i].text, "actions=") ||
		    strstr(line->token[i].text, "action="))
			return true;
	return strstr(line->token[0].text, "ST_FLOW") || token_is(&line->token[0], "ovs-ofctl");
}
