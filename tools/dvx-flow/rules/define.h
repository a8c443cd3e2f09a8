/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables of the rules, and the line of a definition. */
#ifndef DVX_FLOW_DEFINE_H
#define DVX_FLOW_DEFINE_H

#include "rules/grammar.h"

struct define_token {
	int token;
	FLOW_STYPE value;
};

enum define_kind { KIND_NONE, KIND_NUMBER, KIND_IPV4, KIND_IPV6, KIND_MAC };

struct parse_define {
	const char *name,
		*text; /* text: with commas, and without blanks except in a range of names */
	struct define_token *token;
	size_t n, room, text_len, text_room;
	enum define_kind kind;
	bool is_list, bad; /* bad: it has a mistake, which was reported */
	uint32_t line;
};

/*
 * Returns whether the value ends with a name. Names may have a -, so a range of them needs a blank
 * before it.
 */
static inline bool define_ends_with_name(const struct parse_define *d)
{
	return d->n && d->token[d->n - 1].token == T_NAME;
}

/* Returns NULL if the variable is unknown. */
struct parse_define *define_find(const struct rule_parser *ps, const char *name);
/* Returns false if there is no memory. */
bool define_keep(struct rule_parser *ps, struct parse_define *d);
void define_drop(struct parse_define *d);
/* Reports an unknown variable. `of`: the variable whose definition names it; NULL: a rule does. */
void define_unknown(struct rule_parser *ps, const struct source_range *at, const char *name,
		    const char *of);

/*
 * The most bytes that the values of variables may have, in all places where they are used: a file of
 * half a megabyte could make 10^10 values.
 */
#define DEFINE_BYTES_MAX (1ul << 26)
/* Counts a use of a variable. Returns false, after a mistake, if the values are too many. */
bool define_count(struct rule_parser *ps, const struct source_range *at,
		  const struct parse_define *d);

/* Returns the definitions of a set as a text, which the caller frees. NULL: no memory. */
char *defines_text(const struct ruleset *of, size_t *len);

/* Returns whether c is a letter, a digit or _. */
bool define_name_char(char c);

/* Puts a variable's tokens in its place. Returns the first one; *value is the name. */
int define_use(struct rule_parser *ps, const struct source_range *at, FLOW_STYPE *value,
	       int before);

#endif
