/* SPDX-License-Identifier: BSD-2-Clause */
/* Reserved bits of a command: those that belong to no field of its structure. */
#include <inttypes.h>
#include <string.h>
#include "cmd.h"
#include "prm/reflect.h"

#define UID_AT 2u

/*
 * Clears n bits from bit on. [I] Reserved bits are checked in all commands; it is known of a QP's
 * context, where a device refuses unknown bits (UCX pull 10478).
 */
static void reserved_clear_bits(uint8_t *p, uint64_t bit, uint64_t n)
{
	for (; n && bit % 8; bit++, n--)
		p[bit / 8] &= (uint8_t) ~(0x80u >> bit % 8);
	memset(p + bit / 8, 0, n / 8);
	for (bit += n / 8 * 8, n %= 8; n; bit++, n--)
		p[bit / 8] &= (uint8_t) ~(0x80u >> bit % 8);
}

/* Clears all bits that belong to a field, including each alternative of a union. */
static void reserved_clear_fields(const struct prm_struct *s, uint8_t *p)
{
	for (size_t i = 0; i < s->field_count; i++) {
		const struct prm_field *f = &s->fields[i];

		for (uint32_t n = 0; f->type && n < f->count; n++)
			reserved_clear_fields(f->type, p + (f->offset + n * f->width) / 8);
		if (!f->type)
			reserved_clear_bits(p, f->offset, (uint64_t)f->width * f->count);
	}
}

/*
 * Appends to path the names that lead to the innermost structure with this bit, and makes *bit
 * relative to that structure.
 */
static void reserved_name(const struct prm_struct *s, uint64_t *bit, char *path, size_t size)
{
	for (size_t i = 0; i < s->field_count; i++) {
		const struct prm_field *f = &s->fields[i];
		const size_t at = strlen(path);

		if (!f->type || *bit < f->offset ||
		    *bit >= f->offset + (uint64_t)f->width * f->count)
			continue;
		snprintf(path + at, size - at, "%s%s", at ? "." : "", f->name);
		*bit = (*bit - f->offset) % f->width;
		reserved_name(f->type, bit, path, size);
		return;
	}
}

static int reserved_refuse(struct fw_cmd *c, const struct prm_struct *s, const uint8_t *left)
{
	uint64_t bit = 0;
	char path[128] = "";

	while (!(left[bit / 8] & 0x80u >> bit % 8))
		bit++;
	reserved_name(s, &bit, path, sizeof(path));
	return fw_refuse(c, FW_SYN_RESERVED, "bit 0x%" PRIx64 " of %s is set: it is reserved", bit,
			 *path ? path : s->name);
}

int fw_check_reserved(struct fw_cmd *c, const struct prm_struct *s, size_t at)
{
	uint8_t left[1024];

	if (!s || s->bytes > sizeof(left) || c->in_len < at + s->bytes)
		return 0;
	memcpy(left, (const uint8_t *)c->in + at, s->bytes);
	reserved_clear_fields(s, left);
	if (!at) /* the kernel writes the uid into all commands, but queries have no such field */
		memset(left + UID_AT, 0, 2);
	for (size_t i = 0; i < s->bytes; i++)
		if (left[i])
			return reserved_refuse(c, s, left);
	return 0;
}
