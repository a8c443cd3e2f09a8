/* SPDX-License-Identifier: BSD-2-Clause */
/* Forms of lines that report a failure, by who writes them. */
#ifndef DVX_PRM_FORMS_H
#define DVX_PRM_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include "topics.h"

/*
 * The letters of `groups` name what the groups of the pattern are: w status of libibverbs, W the
 * same in words, N its name behind "IBV_WC_", s syndrome, k the same in the kernel's words, v
 * vendor byte, V the same in hex without 0x, q QP, i index of the WQE, c command, m op_mod, t its
 * status, y its syndrome (hex), e errno, d a number that the topic explains, D the same in hex, r a
 * status: an errno if it is negative, else a number that the topic explains, n a name, x a word that
 * the topic explains, - nothing. E stands for no group: the errno may be anywhere in the line.
 */
struct form {
	const char *
		who; /* NULL: whoever names a call or an object, in a line that reports a failure */
	const char *key; /* in lower case: a line without it is not compared with the pattern */
	const char *pattern, *groups;
	enum topic_id topic; /* TOPIC_NONE: a completion or a command */
	bool loose;	     /* of no certain program: such a line is not joined with the next */
	bool more;	     /* the next line may belong to it: a form before this one has both */
};

/* The first form that fits a line is used. */
extern const struct form forms[];
extern const size_t form_count;

/* The program that writes such a line (in lower case), by its marks; else by the topic. */
const char *form_program(const char *lower, enum topic_id topic);

#define FORMS_MOST   224
#define FORMS_GROUPS 10 /* of a pattern, with the whole as group 0 */

#endif
