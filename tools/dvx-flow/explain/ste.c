/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries of any format: code shared by readers (ste_v0.c, ste_v1.c), and the matchers' views. */
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

/* Fills a row by the enum's text, which begins with the layout's name. */
void ste_lookup_row(struct lookup_type *t, const char *names, uint16_t lookup)
{
	const struct prm_enum_value *v = prm_enum_find(prm_find_enum(names), lookup);
	size_t len = v ? strlen(v->name) : 0;
	char layout[64];

	*t = (struct lookup_type){.name = v ? v->name : "unknown lookup", .tag_bytes = 16};
	t->inner = len > 2 && !strcmp(v->name + len - 2, "_I");
	snprintf(layout, sizeof(layout), "%.*s", v ? (int)strcspn(v->text, ",; ") : 0,
		 v ? v->text : "");
	t->layout = prm_find_struct(layout);
}

const char *ste_lookup_name(const struct ste *s)
{
	struct lookup_type t;

	if (s->any && s->lookup == LOOKUP_ANY && s->reader->any_name)
		return s->reader->any_name;
	s->reader->lookup(&t, s->lookup, -1, NULL, NULL);
	return t.name;
}

void matcher_views(const struct dump_matcher *m, enum side side, const struct ste_reader *reader,
		   struct builder_view view[BUILDERS_MAX])
{
	struct match_mask left = m->mask;

	if (reader->adjust_mask)
		reader->adjust_mask(&left, side);
	for (unsigned int i = 0; i < m->builders[side]; i++) {
		struct builder_view *v = &view[i];
		struct lookup_type t;

		memset(v, 0, sizeof(*v));
		v->lookup = m->lookup[side][i];
		v->definer = m->definer[side][i];
		reader->lookup(&t, v->lookup, v->definer, &m->mask, &left);
		v->tag_bytes = t.tag_bytes;
		v->layout = t.layout;
		v->rows = tag_rows(t.layout, t.inner, v->row);
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

/*
 * Finds the mask. It is in the entry where the dump has it; definers and format 0 leave it to the
 * matcher.
 */
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

void ste_read_links(struct ste *s, const struct dump_entry *e)
{
	memset(s, 0, sizeof(*s));
	s->reader = ste_reader_of(e->format);
	s->bytes = e->bytes;
	s->reader->links(s, e->bytes);
}

void ste_read_tag(struct ste *s, const struct dump_entry *e, const struct builder_view *view)
{
	struct lookup_type t;

	ste_read_links(s, e);
	memcpy(s->tag, e->bytes + 32, s->tag_bytes <= e->len - 32 ? s->tag_bytes : 16);
	if (!view)
		s->reader->lookup(&t, s->lookup, -1, NULL, NULL);
	s->tag_layout = view ? view->layout : t.layout;
	read_mask(s, e, view);
}

void ste_read(struct ste *s, const struct dump_entry *e, const struct builder_view *view)
{
	ste_read_tag(s, e, view);
	s->reader->acts(s, e->bytes);
}
