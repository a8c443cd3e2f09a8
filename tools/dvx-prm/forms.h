/* SPDX-License-Identifier: BSD-2-Clause */
/* Forms of lines that report a failure, by the program that writes them. */
#ifndef DVX_PRM_FORMS_H
#define DVX_PRM_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include "topics.h"

/*
 * A form. The letters of `groups` name the groups of the pattern: w status of libibverbs, W its
 * text, N its name behind "IBV_WC_", s syndrome, k its text in the kernel, v vendor byte, V vendor
 * byte in hex without 0x, q QP, i index of the WQE, c command, m op_mod, t its status, y its
 * syndrome (hex), e errno, d a number that the topic explains, D such a number in hex, r a status:
 * an errno if it is negative, else a number that the topic explains, n a name, x a word that the
 * topic explains, - nothing. E is no group: the errno may be anywhere in the line.
 */
struct form {
	const char *program; /* NULL: any; then the line has to report a failure */
	const char *key; /* in lower case; a line without it is not matched against the pattern */
	const char *pattern, *groups;
	enum topic_id topic; /* TOPIC_NONE: a completion or a command */
	bool loose;	     /* of no specific program: such a line is not joined with the next */
	bool more;	     /* the next line may belong to it: an earlier form matches both */
};

/* All forms. The first one that matches a line counts. */
extern const struct form forms[];
extern const size_t form_count;

/* Returns the program that writes such a line (in lower case), by its marks, else by the topic. */
const char *form_program(const char *lower, enum topic_id topic);

#define FORMS_MOST   224
#define FORMS_GROUPS 10 /* groups of a pattern; group 0 is the whole match */

#endif
