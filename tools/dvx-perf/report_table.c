/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include "report.h"
#include "tools/cli/exit.h"
#include "tools/cli/message.h"

const char *report_caution(const struct perf_site *s)
{
	return site_is_emulator(s) ? ", an emulator: its figures are not a NIC's" : "";
}

int report_flush(void)
{
	if (!fflush(stdout))
		return EXIT_DONE;
	message_print("standard output cannot be written: %s", strerror(errno));
	clearerr(stdout); /* reported already */
	return EXIT_INPUT;
}

static int table_begin(const struct report_of *of, const struct perf_result *first)
{
	const struct perf_args *a = of->args;

	printf("%s, %s, %s (%s%s), to %s\n", perf_ops[first->op].name, a->transport->name,
	       site_name(of->site), of->site->board, report_caution(of->site),
	       of->peer ? of->peer : "itself");
	printf("latency: one outstanding, each signaled; rate: %u outstanding, batches of %u, "
	       "1 of %u signaled; %u x %u queues\n",
	       a->window, a->batch, a->signal, options_threads(a), a->qps);
	printf("%-8s %-14s%46s%26s%18s\n", "", "", "latency, us", "post, ns", "rate");
	printf("%8s %-14s", "bytes", "engine");
	for (int i = 0; i < FIGURES; i++)
		printf("%8s", perf_figure_names[i]);
	printf("%8s%8s%9s%9s\n", "p50", "p99", "M/s", "MB/s");
	return report_flush();
}

#define BAR 50

/* Prints the histogram with a line for each power of two, which is enough to see the shape. */
static void table_histogram(const struct perf_result *r)
{
	const struct histogram *h = &r->histogram;
	uint64_t rows[64] = {0}, most = 1;

	for (uint32_t i = 0; i < HIST_BUCKETS; i++)
		rows[63 - __builtin_clzll(hist_high(i) | 1)] += h->bucket[i];
	for (int i = 0; i < 64; i++)
		most = rows[i] > most ? rows[i] : most;
	for (int i = 0; i < 64; i++) {
		double up = r->ns_per_tick / 1e3;

		if (rows[i])
			printf("%12.2f to %8.2f us %10llu %.*s\n", (double)(1ull << i) * up,
			       (double)(2ull << i) * up, (unsigned long long)rows[i],
			       (int)(rows[i] * BAR / most),
			       "##################################################");
	}
}

static int table_add(const struct report_of *of, const struct perf_result *r)
{
	printf("%8u %-14s", perf_ops[r->op].bytes ? r->size : 0, r->engine->name);
	for (int i = 0; i < FIGURES; i++)
		printf(" %7.*f", r->latency[i] < 1e6 ? 2 : 0, r->latency[i] / 1e3);
	printf(" %7.0f %7.0f", r->post[FIG_P50], r->post[FIG_P99]);
	if (r->rate > 0)
		printf("%9.3f%9.0f\n", r->rate / 1e6, result_bytes(r) / 1e6);
	else
		printf("%9s%9s\n", "-", "-");
	if (of->args->histogram)
		table_histogram(r);
	return report_flush();
}

/* Prints which percentiles mean nothing, for the result with the fewest messages. */
static int table_end(const struct report_of *of, const struct perf_results *all)
{
	const struct perf_result *least = all->n ? all->list[0] : NULL;
	enum perf_figure f = FIG_P50;

	(void)of;
	for (size_t i = 1; i < all->n; i++)
		if (all->list[i]->messages < least->messages)
			least = all->list[i];
	while (least && f < FIG_MAX && !result_too_few(least, f))
		f++;
	if (least && f < FIG_MAX)
		printf("of %llu messages (the fewest of a line) %s and above are the slowest one\n",
		       (unsigned long long)least->messages, perf_figure_names[f]);
	return report_flush();
}

const struct perf_report report_table = {.begin = table_begin, .add = table_add, .end = table_end};
