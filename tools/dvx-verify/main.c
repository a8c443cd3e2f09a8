/* SPDX-License-Identifier: BSD-2-Clause */
/* dvx-verify: checks on a NIC the statements about hardware that no public source makes. */
#include "dvx-verify.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/cli/complete.h"
#include "tools/cli/json.h"
#include "tools/cli/message.h"
#include "tools/cli/names.h"
#include "tools/cli/replace.h"

#define OUTPUT	    "dvx-verify.json"
#define OUTPUT_ROWS "dvx-verify-rows.json" /* of the rows that the command line names */

/* Returns EXIT_USAGE after an error message, if there is no such row. */
static int verify_check_name(const char *name)
{
	struct near near = {0};
	char buf[256];

	for (size_t i = 0; i < row_count; i++) {
		if (!strcmp(rows[i].id, name))
			return EXIT_DONE;
		near_offer(&near, name, rows[i].id);
	}
	message_print("no row is called %s%s", name, near_text(&near, buf, sizeof(buf)));
	return EXIT_USAGE;
}

static bool verify_is_chosen(const struct verify_args *a, const struct statement *r)
{
	if (!a->argc)
		return a->list || row_has_check(r);
	for (int i = 0; i < a->argc; i++)
		if (!strcmp(a->argv[i], r->id))
			return true;
	return false;
}

static int verify_choose(const struct verify_args *a, struct results *to)
{
	for (int i = 0; i < a->argc; i++)
		if (verify_check_name(a->argv[i]))
			return EXIT_USAGE;
	for (size_t i = 0; i < row_count; i++)
		if (verify_is_chosen(a, &rows[i]))
			to->rows[to->count++] = &rows[i];
	return EXIT_DONE;
}

static struct answer verify_row(const struct statement *r, const char *device)
{
	struct answer a = {.verdict = VERDICT_OPEN};

	if (row_has_check(r))
		return run_row(r, device);
	snprintf(a.text, sizeof(a.text), "for the hand: %s", r->hand);
	return a;
}

static void verify_rows(const struct verify_args *a, struct results *to)
{
	for (size_t i = 0; i < to->count; i++) {
		to->answers[i] = verify_row(to->rows[i], a->device);
		to->by_verdict[to->answers[i].verdict]++;
		if (!a->json)
			results_row(to->rows[i], &to->answers[i]);
	}
}

static void verify_dump(FILE *f, const void *report)
{
	json_dumpf(report, f, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
}

/* Writes the report to the file, before it is printed. */
static int verify_report(const struct verify_args *a, const struct results *r)
{
	const char *file = a->output ? a->output : a->argc ? OUTPUT_ROWS : OUTPUT;
	json_t *report = results_json(r);
	int err = replace_file(file, verify_dump, report), code = err ? EXIT_INPUT : EXIT_DONE;

	if (err)
		message_print("%s can't be written: %s", file, strerror(err));
	if (a->json) {
		int out = json_out(report);

		return code ? code : out;
	}
	json_decref(report);
	if (code)
		return code;
	results_end(r, file);
	return EXIT_DONE;
}

static int verify_all(const struct verify_args *a, struct results *r)
{
	struct answer usable = run_subject(&r->subject, a->device);
	int code;

	if (usable.verdict != VERDICT_SETTLED) {
		message_print("%s", usable.text);
		return EXIT_INPUT;
	}
	verify_rows(a, r);
	code = verify_report(a, r);
	return code ? code : r->by_verdict[VERDICT_CONTRADICTED] ? EXIT_NO : EXIT_DONE;
}

static int verify_run(const struct verify_args *a)
{
	struct results r = {.rows = calloc(row_count, sizeof(*r.rows)),
			    .answers = calloc(row_count, sizeof(*r.answers))};
	int code = r.rows && r.answers ? verify_choose(a, &r) : EXIT_INPUT;

	if (!code && a->list)
		code = a->json ? results_list_json(&r) : results_list(&r);
	else if (!code)
		code = verify_all(a, &r);
	free(r.answers);
	free(r.rows);
	return code;
}

static const struct argp_option verify_options[] = {
	CLI_JSON,
	CLI_DEVICE,
	{"list", 'l', NULL, 0, "list the statements, and run nothing", 0},
	{"output", 'o', "FILE", 0, "the report (" OUTPUT ", or -rows.json)", 0},
	{0},
};

static const struct cli_command commands[] = {
	{"", 0, CLI_ANY, "[ROW...]",
	 "Checks on a NIC what dvx infers about hardware, because no public source says it.\v"
	 "Each ROW is a statement, by default all that a program can check. The answer is\n"
	 "  settled        it is so\n"
	 "  contradicted   it is not, and this was seen\n"
	 "  open           this device or user can't show it, for this reason\n"
	 "Takes a minute, uses its own queues and memory on port 1, changes no setting of\n"
	 "the device or host, and needs the rights of a user of RDMA.\n"
	 "\n"
	 "Exit: 0 nothing contradicted, 1 something is, 2 wrong command line,\n"
	 "      3 no such device, or it can't be used; dvx(7)\n",
	 verify_options, verify_run},
};

static void offer_rows(const char *command, const char *first, const char *field)
{
	(void)command, (void)first, (void)field;
	for (size_t i = 0; i < row_count; i++)
		complete_offer(rows[i].id, "");
}

static const struct cli_words words[] = {{"ROW", offer_rows}};

static const struct cli_option values[] = {
	CLI_TRUE('j', json),
	CLI_TRUE('l', list),
	CLI_TEXT('d', device),
	CLI_TEXT('o', output),
};

static struct verify_args args;

static const struct cli cli = {
	.tool = "dvx-verify",
	CLI_TABLES(commands, values, args),
	.words = words,
	.word_count = sizeof(words) / sizeof(words[0]),
};

int main(int argc, char **argv)
{
	return cli_main(&cli, argc, argv);
}
