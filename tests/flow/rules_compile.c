/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that the tables of a rule file decide about each packet as its rules do, first match
 * first. rules_entries.c checks how many entries and matchers these are.
 */
#include "tests/test.h"
#include <errno.h>
#include <stdio.h>
#include "rules/cover.h"
#include "rules_rig.h"

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

/* Writes the packet as a device sees it. */
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

/* Returns the rule whose entry decides, n if none does; no matcher may have two answers. */
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

/*
 * Returns whether a rule can be tried: no `not ipv4', some packet matches, and few entries, as each
 * packet tries them all.
 */
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

/* Returns how many packets to try with each file. */
static int questions(void)
{
	return getenv("DVX_TEST_LONG") ? 1000 : 300;
}

/* Compiles under all kinds of limits: every search ends early, and no matcher is small. */
static void compile_within_some(const struct ruleset *set, struct program *p)
{
	const struct compile_limits some = {below(5), below(3), below(2) * below(400)};
	size_t wrong;

	assert_int_equal(rules_compile_within(set, below(3) ? &some : &compile_limits, p, &wrong),
			 0);
}

static void ask_all(const char *text)
{
	struct ruleset set;
	struct program p;

	parse(text, &set);
	compile_within_some(&set, &p);
	for (int i = 0, n = questions(); i < n; i++) {
		struct packet packet = random_packet();
		uint64_t v[MATCH_KEYS];
		size_t wanted = first_met(&set, &packet), got;

		values(&packet, v);
		got = decide(&p.table[RULE_IN], v, set.n);
		/* Rules of the same action may stand in for each other. */
		if (got != wanted && wanted < set.n && got < set.n && !set.rule[wanted].count &&
		    !set.rule[got].count && set.rule[wanted].verdict == set.rule[got].verdict)
			continue;
		if (got != wanted)
			print_message("rule %zu, not %zu of:\n%s\n", got, wanted, text);
		assert_int_equal(got, wanted);
	}
	program_free(&p);
	ruleset_free(&set);
}

/* Tries 45,000 packets: 150 files of 1 to 40 rules. */
TEST(none, as_written)
{
	for (int round = 0; round < 150; round++) {
		char text[8192] = "";

		for (unsigned int n = 1 + below(40); n; n--) {
			char *end = text + strlen(text);

			random_rule(end, 200);
			if (!is_right(end))
				*end = 0;
		}
		ask_all(text);
	}
}

/* Writes a rule with one of two actions, and two of five fields, or one. */
static void plain_rule(char *out, const unsigned int fields[2])
{
	static const char *const words[] = {" vlan ", " src 10.0.0.", " dst 11.0.0.", " ttl ",
					    " tcp dst port "};
	static const unsigned int values[] = {4, 4, 4, 3, 20};

	out += sprintf(out, "%s in ipv4", below(2) ? "drop" : "pass");
	for (unsigned int f = 0; f < 5; f++)
		if (f == fields[0] || f == fields[1])
			out += sprintf(out, "%s%u", words[f], below(values[f]));
	strcpy(out, "\n");
}

/* Matchers have entries of both actions, and later matchers are in the way of some. */
TEST(none, few_shapes_and_actions)
{
	for (int round = 0; round < 300; round++) {
		unsigned int shape[4][2];
		char text[8192] = "";

		for (unsigned int i = 0; i < 8; i++)
			shape[i / 2][i % 2] = below(5);
		for (unsigned int n = 2 + below(60); n; n--)
			plain_rule(text + strlen(text), shape[below(4)]);
		ask_all(text);
	}
}

/* Writes addresses of one side under one action each: all of them meet those of the other side. */
static void write_side(char *text, const char *side, unsigned int net)
{
	for (unsigned int i = 0; i < 20; i++)
		sprintf(text + strlen(text), "drop in %s 10.0.%u.%u count\n", side, net, i);
}

TEST(none, matchers_of_many_entries_keep_their_order)
{
	char text[8192] = "";
	struct ruleset set;
	struct program p;

	for (unsigned int net = 0; net < 5; net++)
		write_side(text, net % 2 ? "dst" : "src", net);
	parse(text, &set);
	compile(&set, &p);
	assert_int_equal(p.table[RULE_IN].n, 5);
	for (size_t m = 0; m < 5; m++) {
		assert_int_equal(p.table[RULE_IN].matcher[m].n, 20);
		assert_int_equal(p.table[RULE_IN].matcher[m].entry[0].rule, 20 * m);
	}
	program_free(&p);
	ruleset_free(&set);
}

/* Two pairs of values with one hash: map_mix() of the second values compensates the first ones. */
TEST(none, entries_of_one_hash_are_told_apart)
{
	const struct shape shape = {2, {0, 1}, {UINT64_MAX, UINT64_MAX}};
	const uint64_t one[] = {1, 7}, other[] = {2, 7 ^ map_mix(1, 1) ^ map_mix(1, 2)};
	struct cover c = {0};
	uint32_t by = 0;

	assert_true(cover_add_shape(&c, &shape));
	assert_true(cover_add(&c, RULE_IN, 0, (struct rule_entry){4, one}));
	assert_int_equal(cover_find(&c, RULE_IN, 0, other, &by), 0);
	assert_true(cover_add(&c, RULE_IN, 0, (struct rule_entry){5, other}));
	assert_int_equal(cover_find(&c, RULE_IN, 0, other, &by), 1);
	assert_int_equal(by, 5);
	assert_int_equal(cover_find(&c, RULE_IN, 0, one, &by), 1);
	assert_int_equal(by, 4);
	cover_free(&c);
}

/* Thousands of shapes are not all searched for each entry: only equal entries are always found. */
TEST(none, the_search_for_what_covers_ends)
{
	static struct shape shape[64];
	const uint64_t value[] = {0};
	struct cover c = {.most = 300};
	uint32_t by;

	for (unsigned int i = 0; i < 64; i++) {
		shape[i] = (struct shape){1, {KEY_PROTO}, {UINT64_MAX >> (63 - i)}};
		assert_true(cover_add_shape(&c, &shape[i]));
	}
	assert_true(cover_add(&c, RULE_IN, 62, (struct rule_entry){7, value}));
	c.settled = 64;
	assert_int_equal(cover_find(&c, RULE_IN, 63, value, &by), 1);
	assert_int_equal(by, 7);
	for (int i = 0; i < 64; i++)
		assert_true(cover_find(&c, RULE_IN, (size_t)i % 62, value, &by) == 0);
	assert_true(c.steps < 300 + 2 * 64);
	assert_int_equal(cover_find(&c, RULE_IN, 63, value, &by), 0);
	assert_int_equal(cover_find(&c, RULE_IN, 62, value, &by), 1);
	cover_free(&c);
}

/* Negations that leave no entry together count as steps, as those do that leave some. */
TEST(none, negations_that_leave_nothing_end)
{
	struct ruleset set;
	struct program p;
	size_t wrong = 1;

	parse("drop in ipv4 tcp not src port 1 not dst port 2 not ttl 5 not tos 3 "
	      "not eth src 02:00:00:00:00:01 not eth dst 02:00:00:00:00:02 not flags 0x11 "
	      "not src 0.0.0.0/1 not src 128.0.0.0/1",
	      &set);
	assert_int_equal(rules_compile(&set, &p, &wrong), -E2BIG);
	assert_int_equal(wrong, 0);
	ruleset_free(&set);
}

/* --- tables and mirrors ------------------------------------------------------------------------ */

/* The rules that take a packet one after the other, as if each were within its rate. */
struct taken {
	size_t rule[64], n;
};

static void follow(const struct program *p, const struct ruleset *set, const uint64_t v[MATCH_KEYS],
		   struct taken *out)
{
	uint32_t t = RULE_IN, level = 1;

	out->n = 0;
	while (t != TABLE_NONE) {
		size_t rule = decide(&p->table[t], v, set->n);

		assert_true(p->table[t].level >= level);
		level = p->table[t].level + (rule == set->n ? 1 : rule_levels(&set->rule[rule]));
		if (rule < set->n)
			out->rule[out->n++] = rule;
		t = rule == set->n || rule_goes_on(&set->rule[rule])
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
		if (rule_goes_on(r))
			continue;
		if (r->verdict != RULE_GOTO)
			return;
		table = r->go;
		i = SIZE_MAX;
	}
}

/* Writes a rule of random matches that begins and ends with these words. */
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
		switch (below(6)) {
		case 0:
			random_way(out, "mirror", "to queue 1");
			break;
		case 2:
			random_way(out, next && below(2) ? "send" : "drop", "over 9/s");
			if (!strncmp(out, "send", 4))
				sprintf(strstr(out, "over"), "over 9/s %s\n", next);
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

/* Rules to two vports act differently, so the first one of two that overlap wins. */
TEST(none, vports_differ)
{
	struct ruleset set;

	parse("send switch ipv4 to vf0\nsend switch udp to vf1\nsend switch tcp to vf0\n"
	      "drop in\ndrop in expire 9s\ndrop in over 9/s\n",
	      &set);
	assert_false(rule_same_action(&set.rule[0], &set.rule[1]));
	assert_true(rule_same_action(&set.rule[0], &set.rule[2]));
	assert_false(rule_same_action(&set.rule[3], &set.rule[4]));
	assert_false(rule_same_action(&set.rule[3], &set.rule[5]));
	ruleset_free(&set);
}

/* Rates of different hosts share a table; one that may match the same packets is behind it. */
TEST(none, rates_in_a_row)
{
	char *text = calloc(1, 1 << 17), *at = text;
	struct ruleset set;
	struct program p;
	size_t wrong;

	for (int i = 0; i < 1000; i++)
		at += sprintf(at, "drop in ipv4 src 10.0.%d.%d over 9/s\n", i / 250, i % 250);
	at += sprintf(at, "drop in ipv4 dst 10.0.0.1 over 9/s\ndrop in ipv4 src 10.0.0.7 over 9/s\n"
			  "pass in\ndrop out udp over 9/s\ndrop in udp over 9/s\n");
	parse(text, &set);
	assert_int_equal(rules_compile(&set, &p, &wrong), 0);
	for (int i = 1; i < 1000; i++)
		assert_int_equal(p.where[i], p.where[0]);
	assert_int_equal(p.table[p.where[0]].level, 1);
	assert_int_equal(p.table[p.where[0]].next, p.where[1000]);
	assert_int_equal(p.table[p.where[1000]].level, 3);
	assert_int_equal(p.table[p.where[1001]].level, 5);
	program_free(&p);
	ruleset_free(&set);
	*text = 0;
	for (int i = 0; i < 40; i++)
		strcat(text, "drop in tcp over 9/s\n");
	parse(text, &set);
	assert_int_equal(rules_compile(&set, &p, &wrong), -EMLINK);
	assert_int_equal(wrong, 29);
	ruleset_free(&set);
	free(text);
}

TEST(none, tables_and_mirrors_as_written)
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
		compile_within_some(&set, &p);
		for (int i = 0, n = questions(); i < n; i++) {
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
