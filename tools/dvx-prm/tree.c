/* SPDX-License-Identifier: BSD-2-Clause */
#include "dvx-prm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "walk.h"

#define MOST_STRAYS 64

struct maker {
	const uint8_t *p;
	json_t *fields;
	bool all;
};

static const char *access_name(unsigned int access)
{
	return access == PRM_RO ? "ro" : access == PRM_WO ? "wo" : "rw";
}

json_t *tree_hex(const uint8_t *p, size_t n)
{
	char *text = malloc(n * 2 + 1);
	json_t *s;

	if (!text)
		return json_null();
	for (size_t i = 0; i < n; i++)
		sprintf(text + 2 * i, "%02x", p[i]);
	text[2 * n] = 0;
	s = json_string(text);
	free(text);
	return s;
}

static int make_field(const struct walk_leaf *leaf, void *ctx)
{
	struct maker *m = ctx;
	const struct prm_field *f = leaf->f;
	const struct prm_enum_value *e;
	char name[512];
	json_t *o;

	if (!leaf->set && !m->all)
		return 0;
	o = json_pack("{s:s, s:I, s:I, s:s}", "path", leaf->path, "offset", (json_int_t)leaf->bit,
		      "width", (json_int_t)leaf->width, "access", access_name(f->access));
	if (leaf->raw) {
		json_object_set_new(o, "hex",
				    tree_hex(m->p + leaf->bit / 8, (size_t)leaf->width / 8));
	} else {
		json_object_set_new(o, "value", json_number(leaf->value));
		e = prm_enum_find(f->values, leaf->value);
		prm_value_name(name, sizeof(name), f, leaf->value);
		if (f->values)
			json_object_set_new(o, "name", *name ? json_string(name) : json_null());
		if (e && *e->text)
			json_object_set_new(o, "says", json_string(e->text));
	}
	json_object_set_new(o, "text", json_string(f->text));
	json_array_append_new(m->fields, o);
	return 0;
}

static json_t *strays(const struct prm_struct *s, const uint8_t *p, size_t len)
{
	struct stray found[MOST_STRAYS];
	json_t *list = json_array();
	size_t bits, n = walk_strays(s, p, len, found, MOST_STRAYS, &bits);

	for (size_t i = 0; i < n && i < MOST_STRAYS; i++)
		json_array_append_new(list, json_pack("{s:I, s:i, s:o}", "offset",
						      (json_int_t)found[i].bit, "width",
						      (int)found[i].width, "value",
						      json_number(found[i].value)));
	return list;
}

json_t *tree_make(const struct prm_struct *s, const uint8_t *p, size_t len, bool all)
{
	struct maker m = {.p = p, .fields = json_array(), .all = all};
	size_t extent = walk_extent(s, len);
	json_t *o = json_pack("{s:s, s:s, s:i, s:I}", "struct", s->name, "text", s->text, "bytes",
			      (int)s->bytes, "given", (json_int_t)len);

	walk(s, p, len, make_field, &m);
	json_object_set_new(o, "fields", m.fields);
	json_object_set_new(o, "unknown_bits", strays(s, p, len));
	if (len < s->bytes)
		json_object_set_new(o, "missing", json_integer((json_int_t)(s->bytes - len)));
	if (len > extent)
		json_object_set_new(o, "extra", json_integer((json_int_t)(len - extent)));
	return o;
}

static uint64_t as_number(const json_t *v)
{
	return json_is_string(v) ? strtoull(json_string_value(v), NULL, 0)
				 : (uint64_t)json_integer_value(v);
}

static void print_number(char *buf, size_t size, const json_t *field)
{
	uint64_t v = as_number(json_object_get(field, "value"));
	const json_t *name = json_object_get(field, "name");

	snprintf(buf, size, v < 10 ? "%" PRIu64 : "0x%" PRIx64, v);
	if (json_is_string(name))
		snprintf(buf + strlen(buf), size - strlen(buf), " %s", json_string_value(name));
	else if (name)
		snprintf(buf + strlen(buf), size - strlen(buf), " (no known name)");
}

/* Prints the beginning of a long run of bytes; --json has all. */
static void print_bytes(char *buf, size_t size, const char *hex)
{
	size_t n = strlen(hex);

	if (n <= 64)
		snprintf(buf, size, "%s", hex);
	else
		snprintf(buf, size, "%.48s... (%zu bytes)", hex, n / 2);
}

static void tree_print_field(FILE *out, const json_t *field, const char *indent, int width)
{
	const char *bytes = json_string_value(json_object_get(field, "hex"));
	const char *says = json_string_value(json_object_get(field, "says"));
	char value[160];

	if (bytes)
		print_bytes(value, sizeof(value), bytes);
	else
		print_number(value, sizeof(value), field);
	fprintf(out, "%s0x%03" PRIx64 " %4" PRId64 "  %-*s  %-22s  %s\n", indent,
		(uint64_t)json_integer_value(json_object_get(field, "offset")),
		(int64_t)json_integer_value(json_object_get(field, "width")), width,
		json_string_value(json_object_get(field, "path")), value,
		says ? says : json_string_value(json_object_get(field, "text")));
}

static void print_strays(FILE *out, const json_t *tree, const char *indent)
{
	const json_t *list = json_object_get(tree, "unknown_bits"), *run;
	size_t i;

	json_array_foreach ((json_t *)list, i, run) {
		uint64_t bit = (uint64_t)json_integer_value(json_object_get(run, "offset"));

		fprintf(out,
			"%s0x%03" PRIx64 " %4" PRId64 "  (reserved) is 0x%" PRIx64
			" (byte 0x%" PRIx64 "): unknown to the tables\n",
			indent, bit, (int64_t)json_integer_value(json_object_get(run, "width")),
			as_number(json_object_get(run, "value")), bit / 8);
	}
}

void tree_print(FILE *out, const json_t *tree, const char *indent)
{
	const json_t *fields = json_object_get(tree, "fields"), *field;
	const json_t *missing = json_object_get(tree, "missing");
	const json_t *extra = json_object_get(tree, "extra");
	int width = 8;
	size_t i;

	json_array_foreach ((json_t *)fields, i, field) {
		size_t n = json_string_length(json_object_get(field, "path"));

		width = n > (size_t)width ? (int)(n < 40 ? n : 40) : width;
	}
	json_array_foreach ((json_t *)fields, i, field)
		tree_print_field(out, field, indent, width);
	if (!json_array_size(fields))
		fprintf(out, "%s(every field is 0)\n", indent);
	print_strays(out, tree, indent);
	if (missing)
		fprintf(out,
			"%sthe last %" PRId64 " of its %" PRId64 " bytes are not in the dump\n",
			indent, (int64_t)json_integer_value(missing),
			(int64_t)json_integer_value(json_object_get(tree, "bytes")));
	if (extra)
		fprintf(out, "%s%" PRId64 " bytes follow that do not belong to it\n", indent,
			(int64_t)json_integer_value(extra));
}
