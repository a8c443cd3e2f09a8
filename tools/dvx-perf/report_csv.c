/* SPDX-License-Identifier: BSD-2-Clause */
/* The report as comma-separated values: a header, then a line for each result. */
#include "report.h"

static void csv_header(const struct report_of *of)
{
	(void)of;
	printf("device,board,peer,operation,transport,engine,bytes,threads,qps,window,batch,"
	       "signal,inline,sges,srq,doorbell,messages");
	for (int i = 0; i < FIGURES; i++)
		printf(",latency_%s_ns", perf_figure_names[i]);
	for (int i = 0; i < FIGURES; i++)
		printf(",post_%s_ns", perf_figure_names[i]);
	printf(",messages_per_s,bytes_per_s\n");
}

/* Prints the header, once for all operations. */
static int csv_begin(const struct report_of *of, const struct perf_result *first)
{
	static bool printed;

	(void)first;
	if (!printed)
		csv_header(of);
	printed = true;
	return report_flush();
}

static int csv_add(const struct report_of *of, const struct perf_result *r)
{
	const struct perf_args *a = of->args;

	printf("%s,%s,%s,%s,%s,%s,%u,%u,%u,%u,%u,%u,%u,%u,%d,%s,%llu", site_name(of->site),
	       of->site->board, of->peer ? of->peer : "itself", perf_ops[r->op].name,
	       a->transport->name, r->engine->name, perf_ops[r->op].bytes ? r->size : 0,
	       options_threads(a), a->qps, a->window, a->batch, a->signal, a->inline_max, a->sges,
	       a->srq || a->transport->pooled, a->no_blueflame ? "register" : "blueflame",
	       (unsigned long long)r->messages);
	for (int i = 0; i < FIGURES; i++)
		printf(",%.1f", r->latency[i]);
	for (int i = 0; i < FIGURES; i++)
		printf(",%.1f", r->post[i]);
	if (r->rate > 0)
		printf(",%.0f,%.0f\n", r->rate, result_bytes(r));
	else
		printf(",,\n");
	return report_flush();
}

const struct perf_report report_csv = {.begin = csv_begin, .add = csv_add};
