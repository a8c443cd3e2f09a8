/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include "result.h"
#include "tools/cli/message.h"

const char *const perf_figure_names[FIGURES] = {"min",	 "p50",	   "p90", "p99",
						"p99.9", "p99.99", "max"};
static const double shares[FIGURES] = {[FIG_P50] = 0.5,
				       [FIG_P90] = 0.9,
				       [FIG_P99] = 0.99,
				       [FIG_P999] = 0.999,
				       [FIG_P9999] = 0.9999};

void result_times(const struct histogram *h, double ns_per_tick, double to[FIGURES])
{
	for (int i = FIG_P50; i < FIG_MAX; i++)
		to[i] = (double)hist_percentile(h, shares[i]) * ns_per_tick;
	to[FIG_MIN] = (double)h->min * ns_per_tick;
	to[FIG_MAX] = (double)h->max * ns_per_tick;
}

bool result_too_few(const struct perf_result *r, enum perf_figure f)
{
	return f > FIG_MIN && f < FIG_MAX && (double)r->messages * (1 - shares[f]) < 0.999;
}

struct perf_result *results_add(struct perf_results *all)
{
	struct perf_result **list = realloc(all->list, (all->n + 1) * sizeof(*list));
	struct perf_result *r = list ? calloc(1, sizeof(*r)) : NULL;

	if (list)
		all->list = list;
	if (r)
		all->list[all->n++] = r;
	else
		message_print("no memory for a result");
	return r;
}

void results_free(struct perf_results *all)
{
	for (size_t i = 0; i < all->n; i++)
		free(all->list[i]);
	free(all->list);
}
