/* SPDX-License-Identifier: BSD-2-Clause */
#include "report.h"
#include "stop.h"
#include "tools/cli/json.h"

static json_t *json_figures(const double f[FIGURES])
{
	json_t *j = json_object();

	for (int i = 0; i < FIGURES; i++)
		json_object_set_new(j, perf_figure_names[i], json_real(f[i]));
	return j;
}

/* Returns [[from, to, count], ...] of the buckets that are not empty, in ns. */
static json_t *json_histogram(const struct perf_result *r)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < HIST_BUCKETS; i++)
		if (r->histogram.bucket[i])
			json_array_append_new(
				list, json_pack("[f, f, I]", (double)hist_low(i) * r->ns_per_tick,
						(double)hist_low(i + 1) * r->ns_per_tick,
						(json_int_t)r->histogram.bucket[i]));
	return list;
}

/* Returns a rate, or null if there is none. */
static json_t *json_rate(const struct perf_result *r, double rate)
{
	return r->rate > 0 ? json_real(rate) : json_null();
}

/* Lists the percentiles that equal the maximum, because there are too few messages. */
static json_t *json_too_few(const struct perf_result *r)
{
	json_t *list = json_array();

	for (enum perf_figure f = 0; f < FIGURES; f++)
		if (result_too_few(r, f))
			json_array_append_new(list, json_string(perf_figure_names[f]));
	return list;
}

static json_t *json_result(const struct perf_result *r, bool histogram)
{
	json_t *j =
		json_pack("{s:s, s:s, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "operation",
			  perf_ops[r->op].name, "engine", r->engine->name, "bytes",
			  (json_int_t)(perf_ops[r->op].bytes ? r->size : 0), "messages",
			  (json_int_t)r->messages, "warmup", (json_int_t)r->warmup, "latency_ns",
			  json_figures(r->latency), "post_ns", json_figures(r->post), "too_few_for",
			  json_too_few(r), "messages_per_s", json_rate(r, r->rate), "bytes_per_s",
			  json_rate(r, result_bytes(r)));

	if (histogram)
		json_object_set_new(j, "histogram_ns", json_histogram(r));
	return j;
}

static int json_end(const struct report_of *of, const struct perf_results *all)
{
	const struct perf_args *a = of->args;
	json_t *list = json_array();

	for (size_t i = 0; i < all->n; i++)
		json_array_append_new(list, json_result(all->list[i], a->histogram));
	return json_out(json_pack(
		"{s:s, s:s, s:b, s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:b, s:s, s:b, s:o}",
		"device", site_name(of->site), "board", of->site->board, "emulator",
		site_is_emulator(of->site), "peer", of->peer ? of->peer : "itself", "transport",
		a->transport->name, "threads", (int)options_threads(a), "qps", (int)a->qps,
		"window", (int)a->window, "batch", (int)a->batch, "signal", (int)a->signal,
		"inline", (int)a->inline_max, "sges", (int)a->sges, "srq",
		a->srq || a->transport->pooled, "doorbell",
		a->no_blueflame ? "register" : "blueflame", "interrupted", stop_asked(), "results",
		list));
}

const struct perf_report report_json = {.end = json_end};
