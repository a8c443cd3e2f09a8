/* SPDX-License-Identifier: BSD-2-Clause */
/* The text that is being parsed, and values in it. Each call takes its place, for messages. */
#ifndef DVX_FLOW_PARSE_H
#define DVX_FLOW_PARSE_H

#include "arena.h"
#include "map.h"
#include "node.h"

/* A use of a variable in the current rule, and the variable's value. */
struct parse_use {
	size_t first_byte, end_byte;
	const char *text;
	size_t len;
	bool ends_with_name; /* a - behind it would continue the name */
};

struct parse_define;

/* Variables, and the one whose tokens the grammar reads instead of the text's. */
struct parse_vars {
	struct parse_define **define;
	size_t n, room;
	struct map names; /* hash -> a place in `define` */
	struct parse_use *use;
	size_t nuses, use_room;
	const struct parse_define *now, *last; /* last: the last token's origin */
	size_t next;			       /* token of `now` */
	size_t copied;	     /* bytes of values that uses of variables have made so far */
	int pending, before; /* the next token; the last of the text */
	bool in_line, defining;
};

struct rule_build;

struct rule_parser {
	const char *text;
	size_t len;
	bool ascii;		/* each byte of it is a column */
	const char *next, *end; /* of the text: behind the last token */
	const char *counted;	/* line and column are those of this byte */
	uint32_t line, column;
	const char *blanks;  /* the last place that has more than one blank, or another one */
	struct ruleset *set; /* the result */
	struct rule_build *build;
	mistake_fn report;
	void *report_arg;
	int mistakes;
	struct node_list list;	     /* the one that is being read */
	struct rule_value masked;    /* the value with a mask that is being read, ... */
	struct rule_value flags;     /* ... and the TCP flags */
	bool bad;		     /* the current rule has a mistake */
	bool no_memory, ended, part; /* part: it is to be part of another text */
	struct parse_vars vars;
};

void parse_mistake(struct rule_parser *ps, const struct source_range *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Returns "line 3" for messages about another line. */
const char *parse_line_name(const struct rule_parser *ps, uint32_t line, char *buf, size_t size);

/* Counts the columns of a part of the text: scan.c. */
uint32_t scan_columns(const struct rule_parser *ps, const char *from, const char *to);

/* --- parse_parts.c: the whole text. Returns as flow_parse() does. --- */
int parse_parts(struct rule_parser *ps, const struct parse_limits *limits);

/* --- parse_value.c: values and lists of them --- */

/* Return the list with one more item; without it and with no_memory set if there is no memory. */
struct node_list list_add(struct rule_parser *ps, struct node_list l, const void *item,
			  size_t size);
/* Adds an item in an arena. Returns false if there is no memory. */
bool list_add_in(struct arena *memory, struct node_list *l, const void *item, size_t size);
/* mask UINT64_MAX: all of the field. */
struct node_list list_value(struct rule_parser *ps, struct node_list l, uint64_t value,
			    uint64_t mask);
/* Leaves out a range whose first port is above its last. */
struct node_list list_range(struct rule_parser *ps, struct node_list l, struct rule_range r);

/* Return an address with a prefix length, a mask or a range's end. */
const struct rule_net *parse_prefix(struct rule_parser *ps, const struct source_range *at,
				    const struct rule_net *address, uint64_t bits);
const struct rule_net *parse_net_mask(struct rule_parser *ps, const struct source_range *at,
				      const struct rule_net *address, const struct rule_net *mask);
const struct rule_net *parse_net_range(struct rule_parser *ps, const struct source_range *at,
				       const struct rule_net *address, const struct rule_net *end);
/* Return a range of ports; first above last: it has a mistake, which was reported. */
struct rule_range parse_range(struct rule_parser *ps, const struct source_range *at, uint64_t first,
			      uint64_t last);
struct rule_range parse_port_mask(struct rule_parser *ps, const struct source_range *at,
				  uint64_t port, uint64_t mask);
/* Sorts ranges and joins adjacent ones: 80,81 becomes 80-81. */
size_t ranges_merge(struct rule_range *r, size_t n);
/* Adds a TCP flag that is set, or clear. */
void parse_flag(struct rule_parser *ps, const struct source_range *at, const char *name, bool set,
		struct rule_value *flags);

/* --- parse_variable.c --- */

/* Writes ", which is 80,443 (line 3)" if the last token came from a variable, else "". */
const char *parse_variable_origin(const struct rule_parser *ps, char *buf, size_t size);
void parse_vars_begin(struct rule_parser *ps);
void parse_vars_free(struct rule_parser *ps);
/* Keeps the variables' texts: an added rule may name them. Returns false if there is no memory. */
bool parse_vars_keep(struct rule_parser *ps);
/* Marks the variables so far as those of the rules in effect. */
void parse_vars_known(struct rule_parser *ps);
#define DEFINE_KNOWN 0 /* the line of such a definition */

#endif
