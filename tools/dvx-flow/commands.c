/* SPDX-License-Identifier: BSD-2-Clause */
/* apply and del: change the rules that the daemon holds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"

static void show_progress(void *arg, json_t *head)
{
	const struct args *a = arg;

	if (!a->quiet && isatty(STDERR_FILENO))
		fprintf(stderr, "\r%lld of %lld entries ",
			json_integer_value(json_object_get(head, "progress")),
			json_integer_value(json_object_get(head, "of")));
}

static int say_result(const struct args *a, const struct flow_msg *answer, const char *verb)
{
	json_int_t rules = json_integer_value(json_object_get(answer->head, "rules"));

	if (a->json)
		return json_out(json_pack("{s:I}", "rules", rules));
	if (!a->quiet)
		printf("%s; %lld %s in effect\n", verb, rules, rules == 1 ? "rule" : "rules");
	return EXIT_DONE;
}

static int send_file(const struct args *a, const struct rules_text *rules)
{
	struct args copy = *a;
	struct flow_msg answer;
	int code, fd = client_connect(a, &code);

	if (fd < 0)
		return code;
	code = client_ask(fd, json_pack("{s:s}", "do", "apply"), rules, &answer, show_progress,
			  &copy);
	if (!a->quiet && isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	if (!code) {
		code = say_result(a, &answer, "applied");
		msg_free(&answer);
	}
	close(fd);
	return code;
}

/* The client reports mistakes, because it has the file; the daemon reports the first one only. */
int cmd_apply(const struct args *a)
{
	struct ruleset set;
	struct rules_text s;
	char *text;
	int code;

	if (file_read(a->argv[0], &text, &s.len))
		return EXIT_INPUT;
	s.name = a->argv[0];
	s.text = text;
	code = rules_read(s.name, text, s.len, &set) ? EXIT_RULES : EXIT_DONE;
	if (!code) {
		ruleset_free(&set);
		code = send_file(a, &s);
	}
	free(text);
	return code;
}

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

/* A number is a rule's ID; anything else is its words. */
static json_t *which_rule(char *const *words, int n)
{
	char text[WORDS_BYTES_MAX], *end;
	unsigned long id = strtoul(words[0], &end, 10);

	if (n == 1 && *words[0] && !*end)
		return json_integer((json_int_t)id);
	words_join(text, sizeof(text), words, n);
	return json_string(text);
}

int cmd_del(const struct args *a)
{
	json_t *which = which_rule(a->argv, a->argc);
	struct flow_msg answer;
	int code;

	if (!which) {
		say("a rule has no such characters");
		return EXIT_RULES;
	}
	code = client_once(a, json_pack("{s:s, s:o}", "do", "del", "rule", which), &answer);
	if (code)
		return code;
	code = say_result(a, &answer, "deleted");
	msg_free(&answer);
	return code;
}
