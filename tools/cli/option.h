/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the values of options go: a table. */
#ifndef DVX_TOOLS_OPTION_H
#define DVX_TOOLS_OPTION_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The options of a tool: it defines this to the name of its structure before it includes cli.h. */
#ifndef CLI_ARGS
#define CLI_ARGS args
#endif
struct CLI_ARGS;

enum cli_kind { CLI_KIND_TRUE, CLI_KIND_TEXT, CLI_KIND_NUMBER, CLI_KIND_SIZE, CLI_KIND_SECONDS };

struct cli_option {
	int key; /* of the argp_option */
	enum cli_kind kind;
	size_t at, bytes;     /* of the field */
	uint64_t least, most; /* of numbers; of seconds least is in ms */
};

/* The field's offset, if it is of this type. */
#define CLI_FIELD(field, type)              \
	(offsetof(struct CLI_ARGS, field) + \
	 0 * sizeof(char[_Generic(((struct CLI_ARGS *)NULL)->field, type : 1)]))
#define CLI_BYTES(field) sizeof(((struct CLI_ARGS *)NULL)->field)

#define CLI_TRUE(key, field)                                                       \
	{                                                                          \
		key, CLI_KIND_TRUE, CLI_FIELD(field, bool), CLI_BYTES(field), 0, 0 \
	}
#define CLI_TEXT(key, field)                                                               \
	{                                                                                  \
		key, CLI_KIND_TEXT, CLI_FIELD(field, const char *), CLI_BYTES(field), 0, 0 \
	}
/* uint32_t or uint64_t */
#define CLI_NUMBER(key, field, least, most)                                                      \
	{                                                                                        \
		key, CLI_KIND_NUMBER, offsetof(struct CLI_ARGS, field), CLI_BYTES(field), least, \
			most                                                                     \
	}
/* The same; K, M or G may follow. */
#define CLI_SIZE(key, field, least, most)                                                      \
	{                                                                                      \
		key, CLI_KIND_SIZE, offsetof(struct CLI_ARGS, field), CLI_BYTES(field), least, \
			most                                                                   \
	}
/* double */
#define CLI_SECONDS(key, field, least_ms)                                                      \
	{                                                                                      \
		key, CLI_KIND_SECONDS, CLI_FIELD(field, double), CLI_BYTES(field), least_ms, 0 \
	}

/* The name is for the message about a wrong value. */
void cli_take(const struct cli_option *option, const char *name, const char *arg,
	      struct argp_state *state, void *args);

#endif
