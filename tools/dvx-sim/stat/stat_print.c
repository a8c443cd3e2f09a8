/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints dvx-sim stat's tables, and the same as JSON. */
#include "stat.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>
#include "tools/cli/json.h"

#define QUEUES 16u /* that the tables have; JSON has all */

/* --- text -------------------------------------------------------------------------------------- */

static bool stat_shows(const struct stat_result *r, const struct stat_column *c)
{
	return c->head && (!c->pcm || r->pcm);
}

/* Returns how wide a column is: its heading, or the widest of its cells. */
static int stat_width(const struct stat_result *r, const struct stat_column *c)
{
	size_t width = strlen(c->head);
	char text[32];

	for (size_t i = 0; i < r->nlines; i++) {
		stat_text(text, sizeof(text), c, c->of(&r->lines[i]));
		width = strlen(text) > width ? strlen(text) : width;
	}
	return (int)width;
}

static void stat_print_line(FILE *to, const struct stat_result *r, const struct stat_line *l)
{
	char text[32], name[32];

	snprintf(name, sizeof(name), l->id ? "%s 0x%x" : "%s", l->object[0] ? l->object : "others",
		 l->id);
	fprintf(to, "  %-9s %-8s", name, stat_class_name(l->class));
	for (size_t i = 0; i < stat_ncolumns; i++) {
		const struct stat_column *c = &stat_columns[i];

		if (!stat_shows(r, c))
			continue;
		stat_text(text, sizeof(text), c, c->of(l));
		fprintf(to, " %*s", stat_width(r, c), text);
	}
	fputc('\n', to);
}

/* Returns whether the class has one queue only, whose line says it all. */
static bool stat_is_alone(const struct stat_result *r, const struct stat_line *sum)
{
	size_t n = 0;

	for (size_t i = 0; i < r->nqueues; i++)
		n += r->lines[i].class == sum->class;
	return n == 1;
}

static void stat_print_lines(FILE *to, const struct stat_result *r)
{
	fprintf(to, "  %-9s %-8s", "queue", "class");
	for (size_t i = 0; i < stat_ncolumns; i++)
		if (stat_shows(r, &stat_columns[i]))
			fprintf(to, " %*s", stat_width(r, &stat_columns[i]), stat_columns[i].head);
	fputc('\n', to);
	for (size_t i = 0; i < r->nqueues && i < QUEUES; i++)
		stat_print_line(to, r, &r->lines[i]);
	if (r->nqueues > QUEUES)
		fprintf(to, "  and %zu more\n", r->nqueues - QUEUES);
	for (size_t i = r->nqueues; i < r->nlines; i++)
		if (!stat_is_alone(r, &r->lines[i]))
			stat_print_line(to, r, &r->lines[i]);
}

static void stat_print_cqs(FILE *to, const struct stat_result *r)
{
	for (size_t i = 0; i < r->ncqs && i < QUEUES; i++) {
		const double *n = r->cqs[i].n;
		char name[64];

		stat_cq_name(name, sizeof(name), r, &r->cqs[i]);
		fprintf(to,
			"  %s: %.0f polls, %.0f empty (%.0f%%); %.0f completions, "
			"%.0f arms\n",
			name, n[COUNT_POLLED], n[COUNT_EMPTY],
			n[COUNT_POLLED] > 0 ? 100 * n[COUNT_EMPTY] / n[COUNT_POLLED] : 0,
			n[COUNT_COMPLETIONS], n[COUNT_ARMS]);
	}
}

static void stat_print_waits(FILE *to, const struct stat_result *r)
{
	for (size_t i = 0; i < r->nqueues; i++) {
		const struct stat_line *l = &r->lines[i];

		if (l->n[STAT_RNR] + l->n[STAT_RETRIES] + l->n[STAT_ERRORS] > 0)
			fprintf(to,
				"  %s 0x%x %s: %.0f RNR NAKs, %.3f ms lost in them; %.0f other "
				"retries; "
				"%.0f error completions\n",
				l->object, l->id, stat_class_name(l->class), l->n[STAT_RNR],
				l->n[STAT_RNR_NS] / 1e6, l->n[STAT_RETRIES], l->n[STAT_ERRORS]);
	}
}

static void stat_print_device(FILE *to, const struct stat_result *r)
{
	const double windows = r->device[STAT_WINDOWS];

	if (r->device[STAT_QUEUES] > 0)
		fprintf(to,
			"  distinct in up to 1000 sends: %.1f send queues, %.1f keys, %.1f pages "
			"of "
			"4 KiB; %.0f EQEs\n",
			r->device[STAT_QUEUES] / windows, r->device[STAT_KEYS] / windows,
			r->device[STAT_PAGES] / windows, r->device[STAT_EVENTS]);
}

static void stat_print_spread(FILE *to, const struct stat_result *r, const char *what, size_t at)
{
	double sum = 0, least = INFINITY, most = 0, n;

	for (size_t i = 0; i < r->nruns; i++) {
		memcpy(&n, (const char *)&r->runs[i] + at, sizeof(n));
		sum += n;
		least = n < least ? n : least;
		most = n > most ? n : most;
	}
	n = sum / (double)r->nruns;
	fprintf(to, "  %s a run: %.6g (+- %.2g%%)\n", what, n, n > 0 ? 50 * (most - least) / n : 0);
}

static void stat_print_advice(void *ctx, const char *text)
{
	fprintf(ctx, "  * %s\n", text);
}

void stat_print(FILE *to, const struct stat_result *r)
{
	fprintf(to,
		"dvx-sim stat: %zu run%s; bytes on PCIe a message (up: from the NIC; t.: at the "
		"target; MPS %u, MRRS %u)%s\n",
		r->nruns, r->nruns == 1 ? "" : "s", r->pcie.mps, r->pcie.mrrs,
		r->exact ? "; doorbells are exact: each store was trapped" : "");
	if (r->untrapped)
		fprintf(to, "  but in %" PRIu64 " pages of registers no store was trapped\n",
			r->untrapped);
	if (r->nlines)
		stat_print_lines(to, r);
	else
		fprintf(to, "  no messages\n");
	stat_print_cqs(to, r);
	stat_print_waits(to, r);
	stat_print_device(to, r);
	if (r->nruns > 1) {
		stat_print_spread(to, r, "messages", offsetof(struct stat_run, messages));
		stat_print_spread(to, r, "bytes on PCIe", offsetof(struct stat_run, bytes));
		stat_print_spread(to, r, "seconds", offsetof(struct stat_run, seconds));
	}
	stat_advise(r, stat_print_advice, to);
}

/* --- JSON -------------------------------------------------------------------------------------- */

static json_t *stat_json_number(double n)
{
	return n == floor(n) && fabs(n) < 1e15 ? json_integer((json_int_t)n) : json_real(n);
}

/* Costs are pairs, the least and the most; columns that do not apply are left out. */
static json_t *stat_json_line(const struct stat_line *l)
{
	json_t *o = json_pack("{s:s, s:i, s:s}", "object", l->object, "id", (int)l->id, "class",
			      stat_class_name(l->class));

	for (size_t i = 0; i < stat_ncolumns; i++) {
		const struct stat_column *c = &stat_columns[i];
		const struct bounds b = c->of(l);

		if (isnan(b.least))
			continue;
		json_object_set_new(o, c->key,
				    c->kind == STAT_COST
					    ? json_pack("[o, o]", stat_json_number(b.least),
							stat_json_number(b.most))
					    : stat_json_number(b.least));
	}
	return o;
}

static json_t *stat_json_lines(const struct stat_result *r, size_t from, size_t to)
{
	json_t *list = json_array();

	for (; from < to; from++)
		json_array_append_new(list, stat_json_line(&r->lines[from]));
	return list;
}

static json_t *stat_json_cqs(const struct stat_result *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->ncqs; i++) {
		const double *n = r->cqs[i].n;

		json_array_append_new(
			list, json_pack("{s:i, s:i, s:o, s:o, s:o, s:o}", "context",
					(int)r->cqs[i].context, "handle", (int)r->cqs[i].handle,
					"polls", stat_json_number(n[COUNT_POLLED]), "empty",
					stat_json_number(n[COUNT_EMPTY]), "completions",
					stat_json_number(n[COUNT_COMPLETIONS]), "arms",
					stat_json_number(n[COUNT_ARMS])));
	}
	return list;
}

static json_t *stat_json_device(const struct stat_result *r)
{
	const double windows = r->device[STAT_WINDOWS];

	return json_pack("{s:o, s:f, s:f, s:f}", "eqes", stat_json_number(r->device[STAT_EVENTS]),
			 "queues", windows > 0 ? r->device[STAT_QUEUES] / windows : 0, "keys",
			 windows > 0 ? r->device[STAT_KEYS] / windows : 0, "pages",
			 windows > 0 ? r->device[STAT_PAGES] / windows : 0);
}

static json_t *stat_json_runs(const struct stat_result *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->nruns; i++)
		json_array_append_new(list, json_pack("{s:o, s:o, s:f}", "messages",
						      stat_json_number(r->runs[i].messages),
						      "bytes", stat_json_number(r->runs[i].bytes),
						      "seconds", r->runs[i].seconds));
	return list;
}

static void stat_json_advice(void *ctx, const char *text)
{
	json_array_append_new(ctx, json_string(text));
}

int stat_print_json(const struct stat_result *r, int code)
{
	json_t *advice = json_array();

	stat_advise(r, stat_json_advice, advice);
	return json_out(json_pack(
		"{s:i, s:b, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "exit", code, "exact",
		r->exact && !r->untrapped, "mps", (int)r->pcie.mps, "mrrs", (int)r->pcie.mrrs,
		"classes", stat_json_lines(r, r->nqueues, r->nlines), "queues",
		stat_json_lines(r, 0, r->nqueues), "cqs", stat_json_cqs(r), "distinct",
		stat_json_device(r), "runs", stat_json_runs(r), "advice", advice));
}
