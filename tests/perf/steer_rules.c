/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program of steer_bench: rules in three receive tables through libmlx5, one after the other.
 * It inserts them twice: at first with pauses, so that the device has answered when libmlx5 looks
 * and only libmlx5's own work is timed; then as fast as it can. With `fdb` it inserts them once, on
 * both sides of the FDB.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <infiniband/mlx5dv.h>
#include <dvx/prm/match.h>
#include "rounds.h"
#include "tests/verbs/verbs_qp.h"

#define TABLES 3u
#define FEW    3u /* rules: fewer writes than libmlx5 lets pile up before it waits */
#define EVERY  8u
#define PAUSE  100000u /* ns */

struct params {
	struct mlx5dv_flow_match_parameters head;
	uint8_t bytes[PRM_FTE_MATCH_SET_LYR_2_4_BYTES];
};

static struct mlx5dv_dr_table *table[TABLES + 1]; /* 0: the root */
static struct mlx5dv_dr_matcher *matcher[TABLES + 1];
static struct mlx5dv_dr_action *next[TABLES + 1];
static struct mlx5dv_dr_rule **rules;
static struct ibv_context *context;

static void die(const char *what)
{
	fprintf(stderr, "steer_rules: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t cpu_now(void)
{
	return now(CLOCK_THREAD_CPUTIME_ID);
}

/* Not asleep: its caches stay as they are. */
static void wait_awake(void)
{
	uint64_t end = now(CLOCK_MONOTONIC) + PAUSE;

	while (now(CLOCK_MONOTONIC) < end)
		;
}

/* Number i's packet and rules: steer_bench sends what agrees. */
static void fill(struct params *p, unsigned int level, uint32_t i)
{
	uint8_t *src = prm_fte_match_set_lyr_2_4_at_src_ipv4_src_ipv6(p->bytes) + 12;
	uint8_t *dst = prm_fte_match_set_lyr_2_4_at_dst_ipv4_dst_ipv6(p->bytes) + 12;

	memset(p, 0, sizeof(*p));
	p->head.match_sz = sizeof(p->bytes);
	prm_fte_match_set_lyr_2_4_set_ip_version(p->bytes, 4);
	if (level != 3)
		prm_store32(dst, 0, 0x0b000000u + i * 5);
	if (level != 2)
		prm_store32(src, 0, 0x0a000000u + i);
	if (level != 1)
		return;
	prm_fte_match_set_lyr_2_4_set_ip_protocol(p->bytes, 17);
	prm_fte_match_set_lyr_2_4_set_udp_sport(p->bytes, 1000 + i % 997);
	prm_fte_match_set_lyr_2_4_set_udp_dport(p->bytes, 53);
}

static void mask(struct params *p, unsigned int level)
{
	fill(p, level, 0);
	if (level != 3)
		memset(prm_fte_match_set_lyr_2_4_at_dst_ipv4_dst_ipv6(p->bytes) + 12, 0xff, 4);
	if (level != 2)
		memset(prm_fte_match_set_lyr_2_4_at_src_ipv4_src_ipv6(p->bytes) + 12, 0xff, 4);
	if (level != 1)
		return;
	prm_fte_match_set_lyr_2_4_set_ip_protocol(p->bytes, 0xff);
	prm_fte_match_set_lyr_2_4_set_udp_sport(p->bytes, 0xffff);
	prm_fte_match_set_lyr_2_4_set_udp_dport(p->bytes, 0xffff);
}

static void open_tables(struct mlx5dv_dr_domain *domain)
{
	struct params p;

	for (unsigned int level = 0; level <= TABLES; level++) {
		table[level] = mlx5dv_dr_table_create(domain, level);
		if (!table[level])
			die("table");
		memset(&p, 0, sizeof(p));
		p.head.match_sz = sizeof(p.bytes);
		if (level)
			mask(&p, level);
		matcher[level] = mlx5dv_dr_matcher_create(table[level], 0, !!level, &p.head);
		if (!matcher[level])
			die("matcher");
	}
	for (unsigned int level = 0; level < TABLES; level++)
		next[level] = mlx5dv_dr_action_create_dest_table(table[level + 1]);
	next[TABLES] = mlx5dv_dr_action_create_drop();
	memset(p.bytes, 0, sizeof(p.bytes));
	if (!mlx5dv_dr_rule_create(matcher[0], &p.head, 1, &next[0]))
		die("root rule");
}

static void insert(uint32_t i, uint32_t per_table)
{
	unsigned int level = 1 + i / per_table;
	struct params p;

	fill(&p, level, i % per_table);
	rules[i] = mlx5dv_dr_rule_create(matcher[level], &p.head, 1, &next[level]);
	if (!rules[i])
		die("rule");
}

static uint64_t median(uint64_t *t, size_t n)
{
	qsort(t, n, sizeof(*t), by_count);
	return n ? t[n / 2] : 0;
}

/* Returns the time that reading the clock twice takes. */
static uint64_t clock_time(void)
{
	uint64_t t[101];

	for (unsigned int i = 0; i < 101; i++) {
		uint64_t start = cpu_now();

		t[i] = cpu_now() - start;
	}
	return median(t, 101);
}

/*
 * One few in every EVERY, after a pause: the median, so that neither a table that grows nor a pause
 * that was too short counts.
 */
static double own_time(uint32_t n)
{
	uint64_t *t = calloc(n / FEW / EVERY + 1, sizeof(*t));
	size_t nt = 0;

	for (uint32_t i = 0; i + FEW <= n; i += FEW) {
		bool timed = i / FEW % EVERY == 0;
		uint64_t start;

		if (timed)
			wait_awake();
		start = cpu_now();
		for (uint32_t j = 0; j < FEW; j++)
			insert(i + j, n / TABLES);
		if (timed)
			t[nt++] = cpu_now() - start;
	}
	n = (uint32_t)median(t, nt);
	free(t);
	return ((double)n - (double)clock_time()) / FEW;
}

static void insert_all(struct mlx5dv_dr_domain *domain, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		insert(i, n / TABLES);
	mlx5dv_dr_domain_sync(domain, MLX5DV_DR_DOMAIN_SYNC_FLAGS_SW);
}

static void tell(char what)
{
	if (write(STDOUT_FILENO, &what, 1) != 1)
		die("write");
}

/* steer_rules RULES [fdb]: 'B' begin, 'E' end of the fast insertion, between them nobody else is busy. */
int main(int argc, char **argv)
{
	uint32_t n = argc > 1 ? (uint32_t)atoi(argv[1]) / TABLES * TABLES : 0;
	enum mlx5dv_dr_domain_type type =
		argc > 2 ? MLX5DV_DR_DOMAIN_TYPE_FDB : MLX5DV_DR_DOMAIN_TYPE_NIC_RX;
	struct mlx5dv_dr_domain *domain;
	char end;

	context = verbs_open();
	domain = context ? mlx5dv_dr_domain_create(context, type) : NULL;
	rules = calloc(n + 1, sizeof(*rules));
	if (!domain || !rules)
		die("domain");
	open_tables(domain);
	if (argc > 2) {
		insert_all(domain, n);
		return 0;
	}
	fprintf(stderr, "own_ns_per_rule %.0f\n", own_time(n));
	for (uint32_t i = 0; i < n; i++)
		if (mlx5dv_dr_rule_destroy(rules[i]))
			die("destroy");
	mlx5dv_dr_domain_sync(domain, MLX5DV_DR_DOMAIN_SYNC_FLAGS_SW);
	tell('B');
	insert_all(domain, n);
	tell('E');
	return read(STDIN_FILENO, &end, 1) < 0;
}
