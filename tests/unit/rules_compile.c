/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that the tables a rule file becomes decide about each packet as its rules do, first match
 * first; that ranges become the fewest prefixes; and that rules of one shape share a matcher. */
#include "tests/test.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "rules/cubes.h"
#include "rules/plan.h"

static uint32_t seed = 2463534242u;

static uint32_t below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed % n;
}

static void parse(const char *text, struct ruleset *set)
{
	int ret = rules_parse(text, strlen(text), set, NULL, NULL);

	if (ret)
		print_message("%d mistakes in:\n%s\n", ret, text);
	assert_int_equal(ret, 0);
}

static void compile(const struct ruleset *set, struct program *p)
{
	size_t wrong;

	assert_int_equal(rules_compile(set, p, &wrong), 0);
}

/* --- a small world ---------------------------------------------------------------------------- */

/* Packets over so few values that rules meet them often. */
struct packet {
	unsigned int ip; /* 0, 4 or 6 */
	uint8_t src[16], dst[16];
	uint64_t proto, sport, dport, vlan, ttl;
};

static bool in_prefix(const struct rule_net *p, unsigned int ip, const uint8_t *addr)
{
	if (p->family != ip)
		return false;
	if (p->bits == NET_RANGE)
		return memcmp(p->addr, addr, 16) <= 0 && memcmp(addr, p->end, 16) <= 0;
	for (unsigned int i = 0; p->bits == NET_MASK && i < 16; i++)
		if ((p->addr[i] ^ addr[i]) & p->end[i])
			return false;
	for (unsigned int bit = 0; p->bits != NET_MASK && bit < p->bits; bit++)
		if ((p->addr[bit / 8] ^ addr[bit / 8]) >> (7 - bit % 8) & 1)
			return false;
	return true;
}

static bool in_nets(const struct rule_nets *nets, unsigned int ip, const uint8_t *addr)
{
	for (size_t i = 0; i < nets->n; i++)
		if (in_prefix(&nets->net[i], ip, addr))
			return true;
	return false;
}

static bool in_ports(const struct rule_ports *p, uint64_t port)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->range[i].wild ? (port & ~(uint64_t)p->range[i].wild) == p->range[i].first
				     : port >= p->range[i].first && port <= p->range[i].last)
			return true;
	return false;
}

static bool meets_l4(const struct rule_headers *h, const struct packet *p)
{
	if (h->l4 != L4_ANY && !(p->ip && (h->l4 == L4_TCP_OR_UDP ? p->proto == 6 || p->proto == 17
								  : p->proto == (uint64_t)h->l4)))
		return false;
	return (!h->sport.n || in_ports(&h->sport, p->sport)) &&
	       (!h->dport.n || in_ports(&h->dport, p->dport)) &&
	       (!h->port.n || in_ports(&h->port, p->sport) || in_ports(&h->port, p->dport));
}

static bool meets_headers(const struct rule_headers *h, const struct packet *p)
{
	if (h->ip && !(h->ip == RULE_IP ? p->ip : p->ip == h->ip))
		return false;
	if ((h->src.n && !in_nets(&h->src, p->ip, p->src)) ||
	    (h->dst.n && !in_nets(&h->dst, p->ip, p->dst)) ||
	    (h->host.n && !in_nets(&h->host, p->ip, p->src) && !in_nets(&h->host, p->ip, p->dst)))
		return false;
	return meets_l4(h, p);
}

static bool meets_fields(const struct rule_field *f, size_t n, const struct packet *p)
{
	for (; n; n--, f++) {
		uint64_t v = f->key == KEY_CVLAN     ? p->vlan != 0
			     : f->key == KEY_VLAN_ID ? p->vlan
			     : f->key == KEY_TTL     ? p->ttl
			     : f->key == KEY_PROTO   ? p->proto
						     : 0;
		bool met = (v & f->mask) == f->value;

		for (size_t m = 0; m < f->nmore; m++)
			met |= (v & f->more[m].mask) == f->more[m].value;
		if (!met)
			return false;
	}
	return true;
}

static bool meets(const struct rule *r, const struct packet *p)
{
	for (size_t i = 0; i < r->nexcepts; i++)
		if (meets_fields(r->except[i].field, r->except[i].nfields, p) &&
		    meets_headers(&r->except[i].headers, p))
			return false;
	return meets_fields(r->field, r->nfields, p) && meets_headers(&r->outer, p);
}

static uint64_t word(const uint8_t *p)
{
	return (uint64_t)p[0] << 24 | (uint64_t)p[1] << 16 | (uint64_t)p[2] << 8 | p[3];
}

/* The packet as a device sees it. */
static void values(const struct packet *p, uint64_t v[MATCH_KEYS])
{
	memset(v, 0, MATCH_KEYS * sizeof(*v));
	v[KEY_CVLAN] = p->vlan != 0;
	v[KEY_VLAN_ID] = p->vlan;
	v[KEY_PROTO] = p->proto;
	v[KEY_TTL] = p->ttl;
	v[MATCH_IP_VERSION] = p->ip;
	for (unsigned int i = 0; i < 4; i++) {
		v[MATCH_SRC_127_96 + i] = p->ip == 6 ? word(p->src + 4 * i)
					  : i == 3   ? word(p->src)
						     : 0;
		v[MATCH_DST_127_96 + i] = p->ip == 6 ? word(p->dst + 4 * i)
					  : i == 3   ? word(p->dst)
						     : 0;
	}
	v[MATCH_TCP_SPORT] = p->proto == 6 ? p->sport : 0;
	v[MATCH_TCP_DPORT] = p->proto == 6 ? p->dport : 0;
	v[MATCH_UDP_SPORT] = p->proto == 17 ? p->sport : 0;
	v[MATCH_UDP_DPORT] = p->proto == 17 ? p->dport : 0;
}

static bool fits(const struct shape *s, const uint64_t *value, const uint64_t v[MATCH_KEYS])
{
	for (unsigned int i = 0; i < s->n; i++)
		if ((v[s->key[i]] & s->mask[i]) != value[i])
			return false;
	return true;
}

/* The rule whose entry decides, n if none does; no matcher may have two answers. */
static size_t decide(const struct table *t, const uint64_t v[MATCH_KEYS], size_t n)
{
	for (size_t m = 0; m < t->n; m++) {
		size_t found = n;

		for (size_t e = 0; e < t->matcher[m].n; e++)
			if (fits(t->matcher[m].shape, t->matcher[m].entry[e].value, v)) {
				assert_int_equal(found, n);
				found = t->matcher[m].entry[e].rule;
			}
		if (found != n)
			return found;
	}
	return n;
}

static size_t first_met(const struct ruleset *set, const struct packet *p)
{
	size_t i = 0;

	while (i < set->n && !meets(&set->rule[i], p))
		i++;
	return i;
}

static struct packet random_packet(void)
{
	struct packet p = {.ip = below(8) ? 4 + 2 * below(2) : 0};

	p.src[0] = (uint8_t)(10 + below(2));
	p.dst[0] = (uint8_t)(10 + below(2));
	p.src[p.ip == 6 ? 15 : 3] = (uint8_t)below(4);
	p.dst[p.ip == 6 ? 15 : 3] = (uint8_t)below(4);
	p.vlan = below(2) ? 1 + below(3) : 0;
	if (!p.ip)
		return p;
	p.proto = (uint64_t[]){6, 17, 1}[below(3)];
	p.ttl = below(3);
	if (p.proto != 1) {
		p.sport = below(20);
		p.dport = below(20);
	}
	return p;
}

static void random_rule(char *out, size_t size)
{
	static const char *const actions[] = {"drop in", "pass in", "send in", "count in"};
	static const char *const v4[] = {"src 10.0.0.%u",
					 "dst 10.0.0.%u/31",
					 "host 11.0.0.%u",
					 "src 10.0.0.0/8",
					 "ipv4",
					 "src 11.0.0.0/8,10.0.0.%u dst 10.0.0.1 or 11.0.0.1",
					 "host 10.0.0.2/31,11.0.0.%u",
					 "src 0.0.0.%u/0.0.0.3",
					 "dst 10.0.0.%u-11.0.0.1,10.0.0.0"};
	static const char *const v6[] = {"src a00::%u",
					 "dst b00::%u/127",
					 "host a00::%u",
					 "dst a00::/8",
					 "ip6",
					 "dst a00::/127, b00::%u src b00::1,b00::2",
					 "host b00::3 or a00::%u",
					 "host ::%u/::3",
					 "src a00::%u-b00::1, a00::"};
	unsigned int action = below(4), a = below(4), lo = below(20), hi = lo + below(20 - lo);
	char ip[64] = "", ports[64] = "";
	const char *const *texts = below(2) ? v4 : v6;
	unsigned int which = below(9);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	if (below(3))
		snprintf(ip, sizeof(ip), texts[which], which == 1 ? a & ~1u : a);
#pragma GCC diagnostic pop
	if (!below(4))
		snprintf(ports, sizeof(ports), " not %s %s port %u,%u",
			 (const char *[]){"tcp", "udp", ""}[below(3)],
			 (const char *[]){"src", "dst"}[below(2)], lo, below(20));
	else if (below(2))
		snprintf(ports, sizeof(ports), "%s %s port %u-%u,%u%s",
			 (const char *[]){"tcp", "udp", ""}[below(3)],
			 (const char *[]){"src", "dst", ""}[below(3)], lo, hi, below(20),
			 (const char *[]){"", ",1/5"}[below(2)]);
	snprintf(out, size, "%s %s %s %s %s %s %s\n", actions[action],
		 (const char *[]){"", "vlan", "vlan 2", "vlan 1,3", "not vlan 2",
				  "vlan != 1,3"}[below(6)],
		 ip[0] && !strstr(ip, "host") && !below(4) ? " not " : "", ip,
		 (const char *[]){"", "ttl 0/1,2", "ttl 1",
				  "icmp"}[ports[0] || ip[0] ? below(3) : below(4)],
		 ports,
		 action == 2 ? "to queue 1"
		 : below(2)  ? "count"
			     : "");
}

static int few(void *arg, const struct shape *shape, const uint64_t *value)
{
	size_t *n = arg;

	(void)shape;
	(void)value;
	return ++*n > 130;
}

/* Not `not ipv4', not what no packet matches, and few entries: each packet asks them all. */
static bool is_right(const char *text)
{
	struct ruleset set;
	size_t n = 0;
	bool right;

	if (rules_parse(text, strlen(text), &set, NULL, NULL))
		return false;
	right = !rule_expand(&set.rule[0], few, &n);
	ruleset_free(&set);
	return right;
}

/* 150,000 questions are asked: 150 files of 1 to 40 rules, 1000 packets each. */
TEST(as_written)
{
	for (int round = 0; round < 150; round++) {
		char text[8192] = "";
		struct ruleset set;
		struct program p;

		for (unsigned int n = 1 + below(40); n; n--) {
			char *end = text + strlen(text);

			random_rule(end, 200);
			if (!is_right(end))
				*end = 0;
		}
		parse(text, &set);
		compile(&set, &p);
		for (int i = 0; i < 1000; i++) {
			struct packet packet = random_packet();
			uint64_t v[MATCH_KEYS];
			size_t wanted = first_met(&set, &packet), got;

			values(&packet, v);
			got = decide(&p.table[RULE_IN], v, set.n);
			/* Rules that do the same may stand in for each other. */
			if (got != wanted && wanted < set.n && got < set.n &&
			    !set.rule[wanted].count && !set.rule[got].count &&
			    set.rule[wanted].verdict == set.rule[got].verdict)
				continue;
			if (got != wanted)
				print_message("rule %zu, not %zu of:\n%s\n", got, wanted, text);
			assert_int_equal(got, wanted);
		}
		program_free(&p);
		ruleset_free(&set);
	}
}

/* --- tables and mirrors ------------------------------------------------------------------------ */

/* The rules that take a packet one after the other: mirrors, ways to tables, and the last one. */
struct taken {
	size_t rule[64], n;
};

static void follow(const struct program *p, const struct ruleset *set, const uint64_t v[MATCH_KEYS],
		   struct taken *out)
{
	uint32_t t = RULE_IN, level = 0;

	out->n = 0;
	while (t != TABLE_NONE) {
		size_t rule = decide(&p->table[t], v, set->n);

		assert_true(p->table[t].level > level);
		level = p->table[t].level;
		if (rule < set->n)
			out->rule[out->n++] = rule;
		t = rule == set->n || set->rule[rule].verdict == RULE_MIRROR
			    ? p->table[t].next
			    : program_goto(&set->rule[rule]);
	}
}

static void follow_text(const struct ruleset *set, const struct packet *p, struct taken *out)
{
	uint32_t table = 0;

	out->n = 0;
	for (size_t i = 0; i < set->n; i++) {
		const struct rule *r = &set->rule[i];

		if (r->table != table || !meets(r, p))
			continue;
		out->rule[out->n++] = i;
		if (r->verdict == RULE_GOTO) {
			table = r->go;
			i = SIZE_MAX;
		} else if (r->verdict != RULE_MIRROR) {
			return;
		}
	}
}

/* A rule of random matches that begins and ends with these words. */
static void random_way(char *out, const char *begin, const char *end)
{
	char text[256];

	do
		random_rule(text, sizeof(text));
	while (strncmp(text, "send in", 7) || !is_right(text));
	*strstr(text, "to queue") = 0;
	sprintf(out, "%s%s %s count\n", begin, text + 4, end);
}

static void random_table(char *out, const char *next)
{
	for (unsigned int n = 1 + below(12); n; n--) {
		out += strlen(out);
		switch (below(5)) {
		case 0:
			random_way(out, "mirror", "to queue 1");
			break;
		case 1:
			random_way(out, next ? "send" : "drop", next ? next : "");
			break;
		default:
			random_way(out, below(2) ? "pass" : "drop", "");
		}
	}
	if (next)
		sprintf(out + strlen(out), "send in vlan 1 %s count\n", next);
}

TEST(tables_and_mirrors_as_written)
{
	for (int round = 0; round < 60; round++) {
		char text[16384] = "";
		struct ruleset set;
		struct program p;

		random_table(text, "goto web");
		strcat(text, "send in ttl 2 goto ssh count\ntable web\n");
		random_table(text, "goto ssh");
		strcat(text, "table ssh\n");
		random_table(text, NULL);
		parse(text, &set);
		compile(&set, &p);
		for (int i = 0; i < 1000; i++) {
			struct packet packet = random_packet();
			struct taken wanted, got;
			uint64_t v[MATCH_KEYS];

			values(&packet, v);
			follow_text(&set, &packet, &wanted);
			follow(&p, &set, v, &got);
			if (wanted.n != got.n ||
			    memcmp(wanted.rule, got.rule, got.n * sizeof(got.rule[0])))
				fail_msg("%zu rules, not %zu of:\n%s\n", got.n, wanted.n, text);
		}
		program_free(&p);
		ruleset_free(&set);
	}
}

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

TEST(prefixes)
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
			assert_true(!(c.cube[i].value & ~c.cube[i].mask));
			assert_true(c.cube[i].value >= first);
			covered += 65536u - (uint64_t)c.cube[i].mask;
		}
		assert_int_equal(covered, last - first + 1u);
		free(c.cube);
	}
}

/* The entries that one rule becomes. */
static size_t entries(const char *text)
{
	struct ruleset set;
	struct program p;
	size_t n;

	parse(text, &set);
	compile(&set, &p);
	n = p.table[RULE_IN].entries;
	program_free(&p);
	ruleset_free(&set);
	return n;
}

/* Elements that touch are one, however they were written. */
TEST(lists_are_cut_jointly)
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

static size_t matchers(const char *text)
{
	struct ruleset set;
	struct program p;
	size_t n;

	parse(text, &set);
	compile(&set, &p);
	n = p.table[RULE_IN].n;
	program_free(&p);
	ruleset_free(&set);
	return n;
}

/* A complement takes few masks, because each is a matcher. */
TEST(not_takes_few_masks)
{
	assert_int_equal(matchers("drop in ipv4 not tcp dst port 22"), 6);
	assert_int_equal(entries("drop in ipv4 not tcp dst port 22"), 90);
	assert_int_equal(matchers("drop in not src 10.0.0.0/8"), 2);
	assert_int_equal(matchers("drop in not src 10.0.0.1 not dst 10.0.0.2"), 64);
	assert_int_equal(entries("drop in not src 0.0.0.1/0.0.0.1"), 1);
	assert_int_equal(entries("drop in tcp flags != syn,!ack"), 2 * 3);
	/* too many entries: the fewest, under more masks */
	assert_int_equal(entries("drop in not src ::1 not dst ::2"), 128 * 128);
}

/* --- economy ---------------------------------------------------------------------------------- */

TEST(economy)
{
	/* one shape, one matcher, though they do different things */
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
	/* what does the same is never in the way */
	assert_int_equal(matchers("drop in ipv4 src 10.0.0.1\ndrop in ipv4 udp dst port 53\n"
				  "drop in ipv4 src 10.0.0.2"),
			 2);
	assert_int_equal(matchers(""), 0);
}

TEST(shadows)
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
	program_free(&p);
	ruleset_free(&set);
}

/* The number of shadows, and the rule that takes the packets of the last one. */
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
TEST(far_shadows)
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
TEST(mirrors_and_tables_shadow)
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

TEST(the_cost_is_what_packets_and_rules_cost)
{
	/* one matcher for /8, which covers the second rule; 6-7 and 8 are two more */
	const char *text = "drop in ipv4 src 10.0.0.0/8 count\n"
			   "drop in ipv4 src 10.1.0.0/16 dst 10.2.0.0/16 count\n"
			   "pass in ipv4 src 11.0.0.0/8 count\n"
			   "pass in ipv4 tcp dst port 6-8 count\n";
	const struct table_cost *in;
	struct plan_cost cost;
	struct ruleset set;
	struct plan p;
	size_t wrong, sum = 0;

	parse(text, &set);
	assert_int_equal(plan_make(&set, &p, &wrong), 0);
	assert_int_equal(plan_cost(&p, &set, &cost), 0);
	in = &cost.table[RULE_IN];
	assert_false(cost.codes[RULE_IN]);
	assert_int_equal(in->matchers, p.list.table[RULE_IN].n);
	assert_int_equal(in->entries, 4);
	assert_int_equal(in->longest_path, in->matchers + 1);
	for (size_t m = 0; m < in->matchers; m++)
		sum += (m + 1) * p.list.table[RULE_IN].matcher[m].n;
	assert_true(in->mean_path * 4 == (double)sum);
	assert_int_equal(cost.ncostly, 2);
	assert_int_equal(cost.costly[0].rule, 3);
	assert_int_equal(cost.costly[0].matchers, 2);
	assert_int_equal(cost.costly[0].entries, 2);
	assert_int_equal(cost.costly[1].rule, 0);
	assert_int_equal(cost.table[RULE_OUT].longest_path, 0);
	plan_free(&p);
	ruleset_free(&set);
}

/* The web's packets pass main's first two matchers, others all of the four, then the mirror's. */
TEST(the_cost_of_tables)
{
	struct table_cost cost;
	struct ruleset set;
	struct program p;

	parse("drop in ipv4 src 10.0.0.1 count\nsend in ipv4 tcp goto web count\n"
	      "count in ipv4 dst 10.0.0.1\nmirror in ipv4 to queue 1\ndrop in ipv4 ttl 1\n"
	      "table web\ndrop in vlan 7 count\npass in ipv4 tcp dst port 80 count\n",
	      &set);
	compile(&set, &p);
	assert_int_equal(program_cost(&p, &set, RULE_IN, &cost), 0);
	assert_int_equal(cost.tables, 3);
	assert_int_equal(cost.matchers, 7);
	assert_int_equal(cost.longest_path, 4 + 1 + 1 + 1);
	assert_true(cost.mean_path * 7 == 1 + 2 + 3 + 4 + (5 + 1) + (2 + 1) + (2 + 2));
	program_free(&p);
	ruleset_free(&set);
}

/* Levels are limited: a mirror too many is named. */
TEST(too_many_tables)
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

TEST(too_much)
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
