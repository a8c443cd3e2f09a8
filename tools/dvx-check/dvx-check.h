/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_CHECK_TOOL_H
#define DVX_CHECK_TOOL_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#define CLI_ARGS check_args
#include "tools/cli/cli.h"
#include "src/check/kinds.h"
#include "tools/cli/message.h"

/* The arguments of the command line. */
struct check_args {
	const char *suppressions; /* a file, or NULL */
	bool json, no_poison;
	int argc; /* the program and its arguments */
	char **argv;
};

enum {
	EXIT_FINDINGS = 86,
	EXIT_SELF = 125, /* dvx-check's own failures, as dvx-sim's */
	EXIT_CANT_RUN,
	EXIT_NOT_FOUND,
};

/* --- kinds.c --- */
struct kind_row {
	const char *name, *class, *sentence;
	const char *label[2]; /* of its places; NULL: it has no second one */
	const char *advice;
};
/* kind is below CHECK_KINDS. */
const struct kind_row *kind_row(uint32_t kind);
void kind_sentence(const struct check_finding *, char *text, size_t size);
/* Returns the name of a request's opcode, or NULL: it is of no request. */
const char *kind_opcode(uint32_t opcode);

/* --- symbols.c: what is at an address of an object file --- */
struct symbol {
	char function[256], file[PATH_MAX]; /* empty: unknown */
	int line;			    /* 0: unknown */
	bool verbs; /* an inline function of libibverbs: the place is its caller */
};
void symbol_find(const char *module, uint64_t offset, struct symbol *);

/* --- findings.c: the findings of all processes --- */
struct place {
	struct symbol symbol;
	const char *module; /* NULL: unknown, or there is no such place */
	uint64_t offset;
};
struct found {
	struct check_finding m;
	struct place place[2];
	uint64_t count;
	bool suppressed;
};
struct findings {
	struct found *rows;
	size_t n;
	size_t suppressed;
	bool opened; /* a program opened a device */
	uint64_t blind;
};
/* Takes a message. Returns the finding that it brings, if it is to be printed; or NULL. */
const struct found *findings_take(struct findings *, const struct check_header *);
void findings_free(struct findings *);
/* Counts those that are not suppressed. */
size_t findings_count(const struct findings *);

/* --- print.c, print_json.c --- */
void print_finding(const struct found *);
void print_summary(const struct findings *, const char *program);
int print_json(const struct findings *, int code);

/* --- suppress.c: findings that a file says not to report --- */
/* Reads the file. Returns false after an error message. */
bool suppress_read(const char *path);
bool suppress_hits(const char *kind, const struct place places[2]);
void suppress_free(void);

/* --- run.c --- */
int check_run(const struct check_args *);

#endif
