/* SPDX-License-Identifier: BSD-2-Clause */
/* The measurements: for each operation and size, the engines take turns in rounds. */
#include <stdlib.h>
#include <sys/mman.h>
#include "exits.h"
#include "plot.h"
#include "progress.h"
#include "report.h"
#include "session.h"
#include "stop.h"
#include "ticks.h"
#include "tools/cli/message.h"

#define AUTO_COUNT  2000
#define AUTO_WARMUP 100
#define AUTO_LEAST  20
#define AUTO_BYTES  (128u << 20) /* bytes that a measurement moves, without --count */

struct run {
	const struct perf_args *a;
	const struct perf_report *report;
	struct report_of of;
	struct perf_site site;
	struct control control;
	struct perf_peer peer;
	struct perf_params p;
	struct perf_session session[PERF_ENGINES];
	size_t sessions;
	struct perf_results results;
	double ns_per_tick;
};

static uint32_t run_count(const struct perf_args *a, uint32_t size)
{
	uint32_t n = AUTO_BYTES / size;

	if (a->count)
		return a->count;
	return n > AUTO_COUNT ? AUTO_COUNT : n < AUTO_LEAST ? AUTO_LEAST : n;
}

static int run_round(struct run *r, uint32_t round)
{
	const int *cpu = r->a->cpus ? r->a->cpu : NULL;

	for (size_t i = 0; i < r->sessions && !stop_asked(); i++) {
		int code = session_latency(&r->session[i], cpu, round);

		if (!code && !stop_asked())
			code = session_rate(&r->session[i], cpu, round);
		if (code) {
			progress_clear();
			message_print("%s stopped: %s of %u bytes", r->session[i].engine->name,
				      perf_ops[r->p.op].name, r->p.size);
			return peer_print_error(&r->peer, code);
		}
	}
	return EXIT_DONE;
}

/* Whether another round follows: until --duration is over, or for the given number of rounds. */
static bool run_goes_on(const struct run *r, uint32_t round, uint64_t began)
{
	if (stop_asked())
		return false;
	if (r->a->duration > 0)
		return !round || (double)(ticks_now_ns() - began) < r->a->duration * 1e9;
	return round < r->a->rounds;
}

static int run_rounds(struct run *r)
{
	uint64_t began = ticks_now_ns();
	int code = EXIT_DONE;

	for (uint32_t round = 0; !code && run_goes_on(r, round, began); round++)
		code = run_round(r, round + 1);
	return code;
}

/*
 * Returns the messages of a warm-up: a tenth of the measurement, but no more than it takes to load
 * code, pages and caches.
 */
static uint32_t run_warmup(const struct run *r)
{
	uint32_t tenth = (r->p.count + 9) / 10;

	if (r->a->warmup != PERF_AUTO_WARMUP)
		return r->a->warmup;
	return tenth < AUTO_WARMUP ? tenth : AUTO_WARMUP;
}

/* Runs a round without keeping its results. */
static int run_warm(struct run *r)
{
	uint32_t count = r->p.count;
	int code = EXIT_DONE;

	r->p.count = run_warmup(r);
	if (r->p.count)
		code = run_round(r, 0);
	r->p.count = count;
	for (size_t i = 0; i < r->sessions; i++)
		session_reset(&r->session[i]);
	return code;
}

static int run_result(struct run *r, const struct perf_session *s)
{
	struct perf_result *result;
	struct histogram post = {0};

	if (!s->thread->latency.n) /* interrupted before the first message */
		return EXIT_DONE;
	result = results_add(&r->results);
	if (!result)
		return EXIT_INPUT;
	result->op = r->p.op;
	result->size = r->p.size;
	result->engine = s->engine;
	result->ns_per_tick = r->ns_per_tick;
	for (uint32_t i = 0; i < r->p.threads; i++) {
		hist_merge(&result->histogram, &s->thread[i].latency);
		hist_merge(&post, &s->thread[i].post);
	}
	result->messages = result->histogram.n;
	result->warmup = run_warmup(r);
	result_times(&result->histogram, r->ns_per_tick, result->latency);
	result_times(&post, r->ns_per_tick, result->post);
	if (s->rate_messages)
		result->rate =
			(double)s->rate_messages / ((double)s->rate_ticks * r->ns_per_tick * 1e-9);
	return r->report->add ? r->report->add(&r->of, result) : EXIT_DONE;
}

static int run_size(struct run *r, uint32_t size)
{
	int code;

	r->p.size = size;
	r->p.count = run_count(r->a, size);
	for (size_t i = 0; i < r->sessions; i++)
		session_reset(&r->session[i]);
	code = run_warm(r);
	if (!code)
		code = run_rounds(r);
	progress_clear();
	for (size_t i = 0; !code && i < r->sessions; i++)
		code = run_result(r, &r->session[i]);
	return code;
}

static int run_sizes(struct run *r)
{
	int code = EXIT_DONE;

	if (!r->a->all_sizes || perf_ops[r->p.op].only)
		return run_size(r, r->p.max_size);
	for (uint32_t log = 1; !code && !stop_asked() && 1u << log <= r->p.max_size; log++)
		if (1u << log >= r->a->sges)
			code = run_size(r, 1u << log);
	return code;
}

static int run_memory(struct run *r)
{
	void *at = mmap(NULL, r->p.threads * perf_stride(&r->p), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED) {
		message_print("no memory for %u x %u bytes", r->p.threads, r->p.max_size);
		return EXIT_INPUT;
	}
	r->p.memory = at;
	return EXIT_DONE;
}

static int run_sessions(struct run *r)
{
	uint32_t wanted = options_engines(r->a, r->p.op);
	int code = EXIT_DONE;

	for (size_t i = 0; !code && i < PERF_ENGINES; i++)
		if (wanted & 1u << i)
			code = session_open(&r->session[r->sessions++], perf_engines[i], &r->p,
					    &r->peer);
	return code ? peer_print_error(&r->peer, code) : EXIT_DONE;
}

/* Closes in reverse order. An earlier error takes precedence over those of closing. */
static int run_close(struct run *r, int code)
{
	while (r->sessions) {
		int failed = session_finish(&r->session[--r->sessions], &r->peer, !code);

		code = code ? code : failed;
	}
	munmap(r->p.memory, r->p.threads * perf_stride(&r->p));
	return code;
}

static uint32_t run_max_size(const struct perf_args *a, enum perf_op op)
{
	if (perf_ops[op].only)
		return perf_ops[op].only;
	return a->all_sizes ? 1u << ALL_SIZES_LOG : options_size(a);
}

/* Checks that a datagram fits into a packet; --all ends at that size. */
static int run_check_datagram(const struct run *r)
{
	uint32_t most = site_mtu(&r->site);

	if (r->p.transport->id != PERF_UD || r->p.max_size <= most)
		return EXIT_DONE;
	message_print("--size=%u: a datagram has at most %u bytes, the MTU of %s", r->p.max_size,
		      most, site_name(&r->site));
	return EXIT_INPUT;
}

/* Reports an operation that the device lacks. It is an error unless all were requested. */
static int run_lacks(const struct run *r, enum perf_op op, const char *what)
{
	message_print("--op=%s: %s has no %s", perf_ops[op].word, site_name(&r->site), what);
	return r->a->ops == PERF_ALL_OPS ? EXIT_DONE : EXIT_DEVICE;
}

static int run_op(struct run *r, enum perf_op op)
{
	const struct perf_args *a = r->a;
	const char *lacks = site_lacks(&r->site, op);
	struct perf_result first = {.op = op};
	int code;

	if (lacks)
		return run_lacks(r, op, lacks);
	r->p = (struct perf_params){
		.site = &r->site,
		.transport = a->transport,
		.op = op,
		.max_size = run_max_size(a, op),
		.window = a->window,
		.batch = a->batch,
		.signal = a->signal,
		.inline_max = a->inline_max,
		.sges = perf_ops[op].only ? 1 : a->sges,
		.qps = a->qps,
		.threads = options_threads(a),
		.blueflame = !a->no_blueflame,
		.srq = a->srq,
	};
	if (a->all_sizes && a->transport->id == PERF_UD)
		r->p.max_size = site_mtu(&r->site);
	code = run_check_datagram(r);
	if (!code)
		code = run_memory(r);
	if (code)
		return code;
	code = run_sessions(r);
	if (!code && r->report->begin)
		code = r->report->begin(&r->of, &first);
	if (!code)
		code = run_sizes(r);
	return run_close(r, code);
}

static int run_ops(struct run *r)
{
	int code = EXIT_DONE;

	for (enum perf_op op = 0; !code && !stop_asked() && op < PERF_OPS; op++)
		if (options_op(r->a, op))
			code = run_op(r, op);
	if (!code && r->report->end)
		code = r->report->end(&r->of, &r->results);
	return code;
}

static int run_meet(struct run *r)
{
	int code;

	r->peer.site = &r->site;
	if (!r->a->argc)
		return EXIT_DONE;
	code = control_connect(&r->control, r->a->argv[0]);
	if (code)
		return code;
	r->peer.control = &r->control;
	r->of.peer = r->a->argv[0];
	return control_hello(&r->control);
}

static int run_all(struct run *r)
{
	int code = site_open(&r->site, r->a->device, r->a->gid_index);

	if (!code)
		code = run_meet(r);
	r->ns_per_tick = ticks_to_ns();
	if (!code)
		code = run_ops(r);
	if (!code && r->peer.control)
		control_send(&r->control, json_pack("{s:b}", "end", 1));
	if (r->peer.control)
		control_end(&r->control);
	return code;
}

int perf_cmd_measure(const struct perf_args *a)
{
	struct run *r = calloc(1, sizeof(*r));
	int code = r ? plot_begin(a->plot) : EXIT_INPUT;

	if (code)
		return code;
	progress_begin(a->quiet);
	stop_catch();
	r->a = a;
	r->report = a->json ? &report_json : a->csv ? &report_csv : &report_table;
	r->of = (struct report_of){.args = a, .site = &r->site};
	code = run_all(r);
	if (!code && r->results.n)
		code = plot_results(&r->of, &r->results);
	plot_drop();
	if (!code)
		code = stop_code();
	site_close(&r->site);
	results_free(&r->results);
	free(r);
	return code;
}
