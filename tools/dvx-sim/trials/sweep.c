/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run --sweep: runs a command once for each firmware command that it issues, which then fails, and
 * once for each completion, which then is an error (doc/design/0099).
 */
#include "many.h"

#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "prm/reflect.h"
#include "tools/cli/json.h"

#define LEAST_LIMIT (10 * MANY_SECOND)
#define SLOWER	    20u	  /* times the first run, before a run is said to hang */
#define STATUS	    0x01u /* INT_ERR: EIO for verbs */
#define SYNDROME    0x13u /* REMOTE_ACCESS_ERR */

/* The run without a fault, to which the others are compared. */
static struct many_run *sweep_base;

static struct inject_fault sweep_fault(enum inject_event event, uint32_t nth)
{
	struct inject_fault f = {.event = (uint8_t)event, .number = INJECT_ANY, .nth = nth};

	f.action = event == INJECT_COMMAND ? INJECT_ANSWER : INJECT_ERROR;
	f.status = event == INJECT_COMMAND ? STATUS : 0;
	f.syndrome = event == INJECT_COMMAND ? 0 : SYNDROME;
	return f;
}

/* --- judging a run ----------------------------------------------------------------------------- */

static bool sweep_was_reached(const struct many_run *r)
{
	return r->faults[0].seen >= r->faults[0].nth;
}

/* Whether the fault was of a command that frees something, or only asks: one may go on then. */
static bool sweep_is_needed(const struct many_run *r)
{
	static const char *const harmless[] = {"DESTROY", "DEALLOC", "DELETE", "DETACH",
					       "QUERY",	  "2ERR",    "2RST"};
	const char *name = prm_opcode_name(r->faults[0].met);

	for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
		if (r->faults[0].event != INJECT_COMMAND ||
		    !strncmp(name, harmless[i], strlen(harmless[i])))
			return false;
	return true;
}

static unsigned int sweep_left(const struct many_run *r, const char *object)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < r->nleft; i++)
		n += !strncmp(r->left[i].object, object, sizeof(r->left[i].object));
	return n;
}

/*
 * Returns an object that the command left in a context that it closed, as it does without a fault
 * not; or NULL. An object whose destruction has failed is not its fault.
 */
static const struct lab_finding *sweep_leak(const struct many_run *r)
{
	const bool frees = r->faults[0].event == INJECT_COMMAND && !sweep_is_needed(r);

	for (unsigned int i = 0; i < r->nleft && !frees; i++)
		if (sweep_left(r, r->left[i].object) > sweep_left(sweep_base, r->left[i].object))
			return &r->left[i];
	return NULL;
}

static bool sweep_is_finding(const struct many_run *r)
{
	return r->end != MANY_EXITED || sweep_leak(r);
}

static bool sweep_went_on(const struct many_run *r)
{
	return r->end == MANY_EXITED && !r->code && sweep_was_reached(r) && sweep_is_needed(r);
}

/* --- printing ---------------------------------------------------------------------------------- */

static void sweep_name(const struct many_run *r, char *text, size_t size)
{
	const struct inject_fault *f = &r->faults[0];

	if (f->event == INJECT_COMPLETION)
		snprintf(text, size, "completion %u", f->nth);
	else
		snprintf(text, size, "command %u%s%s", f->nth, sweep_was_reached(r) ? ", " : "",
			 sweep_was_reached(r) ? prm_opcode_name(f->met) : "");
}

static void sweep_result(const struct many_run *r, char *text, size_t size)
{
	const struct lab_finding *leak = sweep_leak(r);

	if (r->end == MANY_EXITED && leak)
		snprintf(text, size, "exit code %d, and %.8s 0x%x was left in a closed context",
			 r->code, leak->object, leak->id);
	else if (r->end == MANY_EXITED && !sweep_was_reached(r))
		snprintf(text, size, "not reached, exit code %d", r->code);
	else if (sweep_went_on(r))
		snprintf(text, size, "exit code 0, although it failed");
	else
		many_describe(r, text, size);
}

/* Prints what the run printed last, or what its queues waited for. */
static void sweep_print_text(const struct many_run *r)
{
	unsigned int lines = 4;
	const char *from = r->text + strlen(r->text);

	while (from > r->text && lines && (from[-1] != '\n' || --lines))
		from--;
	if (r->end == MANY_HUNG)
		from = r->text;
	for (size_t n; *from; from += n + (from[n] != 0)) {
		n = strcspn(from, "\n");
		printf("    %.*s\n", (int)n, from);
	}
}

static void sweep_print_row(const struct many_run *r)
{
	char name[64], result[128];

	sweep_name(r, name, sizeof(name));
	sweep_result(r, result, sizeof(result));
	printf("%-44s  %s\n", name, result);
	if (sweep_is_finding(r))
		sweep_print_text(r);
}

static void sweep_print(const struct many_run *runs, size_t n, size_t findings)
{
	size_t failed = 0, went_on = 0, missed = 0, fine = 0;

	for (size_t i = 0; i < n; i++) {
		const struct many_run *r = &runs[i];

		if (sweep_is_finding(r) || sweep_went_on(r) || !sweep_was_reached(r))
			sweep_print_row(r);
		else if (r->code)
			failed++;
		else
			fine++;
		went_on += sweep_went_on(r);
		missed += r->end == MANY_EXITED && !sweep_was_reached(r);
	}
	printf("%u commands and %u completions failed, each in a run of its own. Findings: %zu. "
	       "The "
	       "others: %zu ended with an error, %zu with exit code 0 although they need what "
	       "failed, "
	       "%zu with exit code 0 and need it not, %zu never came so far.\n",
	       sweep_base->faults[0].seen, sweep_base->faults[1].seen, findings, failed, went_on,
	       fine, missed);
}

static json_t *sweep_json_row(const struct many_run *r)
{
	char fault[128], name[64], result[128];
	json_t *left = json_array();

	inject_print(&r->faults[0], fault, sizeof(fault));
	sweep_name(r, name, sizeof(name));
	sweep_result(r, result, sizeof(result));
	for (unsigned int i = 0; i < r->nleft; i++)
		json_array_append_new(
			left, json_pack("{s:o, s:i}", "object",
					json_text(r->left[i].object, strnlen(r->left[i].object, 8)),
					"id", r->left[i].id));
	return json_pack("{s:s, s:s, s:s, s:b, s:b, s:b, s:f, s:o, s:o}", "fault", fault, "name",
			 name, "result", result, "finding", sweep_is_finding(r), "reached",
			 sweep_was_reached(r), "went_on", sweep_went_on(r), "seconds",
			 (double)r->ns / MANY_SECOND, "left", left, "output",
			 json_text(r->text, strlen(r->text)));
}

static int sweep_print_json(const struct many_run *runs, size_t n, size_t findings)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, sweep_json_row(&runs[i]));
	return json_out(json_pack("{s:i, s:i, s:I, s:o}", "commands", sweep_base->faults[0].seen,
				  "completions", sweep_base->faults[1].seen, "findings",
				  (json_int_t)findings, "runs", list));
}

/* --- running ----------------------------------------------------------------------------------- */

/* Runs the command without a fault, and counts. Returns false after a message. */
static bool sweep_count(const struct sim_args *a)
{
	char how[64];

	sweep_base->nfaults = MANY_FAULTS;
	sweep_base->faults[0] = sweep_fault(INJECT_COMMAND, UINT32_MAX);
	sweep_base->faults[1] = sweep_fault(INJECT_COMPLETION, UINT32_MAX);
	many_run_all(a, sweep_base, 1,
		     a->hang_after ? a->hang_after * MANY_SECOND : 600 * MANY_SECOND,
		     sweep_is_finding);
	if (sweep_base->end == MANY_EXITED && !sweep_base->code)
		return true;
	many_describe(sweep_base, how, sizeof(how));
	message_print("%s fails without a fault (%s), so its sweep would prove nothing", a->argv[0],
		      how);
	fputs(sweep_base->text, stderr);
	return false;
}

static int sweep_all(const struct sim_args *a, struct many_run *runs, size_t n)
{
	const uint64_t slow = sweep_base->ns * SLOWER;
	const uint64_t limit = a->hang_after	    ? a->hang_after * MANY_SECOND
			       : slow > LEAST_LIMIT ? slow
						    : LEAST_LIMIT;
	size_t findings = 0;

	for (size_t i = 0; i < n; i++) {
		const uint32_t commands = sweep_base->faults[0].seen;

		runs[i].nfaults = 1;
		runs[i].faults[0] =
			i < commands ? sweep_fault(INJECT_COMMAND, (uint32_t)i + 1)
				     : sweep_fault(INJECT_COMPLETION, (uint32_t)i - commands + 1);
	}
	many_run_all(a, runs, n, limit, sweep_is_finding);
	for (size_t i = 0; i < n; i++)
		findings += sweep_is_finding(&runs[i]);
	if (a->json && sweep_print_json(runs, n, findings))
		return EXIT_SELF;
	if (!a->json)
		sweep_print(runs, n, findings);
	return findings ? EXIT_NO : EXIT_DONE;
}

int sweep_run(const struct sim_args *a)
{
	struct many_run *runs;
	int rc = EXIT_SELF;
	size_t n;

	sweep_base = many_new(1);
	if (!sweep_base)
		return EXIT_SELF;
	n = sweep_count(a) ? (size_t)sweep_base->faults[0].seen + sweep_base->faults[1].seen : 0;
	runs = n ? many_new(n) : NULL;
	if (sweep_base->end == MANY_EXITED && !sweep_base->code && !n) {
		message_print("%s does not use the device", a->argv[0]);
	} else if (runs) {
		rc = sweep_all(a, runs, n);
		many_free(runs, n);
	}
	many_free(sweep_base, 1);
	return rc;
}
