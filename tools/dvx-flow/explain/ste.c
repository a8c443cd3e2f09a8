/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries of any format: what their readers (ste_v0.c, ste_v1.c) share, and the matchers' views. */
#include <stdio.h>
#include <string.h>
#include "ste.h"

static const struct ste_reader *const readers[] = {&ste_reader_v0, &ste_reader_v1};

const struct ste_reader *ste_reader_of(unsigned int format)
{
	size_t i = sizeof(readers) / sizeof(readers[0]) - 1;

	while (i && readers[i]->format > format)
		i--;
	return readers[i];
}

/* --- lookup types, by the enum of a format --- */

static const struct prm_enum_value *lookup_row(const char *names, uint16_t lookup)
{
	return prm_enum_find(prm_find_enum(names), lookup);
}

const char *ste_lookup_text(const char *names, uint16_t lookup)
{
	const struct prm_enum_value *v = lookup_row(names, lookup);

	return v ? v->name : "unknown lookup";
}

bool ste_lookup_named_inner(const char *names, uint16_t lookup)
{
	const struct prm_enum_value *v = lookup_row(names, lookup);
	size_t len = v ? strlen(v->name) : 0;

	return len > 2 && !strcmp(v->name + len - 2, "_I");
}

/* The enum's text begins with the layout's name. */
const struct prm_struct *ste_lookup_layout(const char *names, uint16_t lookup)
{
	const struct prm_enum_value *v = lookup_row(names, lookup);
	char name[64];

	if (!v)
		return NULL;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(v->text, ",; "), v->text);
	return prm_find_struct(name);
}

void matcher_views(const struct dump_matcher *m, enum side side, const struct ste_reader *reader,
		   struct builder_view view[BUILDERS_MAX])
{
	struct match_mask left = m->mask;

	reader->adjust_mask(&left, side);
	for (unsigned int i = 0; i < m->builders[side]; i++) {
		struct builder_view *v = &view[i];

		memset(v, 0, sizeof(*v));
		v->lookup = m->lookup[side][i];
		v->definer = m->definer[side][i];
		v->tag_bytes = (uint8_t)reader->tag_bytes(v->lookup);
		if (reader->compares(v->lookup, &left))
			v->layout = reader->layout(v->lookup, v->definer, &m->mask);
		v->rows = tag_rows(v->layout, reader->inner(v->lookup), v->row);
		tag_mask(v, &left);
	}
}

void ste_read_next(struct ste *s, uint64_t high, uint64_t low)
{
	uint64_t index = high << 27 | low;
	uint64_t n = index & (~index + 1);

	s->next = (index ^ n) << 5;
	s->next_entries = (uint32_t)n;
}

static bool ste_all_zero(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

/* The mask is in the entry where the dump has it; definers and format 0 leave it to the matcher. */
static void read_mask(struct ste *s, const struct dump_entry *e, const struct builder_view *view)
{
	if (e->len == STE_BYTES && s->tag_bytes == 16) {
		memcpy(s->mask, e->bytes + 48, 16);
		s->mask_known = true;
	} else if (view && view->mask_known) {
		memcpy(s->mask, view->mask, sizeof(s->mask));
		s->mask_known = true;
	}
	s->any = s->any || (s->mask_known && ste_all_zero(s->mask, s->tag_bytes));
}

void ste_read(struct ste *s, const struct dump_entry *e, const struct builder_view *view)
{
	memset(s, 0, sizeof(*s));
	s->reader = ste_reader_of(e->format);
	s->bytes = e->bytes;
	s->reader->read(s, e->bytes);
	s->tag_bytes = (uint8_t)s->reader->tag_bytes(s->lookup);
	memcpy(s->tag, e->bytes + 32, s->tag_bytes <= e->len - 32 ? s->tag_bytes : 16);
	s->tag_layout = view ? view->layout : s->reader->layout(s->lookup, -1, NULL);
	read_mask(s, e, view);
}
