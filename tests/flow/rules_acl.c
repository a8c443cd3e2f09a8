/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that the tables of acl_compile() decide about each packet as the rules do one after the
 * other, and that no packet is looked up in more than 64 matchers for lists of 5,000 rules. With
 * DVX_TEST_LONG=1: more sets and packets, and the numbers of doc/design/0066.
 */
#include "tests/test.h"
#include <errno.h>
#include <stdio.h>
#include "acl_run.h"
#include "acl_packets.h"
#include "acl_sets.h"
#include "tests/steer/flow_slow.h"
#include "rules_rig.h"

static const char *const names[ACL_SHAPES] = {"acl", "fw", "ipc", "mixed", "hostile"};

static bool long_run(void)
{
	return getenv("DVX_TEST_LONG") != NULL;
}

/* Rules for incoming packets, compiled. */
struct compiled {
	struct ruleset set;
	struct acl_program p;
	struct acl_refusal refusal;
	struct acl_run *run; /* NULL: they are refused */
};

/* Compiles c->set. */
static int compiled_make(struct compiled *c)
{
	int err = acl_compile(&(struct acl_rules){&c->set, RULE_IN, NULL, 0}, &c->p, &c->refusal);

	c->run = err ? NULL : acl_run_new(&c->p);
	return err;
}

static void compiled_free(struct compiled *c)
{
	if (c->run) {
		acl_run_free(c->run);
		acl_free(&c->p);
	}
	ruleset_free(&c->set);
}

/* --- sets ----------------------------------------------------------------------------------------- */

/* Sums of paths, and how many packets met another rule than the slow matcher's. */
struct tried {
	size_t packets, wrong, sum, longest;
};

static void try_packet(const struct compiled *c, const struct fields *p, struct tried *t)
{
	const struct rule *want = slow_match(&c->set, RULE_IN, p);
	size_t path;
	uint32_t got = acl_run_packet(c->run, p, &path);

	t->packets++;
	t->sum += path;
	t->longest = path > t->longest ? path : t->longest;
	if (want != (got == ACL_NONE ? NULL : &c->set.rule[got]) && !t->wrong++)
		print_message("rule %d decides, not %s\n", (int)got, want ? want->text : "none");
}

static void print_list_cost(const struct ruleset *set)
{
	struct program p;
	size_t wrong, sum = 0;

	if (rules_compile(set, &p, &wrong)) {
		print_message("; no list of matchers\n");
		return;
	}
	for (size_t m = 0; m < p.table[RULE_IN].n; m++)
		sum += (m + 1) * p.table[RULE_IN].matcher[m].n;
	print_message(
		"; the list of matchers has %zu entries, %zu matchers, %.0f on the mean path\n",
		p.table[RULE_IN].entries, p.table[RULE_IN].n,
		(double)sum / (double)p.table[RULE_IN].entries);
	program_free(&p);
}

/* Compiles a set, tries packets, and prints its cost. Returns its longest path. */
static size_t try_set(enum acl_shape shape, size_t rules, size_t packets)
{
	char *text = acl_set_text(shape, rules, 1);
	struct dice d = {rules * 2 + 1};
	struct acl_cost cost;
	struct compiled c;
	struct tried t = {0};

	parse(text, &c.set);
	assert_int_equal(compiled_make(&c), 0);
	assert_int_equal(acl_cost(&c.p, &cost), 0);
	while (t.packets < packets) {
		struct made_packet made;
		struct fields packet = {.option = RANDOM_OPTION};

		corner_packet(&d, &c.set, &made);
		fields_of_frame(&packet, made.bytes, made.len);
		try_packet(&c, &packet, &t);
	}
	assert_int_equal(t.wrong, 0);
	assert_true(t.longest <= cost.longest_path);
	print_message("%s %zu: %zu tables, %zu matchers, %zu entries, %zu lists, longest path %zu",
		      names[shape], rules, cost.tables, cost.matchers, cost.entries, cost.lists,
		      cost.longest_path);
	if (packets)
		print_message(", mean %.1f", (double)t.sum / (double)t.packets);
	if (long_run())
		print_list_cost(&c.set);
	else
		print_message("\n");
	compiled_free(&c);
	free(text);
	return cost.longest_path;
}

TEST(none, packets_at_the_corners_of_access_lists_meet_the_first_rule)
{
	for (int s = 0; s < ACL_SHAPES; s++)
		try_set((enum acl_shape)s, 1000, long_run() ? 25000 : 200);
}

TEST(none, five_thousand_rules_are_at_most_64_matchers_on_any_path)
{
	for (int s = 0; s < ACL_SHAPES; s++)
		if (long_run() || s == FW_SHAPE)
			assert_true(try_set((enum acl_shape)s, 5000, long_run() ? 25000 : 0) <= 64);
	for (int s = 0; s < ACL_SHAPES && long_run(); s++)
		try_set((enum acl_shape)s, 10000, 25000);
}

/* --- ranges ---------------------------------------------------------------------------------------- */

#define PORTS 20u

/* Writes two ranges of few ports, which touch, overlap, or leave one port out. */
static void write_ranges(struct dice *d, FILE *f, const char *side)
{
	uint32_t a = dice_roll(d, 8), b = a + dice_roll(d, 6), c = b + 2 + dice_roll(d, 2);

	fprintf(f, " %s port %u-%u,%u-%u", side, a, b, c, c + dice_roll(d, 4));
}

static void random_ranges(struct dice *d, struct ruleset *set)
{
	static const char *const protos[] = {"tcp", "udp", ""};
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	for (uint32_t i = 0; i < 6; i++) {
		fprintf(f, "drop in ipv4 %s", protos[dice_roll(d, 3)]);
		if (dice_roll(d, 2))
			write_ranges(d, f, "src");
		write_ranges(d, f, dice_roll(d, 3) ? "dst" : "");
		fprintf(f, " count\n");
	}
	fclose(f);
	parse(text, set);
	free(text);
}

static void try_all_ports(const struct compiled *c, struct tried *t)
{
	struct fields p = {0};

	p.known[F_L3] = p.known[F_PROTO] = true;
	p.value[F_L3] = 1;
	for (unsigned int n = 0; n < 2 * PORTS * PORTS; n++) {
		p.value[F_PROTO] = n & 1 ? L4_TCP : L4_UDP;
		p.value[F_SPORT] = n / 2 % PORTS;
		p.value[F_DPORT] = n / 2 / PORTS;
		try_packet(c, &p, t);
	}
}

TEST(none, ranges_that_overlap_or_touch_keep_every_port)
{
	struct dice d = {3};
	struct tried t = {0};

	for (int i = 0; i < 40; i++) {
		struct compiled c;

		random_ranges(&d, &c.set);
		assert_int_equal(compiled_make(&c), 0);
		try_all_ports(&c, &t);
		compiled_free(&c);
	}
	assert_int_equal(t.wrong, 0);
}

/* --- every word of the language ----------------------------------------------------------------- */

/* Parses random rules for incoming packets. */
static void random_set(struct dice *d, size_t rules, struct ruleset *set)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	for (uint32_t n = 0; n < rules;) {
		struct ruleset one;
		char line[1024];

		random_rule(d, line, sizeof(line), "in", n);
		if (rules_parse(line, strlen(line), &one, NULL, NULL))
			continue;
		ruleset_free(&one);
		fprintf(f, "%s\n", line);
		n++;
	}
	fclose(f);
	parse(text, set);
	free(text);
}

static bool has_key(const struct shape *s, unsigned int first, unsigned int last)
{
	for (unsigned int i = 0; i < s->n; i++)
		if (s->key[i] >= first && s->key[i] <= last)
			return true;
	return false;
}

/* libdvx requires the headers that lead to a field beside it, inside of a tunnel too. */
static void check_headers(const struct acl_program *p)
{
	static const struct {
		unsigned int first, last, need;
	} rows[] = {
		{MATCH_SRC_127_96, MATCH_DST_31_0, MATCH_IP_VERSION},
		{MATCH_INNER(MATCH_SRC_127_96), MATCH_INNER(MATCH_DST_31_0),
		 MATCH_INNER(MATCH_IP_VERSION)},
		{KEY_ICMP_TYPE, KEY_ICMP6_CODE, KEY_PROTO},
		{KEY_INNER(KEY_PROTO), KEY_INNER(KEY_FLOWLABEL), MATCH_INNER(MATCH_IP_VERSION)},
	};

	for (size_t t = 0; t < p->n; t++)
		for (size_t m = 0; m < p->table[t].n; m++)
			for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
				const struct shape *s = p->table[t].matcher[m].shape;

				if (has_key(s, rows[i].first, rows[i].last))
					assert_true(has_key(s, rows[i].need, rows[i].need));
			}
}

TEST(none, rules_of_every_word_decide_as_one_after_the_other)
{
	struct dice d = {7};
	struct tried t = {0};
	size_t refused = 0, sets = long_run() ? 2000 : 60;

	for (size_t i = 0; i < sets; i++) {
		struct compiled c;

		random_set(&d, 1 + dice_roll(&d, 12), &c.set);
		if (compiled_make(&c)) {
			print_message("refused: %s: %s\n", c.refusal.why,
				      c.set.rule[c.refusal.rule].text);
			refused++;
		} else {
			check_headers(&c.p);
		}
		for (int n = 0; c.run && n < 100; n++) {
			struct made_packet made;
			struct fields packet = {.option = RANDOM_OPTION};

			any_packet(&d, &made);
			fields_of_frame(&packet, made.bytes, made.len);
			try_packet(&c, &packet, &t);
		}
		compiled_free(&c);
	}
	print_message("%zu of %zu sets refused, longest path %zu\n", refused, sets, t.longest);
	assert_int_equal(t.wrong, 0);
	assert_true(refused * 3 < sets);
}

/* --- the ends of a field ------------------------------------------------------------------------- */

TEST(none, the_last_address_has_a_code)
{
	struct compiled c;

	parse("drop in src ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff\n"
	      "drop in src ffff:ffff:ffff:ffff:ffff:ffff:ffff:fff0/124\n",
	      &c.set);
	assert_int_equal(compiled_make(&c), 0);
	compiled_free(&c);
}

/* --- refusals ------------------------------------------------------------------------------------- */

TEST(none, a_rule_that_names_a_register_of_the_codes_is_refused_by_line)
{
	struct compiled c;

	parse("drop in ipv4 tcp\ndrop in reg_c1 7\n", &c.set);
	assert_int_equal(compiled_make(&c), -E2BIG);
	assert_int_equal(c.refusal.rule, 1);
	assert_string_equal(c.refusal.why, "it names a register that codes are kept in");
	compiled_free(&c);
}

TEST(none, rules_of_the_other_direction_are_no_part)
{
	struct fields packet = {0};
	struct compiled c;
	size_t path;

	parse("drop out any\npass in any\n", &c.set);
	assert_int_equal(compiled_make(&c), 0);
	assert_int_equal(acl_run_packet(c.run, &packet, &path), 1);
	compiled_free(&c);
}
