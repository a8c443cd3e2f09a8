/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that damaged text does not make the parser crash, hang, leak or read past its end; that
 * accepted rules compile; and that a rule's text parses to the same rule.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "rules/compile.h"

#define ROUNDS 20000

static const char *const words[] = {
	"drop",
	"pass",
	"send",
	"count",
	"in",
	"out",
	"any",
	"and",
	"not",
	"eth",
	"type",
	"vlan",
	"svlan",
	"id",
	"pcp",
	"ipv4",
	"ip6",
	"arp",
	"src",
	"dst",
	"host",
	"net",
	"proto",
	"tos",
	"dscp",
	"ef",
	"ecn",
	"ttl",
	"frag",
	"nofrag",
	"flowlabel",
	"vxlan",
	"vxlan-gpe",
	"geneve",
	"vni",
	"gre",
	"key",
	"mpls",
	"label",
	"tc",
	"inner",
	"outer",
	"tcp",
	"udp",
	"icmp",
	"icmp6",
	"port",
	"sport",
	"flags",
	"syn",
	"!",
	"ack",
	",",
	"-",
	"/",
	"code",
	"reg_c0",
	"reg_a",
	"vport",
	"sqn",
	"to",
	"queue",
	"tag",
	"\n",
	"\n",
	"\n",
	"#x\n",
	"\\\n",
	"0",
	"1",
	"8",
	"53",
	"80-443",
	"65535",
	"65536",
	"0xffffffffffffffff",
	"18446744073709551616",
	"10.0.0.0/8",
	"10.0.0.1",
	"fe80::/10",
	"::",
	"1::2::3",
	"02:00:00:00:00:01",
	"02:00:00:00:00:00/ff:00:00:00:00:00",
	"\xff\xfe",
	"\xc3",
	"nonesuch",
	"a-b_c",
	"@",
	"\"",
	"drop in udp\n",
	"send in tcp dst port 80,90 to queue 1 tag 2 count\n",
	"count out ip6 dst fe80::1 icmp6 type echo\n",
};

static const char *const phrases[] = {
	"drop in",
	"pass out",
	"count in",
	"udp dst port 53",
	"tcp sport 1-65534",
	"ipv4 src 10.0.0.0/8",
	"vlan 5 vlan 6",
	"ip6 dst fe80::/10",
	"eth src 02:00:00:00:00:01",
	"port 80,443",
	"reg_c0 1/0xf",
	"ttl 1",
	"count",
	"\n",
	"host 1.2.3.4",
	"flags syn,!ack",
	"tag 5",
	"and",
	"dscp ef",
	"vxlan vni 7",
	"gre key 5/0xff",
	"mpls 100",
	"inner ipv4 dst 10.0.0.1 tcp dst port 80-90",
	"inner vlan 6 udp",
	"not frag",
	"\ndrop in",
};

static uint32_t seed = 88675123u;

static uint32_t below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed % n;
}

/* The memory ends with the text, so that a sanitizer sees a byte read too far. */
static char *make(size_t *len)
{
	unsigned int kind = below(3); /* any words; phrases, damaged or not */
	char text[2048];
	size_t n = 0;
	char *out;

	if (kind) {
		memcpy(text, "drop in ", 8);
		n = 8;
	}
	for (unsigned int k = 1 + below(kind ? 8 : 40); k; k--) {
		bool phrase = kind || !below(4);
		const char *w = phrase ? phrases[below(sizeof(phrases) / sizeof(phrases[0]))]
				       : words[below(sizeof(words) / sizeof(words[0]))];

		if (n + strlen(w) + 2 > sizeof(text))
			break;
		memcpy(text + n, w, strlen(w));
		n += strlen(w);
		if (kind || below(8))
			text[n++] = ' ';
	}
	for (unsigned int k = kind > 1 ? 0 : below(4); k && n; k--)
		text[below((uint32_t)n)] = (char)below(256);
	out = malloc(n ? n : 1);
	assert_non_null(out);
	memcpy(out, text, n);
	*len = n;
	return out;
}

static void tell(void *arg, const struct mistake *m)
{
	const char *const *text = arg;

	assert_true(m->line >= 1 && m->column >= 1 && m->width >= 1);
	assert_true(m->text[0] && m->source >= *text);
}

static void again(const struct rule *r)
{
	struct ruleset set;

	assert_int_equal(rules_parse(r->text, strlen(r->text), &set, NULL, NULL), 0);
	assert_int_equal(set.n, 1);
	assert_string_equal(set.rule[0].text, r->text);
	assert_int_equal(set.rule[0].nfields, r->nfields);
	assert_int_equal(set.rule[0].verdict, r->verdict);
	ruleset_free(&set);
}

static void damaged(void **state)
{
	unsigned int accepted = 0;

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		struct ruleset set;
		struct program p;
		size_t len, wrong;
		char *text = make(&len);

		if (!rules_parse(text, len, &set, tell, &text)) {
			accepted += set.n != 0;
			for (size_t r = 0; r < set.n; r++)
				again(&set.rule[r]);
			if (!rules_compile(&set, &p, &wrong))
				program_free(&p);
			ruleset_free(&set);
		}
		free(text);
	}
	assert_true(accepted > ROUNDS / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(damaged)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
