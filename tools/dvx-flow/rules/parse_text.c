/* SPDX-License-Identifier: BSD-2-Clause */
/* A text of rules, from its first byte on. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "define.h"

size_t rules_mark(const char *text, size_t len)
{
	return len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
}

bool rules_utf16(const char *text, size_t len)
{
	return len >= 2 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2));
}

static bool text_is_ascii(const char *text, size_t len)
{
	uint64_t all = 0, eight;

	for (; len >= sizeof(eight); len -= sizeof(eight), text += sizeof(eight)) {
		memcpy(&eight, text, sizeof(eight));
		all |= eight;
	}
	for (; len; len--)
		all |= (uint8_t)*text++;
	return !(all & 0x8080808080808080ull);
}

/* More threads would wait for memory, and smaller parts for their threads. */
#define PARSE_THREADS_MAX 8
#define PARSE_PART	  (256ul << 10)

static const struct parse_limits parse_limits_one = {.part = SIZE_MAX, .threads = 1};

/* Returns how many processors the process may use. */
static unsigned int parse_threads(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	return (unsigned int)(n < PARSE_THREADS_MAX ? n : PARSE_THREADS_MAX);
}

/* Goes on with another text. Returns 0 or -ENOMEM. */
static int parse_text(struct rule_parser *ps, const char *text, size_t len,
		      const struct parse_limits *limits)
{
	ps->text = ps->next = ps->counted = ps->blanks = text;
	ps->len = len;
	ps->end = text + len;
	ps->line = ps->column = 1;
	ps->ascii = text_is_ascii(text, len);
	ps->ended = false;
	parse_vars_begin(ps);
	return parse_parts(ps, limits) == 2 || ps->no_memory ? -ENOMEM : 0;
}

/* Defines the variables of the rules in effect. */
static int parse_known(struct rule_parser *ps, const struct ruleset *of)
{
	size_t len;
	char *text;
	int ret;

	if (!of || !of->ndefines)
		return 0;
	text = defines_text(of, &len);
	ret = text ? parse_text(ps, text, len, &parse_limits_one) : -ENOMEM;
	free(text);
	parse_vars_known(ps);
	return ret;
}

/* Parses rules; of: as in rules_parse_part(). */
static int parse_rules(const char *text, size_t len, const struct parse_limits *limits,
		       struct ruleset *set, bool whole, const struct ruleset *of, mistake_fn report,
		       void *arg)
{
	size_t mark = rules_mark(text, len);
	struct rule_build b = {0};
	struct rule_parser ps = {.set = set, .build = &b, .report = report, .report_arg = arg};
	int ret;

	b.ps = &ps;
	*set = (struct ruleset){0};
	if (len > RULES_BYTES_MAX)
		return -EFBIG;
	if (rules_utf16(text, len)) {
		ps.text = text;
		ps.len = len;
		parse_mistake(&ps, &(struct source_range){0, 1, 1, 1},
			      "the text is UTF-16; save it as UTF-8");
		return ps.mistakes;
	}
	words_prepare();
	set->memory = arena_new();
	ret = set->memory && build_tables_begin(&b) ? 0 : -ENOMEM;
	if (!ret && memchr(text, '$', len))
		ret = parse_known(&ps, of);
	ps.part = !whole;
	if (!ret)
		ret = parse_text(&ps, text + mark, len - mark, limits);
	if (!ret && whole) {
		build_tables_end(&b);
		build_track_end(&b);
	}
	if (ps.no_memory)
		ret = -ENOMEM;
	if (!ret && whole && !ps.mistakes && !parse_vars_keep(&ps))
		ret = -ENOMEM;
	build_free(&b);
	parse_vars_free(&ps);
	if (!ret)
		ret = ps.mistakes;
	if (ret)
		ruleset_free(set);
	return ret;
}

int rules_parse(const char *text, size_t len, struct ruleset *set, mistake_fn report, void *arg)
{
	const struct parse_limits limits = {.part = PARSE_PART, .threads = parse_threads()};

	return rules_parse_within(text, len, &limits, set, report, arg);
}

int rules_parse_within(const char *text, size_t len, const struct parse_limits *limits,
		       struct ruleset *set, mistake_fn report, void *arg)
{
	return parse_rules(text, len, limits, set, true, NULL, report, arg);
}

int rules_parse_part(const char *text, size_t len, const struct ruleset *of, struct ruleset *set,
		     mistake_fn report, void *arg)
{
	return parse_rules(text, len, &parse_limits_one, set, false, of, report, arg);
}
