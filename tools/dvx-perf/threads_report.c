/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include "plot.h"
#include "report.h"
#include "stop.h"
#include "threads.h"
#include "tools/cli/json.h"

static double threads_bytes(const struct threads_of *of, const struct threads_result *r)
{
	return r->rate * of->args->size;
}

static void threads_head(const struct threads_of *of)
{
	const struct perf_args *a = of->args;

	printf("RDMA_WRITE of %u bytes on each of %u connections, %u cycles; %s (%s%s)\n", a->size,
	       a->connections, a->count, site_name(of->site), of->site->board,
	       report_caution(of->site));
	printf("shared: %u queues of all threads, each under a lock; own: %u of each thread\n",
	       a->queues, a->queues);
	printf("%7s  %-26s%10s%10s%14s   %s\n", "threads", "", "M/s", "MB/s", "doorbell, ns",
	       "contended: waits for locks");
}

int threads_begin(const struct threads_of *of)
{
	if (of->args->json)
		return 0;
	if (of->args->csv)
		printf("device,board,mode,threads,connections,queues,bytes,messages,messages_per_s,"
		       "bytes_per_s,queue_lock_takes,queue_lock_waits,queue_lock_share,"
		       "register_lock_takes,register_lock_waits,register_lock_share,"
		       "queue_lock_mean_ns,queue_lock_longest_ns,register_lock_mean_ns,"
		       "register_lock_longest_ns,doorbell_ns\n");
	else
		threads_head(of);
	return report_flush();
}

/* Return the mean and the longest wait for a lock, in ns. */
static double waits_mean(const struct threads_result *r, const struct hub_waits *w)
{
	return w->waits ? (double)w->ticks * r->ns_per_tick / (double)w->waits : 0;
}

static double waits_longest(const struct threads_result *r, const struct hub_waits *w)
{
	return (double)w->longest * r->ns_per_tick;
}

static void threads_contended(const struct threads_result *r, const char *what,
			      const struct hub_waits *w, double share)
{
	printf("%s: %llu of %llu takes waited, %.1f %% of the time", what,
	       (unsigned long long)w->waits, (unsigned long long)w->takes, 100 * share);
	if (w->waits)
		printf(", mean %.1f us, longest %.0f us", waits_mean(r, w) / 1e3,
		       waits_longest(r, w) / 1e3);
	printf("\n");
}

static void threads_row(const struct threads_of *of, const struct threads_result *r)
{
	printf("%7u  %-26s%10.3f%10.0f%14.0f   ", r->threads, hub_mode_names[r->mode],
	       r->rate / 1e6, threads_bytes(of, r) / 1e6, r->doorbell);
	if (r->mode == HUB_SHARED)
		threads_contended(r, "queue", &r->queue_lock, r->queue_share);
	else if (r->mode == HUB_OWN)
		threads_contended(r, "register", &r->register_lock, r->register_share);
	else
		printf("nothing in this process\n");
}

static void threads_csv(const struct threads_of *of, const struct threads_result *r)
{
	const struct perf_args *a = of->args;

	printf("%s,%s,%s,%u,%u,%u,%u,%llu,%.0f,%.0f,%llu,%llu,%.4f,%llu,%llu,%.4f,%.1f,%.1f,%.1f,%."
	       "1f,%.1f\n",
	       site_name(of->site), of->site->board, hub_mode_names[r->mode], r->threads,
	       a->connections, a->queues, a->size, (unsigned long long)r->messages, r->rate,
	       threads_bytes(of, r), (unsigned long long)r->queue_lock.takes,
	       (unsigned long long)r->queue_lock.waits, r->queue_share,
	       (unsigned long long)r->register_lock.takes,
	       (unsigned long long)r->register_lock.waits, r->register_share,
	       waits_mean(r, &r->queue_lock), waits_longest(r, &r->queue_lock),
	       waits_mean(r, &r->register_lock), waits_longest(r, &r->register_lock), r->doorbell);
}

int threads_print(const struct threads_of *of, const struct threads_result *r)
{
	if (of->args->json)
		return 0;
	if (of->args->csv)
		threads_csv(of, r);
	else
		threads_row(of, r);
	return report_flush();
}

static json_t *waits_json(const struct threads_result *r, const struct hub_waits *w, double share)
{
	return json_pack("{s:I, s:I, s:f, s:f, s:f}", "takes", (json_int_t)w->takes, "waits",
			 (json_int_t)w->waits, "share_of_time", share, "mean_ns", waits_mean(r, w),
			 "longest_ns", waits_longest(r, w));
}

int threads_end(const struct threads_of *of, const struct threads_result *r, size_t n)
{
	const struct perf_args *a = of->args;
	json_t *list;

	if (!a->json)
		return 0;
	list = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(
			list,
			json_pack("{s:s, s:i, s:I, s:f, s:f, s:f, s:o, s:o}", "mode",
				  hub_mode_names[r[i].mode], "threads", (int)r[i].threads,
				  "messages", (json_int_t)r[i].messages, "messages_per_s",
				  r[i].rate, "bytes_per_s", threads_bytes(of, &r[i]), "doorbell_ns",
				  r[i].doorbell, "queue_lock",
				  waits_json(&r[i], &r[i].queue_lock, r[i].queue_share),
				  "register_lock",
				  waits_json(&r[i], &r[i].register_lock, r[i].register_share)));
	return json_out(json_pack("{s:s, s:s, s:b, s:s, s:i, s:i, s:i, s:i, s:i, s:b, s:o}",
				  "device", site_name(of->site), "board", of->site->board,
				  "emulator", site_is_emulator(of->site), "operation", "RDMA_WRITE",
				  "bytes", (int)a->size, "connections", (int)a->connections,
				  "queues", (int)a->queues, "window", (int)a->window, "cycles",
				  (int)a->count, "interrupted", stop_asked(), "results", list));
}

int threads_plot(const struct threads_of *of, const struct threads_result *r, size_t n)
{
	FILE *f = plot_commands();

	if (!f)
		return 0;
	for (enum hub_mode mode = 0; mode < HUB_MODES; mode++) {
		fprintf(f, "$d_%d << EOD\n", mode);
		for (size_t i = 0; i < n; i++)
			if (r[i].mode == mode)
				fprintf(f, "%u %g\n", r[i].threads, r[i].rate / 1e6);
		fprintf(f, "EOD\n");
	}
	fprintf(f, "set terminal svg size 900,600 background \"white\"\nset grid\n"
		   "set key outside bottom center horizontal\nset xlabel \"threads\" offset 0,0.5\n"
		   "set ylabel \"messages, M/s\"\nset yrange [0:*]\nset xtics 1\n");
	plot_title(f, "Rate against threads", of->site);
	for (enum hub_mode mode = 0; mode < HUB_MODES; mode++)
		fprintf(f, "%s$d_%d using 1:2 with linespoints title \"%s\"", mode ? ", " : "plot ",
			mode, hub_mode_names[mode]);
	fprintf(f, "\n");
	return plot_end();
}
