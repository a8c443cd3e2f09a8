/* SPDX-License-Identifier: BSD-2-Clause */
#include "definer.h"

#include <stdio.h>
#include "prm/reflect.h"
#include "steer/priv.h"

/* Formats whose layouts prm/ste1.prm has. */
static const uint8_t formats[] = {0, 2, 6, 16, 22, 24, 25, 26, 28, 33};

uint64_t definer_formats(void)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < sizeof(formats); i++)
		bits |= 1ull << formats[i];
	return bits;
}

static uint64_t definer_bits(const struct match_definer *d, uint32_t bit, uint32_t width)
{
	return prm_bits_get(d->mask, bit, width);
}

/* Returns a field of the mask that the layout lacks; NULL if there is none. */
static const char *definer_lacks(const struct match_definer *d, const struct prm_struct *s)
{
	for (size_t i = 0; i < s->field_count; i++) {
		const struct prm_field *f = &s->fields[i];
		bool found = false;

		for (unsigned int k = 0; k < d->fields.rows && !found; k++)
			found = d->fields.row[k].bit == f->offset;
		for (uint32_t bit = f->offset; !found && bit < f->offset + f->width; bit++)
			if (definer_bits(d, bit, 1))
				return f->name;
	}
	return NULL;
}

const char *definer_make(struct match_definer *d)
{
	const struct prm_struct *s;
	const char *lacks;
	unsigned int kept = 0;
	char name[32];

	snprintf(name, sizeof(name), "ste_def%u_v1", d->format);
	s = prm_find_struct(name);
	ste_layout_make(&d->fields, s, false);
	lacks = definer_lacks(d, s);
	for (unsigned int i = 0; i < d->fields.rows; i++)
		if (definer_bits(d, d->fields.row[i].bit, d->fields.row[i].width))
			d->fields.row[kept++] = d->fields.row[i];
	d->fields.rows = kept;
	return lacks;
}

void definer_fill(const struct match_definer *d, struct steer_walk *w, uint8_t *tag)
{
	ste_layout_fill(&d->fields, w, tag);
	for (unsigned int i = 0; i < DEFINER_TAG_BYTES; i++)
		tag[i] &= d->mask[i];
}
