/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that the daemon puts each key where the PRM has the field of its name, and that it edits
 * entry by entry only if each packet gets one of two verdicts.
 */
#include "rules_rig.h"
#include <dvx/prm/match.h>
#include "daemon/generation_edit.h"
#include "prm/reflect.h"

TEST(none, each_key)
{
	const struct prm_struct *s = prm_find_struct("fte_match_param");

	for (unsigned int key = 0; key < MATCH_KEYS; key++) {
		const uint64_t values[] = {1, match_key_max(key),
					   0x5a5a5a5a5a5a & match_key_max(key)};
		uint64_t bit = 0;
		const struct prm_field *f = prm_find_field(s, match_keys[key].path, &bit);

		assert_non_null(f);
		/* A MAC's second field is next to the first one. */
		assert_int_equal(f->width + (strstr(f->name, "mac_47_16") ? 16 : 0),
				 match_keys[key].bits);
		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			uint8_t filled[PRM_FTE_MATCH_PARAM_BYTES], named[sizeof(filled)];
			struct shape shape = {.n = 1, .key = {(uint8_t)key}};

			memset(filled, (int)i, sizeof(filled));
			memset(named, (int)i, sizeof(named));
			fill_match(filled, &shape, &values[i]);
			prm_bits_set(named, bit, match_keys[key].bits, values[i]);
			assert_memory_equal(filled, named, sizeof(filled));
		}
	}
}

#define FITS_RULES 120

/*
 * Checks whether an edit is made entry by entry; `goes` lists the leaving rules, `comes` is the
 * arriving one.
 */
static bool fits_one(const struct ruleset *set, const char *goes, const char *comes)
{
	struct built_table table[16] = {{.table = NULL}};
	struct generation gen = {.set = *set, .table = table};
	bool gone[FITS_RULES] = {false}, fits;
	struct generation_change c = {.gone = gone, .before = (size_t[]){1}};
	struct generation_edit e = {.gen = &gen, .in = (uint32_t[]){RULE_IN}};
	struct ruleset more = {0};

	compile(set, &gen.plan.list);
	gen.ntables = gen.plan.list.ntables;
	for (size_t t = 0; t < gen.ntables; t++)
		table[t].table = (void *)&gen;
	for (char *end; *goes; goes = end + (*end == ' '))
		gone[strtoul(goes, &end, 10)] = true;
	if (comes)
		assert_int_equal(rules_parse_part(comes, strlen(comes), set, &more, NULL, NULL), 0);
	c.more = more.rule;
	c.nmore = more.n;
	fits = edit_fits(&e, &c);
	gen.stray_entry = true;
	assert_false(edit_fits(&e, &c));
	ruleset_free(&more);
	program_free(&gen.plan.list);
	return fits;
}

TEST(none, changes_entry_by_entry)
{
	static const char text[] = "mirror in udp to queue 0\ndrop in tcp\n"
				   "mirror in ipv6 to queue 1\npass in ipv4 ttl 3\n"
				   "send in tcp dst port 7 goto web\ncount out udp\n"
				   "mirror in arp to queue 2\n"
				   "table web\ndrop in ttl 1\npass in ttl 2\n";
	static const struct {
		const char *goes, *comes;
		bool fits;
	} cases[] = {
		{"1", NULL, true},
		{"1 3", NULL, true},
		{"0", NULL, true}, /* a mirror alone */
		{"0 1", NULL, false},
		{"1 2", NULL, false},
		{"0 2", NULL, false},
		{"0 2 6", NULL, false},
		{"0 5", NULL, true},  /* each direction for itself */
		{"1 7", NULL, false}, /* two tables of the file */
		{"7 8", NULL, true},
		{"", "drop in ipv4", true},
		{"1", "drop in ipv4", true},
		{"0", "drop in ipv4", false},
		{"7", "drop in ipv4", false},
		{"0", "drop out ipv4", true},
		{"", "mirror in ipv4 to queue 0", false},
	};
	struct ruleset set;

	parse(text, &set);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (fits_one(&set, cases[i].goes, cases[i].comes) != cases[i].fits)
			fail_msg("\"%s\" go, \"%s\" comes", cases[i].goes,
				 cases[i].comes ? cases[i].comes : "none");
	ruleset_free(&set);
}

/*
 * Mirrors divide a table: an added rule is put into the part of the next rule, or behind the last
 * mirror.
 */
TEST(none, a_rule_comes_to_the_table_of_the_next_one)
{
	static const char text[] = "drop in tcp\nmirror in udp to queue 0\ncount out tcp\n"
				   "drop in ttl 1\nmirror in ipv6 to queue 1\ndrop in ttl 2\n";
	static const size_t next[] = {0, 1, 3, 3, 4, 5, 5}; /* by `before` */
	struct built_table table[16] = {{.table = NULL}};
	struct rule_state hold[6] = {{0}};
	struct generation gen = {.table = table, .hold = hold};
	size_t before[2];
	uint32_t in[2];
	struct generation_edit e = {.gen = &gen, .in = in};
	struct rule more[2] = {{.dir = RULE_IN}, {.dir = RULE_IN}};
	struct generation_change c = {.more = more, .before = before, .nmore = 2};

	parse(text, &gen.set);
	compile(&gen.set, &gen.plan.list);
	gen.ntables = gen.plan.list.ntables;
	for (size_t i = 0; i < gen.set.n; i++)
		hold[i].table = gen.plan.list.where[i];
	for (before[0] = 0; before[0] <= gen.set.n; before[0]++)
		for (before[1] = before[0]; before[1] <= gen.set.n; before[1]++) {
			assert_int_equal(edit_find_tables(&e, &c), 0);
			for (int m = 0; m < 2; m++)
				assert_int_equal(in[m], gen.plan.list.where[next[before[m]]]);
		}
	program_free(&gen.plan.list);
	ruleset_free(&gen.set);
}

/* 64 changes and one for each 16 rules. */
TEST(none, many_changes_are_a_new_generation)
{
	char text[FITS_RULES * 40] = "", goes[FITS_RULES * 4] = "";
	struct ruleset set;

	for (int i = 0; i < 112; i++)
		sprintf(text + strlen(text), "drop in tcp dst port %d\n", i);
	parse(text, &set);
	for (int i = 0; i < 64 + 7; i++)
		sprintf(goes + strlen(goes), "%s%d", i ? " " : "", i);
	assert_true(fits_one(&set, goes, NULL));
	strcat(goes, " 90");
	assert_false(fits_one(&set, goes, NULL));
	ruleset_free(&set);
}
