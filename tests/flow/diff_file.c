/* SPDX-License-Identifier: BSD-2-Clause */
/* Random rule files. */
#include <string.h>
#include "acl_sets.h"
#include "diff_rig.h"

/* Limits entries: ranges of several fields multiply, and such a rule takes too long. */
static unsigned int entries_most(void)
{
	return getenv("DVX_TEST_LONG") ? 512 : 128;
}

static int count_entry(void *arg, const struct shape *shape, const uint64_t *value)
{
	(void)shape;
	(void)value;
	return ++*(unsigned int *)arg > entries_most();
}

bool (*file_takes)(const char *line);

bool file_line_good(const char *line)
{
	unsigned int entries = 0;
	struct ruleset one;
	bool good;

	if (rules_parse(line, strlen(line), &one, NULL, NULL))
		return false;
	good = !rule_expand(&one.rule[0], count_entry, &entries);
	ruleset_free(&one);
	return good && (!file_takes || file_takes(line));
}

bool file_one_side;

/* Returns whether the chip makes the changes on the rule's side. */
static bool file_side_fits(const char *line)
{
	bool in = !strncmp(strchr(line, ' '), " in", 3);

	return !file_one_side || !strstr(line, in ? " push vlan" : " pop vlan");
}

/* Adds changes to a rule, if the language has some for it. */
static void file_change(struct dice *d, bool all, char line[LINE_BYTES])
{
	char changed[LINE_BYTES];

	memcpy(changed, line, sizeof(changed));
	random_changes(d, changed, sizeof(changed), all);
	if (file_line_good(changed) && file_side_fits(changed))
		memcpy(line, changed, sizeof(changed));
}

void file_line(struct dice *d, const char *dir, uint32_t number, char line[LINE_BYTES])
{
	do
		random_rule(d, line, LINE_BYTES / 2, dir, number);
	while (!file_line_good(line));
}

void file_random(struct dice *d, bool both, bool all, char text[TEXT_MAX])
{
	uint32_t rules = 1 + dice_roll(d, RULES_MAX);
	size_t at = (size_t)sprintf(text, "%s", LAST_RULES);
	char line[LINE_BYTES];

	for (uint32_t i = RULES_OWN; i < RULES_OWN + rules; i++) {
		file_line(d, both && !dice_roll(d, 5) ? "out" : "in", i, line);
		file_change(d, all, line);
		at += (size_t)sprintf(text + at, "%s\n", line);
	}
}

/* --- ways: tables, mirrors, spreads --- */

#define WAY_TABLES  4u /* besides main */
#define WAY_MIRRORS 2u /* their copies have to fit into a queue */

struct way_table {
	char line[RULES_ALL][LINE_BYTES];
	uint32_t n;
	bool has[RULE_DIRS];
};

struct way_file {
	struct dice *d;
	struct way_table table[WAY_TABLES + 1];
	uint32_t tables, number, mirrors;
};

/* Writes the rule's match; half of the rules match many packets. */
static void way_match(struct way_file *f, enum rule_dir dir, const char *verdict,
		      char line[LINE_BYTES])
{
	static const char *const wide[] = {"any", "ipv4", "ipv6", "tcp", "udp", "ipv4 udp"};
	char any[LINE_BYTES], *end;

	if (dice_roll(f->d, 2)) {
		snprintf(line, LINE_BYTES, "%s %s %s", verdict, rule_dirs[dir].name,
			 wide[dice_roll(f->d, 6)]);
		return;
	}
	file_line(f->d, rule_dirs[dir].name, 0, any);
	end = strstr(any, " to queue");
	end = end ? end : strstr(any, " count");
	*end = 0;
	snprintf(line, LINE_BYTES, "%s %s", verdict, strchr(any, ' ') + 1);
}

static void __attribute__((format(printf, 2, 3)))
way_say(char line[LINE_BYTES], const char *fmt, ...)
{
	size_t at = strlen(line);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line + at, LINE_BYTES - at, fmt, ap);
	va_end(ap);
}

static void way_spread(struct way_file *f, char line[LINE_BYTES])
{
	static const char *const on[] = {"", " on ipv4,tcp", " on ipv4,ipv6", " on ipv6,udp",
					 " on ipv4"};

	way_match(f, RULE_IN, "send", line);
	way_say(line, " to rss 0-1%s", on[dice_roll(f->d, 5)]);
	if (!dice_roll(f->d, 4))
		way_say(line, " key 0x%080x", dice_roll(f->d, UINT32_MAX));
	way_say(line, " tag %u%s", f->number, dice_roll(f->d, 3) ? "" : " count");
	file_change(f->d, true, line);
}

static void way_line(struct way_file *f, enum rule_dir dir, char line[LINE_BYTES])
{
	uint32_t kind = dir == RULE_IN ? dice_roll(f->d, 6) : 5;

	f->number++;
	if (!kind && f->mirrors < WAY_MIRRORS) {
		f->mirrors++;
		way_match(f, RULE_IN, "mirror", line);
		way_say(line, " to queue %u%s", dice_roll(f->d, QUEUES),
			dice_roll(f->d, 3) ? "" : " count");
	} else if (kind < 3) {
		way_spread(f, line);
	} else {
		file_line(f->d, rule_dirs[dir].name, f->number, line);
		file_change(f->d, true, line);
	}
}

static void way_put(struct way_table *t, uint32_t at, const char *line)
{
	memmove(t->line[at + 1], t->line[at], (t->n++ - at) * sizeof(t->line[0]));
	memcpy(t->line[at], line, sizeof(t->line[0]));
}

/* Writes a table's rules of each direction, and a rule in an earlier table that leads to them. */
static void way_table(struct way_file *f, uint32_t number, uint32_t rules)
{
	struct way_table *t = &f->table[number],
			 *from = number ? &f->table[dice_roll(f->d, number)] : NULL;
	char line[LINE_BYTES];

	for (int dir = 0; dir < RULE_SWITCH; dir++) {
		t->has[dir] = !from || dir == RULE_IN || (from->has[dir] && dice_roll(f->d, 2));
		for (uint32_t i = 0; t->has[dir] && i < (dir == RULE_IN ? rules : 1); i++) {
			way_line(f, (enum rule_dir)dir, line);
			way_put(t, dice_roll(f->d, t->n + 1), line);
		}
		if (!from || !t->has[dir])
			continue;
		way_match(f, (enum rule_dir)dir, "send", line);
		way_say(line, " goto t%u%s", number, dice_roll(f->d, 2) ? "" : " count");
		way_put(from, dice_roll(f->d, from->n + 1), line);
	}
}

void file_random_ways(struct dice *d, char text[TEXT_MAX])
{
	static struct way_file f;
	size_t at = (size_t)sprintf(text, "%s", LAST_RULES);

	memset(&f, 0, sizeof(f));
	f.d = d;
	f.number = RULES_OWN;
	f.tables = dice_roll(d, WAY_TABLES + 1);
	for (uint32_t t = 0; t <= f.tables; t++)
		way_table(&f, t, 1 + dice_roll(d, 3));
	for (uint32_t t = 0; t <= f.tables; t++) {
		if (t)
			at += (size_t)sprintf(text + at, "table t%u\n", t);
		for (uint32_t i = 0; i < f.table[t].n; i++)
			at += (size_t)sprintf(text + at, "%s\n", f.table[t].line[i]);
	}
}

/* --- access lists --- */

/* Replaces the verdict of a list's line that ends with " count". */
static void list_verdict(struct dice *d, uint32_t number, const char *match, char line[LINE_BYTES])
{
	bool spreads = !dice_roll(d, 3);

	snprintf(line, LINE_BYTES, "send%s", match);
	strstr(line, " count")[0] = 0;
	if (spreads)
		way_say(line, " to rss 0-1");
	else
		way_say(line, " to queue %u", dice_roll(d, QUEUES));
	way_say(line, " tag %u%s", number, dice_roll(d, 2) ? "" : " count");
	file_change(d, true, line);
}

/* Puts a copy before a third of the list, and the rest of the list into another table. */
static size_t list_way(struct dice *d, uint32_t at, char *text)
{
	if (dice_roll(d, 2) || (at != LIST_RULES / 3 && at != 2 * LIST_RULES / 3))
		return 0;
	if (at == LIST_RULES / 3)
		return (size_t)sprintf(text, "mirror in ipv4 %s to queue 0 count\n",
				       dice_roll(d, 2) ? "tcp" : "udp dst port 0-30000");
	return (size_t)sprintf(text, "send in ipv4 %s goto rest count\ntable rest\n",
			       dice_roll(d, 2) ? "tcp" : "src 0.0.0.0/1");
}

void file_random_list(struct dice *d, char text[TEXT_MAX])
{
	char *list = acl_set_text((enum acl_shape)dice_roll(d, HOSTILE_SHAPE), LIST_RULES,
				  dice_roll(d, UINT32_MAX)),
	     *rest = list, *line;
	size_t at = (size_t)sprintf(text, "%s", LAST_RULES);
	char other[LINE_BYTES];

	for (uint32_t i = RULES_OWN; (line = strsep(&rest, "\n")) && *line; i++) {
		at += list_way(d, i - RULES_OWN, text + at);
		if (dice_roll(d, 2)) {
			list_verdict(d, i, strchr(line, ' '), other);
			line = other;
		}
		at += (size_t)sprintf(text + at, "%s\n", line);
	}
	free(list);
}
