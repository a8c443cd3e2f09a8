/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "options.h"
#include "rules.h"
#include "tools/cli/complete.h"

const struct perf_engine *const perf_engines[PERF_ENGINES] = {&engine_dvx, &engine_template,
							      &engine_wr, &engine_post_send};

/* Returns the word for bit i. */
typedef const char *word_fn(size_t i);

static const char *word_of_op(size_t i)
{
	return i < PERF_OPS ? perf_ops[i].word : NULL;
}

static const char *word_of_engine(size_t i)
{
	return i < PERF_ENGINES ? perf_engines[i]->word : NULL;
}

static const char *word_of_transport(size_t i)
{
	return perf_transports[i].name;
}

static void options_list(word_fn *word, char *buf, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; word(i) && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s", i ? ", " : "", word(i));
}

static bool word_is(const char *word, const char *text, size_t n)
{
	return strlen(word) == n && !strncasecmp(word, text, n);
}

/* Turns a comma-separated list of words into bits; "all" is all bits. */
static uint32_t take_words(struct argp_state *state, const char *option, const char *arg,
			   word_fn *word)
{
	uint32_t bits = 0;
	char known[256];

	for (const char *at = arg;; at++) {
		size_t n = strcspn(at, ","), found = 0, i;

		for (i = 0; word(i); i++)
			if (word_is(word(i), at, n) || word_is("all", at, n)) {
				bits |= 1u << i;
				found++;
			}
		if (!found) {
			options_list(word, known, sizeof(known));
			argp_error(state, "%s takes some of %s, or all, not \"%.*s\"", option,
				   known, (int)n, at);
		}
		at += n;
		if (!*at)
			return bits;
	}
}

static const struct perf_transport *take_transport(struct argp_state *state, const char *arg)
{
	char known[64];

	for (size_t i = 0; word_of_transport(i); i++)
		if (!strcasecmp(word_of_transport(i), arg))
			return &perf_transports[i];
	options_list(word_of_transport, known, sizeof(known));
	argp_error(state, "--connection takes one of %s, not \"%s\"", known, arg);
	return NULL;
}

/* Reads N or N-M at *at, and moves *at behind it. false if it is neither. */
static bool take_range(const char **at, int *from, int *to)
{
	int n = -1;

	if (sscanf(*at, "%4d-%4d%n", from, to, &n) < 2 || n < 0) {
		n = -1;
		if (sscanf(*at, "%4d%n", from, &n) < 1 || n < 0)
			return false;
		*to = *from;
	}
	*at += n;
	return *from >= 0 && *from <= *to;
}

/* Reads a list like 0,2,4-7: one CPU for each thread, in this order. */
static void take_cpus(struct argp_state *state, const char *arg, struct perf_args *a)
{
	const char *at = arg;
	int from, to;
	bool good;

	a->cpus = 0;
	do {
		good = take_range(&at, &from, &to);
		for (; good && from <= to && a->cpus < PERF_CPUS; from++)
			a->cpu[a->cpus++] = from;
		good = good && from > to;
	} while (good && *at == ',' && at++);
	if (!good || *at)
		argp_error(state,
			   "--cpus takes up to %d numbers and ranges like 0,2,4-7, not \"%s\"",
			   PERF_CPUS, arg);
}

static bool take_doorbell(struct argp_state *state, const char *arg)
{
	if (strcmp(arg, "blueflame") && strcmp(arg, "register"))
		argp_error(state, "--doorbell takes blueflame or register, not \"%s\"", arg);
	return !strcmp(arg, "register");
}

static const struct rules_key *take_key(struct argp_state *state, const char *arg)
{
	const struct rules_key *key = rules_key_find(arg);

	if (!key)
		argp_error(state, "--key takes 5tuple, 5tuple6 or ipv4, not \"%s\"", arg);
	return key;
}

error_t options_take(int key, char *arg, struct argp_state *state, struct perf_args *a)
{
	switch (key) {
	case 'o':
		a->ops = take_words(state, "--op", arg, word_of_op);
		return 0;
	case 'e':
		a->engines = take_words(state, "--engine", arg, word_of_engine);
		if (a->engines == (1u << PERF_ENGINES) - 1)
			a->engines = 0;
		return 0;
	case 'c':
		a->transport = take_transport(state, arg);
		return 0;
	case OPT_KEY:
		a->key = take_key(state, arg);
		return 0;
	case OPT_CPUS:
		take_cpus(state, arg, a);
		return 0;
	case OPT_DOORBELL:
		a->no_blueflame = take_doorbell(state, arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void check_window(struct argp_state *state, const struct perf_args *a)
{
	if (a->signal - 1 + a->batch > a->window)
		argp_error(state,
			   "--window=%u is too small for --batch=%u and --signal=%u: "
			   "they take %u",
			   a->window, a->batch, a->signal, a->signal - 1 + a->batch);
	if (a->sges > options_size(a) && !a->all_sizes)
		argp_error(state, "--sges=%u: a message of %u bytes has no %u pieces", a->sges,
			   options_size(a), a->sges);
}

/* Whether "all" includes this operation: the transport has it, and with --all it moves data. */
static bool op_fits(const struct perf_args *a, enum perf_op op)
{
	return a->transport->ops & PERF_OP_BIT(op) && (perf_ops[op].bytes || !a->all_sizes) &&
	       !(a->srq && (!perf_ops[op].receives || perf_ops[op].windows)) &&
	       (!a->engines || options_engines(a, op) == a->engines);
}

/* An option that an engine supports only up to a limit. */
struct engine_limit {
	const char *option;
	uint32_t asked, most;
};
#define ENGINE_LIMITS 3

static const struct engine_limit *engine_exceeded(const struct perf_engine *e,
						  const struct perf_args *a, enum perf_op op,
						  struct engine_limit limits[ENGINE_LIMITS])
{
	bool inlines = perf_ops[op].inlines && (a->all_sizes || options_size(a) <= a->inline_max);

	limits[0] = (struct engine_limit){"inline", inlines ? a->inline_max : 0, e->inline_max};
	limits[1] = (struct engine_limit){"sges", a->sges, e->sges};
	limits[2] = (struct engine_limit){"signal", a->signal, e->signal};
	for (size_t i = 0; i < ENGINE_LIMITS; i++)
		if (limits[i].most && limits[i].asked > limits[i].most)
			return &limits[i];
	return NULL;
}

static bool engine_has(const struct perf_engine *e, const struct perf_args *a, enum perf_op op)
{
	return e->ops[a->transport->id] & PERF_OP_BIT(op);
}

uint32_t options_engines(const struct perf_args *a, enum perf_op op)
{
	struct engine_limit limits[ENGINE_LIMITS];
	uint32_t can = 0;

	for (uint32_t i = 0; i < PERF_ENGINES; i++)
		if (engine_has(perf_engines[i], a, op) &&
		    !engine_exceeded(perf_engines[i], a, op, limits))
			can |= 1u << i;
	return a->engines ? a->engines & can : can;
}

bool options_op(const struct perf_args *a, enum perf_op op)
{
	return a->ops & PERF_OP_BIT(op) && (a->ops != PERF_ALL_OPS || op_fits(a, op));
}

static void check_engine(struct argp_state *state, const struct perf_args *a,
			 const struct perf_engine *e, enum perf_op op)
{
	struct engine_limit limits[ENGINE_LIMITS];
	const struct engine_limit *l = engine_exceeded(e, a, op, limits);

	if (!engine_has(e, a, op))
		argp_error(state, "--engine=%s has no %s of %s", e->word, perf_ops[op].word,
			   a->transport->name);
	if (l)
		argp_error(state, "--%s=%u: --engine=%s has %u at most", l->option, l->asked,
			   e->word, l->most);
}

static void check_op(struct argp_state *state, const struct perf_args *a, enum perf_op op)
{
	if (a->srq && !perf_ops[op].receives)
		argp_error(state, "--srq is for operations that receive, which %s does not",
			   perf_ops[op].word);
	if (!(a->transport->ops & PERF_OP_BIT(op)))
		argp_error(state, "--op=%s: %s has no such operation", perf_ops[op].word,
			   a->transport->name);
	if (a->srq && perf_ops[op].windows)
		argp_error(state, "--srq: %s has receives of each queue", perf_ops[op].word);
	if (a->all_sizes && !perf_ops[op].bytes)
		argp_error(state, "--all is for operations with data, which %s has not",
			   perf_ops[op].word);
	for (size_t i = 0; i < PERF_ENGINES; i++)
		if (a->engines & 1u << i)
			check_engine(state, a, perf_engines[i], op);
}

void options_agree(struct argp_state *state, const struct perf_args *a)
{
	bool any = false;

	if (a->json && a->csv)
		argp_error(state, "--json and --csv exclude each other");
	if (a->csv && a->histogram)
		argp_error(state, "--csv has no room for --histogram: the table and --json have");
	check_window(state, a);
	for (enum perf_op op = 0; op < PERF_OPS; op++)
		if (options_op(a, op)) {
			check_op(state, a, op);
			any = true;
		}
	if (!any)
		argp_error(state, "--op=all: the other options leave no operation of %s",
			   a->transport->name);
	if (a->cpus && a->cpus < options_threads(a))
		argp_error(state, "--cpus names %u for --threads=%u", a->cpus, options_threads(a));
	if ((uint64_t)options_threads(a) * a->qps > RESPONDER_LANES)
		argp_error(state, "--threads=%u and --qps=%u make more than %u queues",
			   options_threads(a), a->qps, RESPONDER_LANES);
}

static void offer_words(word_fn *word)
{
	for (size_t i = 0; word(i); i++)
		complete_offer(word(i), "");
	complete_offer("all", "");
}

void options_offer_ops(const char *command, const char *first, const char *field)
{
	(void)command, (void)first, (void)field;
	offer_words(word_of_op);
}

void options_offer_engines(const char *command, const char *first, const char *field)
{
	(void)command, (void)first, (void)field;
	offer_words(word_of_engine);
}
