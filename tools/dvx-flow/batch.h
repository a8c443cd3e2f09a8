/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Edits in one text, as `dvx-flow add -' reads them: each line is a rule, which comes behind all
 * others, or begins with a command:
 *
 *	add RULE
 *	insert before ID|NAME RULE
 *	replace ID|NAME RULE
 *	del ID[-ID]|NAME...|RULE
 *
 * Client and daemon read it.
 */
#ifndef DVX_FLOW_BATCH_H
#define DVX_FLOW_BATCH_H

#include <jansson.h>

#include "fault.h"

enum batch_command { BATCH_ADD, BATCH_INSERT, BATCH_REPLACE, BATCH_DEL, BATCH_COMMANDS };

struct batch_edit {
	enum batch_command command;
	uint32_t line, column; /* of what it names */
	json_t *which;	       /* as in batch_rules() */
};

struct batch {
	char *rules; /* the text, with blanks where no rule is */
	size_t len;
	struct batch_edit *edit; /* by line; none for BATCH_ADD */
	size_t n, room;
};

/* Returns 0, or -1 with the fault and its place. The caller frees *b either way. */
int batch_read(const char *text, size_t len, struct batch *b, struct flow_fault *f);
void batch_free(struct batch *b);

/* Parses an ID, a range of them, or else a name. Returns NULL if text is NULL. */
json_t *batch_id_or_name(const char *text);
/*
 * Parses operands of del: each names rules, or all of them are one rule's words. `text` has them
 * with one blank between words. Returns an array of IDs, ranges [first, last], names and texts of
 * rules, or NULL if there is no text.
 */
json_t *batch_rules(const char *text, char *const *words, int n);

#endif
