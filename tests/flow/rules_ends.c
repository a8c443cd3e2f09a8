/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that the parser accepts what rules do with their packets: samples, vports, headers that
 * they begin, queues, tables, the tracking of connections, rates and times.
 */
#include "rules_parse.h"

TEST(none, samples)
{
	assert_int_equal(only("mirror in udp to queue 1 sample 100 count")->sample, 100);
	assert_int_equal(only("mirror switch sample 4294967295 to vf0")->sample, UINT32_MAX);
	assert_int_equal(only("mirror in udp to queue 1")->sample, 0);
}

/* A vport is named or numbered; a rule may have several sources. */
TEST(none, vports)
{
	static const struct {
		const char *text;
		uint32_t from, more, to;
	} cases[] = {
		{"send switch from pf to vf0", 0, 0, 1},
		{"send switch from vf3,uplink to ecpf", 4, 0xffff, 0xfffe},
		{"send switch vport 7 to vport 40000", 7, 0, 40000},
		{"send switch from vport 7 or vf0 to uplink", 7, 1, 0xffff},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct rule *r = only(cases[i].text);
		const struct rule_field *f = field(r, KEY_VPORT);

		assert_non_null(f);
		assert_int_equal(f->value, cases[i].from);
		assert_int_equal(f->mask, 0xffff);
		assert_int_equal(f->nmore, cases[i].more != 0);
		if (f->nmore)
			assert_int_equal(f->more->value, cases[i].more);
		assert_int_equal(r->vport, cases[i].to);
		assert_true(rule_has_vport(r));
		assert_false(rule_has_queue(r));
	}
	has("drop in from vf1 udp", KEY_VPORT, 2, 0xffff);
}

#define V4_HEADER(protocol)        \
	"020000000002020000000001" \
	"0800"                     \
	"4500000000000000"         \
	"40" protocol "0000"       \
	"c0000201"                 \
	"c0000202"

/*
 * The header of a tunnel, byte by byte: RFC 7348, 8926, 7637, 2890 and 7510; what the device fills in
 * is 0.
 */
TEST(none, headers_of_encap)
{
	static const struct {
		const char *words, *hex;
	} cases[] = {
		{"vxlan vni 42 src 192.0.2.1 dst 192.0.2.2 eth src 02:00:00:00:00:01 dst "
		 "02:00:00:00:00:02",
		 "020000000002020000000001"
		 "0800"
		 "4500000000000000"
		 "40110000"
		 "c0000201"
		 "c0000202"
		 "000012b500000000"
		 "0800000000002a00"},
		{"geneve dst port 6082 ttl 9 eth dst 02:00:00:00:00:02 src 02:00:00:00:00:01 "
		 "src 2001:db8::1 dst 2001:db8::2 vni 0x123456",
		 "020000000002020000000001"
		 "86dd"
		 "6000000000001109"
		 "20010db8000000000000000000000001"
		 "20010db8000000000000000000000002"
		 "000017c200000000"
		 "0000655812345600"},
		{"geneve vni 7 option 0x102 type 0x80 0x20007 src 192.0.2.1 dst "
		 "192.0.2.2 "
		 "eth src 02:00:00:00:00:01 dst 02:00:00:00:00:02",
		 "020000000002020000000001"
		 "0800"
		 "4500000000000000"
		 "40110000"
		 "c0000201"
		 "c0000202"
		 "000017c100000000"
		 "0240655800000700"
		 "0102800100020007"},
		{"vxlan-gpe vni 1 src 192.0.2.1 dst 192.0.2.2 " HOP,
		 V4_HEADER("11") "000012b600000000"
				 "0c00000300000100"},
		{"vxlan vni 1 gbp 0x1234 src 192.0.2.1 dst 192.0.2.2 " HOP,
		 V4_HEADER("11") "000012b500000000"
				 "8800123400000100"},
		{"nvgre vni 0x123456 src 192.0.2.1 dst 192.0.2.2 " HOP,
		 V4_HEADER("2f") "2000655812345600"},
		{"gretap key 7 src 192.0.2.1 dst 192.0.2.2 " HOP,
		 V4_HEADER("2f") "2000655800000007"},
		{"gretap src 192.0.2.1 dst 192.0.2.2 " HOP, V4_HEADER("2f") "00006558"},
		{"gre src 192.0.2.1 dst 192.0.2.2 " HOP, V4_HEADER("2f") "000086dd"},
		{"mplsoudp label 0xabcde src 192.0.2.1 dst 192.0.2.2 " HOP,
		 V4_HEADER("11") "000019eb00000000"
				 "abcde140"},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[256], hex[2 * sizeof(set.rule->encap->header) + 1] = "";
		const struct rule *r;

		snprintf(text, sizeof(text), "pass out ipv6 udp encap %s count", cases[i].words);
		r = only(text);
		assert_true(r->count);
		assert_int_equal(r->change[0].kind, CHANGE_ENCAP);
		for (unsigned int b = 0; b < r->encap->bytes; b++)
			snprintf(hex + 2 * (size_t)b, 3, "%02x", r->encap->header[b]);
		assert_string_equal(hex, cases[i].hex);
	}
}

/* Several queues: default, given kinds, a key in both notations; rules that spread alike share. */
TEST(none, spreads)
{
	static const char key[] = "6d:5a:56:da:25:5b:0e:c2:41:67:25:3d:43:a3:8f:b0:d0:ca:2b:cb:"
				  "ae:7b:30:b4:77:cb:2d:a3:80:30:f2:0c:6a:42:b7:3b:be:ac:01:fa";
	char text[1024], plain[2 * HASH_KEY_BYTES + 1] = "";
	const struct rule_rss *r =
		only("send in ipv4 dst 10.0.0.0/8 to rss 0-3 on ipv4,tcp count")->rss;

	assert_int_equal(r->first, 0);
	assert_int_equal(r->last, 3);
	assert_int_equal(r->on, HASH_IPV4 | HASH_TCP);
	assert_false(r->has_key);
	assert_int_equal(only("send in to rss 2-4")->rss->on, HASH_ALL);
	for (size_t i = 0; i < HASH_KEY_BYTES; i++)
		memcpy(plain + 2 * i, key + 3 * i, 2);
	snprintf(text, sizeof(text),
		 "send in tcp to rss 0-1 key %s\nsend in udp to rss 0-1 key 0x%s "
		 "on ipv4, ipv6, tcp, udp\nsend in to rss 0-1",
		 key, plain);
	ruleset_free(&set);
	assert_int_equal(rules_parse(text, strlen(text), &set, NULL, NULL), 0);
	assert_ptr_equal(set.rule[0].rss, set.rule[1].rss);
	assert_ptr_not_equal(set.rule[0].rss, set.rule[2].rss);
	assert_int_equal(set.rule[0].rss->key[0], 0x6d);
	assert_int_equal(set.rule[0].rss->key[39], 0xfa);
}

TEST(none, tables)
{
	static const char text[] = "mirror in udp dst port 53 to queue 2\nsend in tcp goto web\n"
				   "table web\ndrop in\ntable main\nsend in udp goto dns\n"
				   "table dns\ncount in\ntable web\npass in";
	static const uint32_t in[] = {0, 0, 1, 0, 2, 1};

	ruleset_free(&set);
	assert_int_equal(rules_parse(text, strlen(text), &set, NULL, NULL), 0);
	assert_int_equal(set.n, COUNT(in));
	for (size_t i = 0; i < set.n; i++)
		assert_int_equal(set.rule[i].table, in[i]);
	assert_int_equal(set.rule[0].verdict, RULE_MIRROR);
	assert_int_equal(set.rule[0].queue, 2);
	assert_int_equal(set.rule[1].verdict, RULE_GOTO);
	assert_int_equal(set.rule[1].go, 1);
	assert_int_equal(set.rule[3].go, 2);
	assert_string_equal(set.table[2].name, "dns");
}

/* Compares the one field of a rule's connection. */
static void ct_is(const char *text, uint64_t value, uint64_t mask, size_t more)
{
	char rules[128];
	const struct rule *r;
	const struct rule_field *f;

	snprintf(rules, sizeof(rules), "track switch tcp\n%s", text);
	ruleset_free(&set);
	assert_int_equal(rules_parse(rules, strlen(rules), &set, NULL, NULL), 0);
	r = &set.rule[1];
	assert_true(r->ct);
	f = field(r, CT_KEY);
	assert_int_equal(f->value, value);
	assert_int_equal(f->mask, mask);
	assert_int_equal(f->nmore, more);
}

/* States of connections, in the words of nft, OVS and this language; the vports of their packets. */
TEST(none, tracking)
{
	const struct rule *r = only("track switch tcp dst port 80 max 100 expire 60s count");

	assert_int_equal(r->verdict, RULE_TRACK);
	assert_int_equal(r->track->most, 100);
	assert_int_equal(r->track->idle, 60);
	assert_int_equal(r->expire, 0);
	r = only("track switch tcp");
	assert_int_equal(r->track->most, 65536);
	assert_int_equal(r->track->idle, 7440);
	ct_is("drop switch ct invalid", CT_INVALID, CT_MASK, 0);
	ct_is("drop switch tcp ct state new,established", CT_NEW, CT_MASK, 1);
	ct_is("drop switch tcp ct est", CT_ESTABLISHED, CT_MASK, 0);
	ct_is("drop switch from vf0 tcp ct established", CT_ESTABLISHED | 1,
	      CT_MASK | CT_SOURCE_MASK, 0);
	ct_is("drop switch from vf0,uplink ct established", CT_ESTABLISHED | 1,
	      CT_MASK | CT_SOURCE_MASK, 1);
	ct_is("drop switch from vf0 ct new,invalid", CT_NEW, CT_MASK, 1);
	r = &set.rule[1];
	assert_int_equal(r->nfields, 2);
	ruleset_free(&set);
	assert_int_equal(rules_parse("track switch tcp\ndrop switch from vf0 tcp ct != established",
				     59, &set, NULL, NULL),
			 0);
	ruleset_free(&set);
}

/* Rates of packets and bits, with a burst or a tenth of a second; times without packets. */
TEST(none, rates)
{
	static const struct {
		const char *text;
		bool packets;
		uint64_t rate, burst;
	} cases[] = {
		{"drop in over 1000/s", true, 1000, 100},
		{"drop in over 5 packets/s", true, 5, 1},
		{"pass out over 100 Mbit/s burst 64k", false, 100000000, 65536},
		{"drop in over 1 gbit/S", false, 1000000000, 12500000},
		{"drop in over 8 kbit/s count", false, 8000, 16384},
		{"send in over 9/s burst 2k to queue 1", true, 9, 2000},
		{"drop switch from uplink over 9/s burst 0", true, 9, 0},
	};
	static const struct {
		const char *text;
		uint32_t expire;
	} ends[] = {
		{"drop in expire 60s", 60}, {"drop in expire 5", 5}, {"pass out expire 2 h", 7200}};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct rule *r = only(cases[i].text);

		assert_non_null(r->over);
		assert_int_equal(r->over->packets, cases[i].packets);
		assert_int_equal(r->over->rate, cases[i].rate);
		assert_int_equal(r->over->burst, cases[i].burst);
		assert_true(r->count);
	}
	for (size_t i = 0; i < COUNT(ends); i++)
		assert_int_equal(only(ends[i].text)->expire, ends[i].expire);
}
