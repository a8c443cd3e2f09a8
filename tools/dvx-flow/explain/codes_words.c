/* SPDX-License-Identifier: BSD-2-Clause */
/* Codes in words. */
#include <inttypes.h>
#include <stdio.h>
#include "codes_priv.h"

#define CODE_SHOWN 3 /* values of a code */

void code_put(struct code_text *x, const char *text)
{
	int n = snprintf(x->buf + x->used, x->size - x->used, "%s", text);

	x->used += (size_t)n < x->size - x->used ? (size_t)n : x->size - x->used - 1;
}

static void code_put_part(struct code_text *x, const struct code_table *t, u128 first, u128 last)
{
	unsigned int width = 0, bits = 0;
	char a[64], b[64], text[160];
	u128 span = last - first;

	if (x->shown == CODE_SHOWN) {
		x->more++;
		return;
	}
	while (width < 128 && t->full >> width)
		width++;
	while (bits < 128 && span >> bits)
		bits++;
	field_value(a, sizeof(a), t->field, first, t->l3);
	field_value(b, sizeof(b), t->field, last, t->l3);
	if (!span)
		snprintf(text, sizeof(text), "%s", a);
	else if (t->full > UINT16_MAX && !(first & span) && !(span & (span + 1)))
		snprintf(text, sizeof(text), "%s/%u", a, width - bits);
	else
		snprintf(text, sizeof(text), "%s-%s", a, b);
	code_put(x, x->shown++ ? " or " : " ");
	code_put(x, text);
}

/* Adds the values that have this code; neighbours are one interval. */
static void code_put_values(struct code_text *x, const struct code_table *t, unsigned int reg,
			    uint32_t value, uint32_t mask)
{
	u128 first = 0, last = 0;
	bool open = false;
	char more[32];

	for (size_t i = 0; i < t->n; i++) {
		const struct code_wrote *w = &t->wrote[t->part[i].order];

		if ((w->mask[reg] & mask) != mask || (w->value[reg] ^ value) & mask)
			continue;
		if (open && t->part[i].first == last + 1) {
			last = t->part[i].last;
			continue;
		}
		if (open)
			code_put_part(x, t, first, last);
		first = t->part[i].first;
		last = t->part[i].last;
		open = true;
	}
	if (open)
		code_put_part(x, t, first, last);
	else
		code_put(x, " no value");
	snprintf(more, sizeof(more), " or %u more", x->more);
	if (x->more)
		code_put(x, more);
}

static void code_put_table(struct code_text *x, const struct code_table *t, unsigned int reg,
			   uint32_t value, uint32_t mask)
{
	bool address = t->field == F_SRC || t->field == F_DST || t->field == F_INNER(F_SRC) ||
		       t->field == F_INNER(F_DST);
	char words[64], text[128];

	snprintf(text, sizeof(text), "%scode 0x%" PRIx32 " of %s%s:", x->used ? ", " : "",
		 (value & mask) >> __builtin_ctz(mask),
		 !address		       ? ""
		 : t->l3 == 2 || t->full >> 32 ? "ipv6 "
					       : "ipv4 ",
		 field_words(t->field, words, sizeof(words)));
	code_put(x, text);
	x->shown = x->more = 0;
	code_put_values(x, t, reg, value, mask);
}

bool registers_describe(struct registers *c, const struct explain_walk *w, uint32_t steps,
			enum field reg, uint32_t value, uint32_t mask, char *buf, size_t size)
{
	struct code_text x = {.buf = buf, .size = size};
	unsigned int r = reg - F_REG_C0;

	buf[0] = 0;
	if (!c || reg < F_REG_C0 || reg > F_REG_C5)
		return false;
	for (uint32_t i = 0; i < steps && mask; i++) {
		const struct code_table *t = w->step[i].kind == STEP_TABLE
						     ? code_table_of(c, w->step[i].table, w->side)
						     : NULL;
		uint32_t part = t ? t->writes[r] & mask : 0;

		if (part)
			code_put_table(&x, t, r, value, part);
		mask &= ~part;
	}
	if (mask && !x.used)
		return code_put_hit(&x, c, w, steps, r, value, mask);
	return x.used && !mask;
}
