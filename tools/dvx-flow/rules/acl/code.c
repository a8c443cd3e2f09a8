/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of a code: a digit for each level of a field that a mask compares. A digit has whole
 * bytes, since a steering entry hashes only bytes that are compared as a whole.
 */
#include "work.h"

static bool acl_level_used(const struct acl_class *c, unsigned int f, unsigned int level)
{
	for (size_t m = 0; m < c->nmasks; m++)
		if (c->mask[m].n && c->mask[m].level[f] == level)
			return true;
	return false;
}

unsigned int acl_digit_bytes(const struct acl_family *f, unsigned int level)
{
	uint32_t classes = acl_family_count(f, 0, level);

	return classes <= 1u << 8 ? 1 : classes <= 1u << 16 ? 2 : 3;
}

int acl_code_make(struct acl_work *w, struct acl_class *c)
{
	unsigned int at = 0;

	for (unsigned int i = 0; i < c->nfields; i++) {
		struct acl_field *f = &c->field[i];

		for (unsigned int l = 0; l < f->family.top; l++) {
			unsigned int bytes = acl_digit_bytes(&f->family, l);

			if (!acl_level_used(c, i, l))
				continue;
			if (at + bytes > ACL_CODE_BYTES)
				return acl_refuse(w, c->box[0].rule,
						  "the codes do not fit into the registers");
			f->digit[f->ndigits++] =
				(struct acl_digit){(uint8_t)l, (uint8_t)at, (uint8_t)bytes};
			at += bytes;
		}
	}
	return 0;
}

static void acl_digit_write(const struct acl_digit *d, uint32_t number,
			    uint8_t value[ACL_CODE_BYTES], uint8_t mask[ACL_CODE_BYTES])
{
	for (unsigned int i = 0; i < d->bytes; i++) {
		value[d->at + i] = (uint8_t)(number >> 8 * (d->bytes - 1u - i));
		mask[d->at + i] = 0xff;
	}
}

void acl_code_write(const struct acl_field *f, uint32_t node, const uint8_t *level,
		    uint8_t value[ACL_CODE_BYTES], uint8_t mask[ACL_CODE_BYTES])
{
	for (unsigned int i = 0; i < f->ndigits; i++) {
		const struct acl_digit *d = &f->digit[i];
		uint32_t class = acl_family_class(&f->family, node, d->level);

		if (!level || *level == d->level)
			acl_digit_write(d, f->family.rank[d->level][class], value, mask);
	}
}
