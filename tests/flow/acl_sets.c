/* SPDX-License-Identifier: BSD-2-Clause */
#include "acl_sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The shapes of three seeds of ClassBench (Taylor and Turner, 2004): shares of protocols, of kinds of
 * ports and of prefix lengths, and how addresses branch, rounded to percent.
 */

enum kind { ANY, HIGH, RANGE, ONE };

struct lengths {
	uint8_t src, dst, weight;
};

struct row {
	const char *proto; /* its words */
	uint8_t weight, sport, dport;
	const struct lengths *lengths; /* the last one has weight 0 */
};

/* For each bit: how many percent of the prefixes so far go on with both values, and how uneven. */
struct tree {
	uint8_t two[32], skew[32];
};

struct port_row {
	uint16_t first, last;
};

struct seed {
	const struct row *row;
	const struct tree *tree; /* source, destination */
	const struct port_row *range, *one;
};

static const struct lengths acl_any[] = {{32, 32, 49}, {32, 24, 11}, {23, 32, 10}, {32, 22, 8},
					 {23, 16, 5},  {31, 32, 3},  {30, 22, 2},  {8, 0, 1},
					 {25, 28, 1},  {0}};
static const struct lengths acl_icmp[] = {{32, 32, 49}, {32, 24, 11}, {23, 32, 10},
					  {32, 22, 8},	{23, 16, 5},  {13, 0, 1},
					  {27, 29, 1},	{26, 30, 1},  {0}};
static const struct lengths acl_tcp[] = {{32, 32, 49}, {32, 24, 11}, {23, 32, 10}, {32, 22, 8},
					 {23, 16, 5},  {31, 32, 3},  {30, 22, 2},  {0, 0, 1},
					 {24, 23, 1},  {0}};
static const struct lengths acl_range[] = {{32, 32, 95}, {31, 32, 4}, {23, 32, 1}, {0}};
static const struct lengths acl_tcp_one[] = {{32, 32, 85}, {32, 22, 4}, {23, 32, 3}, {31, 32, 3},
					     {32, 31, 2},  {30, 22, 1}, {32, 30, 1}, {31, 22, 1},
					     {23, 28, 1},  {0}};
static const struct lengths acl_udp_one[] = {
	{32, 32, 85}, {32, 22, 4}, {23, 32, 3}, {31, 32, 3}, {0}};

static const struct row acl_rows[] = {
	{"", 8, ANY, ANY, acl_any},
	{"icmp", 3, ANY, ANY, acl_icmp},
	{"tcp", 19, ANY, ANY, acl_tcp},
	{"tcp", 11, ANY, RANGE, acl_range},
	{"tcp", 57, ANY, ONE, acl_tcp_one},
	{"udp", 2, ANY, ONE, acl_udp_one},
	{NULL},
};

static const struct lengths fw_any[] = {{32, 0, 18}, {0, 0, 12}, {30, 0, 8},  {21, 0, 7},
					{23, 0, 7},  {27, 0, 7}, {28, 32, 7}, {32, 28, 7},
					{30, 32, 7}, {0}};
static const struct lengths fw_high[] = {{0, 32, 35}, {32, 32, 35}, {32, 21, 29}, {0}};
static const struct lengths fw_one[] = {{0, 32, 88}, {0, 0, 6},	  {32, 32, 2}, {32, 0, 2},
					{0, 27, 1},  {26, 21, 1}, {0}};
static const struct lengths fw_open[] = {{0, 0, 1}, {0}};
static const struct lengths fw_server[] = {{32, 0, 82}, {0, 32, 11}, {0, 0, 7}, {0}};
static const struct lengths fw_high_one[] = {{32, 32, 60}, {0, 32, 40}, {0}};
static const struct lengths fw_one_high[] = {{32, 32, 60}, {32, 0, 40}, {0}};
static const struct lengths fw_one_one[] = {{0, 32, 33}, {32, 0, 33}, {28, 28, 33}, {0}};

static const struct row fw_rows[] = {
	{"", 1, ANY, ANY, fw_any},
	{"icmp", 4, ANY, ANY, fw_any},
	{"proto 47", 6, ANY, ANY, fw_any},
	{"tcp", 11, ANY, ANY, fw_any},
	{"tcp", 4, HIGH, HIGH, fw_high},
	{"tcp", 42, ANY, ONE, fw_one},
	{"udp", 2, HIGH, HIGH, fw_high},
	{"udp", 1, HIGH, RANGE, fw_open},
	{"udp", 1, RANGE, HIGH, fw_open},
	{"udp", 14, ANY, ONE, fw_one},
	{"udp", 10, ONE, ANY, fw_server},
	{"udp", 2, HIGH, ONE, fw_high_one},
	{"udp", 2, ONE, HIGH, fw_one_high},
	{"udp", 2, ONE, ONE, fw_one_one},
	{NULL},
};

static const struct lengths ipc_any[] = {{24, 24, 22}, {23, 24, 8}, {24, 16, 7}, {26, 24, 5},
					 {16, 24, 5},  {24, 26, 5}, {0, 24, 3},	 {24, 0, 3},
					 {24, 28, 2},  {0}};
static const struct lengths ipc_range[] = {{24, 32, 50}, {23, 32, 12}, {16, 32, 10}, {26, 32, 10},
					   {0, 32, 7},	 {25, 32, 5},  {32, 0, 2},   {22, 32, 2},
					   {32, 32, 2},	 {0}};
static const struct lengths ipc_from_range[] = {
	{32, 24, 44}, {32, 16, 12}, {32, 26, 12}, {32, 0, 6},  {32, 23, 6},
	{32, 25, 6},  {0, 32, 3},   {23, 32, 3},  {24, 32, 3}, {0}};
static const struct lengths ipc_one[] = {{32, 32, 46}, {24, 32, 17}, {0, 32, 7},  {23, 32, 5},
					 {24, 0, 4},   {0, 24, 2},   {23, 24, 2}, {16, 32, 2},
					 {24, 24, 2},  {0}};
static const struct lengths ipc_server[] = {{32, 24, 26}, {32, 26, 15}, {32, 32, 12}, {24, 32, 8},
					    {0, 32, 7},	  {32, 0, 5},	{32, 25, 4},  {23, 32, 4},
					    {16, 32, 2},  {0}};
static const struct lengths ipc_high[] = {{32, 32, 81}, {24, 32, 6}, {0, 32, 3},
					  {16, 32, 3},	{23, 32, 3}, {30, 32, 2},
					  {31, 32, 2},	{32, 24, 1}, {0}};
static const struct lengths ipc_from_high[] = {{32, 16, 50}, {32, 24, 33}, {32, 0, 17}, {0}};

static const struct row ipc_rows[] = {
	{"", 34, ANY, ANY, ipc_any},	    {"icmp", 1, ANY, ANY, ipc_any},
	{"proto 47", 1, ANY, ANY, ipc_any}, {"tcp", 2, ANY, ANY, ipc_any},
	{"tcp", 2, ANY, RANGE, ipc_range},  {"tcp", 2, RANGE, ANY, ipc_from_range},
	{"tcp", 13, ANY, ONE, ipc_one},	    {"tcp", 7, ONE, ANY, ipc_server},
	{"udp", 7, ANY, HIGH, ipc_high},    {"udp", 1, HIGH, ANY, ipc_from_high},
	{"udp", 22, ANY, ONE, ipc_one},	    {"udp", 7, ONE, ANY, ipc_server},
	{"udp", 1, ANY, RANGE, ipc_range},  {NULL},
};

static const struct tree acl_trees[] = {
	{{100, 0, 0, 0, 0, 0, 50, 0, 0,	 0,  0,	 0,  0,	 0,  0,	 0,
	  0,   0, 0, 0, 0, 0, 0,  0, 50, 67, 80, 78, 75, 75, 53, 26},
	 {100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100,
	  100, 100, 100, 100, 100, 100, 100, 100, 49,  74,  32,	 36,  46,  36,	48,  46}},
	{{100, 100, 67, 75, 83, 40, 31, 24, 20, 8, 8, 18, 24, 22, 18, 14,
	  9,   10,  5,	7,  4,	9,  4,	10, 7,	9, 8, 7,  10, 14, 10, 9},
	 {74, 61, 79, 88, 65, 83, 58, 50, 78, 95, 69, 53, 54, 58, 63, 71,
	  93, 63, 54, 71, 64, 53, 49, 31, 40, 59, 62, 50, 35, 47, 31, 48}},
};

static const struct tree fw_trees[] = {
	{{100, 50, 33, 25, 20, 17, 14, 12, 25, 10, 0,  0,  0,  0,  0, 0,
	  0,   0,  11, 0,  0,  10, 9,  18, 15, 20, 33, 22, 29, 21, 7, 6},
	 {98,  93,  83, 0,   91,  67, 95, 0,  74, 0,  100, 100, 100, 100, 100, 100,
	  100, 100, 50, 100, 100, 52, 88, 60, 39, 56, 44,  58,	41,  43,  42,  25}},
	{{100, 50, 0,  0, 33, 0,  25, 20, 17, 0,  0,  0,  0,  0,  0,  0,
	  0,   0,  14, 0, 0,  12, 11, 20, 17, 21, 35, 13, 24, 32, 28, 16},
	 {99,  97,  100, 100, 99,  100, 98, 0,	99, 100, 100, 100, 100, 100, 100, 100,
	  100, 100, 50,	 100, 100, 46,	95, 59, 46, 65,	 72,  70,  61,	35,  38,  17}},
};

static const struct tree ipc_trees[] = {
	{{100, 100, 50, 33, 25, 30, 8, 7, 27, 26, 12, 11, 7,  0,  9, 3,
	  34,  18,  16, 13, 8,	3,  6, 3, 11, 10, 8,  9,  10, 12, 9, 13},
	 {1,  48, 91, 49, 54, 26, 37, 97, 71, 74, 71, 65, 66, 100, 48, 7,
	  55, 60, 49, 67, 45, 58, 44, 33, 43, 49, 50, 50, 38, 22,  41, 22}},
	{{100, 100, 25, 40, 43, 40, 7, 0, 7,  25, 0,  0,  0,  0,  10, 5,
	  33,  11,  3,	6,  9,	0,  6, 3, 21, 18, 21, 26, 25, 14, 9,  9},
	 {35, 57, 63, 78, 83, 73,  77, 100, 45, 54, 100, 100, 100, 100, 45, 84,
	  37, 18, 75, 48, 26, 100, 25, 0,   48, 41, 74,	 68,  45,  44,	33, 59}},
};

/* The last row of each list has last 0. */
static const struct port_row acl_ranges[] = {
	{1600, 1649},	{1300, 1349},	{1300, 1350},  {7500, 7599},   {2200, 2210},
	{1025, 65535},	{1700, 1750},	{5001, 65535}, {32200, 32207}, {8000, 8100},
	{61700, 61709}, {61500, 61509}, {0, 0}};
static const struct port_row acl_ones[] = {{1521, 1521}, {1526, 1526}, {1221, 1221},   {1433, 1433},
					   {1525, 1525}, {135, 135},   {14753, 14753}, {1712, 1712},
					   {1711, 1711}, {1704, 1704}, {1708, 1708},   {5555, 5555},
					   {0, 0}};
static const struct port_row fw_ranges[] = {{33434, 33600}, {0, 0}};
static const struct port_row fw_ones[] = {{22, 22},   {80, 80},	    {25, 25},	  {53, 53},
					  {123, 123}, {2105, 2105}, {21, 21},	  {544, 544},
					  {750, 750}, {443, 443},   {23, 23},	  {161, 161},
					  {88, 88},   {69, 69},	    {7648, 7648}, {0, 0}};
static const struct port_row ipc_ranges[] = {{20, 23},	   {109, 110}, {20, 21},     {1645, 1646},
					     {1812, 1813}, {20, 2511}, {5000, 5001}, {0, 0}};
static const struct port_row ipc_ones[] = {{161, 161},	 {53, 53},     {80, 80},   {25, 25},
					   {1433, 1433}, {22, 22},     {69, 69},   {514, 514},
					   {9003, 9003}, {137, 137},   {143, 143}, {162, 162},
					   {113, 113},	 {5540, 5540}, {0, 0}};

static const struct seed seeds[] = {
	[ACL_SHAPE] = {acl_rows, acl_trees, acl_ranges, acl_ones},
	[FW_SHAPE] = {fw_rows, fw_trees, fw_ranges, fw_ones},
	[IPC_SHAPE] = {ipc_rows, ipc_trees, ipc_ranges, ipc_ones},
};

/* --- values --------------------------------------------------------------------------------------- */

/* A number that a prefix always has, as if the whole tree had been drawn before. */
static uint32_t fate(uint32_t prefix, unsigned int bit, uint32_t salt)
{
	uint64_t h = ((uint64_t)prefix << 32 | bit << 16 | salt) * 0x9e3779b97f4a7c15ull;

	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93ull;
	return (uint32_t)(h >> 33);
}

/* The lighter one of two branches has 100 - skew parts of the heavier one's 100. */
static bool takes_heavy(struct dice *d, unsigned int skew)
{
	return dice_roll(d, 200 - skew) < 100;
}

/* An address that shares its beginning with others; `loose` branches more, for large sets. */
static uint32_t address(struct dice *d, const struct tree *t, uint32_t salt, unsigned int loose)
{
	uint32_t a = 0;

	for (unsigned int b = 0; b < 32; b++) {
		uint32_t f = fate(a, b, salt);
		bool bit = f & 1;

		if (f / 2 % 100 < t->two[b] + loose)
			bit ^= !takes_heavy(d, t->skew[b] > loose ? t->skew[b] - loose : 0);
		a |= (uint32_t)bit << (31 - b);
	}
	return a;
}

/* Prefixes of a side, and under each how many of them are inside each other. */
struct nest {
	struct map used, below;
};

#define NEST 4u /* at most so many prefixes have an address: all three seeds say so */

static uint64_t prefix_hash(uint32_t a, unsigned int bits)
{
	return map_mix(map_mix(1, bits), bits ? a >> (32 - bits) : 0);
}

static uint32_t nest_below(const struct nest *n, uint32_t a, unsigned int bits)
{
	const struct map_slot *s = map_get(&n->below, prefix_hash(a, bits));

	return s ? s->what : 0;
}

/* Adds a prefix, if it leaves few enough inside each other. */
static bool nest_add(struct nest *n, uint32_t a, unsigned int bits)
{
	uint32_t above = 0, chain = nest_below(n, a, bits) + 1;

	if (!bits || map_get(&n->used, prefix_hash(a, bits)))
		return true;
	for (unsigned int b = 1; b < bits; b++)
		above += map_get(&n->used, prefix_hash(a, b)) != NULL;
	if (above + chain > NEST)
		return false;
	map_put(&n->used, prefix_hash(a, bits), 0);
	for (unsigned int b = bits; b-- > 0;) {
		struct map_slot *s = map_put(&n->below, prefix_hash(a, b), 0);

		if (s->what < chain)
			s->what = chain;
		chain = s->what + (map_get(&n->used, prefix_hash(a, b)) != NULL);
	}
	return true;
}

static size_t list_length(const struct port_row *p)
{
	size_t n = 0;

	while (p[n].last)
		n++;
	return n;
}

/* Early ones are frequent. */
static struct port_row port_of(struct dice *d, const struct port_row *list)
{
	uint32_t n = (uint32_t)list_length(list);

	if (list[0].first == list[0].last && !dice_roll(d, 8)) {
		uint32_t most = 1 + dice_roll(d, 20000);
		uint16_t any = (uint16_t)(1 + dice_roll(d, most));

		return (struct port_row){any, any};
	}
	return list[dice_roll(d, 1 + dice_roll(d, n))];
}

static void write_port(struct dice *d, FILE *f, const struct seed *s, const char *side,
		       unsigned int kind)
{
	struct port_row p = {1024, 65535};

	if (kind == RANGE || kind == ONE)
		p = port_of(d, kind == RANGE ? s->range : s->one);
	if (kind != ANY && p.first == p.last)
		fprintf(f, " %s port %u", side, p.first);
	else if (kind != ANY)
		fprintf(f, " %s port %u-%u", side, p.first, p.last);
}

static void write_net(FILE *f, const char *side, uint32_t a, unsigned int bits)
{
	a &= bits ? UINT32_MAX << (32 - bits) : 0;
	if (bits)
		fprintf(f, " %s %u.%u.%u.%u/%u", side, a >> 24, a >> 16 & 255, a >> 8 & 255,
			a & 255, bits);
}

/* --- rules ---------------------------------------------------------------------------------------- */

static const struct row *row_of(struct dice *d, const struct row *rows)
{
	uint32_t all = 0, at;

	for (const struct row *r = rows; r->proto; r++)
		all += r->weight;
	at = dice_roll(d, all);
	for (; at >= rows->weight; rows++)
		at -= rows->weight;
	return rows;
}

/* One in sixteen has other lengths near by: real sets have a long tail. */
static struct lengths lengths_of(struct dice *d, const struct row *r)
{
	const struct lengths *at = r->lengths;
	uint32_t all = 0, roll;
	struct lengths l;

	for (; at->weight; at++)
		all += at->weight;
	roll = dice_roll(d, all);
	for (at = r->lengths; roll >= at->weight; at++)
		roll -= at->weight;
	l = *at;
	if (!dice_roll(d, 16)) {
		l.src = (uint8_t)(l.src > 6 ? l.src - dice_roll(d, 6) : l.src);
		l.dst = (uint8_t)(l.dst > 6 ? l.dst - dice_roll(d, 6) : l.dst);
	}
	return l;
}

/*
 * Returns how many packets it takes, roughly: the bits that it leaves open. Where a prefix would be
 * inside too many others, another address is drawn.
 */
static uint32_t write_rule(struct dice *d, FILE *f, const struct seed *s, struct nest nest[2],
			   unsigned int loose)
{
	const struct row *r = row_of(d, s->row);
	struct lengths l = lengths_of(d, r);
	uint32_t src = address(d, &s->tree[0], 1, loose), dst = address(d, &s->tree[1], 2, loose);

	while (!nest_add(&nest[0], src, l.src))
		src = address(d, &s->tree[0], 1, loose += 5);
	while (!nest_add(&nest[1], dst, l.dst))
		dst = address(d, &s->tree[1], 2, loose += 5);

	fprintf(f, "%s in ipv4", dice_roll(d, 2) ? "drop" : "pass");
	write_net(f, "src", src, l.src);
	write_net(f, "dst", dst, l.dst);
	fprintf(f, " %s", r->proto);
	write_port(d, f, s, "src", r->sport);
	write_port(d, f, s, "dst", r->dport);
	return 64u - l.src - l.dst + (r->sport == ANY && r->dport == ANY ? 16 : 0);
}

/* Lines as people write them: lists and ranges, some of them IPv6. `hostile` has every length. */
static uint32_t write_mixed(struct dice *d, FILE *f, bool hostile)
{
	static const uint8_t lengths[] = {8, 12, 16, 16, 20, 22, 24, 24, 26, 28, 32, 32};
	static const char *const protos[] = {"tcp", "udp", "tcp", "icmp", ""};
	static const char *const ports[] = {"80",	 "443",	       "22",	 "53",
					    "8080-8090", "1024-65535", "80,443", "137-139",
					    "5000-6000", "20-21"};
	uint32_t p = dice_roll(d, 5), a = dice_roll(d, 1u << 30), b = dice_roll(d, 1u << 30);
	uint32_t src = hostile ? 8 + dice_roll(d, 25) : lengths[dice_roll(d, 12)];
	uint32_t dst = hostile ? 16 + dice_roll(d, 17) : lengths[2 + dice_roll(d, 10)];
	uint32_t ports_open = 16;

	src = dice_roll(d, 4) ? src : 0;
	dst = dice_roll(d, 3) ? dst : 0;

	if (!dice_roll(d, 10)) {
		fprintf(f, "drop in ipv6 src 2001:db8:%x::/48", dice_roll(d, 4096));
		if (p != 3)
			fprintf(f, " %s", protos[p]);
	} else {
		fprintf(f, "%s in ipv4", dice_roll(d, 2) ? "drop" : "pass");
		write_net(f, "src", 10u << 24 | a >> 6, src);
		write_net(f, "dst", 192u << 24 | b >> 6, dst);
		fprintf(f, " %s", protos[p]);
	}
	if (p < 3 && dice_roll(d, 2)) {
		fprintf(f, " dst port %s", ports[dice_roll(d, 10)]);
		ports_open = 0;
	}
	if (p < 3 && !dice_roll(d, 5))
		fprintf(f, " src port %u", 1024 + dice_roll(d, 200));
	return 64 - src - dst + ports_open;
}

/* --- sets ----------------------------------------------------------------------------------------- */

struct line {
	char *text;
	uint32_t place;
};

/* A rule that the set doesn't have yet. Wide rules mostly come late, as in real sets. */
static struct line new_line(struct dice *d, enum acl_shape shape, struct nest nest[2],
			    struct map *seen)
{
	for (unsigned int tries = 0;; tries++) {
		struct line line = {NULL, dice_roll(d, 600)};
		size_t len = 0, before = seen->n;
		FILE *f = open_memstream(&line.text, &len);

		line.place += 15 * (shape >= MIXED_SHAPE ? write_mixed(d, f, shape == HOSTILE_SHAPE)
							 : write_rule(d, f, &seeds[shape], nest,
								      tries > 8 ? tries : 0));
		fprintf(f, " count\n");
		fclose(f);
		map_put(seen, map_mix_text(1, strchr(line.text, ' ')), 0);
		if (seen->n > before)
			return line;
		free(line.text);
	}
}

static int line_order(const void *one, const void *other)
{
	const struct line *a = one, *b = other;

	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return strcmp(a->text, b->text);
}

char *acl_set_text(enum acl_shape shape, size_t rules, uint64_t seed)
{
	struct dice d = {seed * 2 + 1};
	struct map seen = {0};
	struct nest nest[2] = {{.used = {0}}};
	struct line *line = calloc(rules + 1, sizeof(*line));
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	for (size_t i = 0; i < rules; i++)
		line[i] = new_line(&d, shape, nest, &seen);
	qsort(line, rules, sizeof(*line), line_order);
	for (size_t i = 0; i < rules; i++) {
		fputs(line[i].text, f);
		free(line[i].text);
	}
	fclose(f);
	free(line);
	for (int i = 0; i < 2; i++) {
		map_free(&nest[i].used);
		map_free(&nest[i].below);
	}
	map_free(&seen);
	return text;
}
