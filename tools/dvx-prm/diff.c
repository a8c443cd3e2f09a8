/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shows the fields in which two dumps differ. Both are recognised as in explain. If that fails or
 * finds two kinds, or all fields are equal, the bytes are compared.
 */
#include <stdlib.h>
#include <string.h>
#include "explain.h"
#include "input.h"
#include "dvx-prm.h"

static long long diff_number(const json_t *o, const char *key)
{
	return (long long)json_integer_value(json_object_get(o, key));
}

static const char *string(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

/* Adds a field under its path; `before` distinguishes the parts of one dump. */
static void diff_add_row(json_t *map, const json_t *field, const char *before, const char *name)
{
	json_t *row = json_copy((json_t *)field);
	json_t *path = json_sprintf("%s%s", before, name);

	json_object_set(row, "path", path);
	json_object_set_new(map, json_string_value(path), row);
	json_decref(path);
}

static void add_tree(json_t *map, const json_t *tree, const char *before)
{
	json_t *field;
	char name[64];
	size_t i;

	json_array_foreach (json_object_get(tree, "fields"), i, field)
		diff_add_row(map, field, before, string(field, "path"));
	json_array_foreach (json_object_get(tree, "unknown_bits"), i, field) {
		snprintf(name, sizeof(name), "reserved bits at 0x%03llx",
			 diff_number(field, "offset"));
		diff_add_row(map, field, before, name);
	}
}

/* Maps paths to fields. Both dumps list fields in the structures' order. */
static json_t *by_path(const json_t *parts, bool several)
{
	json_t *map = json_object(), *tree;
	char before[96] = "";
	size_t i;

	json_array_foreach ((json_t *)parts, i, tree) {
		if (several)
			snprintf(before, sizeof(before), "0x%02llx %s.", diff_number(tree, "at"),
				 string(tree, "struct"));
		add_tree(map, tree, before);
	}
	return map;
}

static json_t *what(const json_t *field)
{
	json_t *v = field ? json_object_get(field, "value") : NULL;

	if (!v && field)
		v = json_object_get(field, "hex");
	return v ? json_incref(v) : json_integer(0);
}

static json_t *change(const char *path, const json_t *a, const json_t *b)
{
	json_t *o = json_pack("{s:s, s:o, s:o}", "path", path, "a", what(a), "b", what(b));
	json_t *an = json_object_get(a, "name"), *bn = json_object_get(b, "name");
	json_t *text = json_object_get(a ? a : b, "text");

	if (an)
		json_object_set(o, "a_name", an);
	if (bn)
		json_object_set(o, "b_name", bn);
	if (text)
		json_object_set(o, "text", text);
	return o;
}

static json_t *diff_compare(const json_t *pa, const json_t *pb)
{
	bool several = json_array_size(pa) > 1 || json_array_size(pb) > 1;
	json_t *a = by_path(pa, several), *b = by_path(pb, several);
	json_t *changes = json_array(), *field;
	const char *path;

	json_object_foreach (a, path, field) {
		const json_t *other = json_object_get(b, path);
		json_t *va = what(field), *vb = what(other);

		if (!json_equal(va, vb))
			json_array_append_new(changes, change(path, field, other));
		json_decref(va);
		json_decref(vb);
	}
	json_object_foreach (b, path, field)
		if (!json_object_get(a, path))
			json_array_append_new(changes, change(path, NULL, field));
	json_decref(a);
	json_decref(b);
	return changes;
}

static void side(char *buf, size_t size, const json_t *v, const json_t *name)
{
	if (json_is_string(v))
		snprintf(buf, size, "%.48s", json_string_value(v));
	else
		snprintf(buf, size, "0x%llx", (long long)json_integer_value(v));
	if (json_is_string(name))
		snprintf(buf + strlen(buf), size - strlen(buf), " %s", json_string_value(name));
}

static void print_changes(const json_t *changes)
{
	const json_t *c;
	size_t i;

	json_array_foreach ((json_t *)changes, i, c) {
		const char *text = json_string_value(json_object_get(c, "text"));
		char a[128], b[128];

		side(a, sizeof(a), json_object_get(c, "a"), json_object_get(c, "a_name"));
		side(b, sizeof(b), json_object_get(c, "b"), json_object_get(c, "b_name"));
		printf("  %-32s %s -> %s%s%s\n", json_string_value(json_object_get(c, "path")), a,
		       b, text ? "   " : "", text ? text : "");
	}
}

/* A file and the dumps in it. */
struct file {
	const char *path;
	struct hex hex;
	struct dump *things;
	size_t count;
};

static int add_thing(struct file *file, const struct dump *d)
{
	struct dump *more = realloc(file->things, (file->count + 1) * sizeof(*more));

	if (!more) {
		message_print("out of memory");
		return -1;
	}
	file->things = more;
	more[file->count++] = *d;
	return 0;
}

static int add_dump(struct file *file, const struct dump *d, const struct prm_args *a)
{
	size_t entry = ring_entry(d, a);

	if (!entry)
		return add_thing(file, d);
	for (size_t at = 0; at < d->len;) {
		struct dump piece = ring_piece(d, at, entry);

		if (add_thing(file, &piece))
			return -1;
		at += piece.len;
	}
	return 0;
}

static int diff_file_read(struct file *file, const char *path, const struct prm_args *a)
{
	memset(file, 0, sizeof(*file));
	file->path = path;
	if (input_read(&file->hex, path, a))
		return -1;
	for (size_t i = 0; i < file->hex.count; i++)
		if (add_dump(file, &file->hex.dumps[i], a))
			return -1;
	return 0;
}

static void file_free(struct file *file)
{
	hex_free(&file->hex);
	free(file->things);
}

/* Recognises both dumps; if only one is recognised, the other is read as the same kind. */
static void find_both(struct finding f[2], const struct dump *const d[2],
		      const struct wanted *wanted, const struct prm_args *a)
{
	json_t *also = json_array();

	for (int i = 0; i < 2; i++)
		find_out(&f[i], d[i], wanted, a, also);
	for (int i = 0; i < 2; i++) {
		const struct wanted other = {.kind = f[!i].kind, .s = f[!i].kind ? NULL : f[!i].s};

		if (f[i].known || !f[!i].known || (!other.kind && !other.s))
			continue;
		finding_end(&f[i]);
		find_out(&f[i], d[i], &other, a, also);
		break;
	}
	json_decref(also);
}

/* Lists differences as "0x10: 00ff -> 0100", one for each row of 16 bytes. */
static json_t *compare_bytes(const struct dump *a, const struct dump *b)
{
	size_t most = a->len > b->len ? a->len : b->len;
	json_t *changes = json_array();

	for (size_t at = 0; at < most; at += 16) {
		const struct dump *side[] = {a, b};
		char text[2][33] = {"", ""};

		for (int i = 0; i < 2; i++)
			for (size_t j = at; j < at + 16 && j < side[i]->len; j++)
				sprintf(text[i] + 2 * (j - at), "%02x", side[i]->bytes[j]);
		if (strcmp(text[0], text[1]))
			json_array_append_new(changes,
					      json_pack("{s:o, s:s, s:s}", "path",
							json_sprintf("bytes at 0x%03zx", at), "a",
							text[0], "b", text[1]));
	}
	return changes;
}

static bool dump_equals(const struct dump *a, const struct dump *b)
{
	return a->len == b->len && !memcmp(a->bytes, b->bytes, a->len);
}

static const char *kind_name(const struct finding *f)
{
	return !f->known ? NULL : f->kind ? f->kind->name : f->s->name;
}

/* Returns the name for the header: the structure if there is only one, else the kind. */
static const char *diff_name_of(const struct finding *f)
{
	return json_array_size(f->parts) == 1 ? string(json_array_get(f->parts, 0), "struct")
					      : kind_name(f);
}

static json_t *diff_things(const struct dump *a, const struct dump *b, const struct wanted *wanted,
			   const struct prm_args *args)
{
	const struct dump *const d[2] = {a, b};
	struct finding f[2];
	json_t *o, *changes;
	bool same, fields;

	find_both(f, d, wanted, args);
	same = f[0].known && f[1].known && f[0].kind == f[1].kind && f[0].s == f[1].s;
	changes = same ? diff_compare(f[0].parts, f[1].parts) : compare_bytes(a, b);
	fields = same && (json_array_size(changes) || dump_equals(a, b));
	if (same && !fields) { /* only bytes that are no field differ */
		json_decref(changes);
		changes = compare_bytes(a, b);
	}
	o = json_pack("{s:s?, s:s?, s:o}", "kind", same ? kind_name(&f[0]) : NULL, "struct",
		      fields ? diff_name_of(&f[0]) : NULL, "changes", changes);
	for (int i = 0; i < 2; i++) {
		json_object_set_new(o, i ? "b_is" : "a_is",
				    f[i].known ? json_string(f[i].what) : json_null());
		json_object_set_new(o, i ? "b_sure" : "a_sure",
				    f[i].known ? json_string(finding_sure(&f[i])) : json_null());
		finding_end(&f[i]);
	}
	return o;
}

static const char *is(const json_t *o, const char *key)
{
	return *string(o, key) ? string(o, key) : "not recognised";
}

static void print_diff(const json_t *o, const struct dump *a, bool several)
{
	const json_t *changes = json_object_get(o, "changes");
	size_t n = json_array_size(changes);

	if (!n)
		return;
	if (several)
		printf("line %u, byte 0x%llx: ", a->line, (unsigned long long)a->base);
	if (*string(o, "struct"))
		printf("%s: %zu field%s differ%s (a: %s, %s; b: %s, %s)\n", string(o, "struct"), n,
		       n == 1 ? "" : "s", n == 1 ? "s" : "", is(o, "a_is"), string(o, "a_sure"),
		       is(o, "b_is"), string(o, "b_sure"));
	else
		printf("a: %s; b: %s; %s; %zu row%s of 16 bytes differ%s\n", is(o, "a_is"),
		       is(o, "b_is"),
		       *string(o, "kind") ? "their fields are equal" : "name it with --as STRUCT",
		       n, n == 1 ? "" : "s", n == 1 ? "s" : "");
	print_changes(changes);
}

/* Compares two files. Returns how many dumps differ; with --json the differences are collected. */
static size_t diff_files(const struct file *a, const struct file *b, const struct wanted *wanted,
			 const struct prm_args *args, json_t *all)
{
	size_t n = a->count < b->count ? a->count : b->count, count = 0;

	for (size_t i = 0; i < n; i++) {
		json_t *o = diff_things(&a->things[i], &b->things[i], wanted, args);

		count += json_array_size(json_object_get(o, "changes")) > 0;
		json_object_set_new(o, "a", json_string(a->path));
		json_object_set_new(o, "b", json_string(b->path));
		if (args->json)
			json_array_append(all, o);
		else
			print_diff(o, &a->things[i], n > 1);
		json_decref(o);
	}
	if (a->count != b->count)
		message_print("%s holds %zu dumps and %s %zu; the first %zu are compared", a->path,
			      a->count, b->path, b->count, n);
	return count + (a->count != b->count);
}

int prm_cmd_diff(const struct prm_args *a)
{
	struct file file[2] = {{.count = 0}, {.count = 0}};
	int rc = EXIT_INPUT;
	struct wanted wanted;

	if (wish_read(&wanted, a->as))
		return EXIT_USAGE;
	if (!diff_file_read(&file[0], a->argv[0], a) && !diff_file_read(&file[1], a->argv[1], a)) {
		json_t *all = json_array();
		size_t count = diff_files(&file[0], &file[1], &wanted, a, all);

		rc = a->json ? json_out(json_incref(all)) : EXIT_DONE;
		rc = rc ? rc : count ? EXIT_NO : EXIT_DONE;
		json_decref(all);
	}
	file_free(&file[0]);
	file_free(&file[1]);
	return rc;
}
