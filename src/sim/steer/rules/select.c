/* SPDX-License-Identifier: BSD-2-Clause */
#include "select.h"

#include <stdlib.h>
#include <string.h>
#include <dvx/prm/prm.h>
#include "prm/reflect.h"
#include "steer/priv.h"
#include "steer/ste/layout.h"

#define SELECT_ROWS  (8u * SELECT_BYTES) /* each bit a field */
#define SELECT_WORDS (SELECT_BYTES / 4u)

/* A field of the headers, or a part of it, in a word of a tag. */
struct select_row {
	ste_field_fn *value;
	bool inner;
	uint8_t word;	     /* of the tag */
	uint8_t right, left; /* shifts: of the part to bit 0, and to its place */
	uint32_t bits;	     /* of the part, at bit 0 */
};

struct select {
	uint32_t mask[SELECT_WORDS];
	uint8_t dwords[SELECT_DWORDS], octets[SELECT_OCTETS];
	unsigned int rows;
	struct select_row row[];
};

/* A dword or an octet of the headers, and its place in a tag. */
struct select_part {
	uint32_t from, bits, to;
};

/* Adds what a field has in this part; false if that is masked, and not implemented. */
static bool select_add(struct select *s, const struct prm_struct *hl, const struct prm_field *f,
		       struct select_part part)
{
	const uint32_t first = f->offset > part.from ? f->offset : part.from;
	const uint32_t field_end = f->offset + f->width, part_end = part.from + part.bits;
	const uint32_t end = field_end < part_end ? field_end : part_end;
	const uint32_t to = part.to + first - part.from;
	struct select_row *row = &s->row[s->rows];
	struct ste_layout_row field;

	if (first >= end)
		return true;
	*row = (struct select_row){
		.word = (uint8_t)(to / 32),
		.right = (uint8_t)(field_end - end),
		.left = (uint8_t)(32 - to % 32 - (end - first)),
		.bits = (uint32_t)((1ull << (end - first)) - 1),
	};
	if (!(s->mask[row->word] & row->bits << row->left))
		return true;
	if (!ste_layout_find(hl, f, &field))
		return false;
	row->value = field.value;
	row->inner = field.inner;
	s->rows++;
	return true;
}

static const char *select_add_part(struct select *s, const struct prm_struct *hl,
				   struct select_part part)
{
	for (size_t i = 0; i < hl->field_count; i++)
		if (!select_add(s, hl, &hl->fields[i], part))
			return hl->fields[i].name;
	return NULL;
}

/* Returns a part: octets are behind the dwords; the last one of a kind comes first. */
static struct select_part select_part(const uint8_t *dwords, const uint8_t *octets, unsigned int i)
{
	if (i < SELECT_DWORDS)
		return (struct select_part){32u * dwords[i], 32, 32u * (SELECT_DWORDS - 1 - i)};
	i -= SELECT_DWORDS;
	return (struct select_part){8u * octets[i], 8,
				    32u * SELECT_DWORDS + 8u * (SELECT_OCTETS - 1 - i)};
}

const char *select_make(struct select **made, const uint8_t dwords[SELECT_DWORDS],
			const uint8_t octets[SELECT_OCTETS], const uint8_t mask[SELECT_BYTES])
{
	const struct prm_struct *hl = prm_find_struct("definer_hl");
	struct select *s = calloc(1, sizeof(*s) + SELECT_ROWS * sizeof(s->row[0])), *fits;
	const char *lacks = NULL;

	*made = s;
	if (!s)
		return NULL;
	memcpy(s->dwords, dwords, sizeof(s->dwords));
	memcpy(s->octets, octets, sizeof(s->octets));
	for (unsigned int i = 0; i < SELECT_WORDS; i++)
		s->mask[i] = packet_load32(mask + 4 * i);
	for (unsigned int i = 0; i < SELECT_DWORDS + SELECT_OCTETS && !lacks; i++)
		lacks = select_add_part(s, hl, select_part(dwords, octets, i));
	fits = realloc(s, sizeof(*s) + s->rows * sizeof(s->row[0]));
	*made = fits ? fits : s;
	return lacks;
}

bool select_hash_key(const struct select *hash, const struct select *rule,
		     const uint8_t tag[SELECT_BYTES], uint8_t key[SELECT_BYTES])
{
	if (memcmp(hash->dwords, rule->dwords, sizeof(hash->dwords)) ||
	    memcmp(hash->octets, rule->octets, sizeof(hash->octets)))
		return false;
	for (unsigned int i = 0; i < SELECT_WORDS; i++) {
		if (hash->mask[i] & ~rule->mask[i])
			return false;
		prm_store32(key, 4 * i, prm_load32(tag, 4 * i) & hash->mask[i]);
	}
	return true;
}

bool select_is_ranges(const struct select *s)
{
	for (unsigned int i = 0; i < SELECT_WORDS - SELECT_RANGES; i++)
		if (s->mask[i])
			return false;
	return true;
}

void select_fill(const struct select *s, struct steer_walk *w, uint8_t tag[SELECT_BYTES])
{
	const struct packet *p = w->packet;
	uint32_t words[SELECT_WORDS] = {0};

	for (const struct select_row *r = s->row; r < s->row + s->rows; r++) {
		uint32_t value = r->value(w, r->inner ? &p->inner : &p->outer);

		words[r->word] |= (value >> r->right & r->bits) << r->left;
	}
	for (unsigned int i = 0; i < SELECT_WORDS; i++)
		prm_store32(tag, 4 * i, words[i] & s->mask[i]);
}
