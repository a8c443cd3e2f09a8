/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that ranges become the fewest prefixes, that rules of one shape share a matcher, and that
 * shadows, the cost and sets that are too large are reported.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include "rules/cubes.h"
#include "rules/plan.h"
#include "acl_sets.h"
#include "rules_rig.h"

/* --- prefixes --------------------------------------------------------------------------------- */

static struct cubes range_cubes(uint64_t first, uint64_t last)
{
	struct cubes c = {0};

	cubes_add_range(&c, first, last, 16);
	assert_int_equal(c.err, 0);
	return c;
}

static size_t prefix_count(uint64_t first, uint64_t last)
{
	struct cubes c = range_cubes(first, last);

	free(c.cube);
	return c.n;
}

TEST(none, prefixes)
{
	assert_int_equal(prefix_count(0, 65535), 1);
	assert_int_equal(prefix_count(53, 53), 1);
	assert_int_equal(prefix_count(80, 443), 8);
	assert_int_equal(prefix_count(1, 65534), 30);
	assert_int_equal(prefix_count(65535, 65535), 1);
	for (int round = 0; round < 200; round++) {
		uint64_t first = below(65536), last = first + below(65536u - (uint32_t)first);
		struct cubes c = range_cubes(first, last);
		uint64_t covered = 0;

		for (size_t i = 0; i < c.n; i++) {
			assert_true(!(cubes_at(&c, i)->value & ~cubes_at(&c, i)->mask));
			assert_true(cubes_at(&c, i)->value >= first);
			covered += 65536u - (uint64_t)cubes_at(&c, i)->mask;
		}
		assert_int_equal(covered, last - first + 1u);
		free(c.cube);
	}
}

/* The size of the table that rules become. */
struct size {
	size_t matchers, entries;
};

static struct size size_of(const char *text)
{
	struct ruleset set;
	struct program p;
	struct size size;

	parse(text, &set);
	compile(&set, &p);
	size = (struct size){p.table[RULE_IN].n, p.table[RULE_IN].entries};
	program_free(&p);
	ruleset_free(&set);
	return size;
}

static size_t entries(const char *text)
{
	return size_of(text).entries;
}

static size_t matchers(const char *text)
{
	return size_of(text).matchers;
}

/* Elements that touch are one, however they were written. */
TEST(none, lists_are_cut_jointly)
{
	assert_int_equal(entries("drop in src 10.0.0.1-10.0.0.9"), 4);
	assert_int_equal(entries("drop in src 10.0.0.0/9,10.128.0.0/9"), 1);
	assert_int_equal(entries("drop in src 10.0.0.4/30,10.0.0.0-10.0.0.3,10.0.0.2"), 1);
	assert_int_equal(entries("drop in src 0.0.0.0-255.255.255.255"), 1);
	assert_int_equal(entries("drop in src ::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"), 1);
	assert_int_equal(entries("drop in src ::1-ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe"), 254);
	assert_int_equal(entries("drop in src 10.0.0.1/255.0.0.255"), 1);
	assert_int_equal(entries("drop in ipv4 tcp port 80/0xff"), 2);
	assert_int_equal(entries("drop in vlan 5,6 eth dst 2:0:0:0:0:1,2:0:0:0:0:2"), 4);
}

/* A complement takes few masks, because each is a matcher. */
TEST(none, not_takes_few_masks)
{
	assert_int_equal(matchers("drop in ipv4 not tcp dst port 22"), 6);
	assert_int_equal(entries("drop in ipv4 not tcp dst port 22"), 90);
	assert_int_equal(matchers("drop in not src 10.0.0.0/8"), 2);
	assert_int_equal(matchers("drop in not src 10.0.0.1 not dst 10.0.0.2"), 64);
	assert_int_equal(entries("drop in not src 0.0.0.1/0.0.0.1"), 1);
	/* SYN clear is for whole packets, or with another flag set: a later fragment has none */
	assert_int_equal(entries("drop in tcp flags != syn,!ack"), 2 * (9 + 1));
	/* an entry of both kinds of tag would be refused by libmlx5 */
	assert_int_equal(entries("drop in not vlan 4094 svlan"), 1);
	assert_int_equal(entries("drop in not svlan 5 vlan 7"), 1);
	/* too many entries: the fewest, under more masks */
	assert_int_equal(entries("drop in not src ::1 not dst ::2"), 128 * 128);
}

/* A later fragment has no field behind the IP header, and the device compares 0. */
TEST(none, fields_of_0_are_of_whole_packets)
{
	assert_int_equal(entries("drop in ipv4 udp dst port 0"), 1);
	assert_int_equal(entries("drop in ipv4 udp dst port 0-1023"), 10 + 1);
	assert_int_equal(entries("drop in ipv4 udp dst port 0-1023 nofrag"), 1);
	assert_int_equal(entries("drop in ipv4 udp dst port 0-1023 fragment"), 10);
	assert_int_equal(entries("drop in ipv4 udp dst port 0-1023 src port 53"), 1);
	assert_int_equal(entries("drop in ipv4 udp dst port 0-65535"), 1);
	assert_int_equal(entries("drop in icmp type 0\ndrop in icmp type 8 code 0"), 2);
	assert_int_equal(entries("drop in vxlan 7 inner ipv4 udp src port 0-1"), 2 * 2);
	/* the header is there, and the value is another one */
	assert_int_equal(entries("drop in icmp type != 0"), 30);
	assert_int_equal(entries("drop in native ipv4"), 7);
}

/* Ends the expansion at entry `*arg`. */
static int entry_stop_at(void *arg, const struct shape *shape, const uint64_t *value)
{
	size_t *left = arg;

	(void)shape;
	(void)value;
	assert_true(*left > 0);
	return --*left ? 0 : -EDOM;
}

/* Each loop of the expansion returns an entry's error: an entry without room is not left out. */
TEST(none, an_error_at_any_entry_is_the_error_of_the_rule)
{
	static const char *const texts[] = {
		"drop in native src 10.0.0.1 or 10.0.0.4",
		"drop in vlan 5,6 host 10.0.0.1 port 6-8",
		"drop in src 10.0.0.1-10.0.0.9 dst 11.0.0.1,12.0.0.1 tcp src port 1-2 dst port 1-2",
		"drop in vxlan 7 inner ipv4 udp src port 0-3",
		"drop in vlan != 1,3 not src 10.0.0.0/30",
		"drop in not svlan 5 not host 10.0.0.0/8",
		"drop in ipv4 not tcp port 0-32767",
		"drop in ipv4 not udp src port 0-255 dst port 0",
		"drop in tcp flags != syn,!ack",
		"drop in icmp type != 0",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		size_t n = entries(texts[i]);
		struct ruleset set;

		parse(texts[i], &set);
		for (size_t at = 1; at <= n; at += 1 + at / 16) {
			size_t left = at;

			assert_int_equal(rule_expand(&set.rule[0], entry_stop_at, &left), -EDOM);
			assert_int_equal(left, 0);
		}
		ruleset_free(&set);
	}
}

/* --- economy ---------------------------------------------------------------------------------- */

TEST(none, economy)
{
	/* one shape, one matcher, though their actions differ */
	assert_int_equal(matchers("drop in ipv4 src 10.0.0.1\npass in ipv4 src 10.0.0.2\n"
				  "count in ipv4 src 10.0.0.3"),
			 1);
	/* apart, so the third joins the first */
	assert_int_equal(matchers("drop in ipv4 src 10.0.0.1\ncount in ipv6 src fe80::1\n"
				  "pass in ipv4 src 10.0.0.2"),
			 2);
	/* in the way: 10.0.0.2 to port 53 is counted, not passed */
	assert_int_equal(matchers("drop in ipv4 src 10.0.0.1\ncount in ipv4 udp dst port 53\n"
				  "pass in ipv4 src 10.0.0.2"),
			 3);
	/* entries of the same action are never in the way */
	assert_int_equal(matchers("drop in ipv4 src 10.0.0.1\ndrop in ipv4 udp dst port 53\n"
				  "drop in ipv4 src 10.0.0.2"),
			 2);
	assert_int_equal(matchers(""), 0);
}

/* Proves this before a matcher of many entries, too, which are not compared one by one. */
TEST(none, economy_of_many_entries)
{
	char text[4096] = "count in ipv4 dst 10.3.0.0/16 udp\n";

	for (unsigned int i = 0; i < 20; i++)
		sprintf(text + strlen(text), "drop in ipv4 src 10.0.0.%u dst 10.2.0.%u\n", i, i);
	/* apart from all of them by the bits that both compare */
	strcat(text, "count in ipv4 dst 10.4.0.0/16 udp\n");
	assert_int_equal(matchers(text), 2);
	strcat(text, "count in ipv4 dst 10.2.0.0/16 udp\n");
	assert_int_equal(matchers(text), 3);
}

TEST(none, shadows)
{
	struct ruleset set;
	struct program p;

	parse("pass in ipv4 src 10.0.0.0/8\ndrop in ipv4 src 10.1.0.0/16 tcp\n"
	      "drop in tcp dst port 80\ncount in tcp dst port 80-81\ncount in ipv4 src "
	      "10.0.0.0/8\n",
	      &set);
	compile(&set, &p);
	assert_int_equal(p.nshadows, 2);
	assert_int_equal(p.shadow[0].rule, 1);
	assert_int_equal(p.shadow[0].by, 0);
	assert_int_equal(p.shadow[1].rule, 4);
	assert_int_equal(p.shadow[1].by, 0);
	/* an entry that is left out is kept, for an edit that removes rule 0 */
	assert_int_equal(p.table[RULE_IN].ncovered, 2);
	assert_int_equal(p.table[RULE_IN].covered[0].rule, 1);
	assert_int_equal(p.table[RULE_IN].covered[1].rule, 4);
	assert_int_equal(p.table[RULE_IN].covered[1].by, 0);
	assert_ptr_equal(p.table[RULE_IN].covered[1].shape, p.table[RULE_IN].matcher[0].shape);
	assert_memory_equal(p.table[RULE_IN].covered[1].value,
			    p.table[RULE_IN].matcher[0].entry[0].value, 2 * sizeof(uint64_t));
	program_free(&p);
	ruleset_free(&set);
}

/* Returns the number of shadows, and the rule that takes the packets of the last one. */
static size_t shadows_of(const char *text, uint32_t *by)
{
	struct ruleset set;
	struct program p;
	size_t n;

	parse(text, &set);
	compile(&set, &p);
	n = p.nshadows;
	*by = n ? p.shadow[n - 1].by : UINT32_MAX;
	program_free(&p);
	ruleset_free(&set);
	return n;
}

/* A covered rule is found however many rules, matchers and shapes stand between. */
TEST(none, far_shadows)
{
	char text[32768] = "drop in ipv4 src 10.0.0.0/8\n";
	uint32_t by;

	for (unsigned int i = 0; i < 200; i++)
		sprintf(text + strlen(text), "%s in %s port %u count\n", i & 1 ? "pass" : "drop",
			i & 1 ? "udp dst" : "tcp src", i);
	strcat(text, "pass in ipv4 src 10.1.2.3 count\n");
	assert_int_equal(shadows_of(text, &by), 1);
	assert_int_equal(by, 0);
	/* each of 100 shapes in its own matcher; those of the other direction cover nothing */
	*text = 0;
	for (unsigned int i = 0; i < 100; i++)
		sprintf(text + strlen(text), "drop %s ipv4 src 10.0.0.0/%u dst port %u count\n",
			i ? "out" : "in", 8 + i % 24, i);
	strcat(text, "pass in ipv4 src 10.0.0.0/16 tcp dst port 0\npass in ipv4 src 10.1.0.0/16 "
		     "udp dst port 7\n");
	assert_int_equal(shadows_of(text, &by), 1);
	assert_int_equal(by, 0);
}

/* A mirror's packets go on, so it covers nothing; a rule that leads to a table covers. */
TEST(none, mirrors_and_tables_shadow)
{
	uint32_t by;

	assert_int_equal(shadows_of("mirror in udp to queue 1\nmirror in udp dst port 53 to queue "
				    "1\ndrop in udp\n",
				    &by),
			 0);
	assert_int_equal(shadows_of("drop in udp\ncount in tcp\nmirror in udp dst port 53 to "
				    "queue 1\n",
				    &by),
			 1);
	assert_int_equal(by, 0);
	assert_int_equal(shadows_of("mirror in udp to queue 1\nsend in tcp goto web\n"
				    "drop in tcp dst port 80\ntable web\ndrop in tcp\n",
				    &by),
			 1);
	assert_int_equal(by, 1);
}

TEST(none, the_cost_is_what_packets_and_rules_cost)
{
	/* one matcher for /8, which covers the second rule; 6-7 and 8 are two more, UDP is one */
	const char *text = "drop in ipv4 src 10.0.0.0/8 count\n"
			   "drop in ipv4 src 10.1.0.0/16 dst 10.2.0.0/16 count\n"
			   "pass in ipv4 src 11.0.0.0/8 count\n"
			   "pass in ipv4 tcp dst port 6-8 count\n"
			   "pass in ipv4 udp dst port 1,3,5,7 count\n";
	const struct table_cost *in;
	struct plan_cost cost;
	struct ruleset set;
	struct plan p;
	size_t wrong, sum = 0;

	parse(text, &set);
	assert_int_equal(plan_make(&set, NULL, &p, &wrong), 0);
	assert_int_equal(plan_cost(&p, &set, &cost), 0);
	in = &cost.table[RULE_IN];
	assert_string_equal(cost.compiled[RULE_IN], "list");
	assert_int_equal(in->matchers, p.list.table[RULE_IN].n);
	assert_int_equal(in->entries, 8);
	assert_int_equal(in->longest_path, in->matchers + 1);
	for (size_t m = 0; m < in->matchers; m++)
		sum += (m + 1) * p.list.table[RULE_IN].matcher[m].n;
	assert_true(in->mean_path * 8 == (double)sum);
	assert_int_equal(cost.ncostly, 3);
	assert_int_equal(cost.costly[0].rule, 3);
	assert_int_equal(cost.costly[0].matchers, 2);
	assert_int_equal(cost.costly[0].entries, 2);
	assert_int_equal(cost.costly[1].rule, 4);
	assert_int_equal(cost.costly[2].rule, 0);
	assert_int_equal(cost.table[RULE_OUT].longest_path, 0);
	plan_free(&p);
	ruleset_free(&set);
}

/*
 * Packets to the web's ports pass main's first two matchers, others all of the four, then the
 * mirror's.
 */
TEST(none, the_cost_of_tables)
{
	struct plan_cost cost;
	const struct table_cost *in = &cost.table[RULE_IN];
	struct ruleset set;
	struct plan p;
	size_t wrong;

	parse("drop in ipv4 src 10.0.0.1 count\nsend in ipv4 tcp goto web count\n"
	      "count in ipv4 dst 10.0.0.1\nmirror in ipv4 to queue 1\ndrop in ipv4 ttl 1\n"
	      "table web\ndrop in vlan 7 count\npass in ipv4 tcp dst port 80 count\n",
	      &set);
	assert_int_equal(plan_make(&set, NULL, &p, &wrong), 0);
	assert_int_equal(plan_cost(&p, &set, &cost), 0);
	assert_int_equal(in->tables, 3);
	assert_int_equal(in->matchers, 7);
	assert_int_equal(in->longest_path, 4 + 1 + 1 + 1);
	assert_true(in->mean_path * 7 == 1 + 2 + 3 + 4 + (5 + 1) + (2 + 1) + (2 + 2));
	plan_free(&p);
	ruleset_free(&set);
}

/* Returns the levels of a table's codes beyond its own. */
static uint32_t levels_of(const struct acl_program *codes)
{
	uint32_t *level = calloc(codes->n + 1, sizeof(*level)), most = acl_levels(codes, level);

	free(level);
	return most;
}

/* Writes "drop in ipv4 ..." of packets with this tag. */
static void write_list(FILE *f, unsigned int tag)
{
	char *list = acl_set_text(MIXED_SHAPE, 100, tag), *rest = list, *line;

	while ((line = strsep(&rest, "\n")) && *line)
		fprintf(f, "%.7s vlan %u%s\n", line, tag, line + 7);
	free(list);
}

/* Lists between mirrors: codes are as deep as the device allows, and the others stay lists. */
TEST(none, codes_between_mirrors_end_where_levels_do)
{
	char *text = NULL;
	size_t len = 0, wrong, coded = 0, lists = 0;
	FILE *f = open_memstream(&text, &len);
	struct plan_cost cost;
	struct ruleset set;
	struct plan p;
	uint32_t refused;

	for (unsigned int i = 1; i < 9; i++) {
		write_list(f, i);
		fprintf(f, "mirror in udp dst port %u to queue 0\n", i);
	}
	fclose(f);
	parse(text, &set);
	assert_int_equal(plan_make(&set, NULL, &p, &wrong), 0);
	for (uint32_t t = RULE_IN; t != TABLE_NONE; t = p.list.table[t].next) {
		const struct table *at = &p.list.table[t];
		uint32_t last = at->level + levels_of(&p.codes[t]);

		assert_true(last <= TABLES_DEEP);
		assert_true(at->next == TABLE_NONE || p.list.table[at->next].level > last);
		coded += p.codes[t].n > 0;
		lists += !p.codes[t].n && at->n + 1 > PLAN_PATH;
	}
	assert_true(coded > 1);
	assert_true(lists > 0);
	assert_non_null(strstr(p.refusal[RULE_IN].why, "more tables, one behind the other"));
	refused = p.list.where[p.refusal[RULE_IN].rule];
	assert_true(!p.codes[refused].n && p.list.table[refused].n + 1 > PLAN_PATH);
	assert_int_equal(plan_cost(&p, &set, &cost), 0);
	assert_string_equal(cost.compiled[RULE_IN], "codes");
	assert_string_equal(cost.compiled[RULE_OUT], "list");
	plan_free(&p);
	ruleset_free(&set);
	free(text);
}

#ifdef __SANITIZE_ADDRESS__
#define LEAST_MEMORY RLIM_INFINITY /* shadow memory is more than any limit */
#else
#define LEAST_MEMORY (512ul << 20)
#endif

/*
 * Masks that no order of levels reduces: each removed level multiplied the cells of those before,
 * until memory ended after minutes. The list remains.
 */
TEST(none, few_rules_do_not_take_all_memory_for_their_codes)
{
	static const char *const texts[] = {
		"send in vlan 3,200 pcp 2 ipv4 dst 198.51.100.42-198.51.100.59 or "
		"0.0.0.0/0.0.0.1 sport 9090,30-900 to queue 1\n"
		"send in vlan dei 1 vlan 4 pcp 6 ipv4 dst 10.3.1.14/31 or 0.0.0.1/0.0.0.255 or "
		"10.3.1.12 host 192.0.2.1 tcp dst port 443 to queue 2\n"
		"send in not vlan 5 ipv4 host 10.3.0.10/31,10.3.0.0/23 dport 0-79,2000 to queue "
		"3\n",
		"send in vlan 3,200 ipv4 dst 198.51.100.42-198.51.100.59 or 0.0.0.0/0.0.0.1 "
		"sport 9090,30-900 to queue 1\n"
		"send in ipv4 tcp flags syn,fin to queue 4\n"
		"send in vlan dei 1 vlan 4 pcp 6 ipv4 dst 10.3.1.14/31 or 0.0.0.1/0.0.0.255 or "
		"10.3.1.12 host 192.0.2.1 tcp dst port 443 to queue 2\n"
		"send in not vlan 5 ipv4 host 10.3.0.10/31,10.3.0.0/23 dport 0-79,2000 to queue "
		"3\n",
	};
	struct rlimit before, now;
	struct ruleset set;
	struct plan p;
	size_t wrong;

	assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
	now = before;
	now.rlim_cur = LEAST_MEMORY < now.rlim_cur ? LEAST_MEMORY : now.rlim_cur;
	assert_int_equal(setrlimit(RLIMIT_AS, &now), 0);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		parse(texts[i], &set);
		assert_int_equal(plan_make(&set, NULL, &p, &wrong), 0);
		assert_non_null(p.refusal[RULE_IN].why);
		plan_free(&p);
		ruleset_free(&set);
	}
	assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
}

/* Levels are limited: a mirror too many is named. */
TEST(none, too_many_tables)
{
	char text[8192] = "";
	struct ruleset set;
	struct program p;
	size_t wrong;

	for (unsigned int i = 0; i < TABLES_DEEP; i++)
		sprintf(text + strlen(text), "mirror in udp dst port %u to queue 0\n", i);
	parse(text, &set);
	assert_int_equal(rules_compile(&set, &p, &wrong), -EMLINK);
	assert_int_equal(wrong, TABLES_DEEP - 1);
	set.n--;
	assert_int_equal(rules_compile(&set, &p, &wrong), 0);
	program_free(&p);
	ruleset_free(&set);
}

TEST(none, too_much)
{
	char text[16384] = "drop in udp\ndrop in src port ";
	struct ruleset set;
	struct program p;
	size_t wrong;

	/* 30 x 30 x 2 versions x 2 protocols is fine; 300 x 300 of them isn't */
	parse("drop in udp\ndrop in src port 1-65534 dst port 1-65534\n", &set);
	assert_int_equal(rules_compile(&set, &p, &wrong), 0);
	program_free(&p);
	ruleset_free(&set);
	for (int i = 0; i < 600; i++)
		sprintf(text + strlen(text), "%s%d", !(i % 300) ? i ? " dst port " : "" : ",",
			10 * i);
	parse(text, &set);
	assert_int_equal(rules_compile(&set, &p, &wrong), -E2BIG);
	assert_int_equal(wrong, 1);
	assert_null(p.memory);
	ruleset_free(&set);
}

/*
 * The values beside 5,000 addresses are too many: a rule of the values that have room would differ.
 */
TEST(none, too_much_beside_a_not)
{
	char *text = NULL;
	struct ruleset set;
	struct program p;
	size_t wrong, len = 0;
	FILE *f = open_memstream(&text, &len);

	fprintf(f, "drop in not src 10.0.0.1");
	for (uint32_t i = 1; i < 5000; i++)
		fprintf(f, ",%u.%u.%u.1", i >> 5, (i << 3) & 255, i % 251);
	fprintf(f, "\n");
	fclose(f);
	parse(text, &set);
	assert_int_equal(rules_compile(&set, &p, &wrong), -E2BIG);
	ruleset_free(&set);
	free(text);
}

/*
 * A rate has a table with two matchers: a packet within it is looked up in its rule's matcher, one
 * of these, the later rule's and that of the rest.
 */
TEST(none, cost_of_a_rate)
{
	struct plan_cost cost;
	struct ruleset set;
	struct plan p;
	size_t wrong;

	parse("drop in ipv4 udp dst port 53 over 9/s\ndrop in ipv4 tcp dst port 9\n", &set);
	assert_int_equal(plan_make(&set, NULL, &p, &wrong), 0);
	assert_int_equal(plan_cost(&p, &set, &cost), 0);
	assert_int_equal(cost.table[RULE_IN].tables, 3);
	assert_int_equal(cost.table[RULE_IN].entries, 4);
	assert_int_equal(cost.table[RULE_IN].matchers, 4);
	assert_int_equal(cost.table[RULE_IN].longest_path, 4);
	plan_free(&p);
	ruleset_free(&set);
}
