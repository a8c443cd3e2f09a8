/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves how edits change a rule file: comments stay, the other rules keep their lines, and of two
 * files the rules that are the same are found, in their order.
 */
#include <ctype.h>
#include "tests/test.h"
#include "rules/live.h"
#include "rules/marks.h"
#include "rules/pairs.h"
#include "rules/source.h"
#include "rules_rig.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Edits a text, and checks that its rules and their places are those of the edited set. */
static char *edit_text(const char *before, const struct rules_edit *e)
{
	struct ruleset again;
	struct source_place place[8];
	uint32_t from[8], added = 0;
	size_t len;
	char *text = source_edit(before, strlen(before), e, place, &len);

	assert_int_equal(len, strlen(text));
	parse(text, &again);
	assert_int_equal(again.n, edit_count(e));
	edit_origins(e, from);
	for (size_t r = 0; r < again.n; r++) {
		const struct rule *now = &again.rule[r];
		const struct rule *is =
			from[r] == EDIT_NEW ? &e->more->rule[added++] : &e->set->rule[from[r]];

		assert_string_equal(now->text, is->text);
		assert_string_equal(rule_table_name(&again, now), rule_table_name(e->set, is));
		assert_int_equal(now->line, place[r].line);
		assert_int_equal(now->first_byte, place[r].first_byte);
		assert_int_equal(now->end_byte, place[r].end_byte);
	}
	ruleset_free(&again);
	return text;
}

/* Writes the rules of a text by one letter each, which their VLANs stand for. */
TEST(none, text_of_edited_rules)
{
	static const char before[] = "# head\ndrop in vlan 1 # one\n\n# two\ndrop in \\\n vlan 2\n"
				     "drop in vlan 3\n# tail";
	static const struct {
		const char *gone, *more, *after;
		const char *at; /* places of the added rules, a digit each */
	} cases[] = {
		{"", "drop in",
		 "# head\ndrop in\ndrop in vlan 1 # one\n\n# two\ndrop in \\\n vlan 2\n"
		 "drop in vlan 3\n# tail",
		 "0"},
		{"", "drop in",
		 "# head\ndrop in vlan 1 # one\ndrop in\n\n# two\ndrop in \\\n vlan 2\n"
		 "drop in vlan 3\n# tail",
		 "1"},
		{"", "drop in",
		 "# head\ndrop in vlan 1 # one\n\n# two\ndrop in \\\n vlan 2\n"
		 "drop in vlan 3\n# tail\ndrop in\n",
		 "3"},
		{"1", "", "# head\n\n\n# two\ndrop in \\\n vlan 2\ndrop in vlan 3\n# tail", "0"},
		{"23", "", "# head\ndrop in vlan 1 # one\n\n# two\n\n\n\n# tail", "0"},
		{"2", "drop in",
		 "# head\ndrop in vlan 1 # one\ndrop in\n\n# two\n\ndrop in vlan 3\n"
		 "# tail",
		 "1"},
		{"123", "", "# head\n\n\n# two\n\n\n\n# tail", "0"},
		{"12", "drop in\ncount in",
		 "# head\ndrop in\n\n# two\n\n\ncount in\ndrop in vlan 3\n# tail", "02"},
		{"2", "drop in\ncount in",
		 "# head\ndrop in vlan 1 # one\ndrop in\n\n# two\n\ndrop in vlan 3\n"
		 "# tail\ncount in\n",
		 "13"},
		{"", "drop in\ncount in",
		 "# head\ndrop in vlan 1 # one\ndrop in\ncount in\n\n# two\ndrop in \\\n"
		 " vlan 2\ndrop in vlan 3\n# tail",
		 "11"},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct ruleset set, more;
		bool gone[3] = {0};
		const size_t at[] = {(size_t)cases[i].at[0] - '0', (size_t)(cases[i].at[1] - '0')};
		char *text;

		parse(before, &set);
		parse(cases[i].more, &more);
		for (const char *p = cases[i].gone; *p; p++)
			gone[*p - '1'] = true;
		text = edit_text(before, &(struct rules_edit){&set, gone, &more, at});
		assert_string_equal(text, cases[i].after);
		ruleset_free(&more);
		ruleset_free(&set);
		free(text);
	}
}

static void edit_at(const char *file, const struct rules_edit *e, uint32_t table)
{
	e->more->rule[0].table = table;
	free(edit_text(file, e));
}

/* Adds a rule at each place where the daemon adds one; some replace the rule that is there. */
static void edit_everywhere(const char *file)
{
	struct ruleset set, more;
	bool gone[8] = {0};
	size_t at = 0, end;
	const struct rules_edit e = {&set, gone, &more, &at};

	parse(file, &set);
	parse("drop in vlan 9", &more);
	for (end = set.n; end && set.rule[end - 1].table;)
		end--;
	for (; at < set.n; at++) {
		edit_at(file, &e, set.rule[at].table);
		gone[at] = set.rule[at].verdict != RULE_GOTO;
		edit_at(file, &e, set.rule[at].table);
		gone[at] = false;
	}
	at = end;
	edit_at(file, &e, 0);
	ruleset_free(&more);
	ruleset_free(&set);
}

/* An edited file has the rules that the daemon has, in their tables, and is one that it takes. */
TEST(none, edited_files_parse_as_edited)
{
	static const char *const files[] = {
		/* sections without rules, and continued ones */
		"drop in tcp dst port 22\ntable web\n# rules to come\n",
		"# head\ntable web\n",
		"send in goto web # all\ntable web\ndrop in\ntable main\n# none\ntable web\n# none",
		"send in goto web\ntable web\ndrop in\ntable main\n",
		"table web\ndrop in\ntable main\nsend in goto web\n\ntable web\npass in",
		/* lines that go on behind a rule's last word */
		"drop in tcp dst port 22 \\\n    # ssh\npass in ipv4 \\\n\n# tail",
		"pass in ipv4 \\\n",
		"drop in vlan 1\\\r\n \\\n\ndrop in vlan 2 # \\\ndrop in vlan 3 \\\r\n",
		"drop in vlan 1\n# \\\n \\\n",
	};

	for (size_t i = 0; i < COUNT(files); i++)
		edit_everywhere(files[i]);
}

/* Makes rules of letters: each is a rule's text; a capital one's rule is in another table. */
static void edit_letters(const char *letters, char room[][2], struct pair_text *rule)
{
	for (size_t i = 0; letters[i]; i++) {
		room[i][0] = (char)tolower(letters[i]);
		room[i][1] = 0;
		rule[i] = (struct pair_text){room[i], isupper(letters[i]) ? "web" : "main"};
	}
}

TEST(none, pairs_of_two_files)
{
	static const struct {
		const char *old, *now;
		const char *from;  /* '-': new */
		const char *stays; /* '.': it does not */
	} cases[] = {
		{"abc", "abc", "012", "abc"},	 {"abc", "", "", ""},
		{"", "ab", "--", ".."},		 {"abc", "bxc", "1-2", "b.c"},
		{"aab", "aba", "021", "a.a"},	 {"abcd", "dabc", "3012", ".abc"},
		{"aaa", "aaaa", "012-", "aaa."}, {"abcde", "ebcda", "41230", ".bcd."},
		{"aA", "Aa", "10", ".a"},	 {"aA", "A", "1", "A"},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char room[2][8][2];
		struct pair_text old[8], now[8];
		size_t n = strlen(cases[i].now);
		uint32_t from[8];
		bool stays[8];

		edit_letters(cases[i].old, room[0], old);
		edit_letters(cases[i].now, room[1], now);
		assert_int_equal(pairs_find((struct texts){old, strlen(cases[i].old)},
					    (struct texts){now, n}, from),
				 0);
		assert_int_equal(pairs_in_order(from, n, stays), 0);
		for (size_t k = 0; k < n; k++) {
			assert_int_equal(from[k], cases[i].from[k] == '-'
							  ? PAIR_NONE
							  : (uint32_t)(cases[i].from[k] - '0'));
			assert_int_equal(stays[k], cases[i].stays[k] != '.');
		}
	}
}

/* Lines of a text keep their origin in marks; `save` makes comments of the marks. */
TEST(none, lines_of_files)
{
	static const char text[] = "drop in\n#line 1 \"sub/web.flow\"\none\ntwo\n#line x\n"
				   " #line 9\n#line 2 \"web\n#line 3\nlast";
	static const struct {
		uint32_t line, is;
		const char *file;
	} cases[] = {{1, 1, ""},
		     {3, 1, "sub/web.flow"},
		     {4, 2, "sub/web.flow"},
		     {7, 5, "sub/web.flow"},
		     {9, 3, ""}};
	struct mark_name n;
	size_t len;
	char *plain = marks_plain(text, sizeof(text) - 1, &len);

	for (size_t i = 0; i < COUNT(cases); i++) {
		marks_name(text, sizeof(text) - 1, cases[i].line, &n);
		assert_int_equal(n.line, cases[i].is);
		assert_string_equal(n.file, cases[i].file);
		marks_name(plain, len, cases[i].line, &n);
		assert_int_equal(n.line, cases[i].line);
		assert_string_equal(n.file, "");
	}
	assert_non_null(strstr(plain, "drop in\n# line 1 \"sub/web.flow\"\none\n"));
	free(plain);
}

/* --- where an entry of a rule goes ------------------------------------------------------------ */

/* Returns the matcher of the rule's only entry. */
static struct live_matcher *edit_matcher(struct live_table *t, uint32_t rule)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->entry[i].rule == rule)
			return &t->matcher[t->entry[i].matcher];
	fail();
	return NULL;
}

struct edit_finder {
	struct live_table *t;
	const struct ruleset *set;
	struct live_spot spot;
};

static int edit_find(void *arg, const struct shape *shape, const uint64_t *value)
{
	struct edit_finder *f = arg;

	f->spot = live_find(f->t, f->set, NULL, 1, shape, value);
	return 0;
}

/*
 * Rule 1 meets packets of 0 and of 2. These two have none in common, so earlier edits may have put
 * their matchers in either order. In one order, no place is behind the one and before the other.
 */
TEST(none, no_place_between_matchers_in_the_other_order)
{
	struct ruleset set;
	struct program p;
	struct live_table t = {0};
	struct edit_finder f = {&t, &set, {0}};

	parse("drop in ipv4 src 10.0.0.1 udp dst port 1 count\n"
	      "drop in ipv4 src 10.0.0.1 count\n"
	      "drop in ipv4 udp dst port 2 count",
	      &set);
	compile(&set, &p);
	assert_true(live_begin(&t, &p.table[RULE_IN]));
	for (size_t i = 0; i < t.n; i++)
		if (t.entry[i].rule == 1)
			live_remove(&t, i);
	assert_int_equal(rule_expand(&set.rule[1], edit_find, &f), 0);
	assert_int_equal(f.spot.place, LIVE_BEGINS);
	edit_matcher(&t, 0)->priority = 300;
	edit_matcher(&t, 2)->priority = 100;
	assert_int_equal(rule_expand(&set.rule[1], edit_find, &f), 0);
	assert_int_equal(f.spot.place, LIVE_NOWHERE);
	/* in their order, without a priority between them, or behind the last */
	edit_matcher(&t, 2)->priority = 301;
	assert_int_equal(rule_expand(&set.rule[1], edit_find, &f), 0);
	assert_int_equal(f.spot.place, LIVE_NOWHERE);
	edit_matcher(&t, 0)->priority = LIVE_LAST - 1;
	edit_matcher(&t, 2)->priority = LIVE_LAST;
	assert_int_equal(rule_expand(&set.rule[1], edit_find, &f), 0);
	assert_int_equal(f.spot.place, LIVE_NOWHERE);
	live_free(&t);
	program_free(&p);
	ruleset_free(&set);
}
