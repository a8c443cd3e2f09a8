/* SPDX-License-Identifier: BSD-2-Clause */
/* apply: replaces the rules that the daemon holds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "cost.h"

static void show_progress(void *arg, json_t *head)
{
	const struct args *a = arg;

	if (!a->quiet && isatty(STDERR_FILENO))
		fprintf(stderr, "\r%lld of %lld entries ",
			json_integer_value(json_object_get(head, "progress")),
			json_integer_value(json_object_get(head, "of")));
}

int client_print_result(const struct args *a, const struct flow_msg *answer, const char *verb)
{
	json_int_t rules = json_integer_value(json_object_get(answer->head, "rules"));

	if (a->json) {
		json_t *j = json_incref(answer->head);

		json_object_del(j, "exit");
		return json_out(j);
	}
	if (a->quiet)
		return EXIT_DONE;
	printf("%s; %lld %s in effect", verb, rules, rules == 1 ? "rule" : "rules");
	cost_print(answer->head);
	putchar('\n');
	return EXIT_DONE;
}

static int send_file(const struct args *a, const struct rules_text *rules)
{
	struct args copy = *a;
	struct flow_msg answer;
	int code, fd = client_connect(a, &code);

	if (fd < 0)
		return code;
	client_begin_change();
	code = client_ask(fd, json_pack("{s:s}", "do", "apply"), rules, &answer, show_progress,
			  &copy);
	if (!a->quiet && isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	if (!code) {
		if (!a->quiet)
			cost_warn(rules->name, answer.head);
		code = client_print_result(a, &answer, "applied");
		msg_free(&answer);
	}
	close(fd);
	return code;
}

/*
 * Sends the rules to the daemon, which parses them. If it finds a mistake, the client parses them
 * as well, to print all mistakes.
 */
int cmd_apply(const struct args *a)
{
	struct rules_text s;
	int code = rules_load(a->argv[0], &s);

	if (code)
		return code;
	s.unread = true;
	code = send_file(a, &s);
	rules_text_free(&s);
	return code;
}
