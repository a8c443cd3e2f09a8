/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include "plot.h"
#include "report.h"
#include "rules.h"
#include "stop.h"
#include "tools/cli/json.h"

static void rules_head(const struct rules_of *of)
{
	const struct perf_args *a = of->args;

	printf("%u rules of %s; %s (%s%s)\n", a->count, of->key->name, site_name(of->site),
	       of->site->board, report_caution(of->site));
	printf("latency: one at a time, until it is in effect; rate: all; hws.h: batches of %u, %u "
	       "outstanding\n",
	       a->batch, a->window);
	printf("%-26s%56s%14s%12s\n%-18s%-8s", "", "latency, us", "rate", "no room at", "steering",
	       "");
	for (int i = 0; i < FIGURES; i++)
		printf("%8s", perf_figure_names[i]);
	printf("%14s%12s\n", "rules/s", "first");
}

int rules_begin(const struct rules_of *of)
{
	if (of->args->json)
		return 0;
	if (of->args->csv)
		printf("device,board,steering,operation,key,rules,batch,window,samples,min_ns,p50_"
		       "ns,p90_ns,p99_ns,p99.9_ns,p99.99_ns,max_ns,rules_per_s,retried\n");
	else
		rules_head(of);
	return report_flush();
}

static void rules_row(const struct rules_result *r)
{
	printf("%-18s%-8s", r->engine->name, rules_op_names[r->op]);
	for (int i = 0; i < FIGURES; i++)
		printf("%8.1f", r->latency[i] / 1e3);
	printf("%14.0f%12llu\n", r->rate, (unsigned long long)r->retried);
}

static void rules_csv(const struct rules_of *of, const struct rules_result *r)
{
	const struct perf_args *a = of->args;

	printf("%s,%s,%s,%s,%s,%u,%u,%u,%llu", site_name(of->site), of->site->board,
	       r->engine->word, rules_op_names[r->op], of->key->word, a->count, a->batch, a->window,
	       (unsigned long long)r->samples);
	for (int i = 0; i < FIGURES; i++)
		printf(",%.1f", r->latency[i]);
	printf(",%.0f,%llu\n", r->rate, (unsigned long long)r->retried);
}

int rules_print(const struct rules_of *of, const struct rules_result *r)
{
	if (of->args->json)
		return 0;
	if (of->args->csv)
		rules_csv(of, r);
	else
		rules_row(r);
	return report_flush();
}

static json_t *rules_result_json(const struct rules_result *r)
{
	json_t *figures = json_object();

	for (int i = 0; i < FIGURES; i++)
		json_object_set_new(figures, perf_figure_names[i], json_real(r->latency[i]));
	return json_pack("{s:s, s:s, s:I, s:o, s:f, s:I}", "steering", r->engine->word, "operation",
			 rules_op_names[r->op], "samples", (json_int_t)r->samples, "latency_ns",
			 figures, "rules_per_s", r->rate, "retried", (json_int_t)r->retried);
}

int rules_end(const struct rules_of *of, const struct rules_result *r, size_t n)
{
	const struct perf_args *a = of->args;
	json_t *list;

	if (!a->json)
		return 0;
	list = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, rules_result_json(&r[i]));
	return json_out(json_pack("{s:s, s:s, s:b, s:s, s:i, s:i, s:i, s:b, s:o}", "device",
				  site_name(of->site), "board", of->site->board, "emulator",
				  site_is_emulator(of->site), "key", of->key->word, "rules",
				  (int)a->count, "batch", (int)a->batch, "window", (int)a->window,
				  "interrupted", stop_asked(), "results", list));
}

int rules_plot(const struct rules_of *of, const struct rules_result *r, size_t n)
{
	FILE *f = plot_commands();

	if (!f)
		return 0;
	fprintf(f, "$d << EOD\n");
	for (size_t i = 0; i < n; i += RULES_OPS)
		fprintf(f, "\"%s\" %g %g %g\n", r[i].engine->name, r[i].rate / 1e3,
			r[i + 1].rate / 1e3, r[i + 2].rate / 1e3);
	fprintf(f, "EOD\nset terminal svg size 900,600 background \"white\"\nset grid y\n"
		   "set style data histograms\nset style fill solid 0.7\nset boxwidth 0.9\n"
		   "set key outside bottom center horizontal\nset yrange [0:*]\n"
		   "set ylabel \"rules a second, thousands\"\n");
	plot_title(f, "Rules by requests, and by software steering", of->site);
	for (enum rules_op op = 0; op < RULES_OPS; op++)
		fprintf(f, "%s$d using %d:xtic(1) title \"%s\"", op ? ", " : "plot ", op + 2,
			rules_op_names[op]);
	fprintf(f, "\n");
	return plot_end();
}
