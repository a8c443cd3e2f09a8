/* SPDX-License-Identifier: BSD-2-Clause */
#include "dvx-prm.h"

#include <string.h>

#define COLUMNS (32 * 2 + 1)

static bool drawn(const struct prm_struct *s, int branch, const char *variant)
{
	const struct prm_branch *b = &s->branches[branch];
	int pick = -1;

	for (int i = 0; i < (int)s->branch_count; i++) {
		if (s->branches[i].group != b->group)
			continue;
		if (pick < 0)
			pick = i;
		if (variant && !strcmp(s->branches[i].name, variant))
			pick = i;
	}
	return pick == branch;
}

/*
 * Whether the field belongs to the alternatives that are drawn: the named ones, else the first of
 * each.
 */
static bool diagram_shows(const struct prm_struct *s, const struct prm_field *f,
			  const char *variant)
{
	for (int b = f->branch; b >= 0; b = s->branches[b].outer)
		if (!drawn(s, b, variant))
			return false;
	return true;
}

/* Finds the field at a bit, and the index of its element. NULL if the bit is reserved. */
static const struct prm_field *diagram_field_at(const struct prm_struct *s, uint32_t bit,
						const char *variant, uint32_t *index)
{
	for (size_t i = 0; i < s->field_count; i++) {
		const struct prm_field *f = &s->fields[i];
		uint64_t end = f->offset + (uint64_t)f->width * (f->count ? f->count : 1);

		if (bit < f->offset || bit >= end || !diagram_shows(s, f, variant))
			continue;
		*index = (bit - f->offset) / f->width;
		return f;
	}
	*index = 0;
	return NULL;
}

/* Writes a name, cut to the width of its bits. */
static void put_name(char *row, const struct prm_field *f, uint32_t index, uint32_t from,
		     uint32_t to)
{
	size_t room = (size_t)(to - from) * 2 - 1, n;
	char text[96];

	if (!f)
		text[0] = 0;
	else if (f->count == 1)
		snprintf(text, sizeof(text), "%s", f->name);
	else
		snprintf(text, sizeof(text), "%s[%u]", f->name, index);
	n = strlen(text);
	memset(row + from * 2 + 1, f ? ' ' : '.', room);
	if (n > room)
		n = room;
	memcpy(row + from * 2 + 1 + (room - n) / 2, text, n);
	row[to * 2] = '|';
}

/* Draws a row. A cell that continues one of the row before has no name. */
static void draw_row(char *row, const struct prm_struct *s, uint32_t word, const char *variant)
{
	row[0] = '|';
	row[COLUMNS] = 0;
	for (uint32_t from = 0; from < 32;) {
		uint32_t index, other;
		const struct prm_field *f = diagram_field_at(s, word * 32 + from, variant, &index);
		uint32_t to = from + 1;

		while (to < 32 && diagram_field_at(s, word * 32 + to, variant, &other) == f &&
		       other == index)
			to++;
		put_name(row, f, index, from, to);
		from = to;
	}
}

static void diagram_rule(FILE *out)
{
	fputs("       +", out);
	for (int i = 0; i < 32; i++)
		fputs("-+", out);
	fputc('\n', out);
}

void diagram_print(FILE *out, const struct prm_struct *s, const char *variant)
{
	uint32_t words = (s->bytes + 3) / 4, same = 0;
	char row[COLUMNS + 1], last[COLUMNS + 1] = "";

	fputs("  byte  31          24              16               8              0\n", out);
	diagram_rule(out);
	for (uint32_t w = 0; w < words; w++) {
		draw_row(row, s, w, variant);
		if (!strcmp(row, last)) {
			same++;
			continue;
		}
		if (same)
			fprintf(out, "       : %u more row%s the same\n", same,
				same > 1 ? "s" : "");
		same = 0;
		fprintf(out, " 0x%03x %s\n", w * 4, row);
		diagram_rule(out);
		strcpy(last, row);
	}
	if (same)
		fprintf(out, "       : %u more row%s the same\n", same, same > 1 ? "s" : "");
}
