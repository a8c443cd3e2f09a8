/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that rules which are exported to tc and testpmd come back as the same entries, and that
 * those which a tool cannot say are named.
 */
#include <stdlib.h>
#include "import/export.h"
#include "import_text.h"
#include "rules/compile.h"

static void nothing_is_left_out(void *arg, const struct rule *r, struct source_location at,
				const char *why)
{
	(void)arg;
	(void)at;
	fail_msg("%s: %s", r->text, why);
}

/* Writes the matchers in order, with their entries. */
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

				fprintf(f, "%d %zu: verdict %d queues %u-%u tag %u changes %u", dir,
					m, r->verdict, r->rss ? r->rss->first : r->queue + r->vport,
					rule_last_queue(r), r->tag, r->nchanges);
				for (unsigned int k = 0; r->encap && k < r->encap->bytes; k++)
					fprintf(f, " %02x", r->encap->header[k]);
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

static void comes_back(const char *tool, const char *ports, const char *rule)
{
	struct export_ask ask = {.tool = export_find(tool), .ports = ports};
	struct ruleset before, after;
	struct import_result r;
	char *commands = NULL, *rules, *one, *two;
	size_t n = 0;
	FILE *f = open_memstream(&commands, &n);

	parsed(rule, &before);
	assert_int_equal(export_rules(&ask, &before, f, nothing_is_left_out, NULL), 0);
	fclose(f);
	assert_int_equal(import_text(&(struct import_ask){.from = DIALECTS, .ports = ports},
				     commands, n, &r),
			 0);
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

/* Puts `more` before the first `word` if the text has it, or behind. */
static void put_at(char *text, size_t size, const char *word, bool behind, const char *more)
{
	char *at = strstr(text, word), rest[256];

	if (!at)
		return;
	at += behind ? strlen(word) : 0;
	snprintf(rest, sizeof(rest), "%s", at);
	snprintf(at, size - (size_t)(at - text), "%s%s", more, rest);
}

/*
 * Rewrites a rule as tc understands it. Its filters name the type behind a tag, so that "a tag" is
 * three filters, and an EtherType excludes labels.
 */
static const char *as_tc_means(const char *rule)
{
	static char text[300];

	snprintf(text, sizeof(text), "%s", rule);
	put_at(text, sizeof(text), " in vlan 7", true, " num_of_vlans 1");
	put_at(text, sizeof(text), " ipv4", false, " ethertype");
	put_at(text, sizeof(text), " ipv6", false, " ethertype");
	return text;
}

/* A rule of one tag takes packets with a second one, which a filter of tc does not. */
TEST(none, exported_tags_are_exact)
{
	struct export_ask ask = {.tool = export_find("tc")};
	struct import_result r;
	struct ruleset set;
	char *commands = NULL, *got;
	size_t n = 0;
	FILE *f = open_memstream(&commands, &n);

	parsed("drop in vlan 7 ipv4", &set);
	assert_int_equal(export_rules(&ask, &set, f, nothing_is_left_out, NULL), 0);
	fclose(f);
	assert_int_equal(take(DIALECTS, NULL, commands, &r), 0);
	got = items_text(&r);
	assert_string_equal(got, "drop in vlan id 7 num_of_vlans 1 ethertype ipv4\n"
				 "drop in vlan id 7 vlan ethertype ipv4\n"
				 "drop in vlan id 7 svlan ethertype ipv4\n");
	free(got);
	free(commands);
	import_free(&r);
	ruleset_free(&set);
}

TEST(none, exported_rules_come_back_as_the_same_entries)
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
		{"cp", "drop in vlan 7 ipv4 ttl 0x10/0x30"},
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
		{"c", "pass in vlan 7 ipv4 tcp set dscp af41"},
		{"p", "send in vlan 7 ipv6 udp set dscp ef ttl 3 to queue 0"},
		{"p", "send in vlan 7 tcp set dscp 1 to queue 0"},
		{"c", "pass in untagged ipv4 proto 47 set ipv4 src 192.0.2.7 push vlan 9 pcp 3"},
		{"c", "pass in vlan 7 ipv4 set vlan 9"},
		{"c", "pass in vlan 7 ipv6 tcp set ipv6 src 2001:db8::1"},
		{"p", "drop in ipv4 src 0.0.0.1/0.0.0.3 tcp"},
		{"p", "drop in udp dst port 53"},
		{"p", "drop out untagged ipv4 proto 89"},
		{"p", "drop in vlan 7 ipv6 flowlabel 0x12345"},
		{"p", "drop in vlan 7 dei 1 svlan 9"},
		{"p",
		 "send in vxlan 42 inner ipv4 dst 10.0.0.0/8 tcp dst port 80 decap to queue 3"},
		{"p",
		 "send in geneve inner eth dst 02:00:00:00:00:01 ipv6 udp to queue 1 tag 7 count"},
		{"p", "send in vlan 7 ipv4 tcp to rss 0-3 on ipv4,tcp"},
		{"p", "send in vlan 7 ipv6 to rss 2-5"},
		{"p", "send in vlan 7 ethertype 0x88cc to rss 0-1 on ipv4,ipv6"},
		{"p", "send in gre key 0x1234 inner eth src 02:00:00:00:00:01 ipv4 to queue 1"},
		{"p",
		 "send in vlan 7 ipv4 tcp set ipv4 dst 192.0.2.7 tcp dst port 8080 to queue 2"},
		{"p",
		 "send in vlan 7 ipv4 pop vlan dec ttl set eth src 02:00:00:00:00:01 to queue 2"},
		{"p", "send in vlan 7 ipv6 udp set ipv6 dst 2001:db8::1 ttl 3 to queue 0"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (strchr(cases[i].tools, 'c'))
			comes_back("tc", NULL, as_tc_means(cases[i].rule));
		if (strchr(cases[i].tools, 'p'))
			comes_back("testpmd", NULL, cases[i].rule);
	}
}

/*
 * testpmd copies in a flow that also says where the packet goes. So what stands behind a copy is a
 * group, for its source, and all other packets of the source jump there, too.
 */
TEST(none, copies_of_testpmd_lead_to_the_rules_behind_them)
{
	struct export_ask ask = {.tool = export_find("testpmd"), .ports = "0=uplink 1=vf0 2=vf1"};
	struct import_result r;
	struct ruleset set;
	char *commands = NULL, *got;
	size_t n = 0;
	FILE *f = open_memstream(&commands, &n);

	parsed("drop switch from vf0 ipv4 udp dst port 9\n"
	       "mirror switch from vf0 ipv4 udp dst port 53,54 to vf1 sample 4 count\n"
	       "mirror switch from vf0 ipv6 to uplink\n"
	       "drop switch from vf0 ipv4\ndrop switch from uplink ipv4\n",
	       &set);
	assert_int_equal(export_rules(&ask, &set, f, nothing_is_left_out, NULL), 0);
	fclose(f);
	assert_int_equal(import_text(&(struct import_ask){.from = DIALECTS, .ports = ask.ports},
				     commands, n, &r),
			 0);
	got = items_text(&r);
	assert_string_equal(got, "drop switch from vf0 ipv4 udp dst port 9\n"
				 "mirror switch from vf0 ipv4 udp dst port 53 to vf1 sample 4\n"
				 "send switch from vf0 ipv4 udp dst port 53 goto table1 count\n"
				 "mirror switch from vf0 ipv4 udp dst port 54 to vf1 sample 4\n"
				 "send switch from vf0 ipv4 udp dst port 54 goto table1 count\n"
				 "send switch from vf0 goto table1\n"
				 "drop switch from uplink ipv4\n"
				 "table table1\n"
				 "mirror switch from vf0 ipv6 to uplink\n"
				 "send switch from vf0 ipv6 goto table2\n"
				 "send switch from vf0 goto table2\n"
				 "table table2\n"
				 "drop switch from vf0 ipv4\n");
	free(got);
	free(commands);
	import_free(&r);
	ruleset_free(&set);
}

/* Rules of the e-switch, with the kernel's names of vports or others. */
TEST(none, exported_rules_of_the_switch_come_back)
{
	static const struct {
		const char *tool, *ports, *rule;
	} cases[] = {
		{"tc", NULL, "send switch from vf3 untagged ethertype ipv4 dst 10.0.0.7 to uplink"},
		{"tc", NULL, "send switch from uplink untagged ethertype arp to uplink"},
		{"tc", "p0=uplink", "drop switch from uplink untagged ethertype arp"},
		{"tc", "a=uplink b=7",
		 "send switch from uplink,vf6 vlan 7 num_of_vlans 1 "
		 "ethertype ipv4 pop vlan set eth src 02:00:00:00:00:01 "
		 "to vf6"},
		{"tc", "vxlan0=uplink,02:00:00:00:00:01,02:00:00:00:00:02",
		 "send switch from vf0 untagged ethertype ipv4 encap vxlan vni 7 src 192.0.2.1 dst "
		 "192.0.2.2 eth src 02:00:00:00:00:01 dst 02:00:00:00:00:02 ttl 9 to uplink"},
		{"tc", "genev_sys_6081=uplink,02:00:00:00:00:01,02:00:00:00:00:02",
		 "send switch from vf0 untagged ethertype ipv4 encap geneve vni 7 src ::1 dst ::2 "
		 "eth src 02:00:00:00:00:01 dst 02:00:00:00:00:02 to uplink"},
		{"tc", NULL, "pass switch from pf untagged ethertype arp"},
		{"testpmd", "0=uplink 1=vf0",
		 "send switch from vf0 vlan 7 ipv4 udp pop vlan dec ttl count to uplink"},
		{"testpmd", "0=uplink 1=vf0", "drop switch from uplink,vf0 udp dst port 53"},
		{"testpmd", "0=uplink 1=vf0",
		 "send switch from uplink vxlan 42 inner ipv4 decap to vf0"},
		{"testpmd", "0=uplink 1=vf0",
		 "send switch from vf0 ipv6 encap vxlan vni 7 src 192.0.2.1 dst 192.0.2.2 eth src "
		 "02:00:00:00:00:01 dst 02:00:00:00:00:02 ttl 9 to uplink"},
		{"testpmd", "0=uplink 1=vf0",
		 "send switch from vf0 encap vxlan vni 7 src ::1 dst ::2 eth src 02:00:00:00:00:01 "
		 "dst 02:00:00:00:00:02 dst port 8472 to uplink"},
		{"testpmd", "0=uplink 1=vf0",
		 "send switch from uplink ipv4 nvgre vni 7 inner ipv4 tcp decap to vf0"},
		{"testpmd", "0=uplink 1=vf0",
		 "send switch from vf0 encap nvgre vni 7 src 192.0.2.1 dst 192.0.2.2 eth src "
		 "02:00:00:00:00:01 dst 02:00:00:00:00:02 to uplink"},
		{"tc", NULL,
		 "mirror switch from vf0 untagged ethertype ipv4 udp to vf1\n"
		 "send switch from vf0 untagged ethertype ipv4 to uplink"},
		{"tc", "vxlan0=uplink,02:00:00:00:00:01,02:00:00:00:00:02",
		 "send switch from vf0 untagged ethertype ipv4 encap vxlan vni 7 gbp 300 src "
		 "192.0.2.1 dst 192.0.2.2 eth src 02:00:00:00:00:01 dst 02:00:00:00:00:02 to "
		 "uplink"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		comes_back(cases[i].tool, cases[i].ports, cases[i].rule);
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

TEST(none, rules_that_a_tool_cannot_say_are_named)
{
	static const struct {
		const char *tool, *rule, *why;
		unsigned int column;
	} cases[] = {
		{"tc", "drop in ipv4 src 0.0.0.1/0.0.0.3", "address", 14},
		{"tc", "drop out udp", "egress", 6},
		{"tc", "send in udp to queue 1", "queues", 13},
		{"tc",
		 "send switch from vf0 encap vxlan vni 7 src ::1 dst ::2 eth src 02:00:00:00:00:01 "
		 "dst 02:00:00:00:00:02 to uplink",
		 "SRC,DST", 22},
		{"testpmd",
		 "pass out encap geneve vni 7 src ::1 dst ::2 eth src 02:00:00:00:00:01 dst "
		 "02:00:00:00:00:02",
		 "VXLAN", 10},
		{"testpmd",
		 "pass out encap vxlan vni 7 gbp 3 src ::1 dst ::2 eth src 02:00:00:00:00:01 dst "
		 "02:00:00:00:00:02",
		 "group polic", 10},
		{"testpmd",
		 "pass out encap nvgre vni 7 src ::1 dst ::2 eth src 02:00:00:00:00:01 dst "
		 "02:00:00:00:00:02",
		 "over IPv6 have ttl 255", 10},
		{"tc", "mirror switch from vf0 to vf1 sample 4", "psample", 38},
		{"tc", "drop switch udp", "name the vport", 6},
		{"tc", "send switch from ecpf to vf0", "NAME=ecpf", 13},
		{"tc", "send switch from vf0 to ecpf", "NAME=ecpf", 25},
		{"tc", "send switch from uplink vxlan 1 decap to vf0", "tunnel", 33},
		{"tc", "drop in gre key 7", "GRE key", 13},
		{"tc", "drop in untagged", "untagged", 9},
		{"tc", "drop in reg_a 7", "register", 9},
		{"tc", "pass in vxlan decap", "tunnel", 15},
		{"tc", "pass in svlan 7 set vlan 9", "802.1Q", 21},
		{"tc", "pass in vlan 7 ipv6 set dscp ef", "IPv4 packets only", 25},
		{"testpmd", "send switch from vf0 to uplink", "NAME=vf0", 13},
		{"testpmd", "pass in udp", "kernel", 1},
		{"testpmd", "drop in fragment", "fragment", 9},
		{"testpmd", "drop in vport 1", "vport", 9},
		{"testpmd", "drop in tcp flags ns", "TCP flags", 13},
		{"tc", "mirror in udp to queue 1", "queues", 15},
		{"testpmd", "mirror in udp to queue 1", "e-switch only", 1},
		{"testpmd", "send in udp to rss 0-3 key 0x" KEY, "keys of rss", 22},
		{"testpmd", "send in geneve decap to queue 1", "VXLAN", 16},
		{"testpmd", "send in geneve inner ipv4 to queue 1", "Ethernet or IP", 1},
		{"testpmd", "drop in gre inner ipv4", "Ethernet or IP", 1},
		{"testpmd", "drop in vlan 7 not vlan not svlan", "tag", 16},
		{"tc", "drop in vlan 7 not vlan not svlan", "second tag", 16},
		{"tc",
		 "send switch from uplink encap geneve vni 7 option 1 type 2 3 src "
		 "10.0.0.1 dst 10.0.0.2 eth src 2:0:0:0:0:1 dst 2:0:0:0:0:2 to uplink",
		 "options of Geneve are not exported", 1},
		{"testpmd", "mirror switch from uplink udp to uplink", "a rule behind this", 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct export_ask ask = {.tool = export_find(cases[i].tool), .ports = "0=uplink"};
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
TEST(none, tables_are_not_exported)
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
