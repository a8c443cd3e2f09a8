/* SPDX-License-Identifier: BSD-2-Clause */
/* A table of where the values of options go. */
#ifndef DVX_TOOLS_OPTION_H
#define DVX_TOOLS_OPTION_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The name of a tool's structure of options; the tool defines it before it includes cli.h. */
#ifndef CLI_ARGS
#define CLI_ARGS args
#endif
struct CLI_ARGS;

enum cli_kind { CLI_KIND_TRUE, CLI_KIND_TEXT, CLI_KIND_NUMBER, CLI_KIND_SIZE, CLI_KIND_SECONDS };

struct cli_option {
	int key; /* key of the argp_option */
	enum cli_kind kind;
	size_t at, bytes;     /* place of the field */
	uint64_t least, most; /* range of numbers; of seconds, least is in ms */
};

/* The field's offset. Fails to compile if the field has another type. */
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
/* A uint32_t or uint64_t. */
#define CLI_NUMBER(key, field, least, most)                                                      \
	{                                                                                        \
		key, CLI_KIND_NUMBER, offsetof(struct CLI_ARGS, field), CLI_BYTES(field), least, \
			most                                                                     \
	}
/* A uint32_t or uint64_t; K, M or G may follow the number. */
#define CLI_SIZE(key, field, least, most)                                                      \
	{                                                                                      \
		key, CLI_KIND_SIZE, offsetof(struct CLI_ARGS, field), CLI_BYTES(field), least, \
			most                                                                   \
	}
/* A double. */
#define CLI_SECONDS(key, field, least_ms)                                                      \
	{                                                                                      \
		key, CLI_KIND_SECONDS, CLI_FIELD(field, double), CLI_BYTES(field), least_ms, 0 \
	}

/* Stores an option's value. The name is for the message about a wrong value. */
void cli_take(const struct cli_option *option, const char *name, const char *arg,
	      struct argp_state *state, void *args);

#endif
