/* SPDX-License-Identifier: BSD-2-Clause */
/* The parser's part of included files: the origin of lines. */
#include <stdio.h>

#include "marks.h"
#include "parse.h"

const char *parse_line_name(const struct rule_parser *ps, uint32_t line, char *buf, size_t size)
{
	struct mark_name n;

	if (line == DEFINE_KNOWN) {
		snprintf(buf, size, "the rules in effect");
		return buf;
	}
	marks_name(ps->text, ps->len, line, &n);
	snprintf(buf, size, n.file[0] ? "line %u of %s" : "line %u", n.line, n.file);
	return buf;
}

void parse_include(struct rule_parser *ps, const struct source_range *at)
{
	parse_mistake(ps, at,
		      "include is possible in files that check, apply, diff and export read");
}
