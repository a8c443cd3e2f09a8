/* SPDX-License-Identifier: BSD-2-Clause */
#include "json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exit.h"
#include "message.h"

static bool is_out;

static bool json_is_empty(const json_t *j)
{
	return json_is_null(j) || (json_is_string(j) && !*json_string_value(j));
}

/* Removes members without a value, as all tools do (dvx(7)). */
static void json_prune(json_t *j)
{
	const char *key;
	void *next;
	json_t *one;
	size_t i;

	json_object_foreach_safe(j, next, key, one) if (json_is_empty(one)) json_object_del(j, key);
	else json_prune(one);
	json_array_foreach (j, i, one)
		json_prune(one);
}

static int json_dump(json_t *root, size_t flags)
{
	int err;

	json_prune(root);
	err = !root || json_dumpf(root, stdout, flags | JSON_ENSURE_ASCII) || putchar('\n') == EOF;
	json_decref(root);
	if (err && !ferror(stdout)) /* cli_main() reports errors of stdout */
		message_print("out of memory for the JSON");
	return err ? EXIT_INPUT : EXIT_DONE;
}

int json_out(json_t *root)
{
	is_out = true;
	return json_dump(root, JSON_INDENT(2));
}

int json_out_line(json_t *root)
{
	int code = json_dump(root, JSON_COMPACT);

	return fflush(stdout) ? EXIT_INPUT : code;
}

bool json_is_out(void)
{
	return is_out;
}

json_t *json_error(const char *message, int code)
{
	json_t *j = json_pack("{s:o, s:i}", "message", json_text(message, strlen(message)), "exit",
			      code);
	struct message_place at = message_get_place();

	if (at.file[0])
		json_object_set_new(j, "file", json_text(at.file, strlen(at.file)));
	if (at.line)
		json_object_set_new(j, "line", json_integer(at.line));
	if (at.column)
		json_object_set_new(j, "column", json_integer(at.column));
	return j;
}

json_t *json_number(uint64_t v)
{
	return v >> 53 ? json_sprintf("0x%" PRIx64, v) : json_integer((json_int_t)v);
}

json_t *json_text(const char *s, size_t n)
{
	json_t *j = json_stringn(s, n);
	char *text = j ? NULL : malloc(4 * n + 1), *to = text;

	for (size_t i = 0; text && i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		to += snprintf(to, 5, c >= ' ' && c <= '~' ? "%c" : "\\x%02x", c);
	}
	if (text)
		j = json_stringn(text, (size_t)(to - text));
	free(text);
	return j;
}

const char *json_str(const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s ? s : "";
}
