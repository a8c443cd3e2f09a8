/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "dvx-prm.h"
#include "input.h"
#include "tree.h"

/* Fields by path; the order of both is the structure's. */
static json_t *by_path(const json_t *tree)
{
	json_t *map = json_object(), *field;
	size_t i;

	json_array_foreach(json_object_get(tree, "fields"), i, field)
		json_object_set(map, json_string_value(json_object_get(field, "path")), field);
	json_array_foreach(json_object_get(tree, "unknown_bits"), i, field) {
		json_t *row = json_copy(field);
		json_t *path = json_sprintf("reserved bits at 0x%03llx",
					    (long long)json_integer_value(
						    json_object_get(field, "offset")));

		json_object_set_new(row, "path", path);
		json_object_set_new(map, json_string_value(path), row);
	}
	return map;
}

static json_t *what(const json_t *field)
{
	json_t *v = field ? json_object_get(field, "value") : NULL;

	if (!v && field)
		v = json_object_get(field, "bytes");
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

static json_t *compare(const json_t *ta, const json_t *tb)
{
	json_t *a = by_path(ta), *b = by_path(tb), *changes = json_array(), *field;
	const char *path;

	json_object_foreach(a, path, field) {
		const json_t *other = json_object_get(b, path);
		json_t *va = what(field), *vb = what(other);

		if (!json_equal(va, vb))
			json_array_append_new(changes, change(path, field, other));
		json_decref(va);
		json_decref(vb);
	}
	json_object_foreach(b, path, field)
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

	json_array_foreach((json_t *)changes, i, c) {
		const char *text = json_string_value(json_object_get(c, "text"));
		char a[128], b[128];

		side(a, sizeof(a), json_object_get(c, "a"), json_object_get(c, "a_name"));
		side(b, sizeof(b), json_object_get(c, "b"), json_object_get(c, "b_name"));
		printf("  %-32s %s -> %s%s%s\n", json_string_value(json_object_get(c, "path")), a, b,
		       text ? "   " : "", text ? text : "");
	}
}

static json_t *read_tree(const struct prm_struct *s, const char *path, const struct args *a)
{
	struct hex hex;
	json_t *tree;

	if (input_read(&hex, path, a))
		return NULL;
	if (hex.count > 1)
		say("note: %s holds %zu dumps; the first is compared", path, hex.count);
	tree = tree_make(s, hex.dumps[0].bytes, hex.dumps[0].len, false);
	hex_free(&hex);
	return tree;
}

int cmd_diff(const struct args *a)
{
	const struct prm_struct *s = need_struct(a->argv[0]);
	json_t *ta = NULL, *tb = NULL, *changes;
	size_t count;

	if (!s)
		return EXIT_USAGE;
	ta = read_tree(s, a->argv[1], a);
	if (ta)
		tb = read_tree(s, a->argv[2], a);
	if (!ta || !tb) {
		json_decref(ta);
		return EXIT_INPUT;
	}
	changes = compare(ta, tb);
	count = json_array_size(changes);
	if (a->json) {
		json_put(json_pack("{s:s, s:s, s:s, s:O}", "struct", s->name, "a", a->argv[1], "b",
				   a->argv[2], "changes", changes));
	} else if (count) {
		printf("%s: %zu field%s differ%s\n", s->name, count, count == 1 ? "" : "s",
		       count == 1 ? "s" : "");
		print_changes(changes);
	}
	json_decref(changes);
	json_decref(ta);
	json_decref(tb);
	return count ? EXIT_NO : EXIT_DONE;
}
