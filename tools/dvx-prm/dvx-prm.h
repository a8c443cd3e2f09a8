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
#define CLI_ARGS prm_args
#include "tools/cli/cli.h"
#include "tools/cli/json.h"
#include "tools/cli/say.h"

struct prm_args {
	bool json;
	bool all;
	bool no_diagram;
	const char *words;  /* "be", "le" or NULL: as the form of the dump has it */
	const char *format; /* of encode */
	const char *as;	    /* what explain must take the bytes for */
	const char *variant;
	int argc;
	char **argv;
};

/* The structure called name; NULL after a sentence with the nearest names. */
const struct prm_struct *need_struct(const char *name);

/* As prm_find_field, but a path that leads nowhere is explained. */
const struct prm_field *need_field(const struct prm_struct *s, const char *path, uint64_t *bit);

/* A decoded structure as JSON, and that JSON as text. all: includes fields that are 0. */
json_t *tree_make(const struct prm_struct *s, const uint8_t *p, size_t len, bool all);
/* Bytes as a string of hex digits. */
json_t *tree_hex(const uint8_t *p, size_t n);
void tree_print(FILE *out, const json_t *tree, const char *indent);

/* Whether the field belongs to the alternatives that are drawn: named, or the first of each. */
bool diagram_shows(const struct prm_struct *s, const struct prm_field *f, const char *variant);
/* One row for each 32 bits, bit 31 at the left; equal rows are drawn once. */
void diagram_print(FILE *out, const struct prm_struct *s, const char *variant);

/* complete.c */
#define PRM_WORDS 4
extern const struct cli_words prm_words[PRM_WORDS];

int prm_cmd_list(const struct prm_args *a);
int prm_cmd_show(const struct prm_args *a);
int prm_cmd_decode(const struct prm_args *a);
int prm_cmd_encode(const struct prm_args *a);
int prm_cmd_explain(const struct prm_args *a);
int prm_cmd_diff(const struct prm_args *a);
int prm_cmd_export(const struct prm_args *a);

#endif
