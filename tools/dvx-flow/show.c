/* SPDX-License-Identifier: BSD-2-Clause */
/* list and stats: what the daemon holds, as tables and as JSON. */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "client.h"

static json_int_t show_number(const json_t *j, const char *key)
{
	return json_integer_value(json_object_get(j, key));
}

static const char *show_text(const json_t *j, const char *key)
{
	const char *s = json_string_value(json_object_get(j, key));

	return s ? s : "";
}

static json_t *show_take(struct flow_msg *answer)
{
	json_t *j = json_incref(answer->head);

	json_object_del(j, "exit");
	msg_free(answer);
	return j;
}

int cmd_list(const struct args *a)
{
	struct flow_msg answer;
	json_t *j, *rule;
	size_t i;
	int code = client_once(a, json_pack("{s:s}", "do", "list"), &answer);

	if (code)
		return code;
	j = show_take(&answer);
	if (a->json)
		return json_out(j);
	json_array_foreach (json_object_get(j, "rules"), i, rule)
		printf("%s%6" JSON_INTEGER_FORMAT "  %s\n", i ? "" : "    ID  RULE\n",
		       show_number(rule, "id"), show_text(rule, "text"));
	if (!json_array_size(json_object_get(j, "rules")))
		printf("no rules: everything on %s goes the default way\n", show_text(j, "device"));
	json_decref(j);
	return EXIT_DONE;
}

/* --- stats ------------------------------------------------------------------------------------ */

/* Packets since the previous table, if there was one. */
static void print_rate(const json_t *now, const json_t *before, double seconds)
{
	if (before && show_number(now, "packets") >= show_number(before, "packets"))
		printf("%12.0f",
		       (double)(show_number(now, "packets") - show_number(before, "packets")) /
			       seconds);
	else if (seconds > 0)
		printf("%12s", "-");
}

/* Finds the row of the previous table, if it is about the same rule or queue. */
static const json_t *show_same(const json_t *before, const char *list, size_t i, const json_t *now)
{
	const json_t *b = json_array_get(json_object_get(before, list), i);

	return b && show_number(b, "id") == show_number(now, "id") ? b : NULL;
}

static void print_rules(const json_t *j, const json_t *before, double seconds)
{
	json_t *rule;
	size_t i;

	json_array_foreach (json_object_get(j, "rules"), i, rule) {
		if (!i)
			printf("    ID     PACKETS           BYTES%s  RULE\n",
			       seconds > 0 ? "   PACKETS/S" : "");
		printf("%6" JSON_INTEGER_FORMAT, show_number(rule, "id"));
		if (json_object_get(rule, "packets"))
			printf("%12" JSON_INTEGER_FORMAT "%16" JSON_INTEGER_FORMAT,
			       show_number(rule, "packets"), show_number(rule, "bytes"));
		else
			printf("%12s%16s", "-", "-");
		print_rate(rule,
			   json_object_get(rule, "packets") ? show_same(before, "rules", i, rule)
							    : NULL,
			   seconds);
		printf("  %s\n", show_text(rule, "text"));
	}
	if (!json_array_size(json_object_get(j, "rules")))
		printf("no rules: everything on %s goes the default way\n", show_text(j, "device"));
}

static void print_tags(const json_t *queue)
{
	json_t *tag;
	size_t i;

	json_array_foreach (json_object_get(queue, "tags"), i, tag)
		printf("%s%" JSON_INTEGER_FORMAT ": %" JSON_INTEGER_FORMAT, i ? ", " : "  tag ",
		       show_number(tag, "tag"), show_number(tag, "packets"));
	if (show_number(queue, "other_tags"))
		printf(", others: %" JSON_INTEGER_FORMAT, show_number(queue, "other_tags"));
	if (show_number(queue, "errors"))
		printf("  %" JSON_INTEGER_FORMAT " receive errors", show_number(queue, "errors"));
	if (json_object_get(queue, "capture_ended"))
		printf("  capture ended after %" JSON_INTEGER_FORMAT ": %s",
		       show_number(queue, "captured"), show_text(queue, "capture_ended"));
}

static void print_queues(const json_t *j, const json_t *before, double seconds)
{
	json_t *queue;
	size_t i;

	json_array_foreach (json_object_get(j, "queues"), i, queue) {
		if (!i)
			printf("\n QUEUE     PACKETS           BYTES%s\n",
			       seconds > 0 ? "   PACKETS/S" : "");
		printf("%6" JSON_INTEGER_FORMAT "%12" JSON_INTEGER_FORMAT "%16" JSON_INTEGER_FORMAT,
		       show_number(queue, "queue"), show_number(queue, "packets"),
		       show_number(queue, "bytes"));
		print_rate(queue, show_same(before, "queues", i, queue), seconds);
		print_tags(queue);
		putchar('\n');
	}
}

/* seconds: to the next table; 0: there is only one */
static int print_stats(const struct args *a, const json_t *j, const json_t *before, double seconds)
{
	if (a->json) {
		return (seconds > 0 ? json_out_line
				    : json_out)(json_incref((json_t *)(uintptr_t)j));
	} else {
		if (seconds > 0 && isatty(STDOUT_FILENO))
			fputs("\033[H\033[J", stdout);
		else if (before)
			putchar('\n');
		print_rules(j, before, seconds);
		print_queues(j, before, seconds);
	}
	return fflush(stdout) || ferror(stdout) ? EXIT_INPUT : EXIT_DONE;
}

int cmd_stats(const struct args *a)
{
	json_t *j = NULL, *before = NULL;
	struct flow_msg answer;
	double seconds = a->interval > 0 ? a->interval : a->watch;
	int code, fd = client_connect(a, &code);

	if (fd < 0)
		return code;
	while (!(code = client_ask(fd, json_pack("{s:s}", "do", "stats"), NULL, &answer, NULL,
				   NULL))) {
		j = show_take(&answer);
		code = print_stats(a, j, before, seconds);
		json_decref(before);
		before = j;
		if (code || seconds <= 0)
			break;
		poll(NULL, 0, (int)(seconds * 1000));
	}
	json_decref(before);
	close(fd);
	return code;
}
