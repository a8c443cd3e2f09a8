/* SPDX-License-Identifier: BSD-2-Clause */
/* A text of rules, from its first byte on. */
#include <errno.h>
#include <string.h>

#include "rules/grammar.h"

size_t rules_mark(const char *text, size_t len)
{
	return len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
}

bool rules_utf16(const char *text, size_t len)
{
	return len >= 2 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2));
}

static int parse_rules(const char *text, size_t len, struct ruleset *set, bool whole,
		       mistake_fn tell, void *arg)
{
	size_t mark = rules_mark(text, len);
	struct rule_parser ps = {
		.text = text + mark, .len = len - mark, .set = set, .tell = tell, .tell_arg = arg};
	void *scanner;
	int ret = 0;

	*set = (struct ruleset){0};
	if (len > RULES_BYTES_MAX)
		return -EFBIG;
	if (rules_utf16(text, len)) {
		parse_mistake(&ps, &(struct source_range){1, 1, 1, 2, 0, 2},
			      "the text is UTF-16; save it as UTF-8");
		return ps.mistakes;
	}
	set->memory = arena_new();
	if (!set->memory || flow_lex_init_extra(&ps, &scanner)) {
		ruleset_free(set);
		return -ENOMEM;
	}
	ps.part = !whole;
	if (!parse_tables_begin(&ps) || !flow__scan_bytes(ps.text, (int)ps.len, scanner) ||
	    flow_parse(scanner, &ps) == 2 || ps.no_memory)
		ret = -ENOMEM;
	else if (whole)
		parse_tables_end(&ps);
	flow_lex_destroy(scanner);
	parse_end_names(&ps);
	parse_vars_free(&ps);
	parse_tables_free(&ps);
	if (!ret)
		ret = ps.mistakes;
	if (ret)
		ruleset_free(set);
	return ret;
}

int rules_parse(const char *text, size_t len, struct ruleset *set, mistake_fn tell, void *arg)
{
	return parse_rules(text, len, set, true, tell, arg);
}

int rules_parse_part(const char *text, size_t len, struct ruleset *set, mistake_fn tell, void *arg)
{
	return parse_rules(text, len, set, false, tell, arg);
}
