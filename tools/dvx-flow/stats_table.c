/* SPDX-License-Identifier: BSD-2-Clause */
/* stats as tables: of all rules, and of those with most packets a second. */
#include <stdlib.h>
#include <string.h>

#include "show.h"
#include "stats.h"

#define INT "%" JSON_INTEGER_FORMAT

/* Computes the rate of one member, from now and before. */
static bool stats_rate(const struct stats_pair *s, const json_t *now, const json_t *before,
		       const char *key, double *out)
{
	json_int_t grown = show_number(now, key) - show_number(before, key);

	if (!before || !json_object_get(now, key) || !json_object_get(before, key) || grown < 0 ||
	    s->seconds <= 0)
		return false;
	*out = (double)grown / s->seconds;
	return true;
}

/* Finds the row of the previous answer, if it is about the same rule or queue. */
static const json_t *stats_same(const struct stats_pair *s, const char *list, size_t i,
				const json_t *now)
{
	const json_t *b = json_array_get(json_object_get(s->before, list), i);

	return b && show_number(b, "id") == show_number(now, "id") ? b : NULL;
}

/* Finds the previous row of a source, if it summed the counters of the rules that there are now. */
static const json_t *stats_same_source(const struct stats_pair *s, size_t i)
{
	if (show_number(s->before, "applied") != show_number(s->now, "applied"))
		return NULL;
	return json_array_get(json_object_get(s->before, "sources"), i);
}

static void stats_put_number(FILE *to, int width, const json_t *row, const char *key)
{
	if (json_object_get(row, key))
		fprintf(to, "%*" JSON_INTEGER_FORMAT, width, show_number(row, key));
	else
		fprintf(to, "%*s", width, "-");
}

static void stats_put_rate(FILE *to, const struct stats_pair *s, const json_t *now,
			   const json_t *before, const char *key)
{
	double rate;

	if (!s->rates)
		return;
	if (stats_rate(s, now, before, key, &rate))
		fprintf(to, "%12.0f", rate);
	else
		fprintf(to, "%12s", "-");
}

static void stats_put_rule(FILE *to, const struct stats_pair *s, const json_t *rule, size_t i)
{
	const json_t *before = stats_same(s, "rules", i, rule);

	fprintf(to, "%6" JSON_INTEGER_FORMAT, show_number(rule, "id"));
	stats_put_number(to, 12, rule, "packets");
	stats_put_number(to, 16, rule, "bytes");
	stats_put_rate(to, s, rule, before, "packets");
	fputs("  ", to);
	show_put_table(to, show_text(rule, "table"), s->tables);
	fprintf(to, "%s\n", show_text(rule, "text"));
}

static void stats_put_tags(FILE *to, const json_t *queue)
{
	json_t *tag;
	size_t i;

	json_array_foreach (json_object_get(queue, "tags"), i, tag)
		fprintf(to, "%s" INT ": " INT, i ? ", " : "  tag ", show_number(tag, "tag"),
			show_number(tag, "packets"));
	if (show_number(queue, "other_tags"))
		fprintf(to, ", others: " INT, show_number(queue, "other_tags"));
	if (show_number(queue, "errors"))
		fprintf(to, "  " INT " receive errors", show_number(queue, "errors"));
	if (json_object_get(queue, "capture_ended"))
		fprintf(to, "  capture ended after " INT ": %s", show_number(queue, "captured"),
			show_text(queue, "capture_ended"));
}

static void stats_put_queue(FILE *to, const struct stats_pair *s, const json_t *queue, size_t i)
{
	const json_t *before = stats_same(s, "queues", i, queue);

	fprintf(to, "%6" JSON_INTEGER_FORMAT, show_number(queue, "queue"));
	stats_put_number(to, 12, queue, "packets");
	stats_put_number(to, 16, queue, "bytes");
	stats_put_rate(to, s, queue, before, "packets");
	stats_put_number(to, 12, queue, "dropped");
	stats_put_rate(to, s, queue, before, "dropped");
	stats_put_tags(to, queue);
	fputc('\n', to);
}

static void stats_put_source(FILE *to, const struct stats_pair *s, const json_t *row, size_t i)
{
	const json_t *before = stats_same_source(s, i);

	fprintf(to, "%10s", show_text(row, "from"));
	stats_put_number(to, 12, row, "packets");
	stats_put_number(to, 16, row, "bytes");
	stats_put_rate(to, s, row, before, "packets");
	stats_put_number(to, 12, row, "dropped");
	stats_put_rate(to, s, row, before, "dropped");
	fputc('\n', to);
}

/* One of the tables: a list of the answer, its heading, its rows. */
struct stats_list {
	const char *name, *heading[2]; /* without and with rates */
	void (*put)(FILE *to, const struct stats_pair *s, const json_t *row, size_t i);
	const char *last; /* column, with the tables' column before it; NULL: none */
};

static const struct stats_list stats_rules = {
	"rules",
	{"    ID     PACKETS           BYTES  ",
	 "    ID     PACKETS           BYTES   PACKETS/S  "},
	stats_put_rule,
	"RULE",
};
static const struct stats_list stats_sources = {
	"sources",
	{"      FROM     PACKETS           BYTES     DROPPED",
	 "      FROM     PACKETS           BYTES   PACKETS/S     DROPPED   DROPPED/S"},
	stats_put_source,
	NULL,
};
static const struct stats_list stats_queues = {
	"queues",
	{" QUEUE     PACKETS           BYTES     DROPPED",
	 " QUEUE     PACKETS           BYTES   PACKETS/S     DROPPED   DROPPED/S"},
	stats_put_queue,
	NULL,
};

static void stats_put_connections(FILE *to, const struct stats_pair *s, const json_t *row, size_t i)
{
	const json_t *before = stats_same(s, "connections", i, row);

	stats_put_number(to, 10, row, "tracked");
	stats_put_number(to, 12, row, "max");
	stats_put_number(to, 16, row, "begun");
	stats_put_rate(to, s, row, before, "begun");
	stats_put_number(to, 12, row, "refused");
	stats_put_rate(to, s, row, before, "refused");
	fputc('\n', to);
}

static const struct stats_list stats_connections = {
	"connections",
	{"   TRACKED         MAX           BEGUN     REFUSED",
	 "   TRACKED         MAX           BEGUN     BEGUN/S     REFUSED   REFUSED/S"},
	stats_put_connections,
	NULL,
};

static void stats_put_heading(FILE *to, const struct stats_pair *s, const struct stats_list *l)
{
	fputs(l->heading[s->rates], to);
	if (l->last) {
		show_put_table(to, "TABLE", s->tables);
		fputs(l->last, to);
	}
	fputc('\n', to);
}

static void stats_put_all(FILE *to, const struct stats_pair *s, const struct stats_list *l)
{
	json_t *row;
	size_t i;

	stats_put_heading(to, s, l);
	json_array_foreach (json_object_get(s->now, l->name), i, row)
		l->put(to, s, row, i);
}

static void stats_no_rules(FILE *to, const struct stats_pair *s)
{
	fprintf(to, "no rules: everything on %s goes the default way\n",
		show_text(s->now, "device"));
}

void stats_table(FILE *to, const struct stats_pair *s)
{
	if (json_array_size(json_object_get(s->now, "rules")))
		stats_put_all(to, s, &stats_rules);
	else
		stats_no_rules(to, s);
	fputc('\n', to);
	for (int i = 0; i < 2; i++) {
		const struct stats_list *l = i ? &stats_connections : &stats_sources;

		if (!json_array_size(json_object_get(s->now, l->name)))
			continue;
		stats_put_all(to, s, l);
		fputc('\n', to);
	}
	stats_put_all(to, s, &stats_queues);
}

/* --- the busiest ------------------------------------------------------------------------------ */

struct stats_row {
	const json_t *now;
	size_t i; /* in its list */
	double rate;
	json_int_t packets;
};

/* Compares rows: most packets a second first, then most packets, then list order. */
static int stats_busier(const void *a_, const void *b_)
{
	const struct stats_row *a = a_, *b = b_;

	if (a->rate != b->rate)
		return a->rate > b->rate ? -1 : 1;
	if (a->packets != b->packets)
		return a->packets > b->packets ? -1 : 1;
	return (a->i > b->i) - (a->i < b->i);
}

static size_t stats_sorted(const struct stats_pair *s, const struct stats_list *l,
			   struct stats_row *rows)
{
	json_t *row;
	size_t i;

	json_array_foreach (json_object_get(s->now, l->name), i, row) {
		struct stats_row *r = &rows[i];

		*r = (struct stats_row){row, i, 0, -1};
		if (!json_object_get(row, "packets"))
			continue;
		r->packets = show_number(row, "packets");
		stats_rate(s, row, stats_same(s, l->name, i, row), "packets", &r->rate);
	}
	qsort(rows, i, sizeof(*rows), stats_busier);
	return i;
}

/* Prints a heading and as many rows as fit in the lines, and how many there are if not all do. */
static void stats_put_top(FILE *to, const struct stats_pair *s, const struct stats_list *l,
			  unsigned int lines)
{
	size_t n = json_array_size(json_object_get(s->now, l->name)), i = 0;
	struct stats_row *rows = calloc(n ? n : 1, sizeof(*rows));

	if (!rows || lines < 2) {
		free(rows);
		return;
	}
	stats_sorted(s, l, rows);
	stats_put_heading(to, s, l);
	for (; i < n && (i + 2 < lines || (i + 2 == lines && i + 1 == n)); i++)
		l->put(to, s, rows[i].now, rows[i].i);
	if (i < n)
		fprintf(to, "%6s%zu more %s\n", "... ", n - i, l->name);
	free(rows);
}

void stats_top(FILE *to, const struct stats_pair *s, unsigned int lines)
{
	size_t queues = json_array_size(json_object_get(s->now, "queues"));
	size_t rules = json_array_size(json_object_get(s->now, "rules"));
	unsigned int for_queues = queues + 1 < lines / 2 ? (unsigned int)queues + 1 : lines / 2;

	stats_put_top(to, s, &stats_queues, for_queues);
	fputc('\n', to);
	if (rules)
		stats_put_top(to, s, &stats_rules, lines - for_queues - 1);
	else
		stats_no_rules(to, s);
}
