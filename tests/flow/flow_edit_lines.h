/* SPDX-License-Identifier: BSD-2-Clause */
/* For edit.c: the lines of a rule file, while random lines are added and deleted. */
#ifndef TESTS_FLOW_EDIT_LINES_H
#define TESTS_FLOW_EDIT_LINES_H

#include <string.h>
#include "daemon/holder.h"
#include "diff_rig.h"

#define SETS_MAX   140
#define LINES_TEXT (SETS_MAX * 256)

enum lines_kind {
	LINES_PLAIN,
	LINES_TABLES, /* also with mirrors and rules that spread */
	LINES_CODES,  /* an access list of so many kinds of rules that it is compiled to codes */
	LINES_KINDS
};

/* The lines of a rule file; those of table 0 are main's. */
struct lines {
	char line[SETS_MAX][256];
	uint32_t table[SETS_MAX];
	bool stays[SETS_MAX];
	uint32_t n, most;
	enum lines_kind kind;
};

static inline void lines_parse(const struct lines *l, struct ruleset *set, char text[LINES_TEXT])
{
	static const char *const names[] = {"main", "web", "dns"};
	uint32_t table = 0;
	size_t at = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		if (l->table[i] != table)
			at += (size_t)sprintf(text + at, "table %s\n", names[l->table[i]]);
		table = l->table[i];
		at += (size_t)sprintf(text + at, "%s\n", l->line[i]);
	}
	text[at] = 0;
	OK(rules_parse(text, at, set, NULL, NULL));
}

/* Turns some lines into mirrors or spreads. */
static inline void lines_turn(struct dice *d, char line[256])
{
	char *to = strstr(line, " to queue "), turned[256];
	uint32_t how = dice_roll(d, 4);

	if (!to || how > 1)
		return;
	*to = 0;
	if (how)
		snprintf(turned, sizeof(turned), "%.200s to rss 0-1%s", line,
			 dice_roll(d, 2) ? " on ipv4,udp count" : "");
	else
		snprintf(turned, sizeof(turned), "mirror%.200s to queue %u%s", line + 4,
			 dice_roll(d, 2), dice_roll(d, 2) ? " count" : "");
	memcpy(line, turned, sizeof(turned));
}

static inline void lines_acl(struct dice *d, uint32_t number, char line[256])
{
	static const uint8_t bits[] = {0, 8, 15, 16, 22, 23, 24, 30, 31, 32};
	static const char *const l4[] = {"tcp",
					 "udp",
					 "tcp dst port 443",
					 "udp dst port 1024-65535",
					 "tcp dst port 53-81",
					 "udp src port 1023",
					 "tcp src port 80-443 dst port 5000"};
	char to[40] = "count";

	if (dice_roll(d, 2))
		snprintf(to, sizeof(to), "to queue %u tag %u count", dice_roll(d, 2), number);
	snprintf(line, 256, "%s in ipv4 src 10.0.%u.%u/%u dst 10.%u.%u.%u/%u %s %s",
		 to[0] == 't' ? "send" : "drop", dice_roll(d, 2), dice_roll(d, 4),
		 bits[dice_roll(d, 10)], dice_roll(d, 2), dice_roll(d, 2), dice_roll(d, 4),
		 bits[dice_roll(d, 10)], l4[dice_roll(d, 7)], to);
}

/* Makes a random line. Rules for outgoing packets are in main: none leads to another table. */
static inline void lines_random(const struct lines *l, struct dice *d, uint32_t table,
				uint32_t number, char line[256])
{
	struct ruleset one;

	for (;;) {
		if (l->kind == LINES_CODES)
			lines_acl(d, number, line);
		else
			random_rule(d, line, 200, table || dice_roll(d, 5) ? "in" : "out", number);
		if (l->kind == LINES_TABLES)
			lines_turn(d, line);
		if (rules_parse(line, strlen(line), &one, NULL, NULL))
			continue;
		ruleset_free(&one);
		if (file_takes && !file_takes(line))
			continue;
		return;
	}
}

static inline void lines_insert(struct lines *l, uint32_t at, uint32_t table, const char *line)
{
	size_t n = l->n++ - at;

	memmove(l->line[at + 1], l->line[at], n * sizeof(l->line[0]));
	memmove(&l->table[at + 1], &l->table[at], n * sizeof(l->table[0]));
	memmove(&l->stays[at + 1], &l->stays[at], n * sizeof(l->stays[0]));
	snprintf(l->line[at], sizeof(l->line[0]), "%s", line);
	l->table[at] = table;
	l->stays[at] = false;
}

static inline void lines_delete(struct lines *l, uint32_t at)
{
	size_t n = --l->n - at;

	memmove(l->line[at], l->line[at + 1], n * sizeof(l->line[0]));
	memmove(&l->table[at], &l->table[at + 1], n * sizeof(l->table[0]));
	memmove(&l->stays[at], &l->stays[at + 1], n * sizeof(l->stays[0]));
}

/* Returns the line's place; where two tables meet, either one. */
static inline struct holder_place lines_place(const struct lines *l, struct dice *d, uint32_t at)
{
	uint32_t before = l->table[at ? at - 1 : 0], behind = at < l->n ? l->table[at] : before;

	return (struct holder_place){at, dice_roll(d, 2) ? before : behind};
}

static inline void lines_keep(struct lines *l, uint32_t table, const char *line)
{
	lines_insert(l, l->n, table, line);
	l->stays[l->n - 1] = true;
}

static inline void lines_begin(struct lines *l, struct dice *d, enum lines_kind kind)
{
	*l = (struct lines){.kind = kind, .most = kind == LINES_CODES ? SETS_MAX : 40};
	lines_keep(l, 0, LAST_RULES_0);
	lines_keep(l, 0, LAST_RULES_1);
	lines_keep(l, 0, LAST_RULES_2);
	do {
		lines_random(l, d, 0, l->n, l->line[l->n]);
		l->n++;
	} while (kind == LINES_CODES && l->n < 110);
	if (kind != LINES_TABLES)
		return;
	lines_keep(l, 0, "send in udp goto dns");
	lines_keep(l, 0, "send in any goto web");
	lines_keep(l, 1, "mirror in tcp to queue 1");
	lines_keep(l, 1, "send in ipv6 goto dns");
	lines_keep(l, 2, "send in any to rss 0-1 count");
}

#endif
