/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the commands of dvx-flow. */
#ifndef DVX_FLOW_TOOL_H
#define DVX_FLOW_TOOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base_tables.h"
#include "rules/rule.h"
#include "tools/cli/cli.h"
#include "tools/cli/json.h"
#include "tools/cli/message.h"

/* Exit codes; dvx(7) lists them and those of tools/cli. */
enum {
	EXIT_RULES =
		EXIT_NO, /* a mistake in the rules, no such rule; explain: no way for the packet */
	EXIT_BUSY = 5,	 /* this device has a daemon already */
};

struct args {
	bool json, quiet, watch, prometheus, fresh, ste, svg;
	const char *device, *socket, *state, *capture, *group;
	unsigned int queues;
	enum steering_kind steering;
	double interval, wait; /* interval 0: none was given */
	/* explain and dump */
	const char *dump; /* a file, instead of the daemon */
	uint64_t packet;  /* number in a packet file, from 1; 0: all */
	bool out;	  /* the packets go out */
	/* import and export */
	const char *from, *to, *netdev;
	const char *ports; /* values of --port with blanks between them */
	int argc;
	char **argv;
};

/*
 * Reads a whole file ("-": standard input) of at most RULES_BYTES_MAX; *text ends with a NUL.
 * Returns 0, or -errno after a message.
 */
int file_read(const char *path, char **text, size_t *len);

/* Reads a file as file_read() does, without a message. */
int file_load(const char *path, char **text, size_t *len);

/* Parses rules and prints mistakes to stderr as FILE:LINE:COLUMN, or nothing if name is NULL. */
int rules_read(const char *name, const char *text, size_t len, struct ruleset *set);
/* Parses rules that are to be part of others, by rules_parse_part(). */
int rules_read_part(const char *name, const char *text, size_t len, struct ruleset *set);

/* A rule file, for messages about places in it. */
struct rules_text {
	const char *name, *text;
	size_t len;
	bool unread;	   /* not parsed yet, so whether it has mistakes is unknown */
	const char **line; /* starts of lines; NULL: rules_find_lines() has not found them */
	size_t nlines, room;
};
/* Finds lines, for rules_point() of many lines. The caller frees s->line. False: no memory. */
bool rules_find_lines(struct rules_text *s);
/* Loads a rule file with its includes. Returns EXIT_DONE, or an exit code after messages. */
int rules_load(const char *path, struct rules_text *s);
void rules_text_free(struct rules_text *s);
/* Returns the name for messages of a file that the first one includes; "": of the first one. */
const char *rules_file_name(const char *first, const char *file, char *buf, size_t size);

/* Prints a mistake of the file as FILE:LINE:COLUMN, and its line. */
void mistake_print(const char *name, const struct mistake *m);
void rules_point(const struct rules_text *s, uint32_t line, uint32_t column, const char *what);

/* Joins operands with one blank between words, as in a rule's text. Writes "" if it is too long. */
#define WORDS_BYTES_MAX 65536
void words_join(char *out, size_t size, char *const *words, int n);

/* Writes the reason why rules_compile() refused the set. */
void compile_why(const struct ruleset *set, int err, size_t wrong, char *why, size_t size);

int cmd_check(const struct args *a);
int cmd_daemon(const struct args *a);
int cmd_apply(const struct args *a);
int cmd_list(const struct args *a);
int cmd_stats(const struct args *a);
int cmd_del(const struct args *a);
int cmd_add(const struct args *a);
int cmd_insert(const struct args *a);
int cmd_replace(const struct args *a);
int cmd_flush(const struct args *a);
int cmd_diff(const struct args *a);
int cmd_save(const struct args *a);
int cmd_explain(const struct args *a);
int cmd_dump(const struct args *a);
int cmd_draw(const struct args *a);
int cmd_import(const struct args *a);
int cmd_export(const struct args *a);

#endif
