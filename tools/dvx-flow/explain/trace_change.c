/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>
#include "trace_change.h"

#define TAG_FIELDS 4u

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
	bool has = p->known[f] || f >= F_REG_A;

	if (has)
		field_value(buf, size, f, p->value[f], (unsigned int)p->value[F_L3]);
	return has ? buf : NULL;
}

static void add_field(json_t *rows, const struct walk_change *c, enum field f)
{
	char name[64], before[64], after[64], words[64];
	const char *version = c->after.value[F_L3] == 2 ? "ipv6 " : "ipv4 ";

	field_words(f, words, sizeof(words));
	snprintf(name, sizeof(name), "%.8s%.48s", f == F_SRC || f == F_DST ? version : "", words);
	trace_change_add(rows, name, value_text(before, sizeof(before), &c->before, f),
			 value_text(after, sizeof(after), &c->after, f));
}

static size_t tag_text(char *buf, size_t size, const struct fields *p, enum field kind)
{
	unsigned int pcp = (unsigned int)p->value[kind + 3], dei = (unsigned int)p->value[kind + 2];
	int n = snprintf(buf, size, "%s%u", p->value[kind] == 1 ? "0x88a8 " : "",
			 (unsigned int)p->value[kind + 1]);

	if (pcp)
		n += snprintf(buf + n, size - (size_t)n, " pcp %u", pcp);
	if (dei)
		n += snprintf(buf + n, size - (size_t)n, " dei 1");
	return (size_t)n;
}

/* Writes the tags, the outer one first. */
static void tags_text(char *buf, size_t size, const struct fields *p)
{
	size_t n = 0;

	if (!p->value[F_VLAN_KIND]) {
		snprintf(buf, size, "none");
		return;
	}
	n = tag_text(buf, size, p, F_VLAN_KIND);
	if (p->value[F_VLAN2_KIND]) {
		n += (size_t)snprintf(buf + n, size - n, " and ");
		tag_text(buf + n, size - n, p, F_VLAN2_KIND);
	}
}

static void add_tags(json_t *rows, const struct walk_change *c)
{
	char before[96], after[96];
	bool same = true;

	for (unsigned int i = 0; i < 2 * TAG_FIELDS; i++)
		same = same && !differs(c, (enum field)(F_VLAN_KIND + i));
	if (same)
		return;
	tags_text(before, sizeof(before), &c->before);
	tags_text(after, sizeof(after), &c->after);
	trace_change_add(rows, "vlan", before, after);
}

static void add_headers(json_t *rows, const struct walk_change *c)
{
	char before[256], after[256];

	fields_line(before, sizeof(before), &c->before);
	fields_line(after, sizeof(after), &c->after);
	trace_change_add(rows, "headers", before, after);
}

json_t *trace_change_json(const struct walk_change *c, bool registers)
{
	json_t *rows = json_array();

	if (!rows)
		return NULL;
	if (c->decap) {
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

size_t trace_change_format(char *buf, size_t size, json_t *changes)
{
	size_t i, at = 0;
	json_t *row;

	buf[0] = 0;
	json_array_foreach (changes, i, row) {
		const char *before = json_string_value(json_object_get(row, "before"));
		const char *after = json_string_value(json_object_get(row, "after"));

		if (at < size)
			at += (size_t)snprintf(buf + at, size - at, "%s%s %s -> %s", at ? ", " : "",
					       json_string_value(json_object_get(row, "field")),
					       before ? before : "?", after ? after : "?");
	}
	return at;
}
