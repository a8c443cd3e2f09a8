/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/prm/reflect.h"

static int reflect_order(const void *name, const void *at)
{
	return strcmp(name, prm_structs[*(const uint16_t *)at].name);
}

const struct prm_struct *prm_find_struct(const char *name)
{
	const uint16_t *at =
		bsearch(name, prm_structs_by_name, prm_struct_count, sizeof(*at), reflect_order);

	return at ? &prm_structs[*at] : NULL;
}

static const struct prm_field *field_named(const struct prm_struct *s, const char *name, size_t n)
{
	for (size_t i = 0; i < s->field_count; i++)
		if (!strncmp(s->fields[i].name, name, n) && !s->fields[i].name[n])
			return &s->fields[i];
	return NULL;
}

/* Parses "[N]" in the path. Fails if N is past the array's end; a flexible array has none. */
static bool take_index(const char **path, const struct prm_field *f, uint64_t *index)
{
	char *end;

	*index = 0;
	if (**path != '[')
		return true;
	if (f->count == 1 || !isdigit((unsigned char)(*path)[1]))
		return false;
	*index = strtoul(*path + 1, &end, 0);
	*path = end + 1;
	return *end == ']' && *index < (f->count ? f->count : UINT32_MAX);
}

const struct prm_field *prm_find_field(const struct prm_struct *s, const char *path, uint64_t *bit)
{
	const struct prm_field *f;
	uint64_t index;

	for (*bit = 0; s; s = f->type) {
		size_t n = strcspn(path, ".[");

		f = field_named(s, path, n);
		path += n;
		if (!f || !take_index(&path, f, &index))
			return NULL;
		*bit += f->offset + index * f->width;
		if (!*path)
			return f;
		if (*path++ != '.')
			return NULL;
	}
	return NULL;
}

const struct prm_field *prm_match_cap(const char *path)
{
	const struct prm_struct *s = prm_find_struct("flow_table_fields_supported");
	const char *field = path + strcspn(path, ".") + 1, *cap;
	size_t n = strcspn(field, ".");
	const struct prm_field *f;
	char name[64];

	snprintf(name, sizeof(name), "%s_%.*s", strncmp(path, "inner_", 6) != 0 ? "outer" : "inner",
		 (int)n, field);
	cap = name + strlen("outer_");
	for (size_t i = 0; i < prm_match_cap_count; i++)
		if (!strcmp(cap, prm_match_caps[i].field))
			cap = strcpy(name + strlen("outer_"), prm_match_caps[i].cap);
	f = field_named(s, cap, strlen(cap));
	return f ? f : field_named(s, name, strlen(name));
}

uint64_t prm_bits_get(const void *p, uint64_t bit, unsigned int width)
{
	const uint8_t *byte = p;
	uint64_t v = 0;

	for (; width; width--, bit++)
		v = v << 1 | (byte[bit / 8] >> (7 - bit % 8) & 1);
	return v;
}

void prm_bits_set(void *p, uint64_t bit, unsigned int width, uint64_t value)
{
	uint8_t *byte = p;

	for (; width; width--, bit++) {
		unsigned int one = 0x80u >> bit % 8;
		bool on = value >> (width - 1) & 1;

		byte[bit / 8] = (uint8_t)(on ? byte[bit / 8] | one : byte[bit / 8] & ~one);
	}
}

static int reflect_place(const struct prm_struct *s, size_t len, const char *path, uint64_t *bit,
			 unsigned int *width)
{
	const struct prm_field *f = prm_find_field(s, path, bit);

	if (!f)
		return -ENOENT;
	if (f->type || f->width > 64)
		return -EINVAL;
	*width = f->width;
	return *bit + f->width > (uint64_t)len * 8 ? -ERANGE : 0;
}

int prm_field_get(const struct prm_struct *s, const void *p, size_t len, const char *path,
		  uint64_t *value)
{
	unsigned int width;
	uint64_t bit;
	int err = reflect_place(s, len, path, &bit, &width);

	if (!err)
		*value = prm_bits_get(p, bit, width);
	return err;
}

int prm_field_set(const struct prm_struct *s, void *p, size_t len, const char *path, uint64_t value)
{
	unsigned int width;
	uint64_t bit;
	int err = reflect_place(s, len, path, &bit, &width);

	if (!err && width < 64 && value >> width)
		err = -ERANGE;
	if (!err)
		prm_bits_set(p, bit, width, value);
	return err;
}

/* A selector past the end of the bytes selects nothing. */
static bool branch_chosen(const struct prm_struct *s, const struct prm_branch *b, const void *p,
			  size_t len)
{
	const struct prm_field *f;
	uint64_t v;

	if (b->selector < 0)
		return false;
	f = &s->fields[b->selector];
	if (f->offset + f->width > (uint64_t)len * 8)
		return false;
	v = prm_bits_get(p, f->offset, f->width);
	for (size_t i = 0; i < b->when_count; i++)
		if (b->when[i] == v)
			return true;
	return false;
}

/* If no value selects an alternative, the first one without a selector is active. */
static bool branch_active(const struct prm_struct *s, const struct prm_branch *b, const void *p,
			  size_t len)
{
	const struct prm_branch *first = NULL;

	if (branch_chosen(s, b, p, len))
		return true;
	for (size_t i = 0; i < s->branch_count; i++) {
		const struct prm_branch *o = &s->branches[i];

		if (o->group != b->group)
			continue;
		if (branch_chosen(s, o, p, len))
			return false;
		if (!first && o->selector < 0)
			first = o;
	}
	return b == first;
}

bool prm_field_active(const struct prm_struct *s, const struct prm_field *f, const void *p,
		      size_t len)
{
	for (int i = f->branch; i >= 0; i = s->branches[i].outer)
		if (!branch_active(s, &s->branches[i], p, len))
			return false;
	return true;
}

struct line {
	char *buf;
	size_t size;
	size_t used;
};

static __attribute__((format(printf, 2, 3))) void reflect_put(struct line *l, const char *fmt, ...)
{
	size_t left = l->used < l->size ? l->size - l->used : 0;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(left ? l->buf + l->used : NULL, left, fmt, ap);
	va_end(ap);
	l->used += n > 0 ? (size_t)n : 0;
}

static bool zero(const uint8_t *p, uint64_t bit, uint64_t width)
{
	for (; width >= 8 && !(bit % 8); width -= 8, bit += 8)
		if (p[bit / 8])
			return false;
	for (; width; width--, bit++)
		if (prm_bits_get(p, bit, 1))
			return false;
	return true;
}

static void put_struct(struct line *l, const struct prm_struct *s, const uint8_t *p, size_t len);

static void reflect_put_bytes(struct line *l, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		reflect_put(l, "%02x", p[i]);
}

/* Finds the flag with the most bits that are all set in `rest`: a flag may contain others. */
static const struct prm_enum_value *widest_flag(const struct prm_enum *e, uint64_t rest)
{
	const struct prm_enum_value *best = NULL;

	for (size_t i = 0; i < e->count; i++) {
		const struct prm_enum_value *v = &e->values[i];

		if (v->value && (rest & v->value) == v->value &&
		    (!best || __builtin_popcountll(v->value) > __builtin_popcountll(best->value)))
			best = v;
	}
	return best;
}

size_t prm_value_name(char *buf, size_t size, const struct prm_field *f, uint64_t value)
{
	const struct prm_enum_value *e = prm_enum_find(f->values, value);
	struct line l = {.buf = buf, .size = size};
	uint64_t rest = value;

	if (size)
		*buf = 0;
	if (e || !f->flags || !f->values || !widest_flag(f->values, rest)) {
		reflect_put(&l, "%s", e ? e->name : "");
		return l.used;
	}
	while ((e = widest_flag(f->values, rest))) {
		reflect_put(&l, "%s%s", l.used ? "|" : "", e->name);
		rest &= ~e->value;
	}
	if (rest)
		reflect_put(&l, "|0x%llx", (unsigned long long)rest);
	return l.used;
}

static void put_value(struct line *l, const struct prm_field *f, const uint8_t *p, uint64_t bit)
{
	char name[512];
	uint64_t v;

	if (f->bytes && f->width > 64) {
		reflect_put_bytes(l, p + bit / 8, f->width / 8);
		return;
	}
	v = prm_bits_get(p, bit, f->width);
	prm_value_name(name, sizeof(name), f, v);
	reflect_put(l, *name ? "%s(0x%llx)" : "%s0x%llx", name, (unsigned long long)v);
}

/* Prints one element, unless it lies past the bytes or is zero. */
static void put_element(struct line *l, const struct prm_field *f, const uint8_t *p, size_t len,
			uint64_t i)
{
	uint64_t bit = f->offset + i * f->width;
	uint64_t end = bit + f->width;

	if (f->type && end > (uint64_t)len * 8)
		end = (uint64_t)len * 8; /* a structure is printed as far as the bytes go */
	if (end > (uint64_t)len * 8 || end <= bit || zero(p, bit, end - bit))
		return;
	reflect_put(l, f->count == 1 ? " %s=" : " %s[%llu]=", f->name, (unsigned long long)i);
	if (!f->type) {
		put_value(l, f, p, bit);
		return;
	}
	reflect_put(l, "{");
	put_struct(l, f->type, p + bit / 8, (size_t)(end - bit) / 8);
	reflect_put(l, " }");
}

static void reflect_put_field(struct line *l, const struct prm_field *f, const uint8_t *p,
			      size_t len)
{
	uint64_t have = (uint64_t)len * 8 > f->offset ? ((uint64_t)len * 8 - f->offset) : 0;
	uint64_t n = f->count ? f->count : have / f->width;

	if (f->bytes && f->width == 8) {
		n = n * 8 < have ? n : have / 8;
		if (!n || zero(p, f->offset, n * 8))
			return;
		reflect_put(l, " %s=", f->name);
		reflect_put_bytes(l, p + f->offset / 8, (size_t)n);
		return;
	}
	for (uint64_t i = 0; i < n; i++)
		put_element(l, f, p, len, i);
}

static void put_struct(struct line *l, const struct prm_struct *s, const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < s->field_count; i++)
		if (prm_field_active(s, &s->fields[i], p, len))
			reflect_put_field(l, &s->fields[i], p, len);
}

size_t prm_print_line(char *buf, size_t size, const struct prm_struct *s, const void *p, size_t len)
{
	struct line l = {.buf = buf, .size = size};

	reflect_put(&l, "%s", s->name);
	put_struct(&l, s, p, len);
	if (len < s->bytes)
		reflect_put(&l, " (cut at %zu of %u bytes)", len, s->bytes);
	return l.used;
}
