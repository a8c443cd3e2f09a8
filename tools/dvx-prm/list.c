/* SPDX-License-Identifier: BSD-2-Clause */
#include <fnmatch.h>
#include <string.h>
#include "dvx-prm.h"

/* Matches whole names, as a shell does, if the pattern has *, ? or [; otherwise parts of names. */
static bool list_matches(const char *pattern, const char *name, const char *text)
{
	if (!pattern)
		return true;
	if (strpbrk(pattern, "*?["))
		return !fnmatch(pattern, name, 0);
	return strstr(name, pattern) || strcasestr(text, pattern);
}

/* Lists the fields, or values, that contain the pattern; NULL: none. */
static json_t *list_parts_of_struct(const struct prm_struct *s, const char *pattern)
{
	json_t *parts = json_array();

	for (size_t i = 0; i < s->field_count; i++)
		if (strcasestr(s->fields[i].name, pattern))
			json_array_append_new(parts, json_string(s->fields[i].name));
	return parts;
}

static json_t *list_parts_of_enum(const struct prm_enum *e, const char *pattern)
{
	json_t *parts = json_array();

	for (size_t i = 0; i < e->count; i++)
		if (strcasestr(e->values[i].name, pattern))
			json_array_append_new(parts, json_string(e->values[i].name));
	return parts;
}

static json_t *struct_row(const struct prm_struct *s)
{
	return json_pack("{s:s, s:s, s:i, s:s, s:s}", "kind", "struct", "name", s->name, "bytes",
			 (int)s->bytes, "family", s->family, "text", s->text);
}

static json_t *enum_row(const struct prm_enum *e)
{
	return json_pack("{s:s, s:s, s:i, s:s, s:s}", "kind", "enum", "name", e->name, "bits",
			 (int)e->bits, "family", e->family, "text", e->text);
}

static void print_row(const json_t *row)
{
	const json_t *bytes = json_object_get(row, "bytes"), *part;
	size_t i;

	printf("%-36s %5d %-5s  %-6s  %s\n", json_string_value(json_object_get(row, "name")),
	       (int)json_integer_value(bytes ? bytes : json_object_get(row, "bits")),
	       bytes ? "bytes" : "bits", json_string_value(json_object_get(row, "family")),
	       json_string_value(json_object_get(row, "text")));
	json_array_foreach (json_object_get(row, "parts"), i, part)
		printf("    %s\n", json_string_value(part));
}

static void list_add_parts(json_t *rows, json_t *row, json_t *parts)
{
	if (json_array_size(parts)) {
		json_object_set(row, "parts", parts);
		json_array_append(rows, row);
	}
	json_decref(parts);
	json_decref(row);
}

/* Lists by names of fields or values, if the pattern is in no name or text. */
static void list_by_parts(json_t *rows, const char *pattern)
{
	for (size_t i = 0; i < prm_struct_count; i++)
		list_add_parts(rows, struct_row(&prm_structs[i]),
			       list_parts_of_struct(&prm_structs[i], pattern));
	for (size_t i = 0; i < prm_enum_count; i++)
		list_add_parts(rows, enum_row(prm_enums[i]),
			       list_parts_of_enum(prm_enums[i], pattern));
}

int prm_cmd_list(const struct prm_args *a)
{
	const char *pattern = a->argc ? a->argv[0] : NULL;
	json_t *rows = json_array(), *row;
	size_t i;

	for (i = 0; i < prm_struct_count; i++)
		if (list_matches(pattern, prm_structs[i].name, prm_structs[i].text))
			json_array_append_new(rows, struct_row(&prm_structs[i]));
	for (i = 0; i < prm_enum_count; i++)
		if (list_matches(pattern, prm_enums[i]->name, prm_enums[i]->text))
			json_array_append_new(rows, enum_row(prm_enums[i]));
	if (pattern && *pattern && !json_array_size(rows))
		list_by_parts(rows, pattern);
	if (!json_array_size(rows)) {
		json_decref(rows);
		message_print("no structure, enumeration, field or value matches \"%s\"; dvx-prm "
			      "list shows "
			      "all",
			      pattern);
		return EXIT_NO;
	}
	if (a->json)
		return json_out(rows);
	json_array_foreach (rows, i, row)
		print_row(row);
	json_decref(rows);
	return EXIT_DONE;
}
