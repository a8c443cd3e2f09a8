/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include "report.h"
#include "tools/cli/json.h"

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Nearest rank: the smallest sample that is not exceeded by this share of the samples. */
static double percentile(const uint64_t *sorted, uint32_t n, double share, double ns_per_tick)
{
	uint32_t rank = (uint32_t)(share * n);

	if ((double)rank < share * n)
		rank++;
	return n ? (double)sorted[rank ? rank - 1 : 0] * ns_per_tick : 0;
}

struct figures figures_of(const char *name, struct samples *s, double ns)
{
	struct figures f = { .name = name };

	qsort(s->latency, s->n, sizeof(*s->latency), by_value);
	qsort(s->post, s->n, sizeof(*s->post), by_value);
	f.p50 = percentile(s->latency, s->n, 0.5, ns);
	f.p90 = percentile(s->latency, s->n, 0.9, ns);
	f.p99 = percentile(s->latency, s->n, 0.99, ns);
	f.p999 = percentile(s->latency, s->n, 0.999, ns);
	f.max = percentile(s->latency, s->n, 1, ns);
	f.post_p50 = percentile(s->post, s->n, 0.5, ns);
	f.post_p99 = percentile(s->post, s->n, 0.99, ns);
	if (s->burst_ticks)
		f.rate = (double)s->burst_count / ((double)s->burst_ticks * ns * 1e-9);
	return f;
}

void report_table(const struct perf_params *p, const struct figures *f, size_t n)
{
	printf("RDMA_WRITE of %u bytes on %s; latency of one outstanding, %u times; rate with %u outstanding\n",
	       p->size, p->device, p->count * p->rounds, p->window);
	printf("%-14s %40s %15s %10s\n", "", "latency, us               ", "post call, ns",
	       "rate, M/s");
	printf("%-14s %8s%8s%8s%8s%8s %7s%8s\n", "", "p50", "p90", "p99", "p99.9", "max", "p50",
	       "p99");
	for (size_t i = 0; i < n; i++)
		printf("%-14s %8.2f%8.2f%8.2f%8.2f%8.1f %7.0f%8.0f %10.3f\n", f[i].name,
		       f[i].p50 / 1e3, f[i].p90 / 1e3, f[i].p99 / 1e3, f[i].p999 / 1e3,
		       f[i].max / 1e3, f[i].post_p50, f[i].post_p99, f[i].rate / 1e6);
}

int report_json(const struct perf_params *p, const struct figures *f, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(
			list, json_pack("{s:s, s:{s:f, s:f, s:f, s:f, s:f}, s:{s:f, s:f}, s:f}",
					"engine", f[i].name, "latency_ns", "p50", f[i].p50, "p90",
					f[i].p90, "p99", f[i].p99, "p99.9", f[i].p999, "max",
					f[i].max, "post_ns", "p50", f[i].post_p50, "p99",
					f[i].post_p99, "rate_per_s", f[i].rate));
	return json_out(json_pack("{s:s, s:s, s:I, s:I, s:I, s:o}", "operation", "RDMA_WRITE",
				  "device", p->device, "bytes", (json_int_t)p->size, "messages",
				  (json_int_t)p->count * p->rounds, "window", (json_int_t)p->window,
				  "engines", list));
}
