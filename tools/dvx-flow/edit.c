/* SPDX-License-Identifier: BSD-2-Clause */
/* del, flush, add, insert, replace and save: change some of the rules that the daemon holds. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch.h"
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

/* Sends a request that changes rules, with the words of an added rule (NULL: none). */
static int edit_ask(const struct args *a, json_t *head, const struct rules_text *words,
		    const char *verb)
{
	struct flow_msg answer;
	char as[64];
	const json_t *id, *ids;
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
	ids = json_object_get(answer.head, "ids");
	if (id)
		snprintf(as, sizeof(as), "%s as %lld", verb, json_integer_value(id));
	else if (ids)
		snprintf(as, sizeof(as), "%s, %zu rules added", verb, json_array_size(ids));
	if (id || ids)
		verb = as;
	code = client_print_result(a, &answer, verb);
	msg_free(&answer);
	return code;
}

int cmd_del(const struct args *a)
{
	char text[WORDS_BYTES_MAX];
	json_t *which;

	words_join(text, sizeof(text), a->argv, a->argc);
	which = batch_rules(text, a->argv, a->argc);
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

/* Checks the rules of many edits, unless only the daemon knows their variables. */
static int edit_check_batch(const struct rules_text *s)
{
	struct flow_fault f = {0};
	struct ruleset set;
	struct batch b;
	int code = EXIT_DONE;

	if (batch_read(s->text, s->len, &b, &f)) {
		code = f.code;
		rules_point(s, f.line, f.column, f.text);
	} else if (!memchr(b.rules, '$', b.len)) {
		if (rules_read_part(s->name, b.rules, b.len, &set))
			code = EXIT_RULES;
		else
			ruleset_free(&set);
	}
	batch_free(&b);
	return code;
}

/* Sends many edits of standard input, which are made together or not at all. */
static int edit_batch(const struct args *a)
{
	struct rules_text s = {.name = "-"};
	char *text;
	int code;

	if (file_read(s.name, &text, &s.len))
		return EXIT_INPUT;
	s.text = text;
	code = edit_check_batch(&s);
	if (!code)
		code = edit_ask(a, json_pack("{s:s}", "do", "batch"), &s, "edited");
	free(text);
	return code;
}

int cmd_add(const struct args *a)
{
	if (a->argc == 1 && !strcmp(a->argv[0], "-"))
		return edit_batch(a);
	return edit_rule(a, json_pack("{s:s}", "do", "add"), 0, "added");
}

/* Sends a rule that is put at another one's place; `where` is "before" or "replace". */
static int edit_at(const struct args *a, const char *where, int id, const char *verb)
{
	json_t *which = batch_id_or_name(a->argv[id]);

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
