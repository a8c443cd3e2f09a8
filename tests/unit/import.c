/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves what rules of tc, testpmd, iptables, nft and Open vSwitch become (import.rows), that each
 * reason to leave one out occurs, and that exported rules come back as the same entries.
 */
#include "tests/test.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "import/export.h"
#include "import/import.h"
#include "rules/compile.h"

/* --- import.rows ------------------------------------------------------------------------------- */

struct import_row {
	enum import_dialect dialect;
	const char *source;
	char *text, *expected;
};

static char *rows_text;
static struct import_row rows[400];
static size_t nrows;

/* The file as a string. */
static char *rows_read(void)
{
	char path[4096], *text = NULL;
	size_t n = 0;
	FILE *f, *to = open_memstream(&text, &n);
	int c;

	snprintf(path, sizeof(path), "%s/tests/unit/import.rows", getenv("top_srcdir"));
	f = fopen(path, "re");
	assert_non_null(f);
	while ((c = fgetc(f)) != EOF)
		fputc(c, to);
	fclose(f);
	fclose(to);
	return text;
}

/* "@ DIALECT SOURCE", the text, "=", and what is expected, up to the next head. */
static int rows_load(void **state)
{
	char *p;

	(void)state;
	rows_text = rows_read();
	for (p = strstr(rows_text, "\n@ "); p && nrows < 400; nrows++) {
		struct import_row *row = &rows[nrows];
		char *name = strtok_r(p + 3, " ", &p);

		row->dialect = dialect_find(name);
		row->source = strtok_r(NULL, "\n", &p);
		row->text = p;
		row->expected = strstr(p, "\n=\n") + 3;
		row->expected[-2] = 0;
		p = strstr(row->expected - 1, "\n@ ");
		if (p)
			p[p == row->expected - 1 ? 1 : 0] = 0;
	}
	return 0;
}

static int rows_free(void **state)
{
	(void)state;
	free(rows_text);
	return 0;
}

/* Rules, then the reasons. */
static char *items_text(const struct import_result *r)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	for (size_t i = 0; i < r->n; i++)
		if (r->item[i].rule)
			fprintf(f, "%s\n", r->item[i].rule);
	for (size_t i = 0; i < r->n; i++)
		if (!r->item[i].rule)
			fprintf(f, "!%s\n", reason_id(r->item[i].reason));
	fclose(f);
	return text;
}

static void row_is(const struct import_row *row)
{
	struct import_ask ask = {.from = row->dialect};
	struct import_result r;
	char *got;

	assert_int_equal(import_text(&ask, row->text, strlen(row->text), &r), 0);
	got = items_text(&r);
	if (strncmp(got, row->expected, strlen(got)) ||
	    strspn(row->expected + strlen(got), "\n") != strlen(row->expected + strlen(got)))
		fail_msg("%s: %s\ngot:\n%swanted:\n%s", row->source, row->text, got, row->expected);
	free(got);
	import_free(&r);
}

TEST(rules_of_public_documentation_become_these)
{
	assert_true(nrows >= 200 && nrows < 400);
	for (size_t i = 0; i < nrows; i++)
		row_is(&rows[i]);
}

TEST(the_tool_is_found_out_from_the_text)
{
	struct import_ask ask = {.from = DIALECTS};

	for (size_t i = 0; i < nrows; i++) {
		struct import_result r;

		assert_int_equal(import_text(&ask, rows[i].text, strlen(rows[i].text), &r), 0);
		if (r.dialect != rows[i].dialect)
			fail_msg("%s: %s: %s", rows[i].source, rows[i].text,
				 dialect_name(r.dialect));
		import_free(&r);
	}
}

TEST(each_reason_occurs)
{
	for (int reason = 0; reason < IMPORT_REASONS; reason++) {
		char wanted[40];
		bool found = reason == REASON_LONG; /* below */

		snprintf(wanted, sizeof(wanted), "!%s\n", reason_id((enum import_reason)reason));
		for (size_t i = 0; i < nrows; i++)
			found |= strstr(rows[i].expected, wanted) != NULL;
		if (!found)
			fail_msg("no row is left out because of \"%s\"",
				 reason_id((enum import_reason)reason));
	}
}

/* --- whole texts ------------------------------------------------------------------------------- */

static int take(enum import_dialect from, const char *netdev, const char *text,
		struct import_result *r)
{
	struct import_ask ask = {.from = from, .netdev = netdev};

	return import_text(&ask, text, strlen(text), r);
}

TEST(another_tools_text_is_told)
{
	static const struct {
		enum import_dialect from, seen;
		const char *text;
	} cases[] = {
		{DIALECT_TC, DIALECT_IPTABLES, "*filter\n-A INPUT -j DROP\n"},
		{DIALECT_OVS, DIALECT_TC, "tc filter add dev eth0 ingress flower action drop\n"},
		{DIALECT_NFT, DIALECT_TESTPMD, "flow create 0 ingress pattern end actions end\n"},
		{DIALECTS, DIALECT_OWN, "drop in udp dst port 53\n"},
		{DIALECTS, DIALECTS, "Dear Sir or Madam,\n"},
		{DIALECTS, DIALECTS, ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct import_result r;

		assert_int_equal(take(cases[i].from, NULL, cases[i].text, &r), -EPROTOTYPE);
		assert_int_equal(r.dialect, cases[i].seen);
		import_free(&r);
	}
}

TEST(netdev_chooses_an_interfaces_rules)
{
	static const char text[] = "-A INPUT -i eth0 -p tcp -j DROP\n-A INPUT -i eth1 -j DROP\n"
				   "-A INPUT ! -i eth0 -p udp -j DROP\n-A INPUT -p icmp -j DROP\n";
	struct import_result r;
	char *got;

	assert_int_equal(take(DIALECTS, "eth1", text, &r), 0);
	got = items_text(&r);
	assert_string_equal(got, "drop in untagged ipv4\ndrop in ipv4 udp\ndrop in ipv4 icmp\n");
	free(got);
	import_free(&r);
}

TEST(ip6tables_save_says_so_in_its_comment)
{
	struct import_result r;

	assert_int_equal(take(DIALECTS, NULL,
			      "# Generated by ip6tables-save v1.8.9\n*filter\n-A INPUT -j DROP\n",
			      &r),
			 0);
	assert_string_equal(r.item[0].rule, "drop in ipv6");
	import_free(&r);
}

TEST(what_is_left_out_has_its_place)
{
	struct import_result r;

	assert_int_equal(
		take(DIALECTS, NULL,
		     "flow create 0 ingress pattern eth / \\\n  frob / end actions drop / end\n",
		     &r),
		0);
	assert_int_equal(r.left_out, 1);
	assert_int_equal(r.item[0].line, 2);
	assert_int_equal(r.item[0].column, 3);
	assert_string_equal(r.item[0].word, "frob");
	import_free(&r);
}

/* Each chain calls the next one ten times. */
TEST(jumps_that_multiply_end)
{
	struct import_result r;
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	fputs("*filter\n-A INPUT -j c0\n", f);
	for (int chain = 0; chain < 9; chain++)
		for (int i = 0; i < 10; i++)
			fprintf(f, "-A c%d -j c%d\n", chain, chain + 1);
	fputs("-A c9 -p 300 -j DROP\n", f);
	fclose(f);
	assert_int_equal(take(DIALECTS, NULL, text, &r), 0);
	assert_int_equal(r.item[r.n - 1].reason, REASON_LONG);
	import_free(&r);
	free(text);
}

/* --- there and back ---------------------------------------------------------------------------- */

static void nothing_is_left_out(void *arg, const struct rule *r, struct source_location at,
				const char *why)
{
	(void)arg;
	(void)at;
	fail_msg("%s: %s", r->text, why);
}

static void parsed(const char *text, struct ruleset *set)
{
	if (rules_parse(text, strlen(text), set, NULL, NULL))
		fail_msg("wrong rules:\n%s", text);
}

/* The matchers in order, with their entries. */
static char *program_text(const struct ruleset *set)
{
	struct program p;
	char *text = NULL;
	size_t n = 0, wrong;
	FILE *f = open_memstream(&text, &n);

	assert_int_equal(rules_compile(set, &p, &wrong), 0);
	for (int dir = 0; dir < RULE_DIRS; dir++)
		for (size_t m = 0; m < p.table[dir].n; m++) {
			const struct matcher *at = &p.table[dir].matcher[m];

			for (size_t e = 0; e < at->n; e++) {
				const struct rule *r = &set->rule[at->entry[e].rule];

				fprintf(f, "%d %zu: verdict %d queues %u-%u tag %u changes %zu",
					dir, m, r->verdict, r->rss ? r->rss->first : r->queue,
					rule_last_queue(r), r->tag, r->nchanges);
				for (unsigned int k = 0; k < at->shape->n; k++)
					fprintf(f, " %u=%llx/%llx", at->shape->key[k],
						(unsigned long long)at->entry[e].value[k],
						(unsigned long long)at->shape->mask[k]);
				fputc('\n', f);
			}
		}
	fclose(f);
	program_free(&p);
	return text;
}

static void comes_back(const char *tool, const char *rule)
{
	struct export_ask ask = {.tool = export_find(tool)};
	struct ruleset before, after;
	struct import_result r;
	char *commands = NULL, *rules, *one, *two;
	size_t n = 0;
	FILE *f = open_memstream(&commands, &n);

	parsed(rule, &before);
	assert_int_equal(export_rules(&ask, &before, f, nothing_is_left_out, NULL), 0);
	fclose(f);
	assert_int_equal(take(DIALECTS, NULL, commands, &r), 0);
	rules = items_text(&r);
	parsed(rules, &after);
	one = program_text(&before);
	two = program_text(&after);
	if (strcmp(one, two))
		fail_msg("%s:\n%sbecomes\n%s%s\n%s", rule, commands, rules, one, two);
	free(one);
	free(two);
	free(rules);
	free(commands);
	import_free(&r);
	ruleset_free(&before);
	ruleset_free(&after);
}

TEST(exported_rules_come_back_as_the_same_entries)
{
	static const struct {
		const char *tools; /* c: tc, p: testpmd */
		const char *rule;
	} cases[] = {
		{"cp", "drop in untagged ipv4 src 10.0.0.0/8 dst 192.0.2.1 tcp dst port 80"},
		{"cp", "drop in vlan 7 pcp 3 ipv6 src 2001:db8::/32 udp src port 1024-65535"},
		{"cp", "drop in svlan 7 vlan 9 ipv4 icmp type 8 code 0"},
		{"cp", "drop in eth src 02:00:00:00:00:01 dst 01:00:00:00:00:00/01:00:00:00:00:00"},
		{"cp", "drop in vlan 7 ipv4 tcp flags syn,!ack"},
		{"cp", "drop in vlan 7 ipv4 dscp ef ttl 1"},
		{"cp", "drop in vlan 7 ipv6 icmp6 type 135"},
		{"cp", "drop in vlan 7 ethertype 0x88cc"},
		{"cp", "drop in vlan 7 mpls 100 tc 1 mpls_bos 1"},
		{"cp", "drop in vlan 7 ipv4 tcp dst port 22,80,8000-8100"},
		{"cp", "drop in vlan 7 ipv4 host 192.0.2.1"},
		{"cp", "drop in any"},
		{"c", "drop in vlan 7 ipv4 nofrag"},
		{"c", "drop in vlan 7 ipv6 proto 89"},
		{"c", "pass in vlan 7 ipv4 dst 10.0.0.9 tcp dst port 80 "
		      "set ipv4 dst 192.0.2.7 tcp dst port 8080 ttl 9"},
		{"c", "pass in vlan 7 ipv4 udp pop vlan set eth dst 02:00:00:00:00:01"},
		{"c", "pass in vlan 7 ipv6 dec ttl"},
		{"c", "pass in untagged ipv4 proto 47 set ipv4 src 192.0.2.7 push vlan 9 pcp 3"},
		{"c", "pass in vlan 7 ipv4 set vlan 9"},
		{"c", "pass in vlan 7 ipv6 set ipv6 src 2001:db8::1"},
		{"p", "drop in ipv4 src 0.0.0.1/0.0.0.3 tcp"},
		{"p", "drop in udp dst port 53"},
		{"p", "drop out untagged ipv4 proto 89"},
		{"p", "drop in vlan 7 ipv6 flowlabel 0x12345"},
		{"p", "drop in vlan 7 dei 1 svlan 9"},
		{"p",
		 "send in vxlan 42 inner ipv4 dst 10.0.0.0/8 tcp dst port 80 decap to queue 3"},
		{"p", "send in geneve inner ipv6 udp to queue 1 tag 7 count"},
		{"p", "send in vlan 7 ipv4 tcp to rss 0-3 on ipv4,tcp"},
		{"p", "send in vlan 7 ipv6 to rss 2-5"},
		{"p", "send in vlan 7 ethertype 0x88cc to rss 0-1 on ipv4,ipv6"},
		{"p", "send in gre key 0x1234 inner ipv4 to queue 1"},
		{"p",
		 "send in vlan 7 ipv4 tcp set ipv4 dst 192.0.2.7 tcp dst port 8080 to queue 2"},
		{"p",
		 "send in vlan 7 ipv4 pop vlan dec ttl set eth src 02:00:00:00:00:01 to queue 2"},
		{"p", "send in vlan 7 ipv6 set ipv6 dst 2001:db8::1 ttl 3 to queue 0"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (strchr(cases[i].tools, 'c'))
			comes_back("tc", cases[i].rule);
		if (strchr(cases[i].tools, 'p'))
			comes_back("testpmd", cases[i].rule);
	}
}

struct told {
	unsigned int column;
	char why[256];
};

static void hear(void *arg, const struct rule *r, struct source_location at, const char *why)
{
	struct told *told = arg;

	(void)r;
	told->column = at.column;
	snprintf(told->why, sizeof(told->why), "%s", why);
}

#define TEN "0123456789"
#define KEY TEN TEN TEN TEN TEN TEN TEN TEN

TEST(rules_that_a_tool_cannot_say_are_named)
{
	static const struct {
		const char *tool, *rule, *why;
		unsigned int column;
	} cases[] = {
		{"tc", "drop in ipv4 src 0.0.0.1/0.0.0.3", "address", 14},
		{"tc", "drop out udp", "egress", 6},
		{"tc", "send in udp to queue 1", "queues", 13},
		{"tc", "drop in gre key 7", "GRE key", 13},
		{"tc", "drop in untagged", "untagged", 9},
		{"tc", "drop in reg_a 7", "register", 9},
		{"tc", "pass in vxlan decap", "tunnel", 15},
		{"tc", "pass in svlan 7 set vlan 9", "802.1Q", 21},
		{"testpmd", "pass in udp", "kernel", 1},
		{"testpmd", "drop in fragment", "fragment", 9},
		{"testpmd", "drop in vport 1", "vport", 9},
		{"testpmd", "drop in tcp flags ns", "TCP flags", 13},
		{"tc", "mirror in udp to queue 1", "copies", 1},
		{"testpmd", "mirror in udp to queue 1", "copies", 1},
		{"testpmd", "send in udp to rss 0-3 key 0x" KEY, "keys of rss", 22},
		{"testpmd", "send in geneve decap to queue 1", "VXLAN", 16},
		{"testpmd", "drop in vlan 7 not vlan not svlan", "tag", 16},
		{"tc", "drop in vlan 7 not vlan not svlan", "second tag", 16},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct export_ask ask = {.tool = export_find(cases[i].tool)};
		struct ruleset set;
		struct told told = {0};
		char *out = NULL;
		size_t n = 0;
		FILE *f = open_memstream(&out, &n);

		parsed(cases[i].rule, &set);
		assert_int_equal(export_rules(&ask, &set, f, hear, &told), 1);
		fclose(f);
		assert_string_equal(out, "");
		if (!strstr(told.why, cases[i].why) || told.column != cases[i].column)
			fail_msg("%s: column %u: %s", cases[i].rule, told.column, told.why);
		free(out);
		ruleset_free(&set);
	}
}

/* A rule of another table is for packets that were sent there. */
TEST(tables_are_not_exported)
{
	struct export_ask ask = {.tool = export_find("testpmd")};
	struct ruleset set;
	struct told told;
	char *out = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&out, &n);

	parsed("send in tcp goto web\ntable web\ndrop in tcp dst port 80\n", &set);
	assert_int_equal(export_rules(&ask, &set, f, hear, &told), 2);
	fclose(f);
	assert_string_equal(out, "");
	free(out);
	ruleset_free(&set);
}

__attribute__((constructor)) static void group(void)
{
	test_group(rows_load, rows_free);
}
