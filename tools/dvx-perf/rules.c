/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The measurement of rules: for each way to write them, the latency of one at a time, then the rate of
 * all, of insertion, update and deletion.
 */
#include <errno.h>
#include <stdlib.h>
#include "exits.h"
#include "plot.h"
#include "progress.h"
#include "responder.h"
#include "rules.h"
#include "stop.h"
#include "ticks.h"
#include "tools/cli/message.h"

#define RULES_COUNT   10000
#define RULES_SAMPLES 1000 /* of latency, at most */

const char *const rules_op_names[RULES_OPS] = {"insert", "update", "delete"};

static int bench_matcher(struct rules_bench *b)
{
	struct dvx_flow_match match = {0};
	struct dvx_flow_matcher_attr attr = {
		.size = sizeof(attr), .match = &match, .expected_rules = b->args->count};
	int err = b->key->set(&match, 0);

	return err ? err : dvx_flow_matcher_create(b->table, &attr, &b->matcher);
}

static int bench_open(struct rules_bench *b, const struct rules_engine *e)
{
	struct dvx_flow_domain_attr attr = {
		.size = sizeof(attr), .flags = e->domain_flags, .side = DVX_FLOW_RX};
	int err = dvx_flow_domain_create(b->dev, &attr, &b->domain);

	if (!err)
		err = dvx_flow_table_create(b->domain, 1, &b->table);
	if (!err)
		err = dvx_flow_action_create_drop(b->domain, &b->action[0]);
	if (!err)
		err = dvx_flow_action_create_default(b->domain, &b->action[1]);
	if (!err)
		err = bench_matcher(b);
	b->acts = calloc(b->args->count, 1);
	return err ? err : b->acts ? e->open(b) : -ENOMEM;
}

/* Destroys what there is. */
static int bench_close(struct rules_bench *b, const struct rules_engine *e)
{
	int err = e->close(b);

	if (!err)
		err = dvx_flow_matcher_destroy(b->matcher);
	for (uint32_t i = 0; i < RULES_ACTIONS && !err; i++)
		err = dvx_flow_action_destroy(b->action[i]);
	if (!err)
		err = dvx_flow_table_destroy(b->table);
	if (!err)
		err = dvx_flow_domain_destroy(b->domain);
	free(b->acts);
	return err;
}

/* Does an operation with one rule after the other. */
static int bench_latency(struct rules_bench *b, struct rules_result *r, double ns_per_tick)
{
	uint32_t n = b->args->count < RULES_SAMPLES ? b->args->count : RULES_SAMPLES;
	struct histogram h = {0};
	int err = 0;

	for (uint32_t i = 0; i < n && !err && !stop_asked(); i++) {
		uint64_t began = ticks();

		err = r->engine->apply(b, r->op, i, 1);
		hist_add(&h, ticks() - began);
	}
	r->samples = h.n;
	result_times(&h, ns_per_tick, r->latency);
	return err;
}

static int bench_rate(struct rules_bench *b, struct rules_result *r, double ns_per_tick)
{
	uint64_t began = ticks();
	int err;

	b->retried = 0;
	err = r->engine->apply(b, r->op, 0, b->args->count);
	r->rate = b->args->count / ((double)(ticks() - began) * ns_per_tick * 1e-9);
	r->retried = b->retried;
	return err;
}

typedef int bench_fn(struct rules_bench *, struct rules_result *, double ns_per_tick);

static int bench_run(struct rules_bench *b, struct rules_result r[RULES_OPS])
{
	static bench_fn *const measure[] = {bench_latency, bench_rate};
	double ns_per_tick = ticks_to_ns();
	int err = 0;

	for (size_t i = 0; i < sizeof(measure) / sizeof(measure[0]); i++)
		for (enum rules_op op = 0; op < RULES_OPS && !err && !stop_asked(); op++)
			err = measure[i](b, &r[op], ns_per_tick);
	return err;
}

static int rules_failed(const struct rules_of *of, const struct rules_engine *e, int err)
{
	message_print("%s on %s: %s", e->name, site_name(of->site), dvx_strerror(err));
	return err == -EOPNOTSUPP ? EXIT_DONE : EXIT_DEVICE;
}

/* Measures an engine. One that the device lacks has no results, which is no failure. */
static int rules_engine_run(const struct rules_of *of, const struct rules_engine *e,
			    struct rules_result r[RULES_OPS], size_t *n)
{
	struct rules_bench b = {.args = of->args, .key = of->key, .dev = of->site->dev};
	int err, closed, code = EXIT_DONE;

	for (enum rules_op op = 0; op < RULES_OPS; op++)
		r[op] = (struct rules_result){.engine = e, .op = op};
	err = bench_open(&b, e);
	if (!err)
		err = bench_run(&b, r);
	if (err)
		code = rules_failed(of, e, err);
	closed = bench_close(&b, e);
	if (err || stop_asked())
		return code;
	if (closed)
		return rules_failed(of, e, closed) ?: EXIT_DEVICE;
	for (enum rules_op op = 0; op < RULES_OPS && !code; op++)
		code = rules_print(of, &r[op]);
	*n += RULES_OPS;
	return code;
}

static int rules_all(const struct rules_of *of)
{
	static const struct rules_engine *const engines[RULES_ENGINES] = {&rules_sws, &rules_hws,
									  &rules_requests};
	static struct rules_result results[RULES_ENGINES * RULES_OPS];
	int code = rules_begin(of);
	size_t n = 0;

	for (size_t i = 0; i < RULES_ENGINES && !code && !stop_asked(); i++)
		code = rules_engine_run(of, engines[i], results + n, &n);
	if (!code && !n && !stop_asked())
		code = EXIT_DEVICE;
	if (!code)
		code = rules_end(of, results, n);
	return code || !n ? code : rules_plot(of, results, n);
}

int perf_cmd_rules(const struct perf_args *a)
{
	struct perf_args own = *a;
	struct perf_site site;
	struct rules_of of = {&own, &site, a->key};
	int code;

	if (RULES_BLOCKS * a->window > RESPONDER_SQ_BLOCKS) {
		message_print("--window=%u: rules have up to %u outstanding requests", a->window,
			      RESPONDER_SQ_BLOCKS / RULES_BLOCKS);
		return EXIT_USAGE;
	}
	code = plot_begin(a->plot);
	if (code)
		return code;
	own.count = a->count ? a->count : RULES_COUNT;
	stop_catch();
	code = site_open(&site, a->device, SITE_ANY_GID);
	if (!code)
		code = rules_all(&of);
	plot_drop();
	if (!code)
		code = stop_code();
	site_close(&site);
	return code;
}
