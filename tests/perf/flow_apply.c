/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares the daemon's way of a rule file to the device with a bare loop over libmlx5: the matchers
 * and rules that the first one made are made once more, in a table of their own, in the same order
 * and with the same actions. Then one rule is added, and the file is applied once more over hardware
 * steering. Prints names and numbers; flow_apply.sh reads them. With a third argument it makes the hardware's apply
 * alone. Usage: flow_apply STATE-FILE RULES [hardware]
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/resource.h>
#include <infiniband/mlx5dv.h>
#include <dvx/dvx.h>

#include "daemon/holder.h"

#define ACTIONS	     8u
#define MATCHERS_LOG 1024u

/* Calls of libmlx5. */
static struct log_matcher {
	struct mlx5dv_dr_matcher *was, *is;
	uint16_t priority;
	uint8_t criteria;
	uint8_t *mask;
} matcher[MATCHERS_LOG];
static size_t nmatchers;

static struct log_rule {
	struct mlx5dv_dr_matcher *of;
	uint8_t *value;
	struct mlx5dv_dr_action *action[ACTIONS];
	uint32_t n;
} * rule;
static size_t nrules, room;
static struct mlx5dv_dr_domain *domain;
static struct mlx5dv_dr_table *first; /* of the rules; root tables are not recorded */
static bool recording;
static uint64_t within; /* ns of libmlx5 */
static uint64_t noting; /* ns of this program's own records */

static struct holder h;

static void flow_apply_die(const char *what)
{
	fprintf(stderr, "flow_apply: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t flow_apply_now(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *flow_apply_real(const char *name)
{
	void *f = dlsym(RTLD_NEXT, name);

	if (!f)
		flow_apply_die(name);
	return f;
}

static uint8_t *flow_apply_keep(const struct mlx5dv_flow_match_parameters *p)
{
	size_t n = sizeof(*p) + p->match_sz;
	uint8_t *kept = malloc(n);

	if (!kept)
		flow_apply_die("memory");
	return memcpy(kept, p, n);
}

/* --- what libdvx calls --------------------------------------------------------------------------- */

struct mlx5dv_dr_table *mlx5dv_dr_table_create(struct mlx5dv_dr_domain *in, uint32_t level)
{
	struct mlx5dv_dr_table *(*real)(struct mlx5dv_dr_domain *, uint32_t) =
		flow_apply_real("mlx5dv_dr_table_create");
	struct mlx5dv_dr_table *t = real(in, level);

	if (level && !first) {
		domain = in;
		first = t;
	}
	return t;
}

struct mlx5dv_dr_matcher *mlx5dv_dr_matcher_create(struct mlx5dv_dr_table *table, uint16_t priority,
						   uint8_t criteria,
						   struct mlx5dv_flow_match_parameters *mask)
{
	static struct mlx5dv_dr_matcher *(*real)(struct mlx5dv_dr_table *, uint16_t, uint8_t,
						 struct mlx5dv_flow_match_parameters *);
	uint64_t begin = flow_apply_now(CLOCK_MONOTONIC);
	struct mlx5dv_dr_matcher *m;

	if (!real)
		real = flow_apply_real("mlx5dv_dr_matcher_create");
	m = real(table, priority, criteria, mask);
	within += flow_apply_now(CLOCK_MONOTONIC) - begin;
	if (recording && m && table == first && nmatchers < MATCHERS_LOG)
		matcher[nmatchers++] =
			(struct log_matcher){m, NULL, priority, criteria, flow_apply_keep(mask)};
	return m;
}

struct mlx5dv_dr_rule *mlx5dv_dr_rule_create(struct mlx5dv_dr_matcher *of,
					     struct mlx5dv_flow_match_parameters *value, size_t n,
					     struct mlx5dv_dr_action *actions[])
{
	static struct mlx5dv_dr_rule *(*real)(struct mlx5dv_dr_matcher *,
					      struct mlx5dv_flow_match_parameters *, size_t,
					      struct mlx5dv_dr_action *[]);
	uint64_t begin = flow_apply_now(CLOCK_MONOTONIC), end;
	struct mlx5dv_dr_rule *r;

	if (!real)
		real = flow_apply_real("mlx5dv_dr_rule_create");
	r = real(of, value, n, actions);
	end = flow_apply_now(CLOCK_MONOTONIC);
	within += end - begin;
	if (recording && r && nrules < room && n <= ACTIONS) {
		struct log_rule *l = &rule[nrules++];

		*l = (struct log_rule){.of = of, .value = flow_apply_keep(value), .n = (uint32_t)n};
		memcpy(l->action, actions, n * sizeof(actions[0]));
		noting += flow_apply_now(CLOCK_MONOTONIC) - end;
	}
	return r;
}

/* --- the bare loop ------------------------------------------------------------------------------ */

static struct mlx5dv_dr_matcher *flow_apply_matcher(const struct mlx5dv_dr_matcher *was)
{
	for (size_t i = 0; i < nmatchers; i++)
		if (matcher[i].was == was)
			return matcher[i].is;
	return NULL;
}

static void __attribute__((noinline)) flow_apply_bare(void)
{
	struct mlx5dv_dr_table *table = mlx5dv_dr_table_create(domain, 1);

	if (!table)
		flow_apply_die("table");
	for (size_t i = 0; i < nmatchers; i++) {
		matcher[i].is = mlx5dv_dr_matcher_create(
			table, matcher[i].priority, matcher[i].criteria, (void *)matcher[i].mask);
		if (!matcher[i].is)
			flow_apply_die("matcher");
	}
	for (size_t i = 0; i < nrules; i++) {
		struct log_rule *l = &rule[i];
		struct mlx5dv_dr_matcher *m = flow_apply_matcher(l->of);

		if (m && !mlx5dv_dr_rule_create(m, (void *)l->value, l->n, l->action))
			flow_apply_die("rule");
	}
	if (mlx5dv_dr_domain_sync(domain,
				  MLX5DV_DR_DOMAIN_SYNC_FLAGS_SW | MLX5DV_DR_DOMAIN_SYNC_FLAGS_HW))
		flow_apply_die("sync");
}

/* --- the daemon's way --------------------------------------------------------------------------- */

/* Three shapes, none of whose rules overlap. */
static char *flow_apply_text(uint32_t n, size_t *len)
{
	char *text = malloc((size_t)n * 100 + 1);

	*len = 0;
	for (uint32_t i = 0; i < n && text; i++) {
		uint32_t a = i / 3;
		char *at = text + *len;

		if (i % 3 == 0)
			*len += (size_t)sprintf(at, "drop in ipv4 src 10.%u.%u.%u count\n",
						a >> 16 & 255, a >> 8 & 255, a & 255);
		else if (i % 3 == 1)
			*len += (size_t)sprintf(
				at, "drop in ipv4 src 11.%u.%u.%u tcp dst port %u count\n",
				a >> 16 & 255, a >> 8 & 255, a & 255, 1000 + i % 5000);
		else
			*len += (size_t)sprintf(at,
						"drop in ipv4 src 12.%u.%u.%u dst 13.0.0.%u udp "
						"src port %u dst port 53 count\n",
						a >> 16 & 255, a >> 8 & 255, a & 255, i & 255,
						1000 + i % 7000);
	}
	return text;
}

static void flow_apply_fault(const char *what, const struct flow_fault *f)
{
	fprintf(stderr, "flow_apply: %s: %s\n", what, f->text);
	exit(1);
}

static void flow_apply_edits(uint32_t n)
{
	struct flow_fault f = {0};
	uint64_t begin = flow_apply_now(CLOCK_MONOTONIC),
		 cpu = flow_apply_now(CLOCK_PROCESS_CPUTIME_ID);

	for (uint32_t i = 0; i < n; i++) {
		char text[80];
		struct flow_msg words = {.body = text};
		struct holder_place at = {generation_rules(h.now)->n / 2, 0};

		words.body_len = (size_t)sprintf(
			text, "drop in ipv4 src 10.200.0.%u tcp dst port 7 count", i);
		if (holder_edit(&h, NULL, at, &words, NULL, NULL, &f) || h.rebuilt)
			flow_apply_fault("edit", &f);
	}
	printf("edit_ns %lu\nedit_cpu_ns %lu\n",
	       (unsigned long)((flow_apply_now(CLOCK_MONOTONIC) - begin) / n),
	       (unsigned long)((flow_apply_now(CLOCK_PROCESS_CPUTIME_ID) - cpu) / n));
}

struct flow_apply_span {
	const char *name;
	uint64_t wall, cpu, within, noting, faults;
};

/* Returns how many pages the process touched for the first time. */
static uint64_t flow_apply_faults(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (uint64_t)u.ru_minflt;
}

static struct flow_apply_span flow_apply_begin(const char *name)
{
	return (struct flow_apply_span){name,
					flow_apply_now(CLOCK_MONOTONIC),
					flow_apply_now(CLOCK_PROCESS_CPUTIME_ID),
					within,
					noting,
					flow_apply_faults()};
}

static void flow_apply_end(const struct flow_apply_span *s)
{
	uint64_t noted = noting - s->noting;

	printf("%s_ns %lu\n%s_cpu_ns %lu\n%s_libmlx5_ns %lu\n%s_faults %lu\n", s->name,
	       (unsigned long)(flow_apply_now(CLOCK_MONOTONIC) - s->wall - noted), s->name,
	       (unsigned long)(flow_apply_now(CLOCK_PROCESS_CPUTIME_ID) - s->cpu - noted), s->name,
	       (unsigned long)(within - s->within), s->name,
	       (unsigned long)(flow_apply_faults() - s->faults));
}

/* Applies the file over software steering, then its entries by the bare loop, and edits; ends the rules. */
static void flow_apply_software(const char *text, size_t len)
{
	struct flow_apply_span span = flow_apply_begin("apply");
	struct flow_fault f = {0};

	recording = true;
	if (holder_apply(&h, text, len, NULL, NULL, NULL, &f))
		flow_apply_fault("apply", &f);
	flow_apply_end(&span);
	recording = false;
	span = flow_apply_begin("bare");
	flow_apply_bare();
	flow_apply_end(&span);
	printf("rules %zu\n", nrules);
	flow_apply_edits(20);
	generation_free(h.now);
	h.now = NULL;
	base_tables_free(&h.base);
}

/* Applies the file over hardware steering, where no rules are in effect. */
static void __attribute__((noinline)) flow_apply_hardware(const char *text, size_t len)
{
	struct flow_apply_span span;
	struct flow_fault f = {0};

	h.base.steering = STEERING_HWS;
	span = flow_apply_begin("hardware");
	if (holder_apply(&h, text, len, NULL, NULL, NULL, &f))
		flow_apply_fault("apply over hardware steering", &f);
	flow_apply_end(&span);
}

int main(int argc, char **argv)
{
	uint32_t n = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 0) : 1000;
	size_t len;
	char *text = flow_apply_text(n, &len);

	if (argc < 2 || dvx_dev_open(NULL, &h.base.dev))
		flow_apply_die("device");
	h.state = argv[1];
	room = n + 16;
	rule = calloc(room, sizeof(*rule));
	if (!text || !rule)
		flow_apply_die("memory");
	if (argc < 4)
		flow_apply_software(text, len);
	flow_apply_hardware(text, len);
	return 0; /* all objects end with the process */
}
