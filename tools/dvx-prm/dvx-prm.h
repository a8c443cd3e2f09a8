/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations that the commands of dvx-prm share. */
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
#include "tools/cli/message.h"

struct prm_args {
	bool json;
	bool all;
	bool no_diagram;
	const char *words;  /* "be", "le", or NULL: decided by the form of the dump */
	const char *format; /* for encode */
	const char *as;	    /* for explain: what to take the bytes for */
	const char *variant;
	int argc;
	char **argv;
};

/* Finds a structure. NULL after an error message with the nearest names. */
const struct prm_struct *need_struct(const char *name);

/* Like prm_find_field(), but prints an error message for an unknown path. */
const struct prm_field *need_field(const struct prm_struct *s, const char *path, uint64_t *bit);

/* Decode a structure to JSON, and print that JSON as text. all: includes fields that are 0. */
json_t *tree_make(const struct prm_struct *s, const uint8_t *p, size_t len, bool all);
/* Returns bytes as a string of hex digits. */
json_t *tree_hex(const uint8_t *p, size_t n);
void tree_print(FILE *out, const json_t *tree, const char *indent);

/* Draws a row for every 32 bits, with bit 31 at the left; equal rows are drawn once. */
void diagram_print(FILE *out, const struct prm_struct *s, const char *variant);

/* --- complete.c --- */
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
