/* SPDX-License-Identifier: BSD-2-Clause */
/* del, flush, add, insert, replace and save: change some of the rules that the daemon holds. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "rules/marks.h"

void words_join(char *out, size_t size, char *const *words, int n)
{
	static const char blanks[] = " \t\r\n\f";
	size_t used = 0;

	for (int i = 0; i < n; i++) {
		const char *p = words[i] + strspn(words[i], blanks);

		while (*p && used < size) {
			size_t len = strcspn(p, blanks);

			used += (size_t)snprintf(out + used, size - used, "%s%.*s", used ? " " : "",
						 (int)len, p);
			p += len + strspn(p + len, blanks);
		}
	}
	if (!used || used >= size)
		out[0] = 0;
}

/* Parses a rule's ID, or a range of them: 5, 5-9. Returns NULL if the text is something else. */
static json_t *edit_ids(const char *text)
{
	unsigned long first, last;
	char *end;

	if (*text < '0' || *text > '9')
		return NULL;
	first = strtoul(text, &end, 10);
	if (!*end)
		return json_integer((json_int_t)first);
	if (*end != '-' || end[1] < '0' || end[1] > '9')
		return NULL;
	last = strtoul(end + 1, &end, 10);
	return *end ? NULL : json_pack("[I, I]", (json_int_t)first, (json_int_t)last);
}

/* Parses IDs, or else a name. Returns NULL if text is NULL. */
static json_t *edit_ids_or_name(const char *text)
{
	json_t *ids = edit_ids(text);

	return ids ? ids : json_string(text);
}

/* Returns whether the operands are one rule: names have no blank, and no rule is one word. */
static bool edit_is_rule(const char *text, char *const *words, int n)
{
	struct ruleset set;
	bool is = n == 1 && strchr(words[0], ' ');

	if (!rules_read_part(NULL, text, strlen(text), &set)) {
		is = true;
		ruleset_free(&set);
	}
	return is;
}

/*
 * Parses operands: each names rules, or all of them are one rule's words. Returns NULL if there is
 * no text.
 */
static json_t *edit_which(char *const *words, int n)
{
	json_t *list = json_array();
	char text[WORDS_BYTES_MAX];
	int ret = 0;

	words_join(text, sizeof(text), words, n);
	if (edit_is_rule(text, words, n))
		ret = json_array_append_new(list, json_string(text));
	else
		for (int i = 0; i < n && !ret; i++)
			ret = json_array_append_new(list, edit_ids_or_name(words[i]));
	if (ret)
		json_decref(list);
	return ret ? NULL : list;
}

/* Sends a request that changes rules, with the words of an added rule (NULL: none). */
static int edit_ask(const struct args *a, json_t *head, const struct rules_text *words,
		    const char *verb)
{
	struct flow_msg answer;
	char as[64];
	const json_t *id;
	int code, fd = client_connect(a, &code);

	if (fd < 0) {
		json_decref(head);
		return code;
	}
	client_begin_change();
	code = client_ask(fd, head, words, &answer, NULL, NULL);
	close(fd);
	if (code)
		return code;
	id = json_object_get(answer.head, "id");
	if (id) {
		snprintf(as, sizeof(as), "%s as %lld", verb, json_integer_value(id));
		verb = as;
	}
	code = client_print_result(a, &answer, verb);
	msg_free(&answer);
	return code;
}

int cmd_del(const struct args *a)
{
	json_t *which = edit_which(a->argv, a->argc);

	if (which)
		return edit_ask(a, json_pack("{s:s, s:o}", "do", "del", "rules", which), NULL,
				"deleted");
	message_print("a rule has no such characters");
	return EXIT_RULES;
}

int cmd_flush(const struct args *a)
{
	return edit_ask(a, json_pack("{s:s}", "do", "flush"), NULL, "flushed");
}

/* --- added rules ------------------------------------------------------------------------------ */

static int edit_rule(const struct args *a, json_t *head, int first, const char *verb)
{
	char text[WORDS_BYTES_MAX];
	struct rules_text words = {.name = "RULE", .text = text};
	struct ruleset set;

	words_join(text, sizeof(text), a->argv + first, a->argc - first);
	words.len = strlen(text);
	/* Only the daemon knows the variables. */
	if (!strchr(text, '$')) {
		if (rules_read_part(words.name, text, words.len, &set)) {
			json_decref(head);
			return EXIT_RULES;
		}
		ruleset_free(&set);
	}
	return edit_ask(a, head, &words, verb);
}

int cmd_add(const struct args *a)
{
	return edit_rule(a, json_pack("{s:s}", "do", "add"), 0, "added");
}

/* Sends a rule that is put at another one's place; `where` is "before" or "replace". */
static int edit_at(const struct args *a, const char *where, int id, const char *verb)
{
	json_t *which = edit_ids_or_name(a->argv[id]);

	if (which && !json_is_array(which))
		return edit_rule(a, json_pack("{s:s, s:o}", "do", "add", where, which), id + 1,
				 verb);
	json_decref(which);
	message_print("\"%s\" is not one rule's ID or name; see dvx-flow list", a->argv[id]);
	return EXIT_USAGE;
}

int cmd_insert(const struct args *a)
{
	if (!strcmp(a->argv[0], "before"))
		return edit_at(a, "before", 1, "inserted");
	message_print("write: dvx-flow insert before ID|NAME RULE");
	return EXIT_USAGE;
}

int cmd_replace(const struct args *a)
{
	return edit_at(a, "replace", 0, "replaced");
}

/* --- save ------------------------------------------------------------------------------------- */

static int edit_write_text(const char *path, const struct flow_msg *m)
{
	bool out = !strcmp(path, "-");
	FILE *to = out ? stdout : fopen(path, "we");
	int ret = to ? 0 : -1;

	if (to && fwrite(m->body, 1, m->body_len, to) != m->body_len)
		ret = -1;
	if (to && (out ? fflush(to) : fclose(to)))
		ret = -1;
	if (ret)
		message_print("%s: %s", path, strerror(errno));
	return ret ? EXIT_INPUT : EXIT_DONE;
}

/* Removes the marks of included files, now parts of one text. Frees the answer if it fails. */
static int edit_remove_marks(struct flow_msg *m)
{
	size_t len;
	char *plain = marks_plain(m->body, m->body_len, &len);

	if (!plain) {
		message_print("%s", strerror(errno));
		msg_free(m);
		return -1;
	}
	free(m->body);
	m->body = plain;
	m->body_len = len;
	return 0;
}

int cmd_save(const struct args *a)
{
	const char *path = a->argc ? a->argv[0] : "-";
	struct flow_msg answer;
	int code = client_once(a, json_pack("{s:s}", "do", "save"), &answer);

	if (!code && edit_remove_marks(&answer))
		code = EXIT_INPUT;
	if (code)
		return code;
	if (a->json && !strcmp(path, "-"))
		code = json_out(json_pack("{s:O, s:s#}", "rules",
					  json_object_get(answer.head, "rules"), "text",
					  answer.body, (int)answer.body_len));
	else
		code = edit_write_text(path, &answer);
	if (!code && strcmp(path, "-") != 0)
		code = client_print_result(a, &answer, "saved");
	msg_free(&answer);
	return code;
}
