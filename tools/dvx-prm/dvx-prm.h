/* SPDX-License-Identifier: BSD-2-Clause */
/* What the commands of dvx-prm share. */
#ifndef DVX_PRM_H
#define DVX_PRM_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "src/prm/reflect.h"

/* Exit codes, documented in dvx-prm(1). */
enum {
	EXIT_DONE = 0,
	EXIT_NO = 1,	/* diff: they differ; explain: nothing was recognised */
	EXIT_USAGE = 2, /* wrong command line, unknown structure, field or value */
	EXIT_INPUT = 3, /* the input cannot be read, or is no dump */
};

struct args {
	bool json;
	bool all;
	bool diagram;
	const char *words;  /* "be", "le" or NULL: as the form of the dump has it */
	const char *format; /* of encode */
	const char *as;	    /* what explain must take the bytes for */
	const char *variant;
	int argc;
	char **argv;
};

/* One sentence to stderr, after the program's name. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The structure called name; NULL after a sentence with the nearest names. */
const struct prm_struct *need_struct(const char *name);

/* As prm_find_field, but a path that leads nowhere is explained. */
const struct prm_field *need_field(const struct prm_struct *s, const char *path, uint64_t *bit);

int json_put(json_t *root);

/* Numbers above 2^53 are strings, as in prm.json. */
json_t *json_number(uint64_t v);

int cmd_list(const struct args *a);
int cmd_show(const struct args *a);
int cmd_decode(const struct args *a);
int cmd_encode(const struct args *a);
int cmd_explain(const struct args *a);
int cmd_diff(const struct args *a);
int cmd_export(const struct args *a);

#endif
