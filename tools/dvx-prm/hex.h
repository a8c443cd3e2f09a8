/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads bytes from pasted text: dumps of many tools, logs around them, and binary input. */
#ifndef DVX_PRM_HEX_H
#define DVX_PRM_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Limits. Longer input is cut, with a message; the largest structure has 4 KiB. */
#define HEX_MAX_TEXT  (4u << 20)
#define HEX_MAX_ROWS  (1u << 17)
#define HEX_MAX_BYTES (1u << 20)
#define HEX_MAX_DUMPS 4096

struct dump {
	const uint8_t *bytes;
	size_t len;
	unsigned int line;  /* its first line; 0 for binary input */
	uint64_t base;	    /* offset of its first row */
	uint64_t missing;   /* bytes that no row has, read as 0 */
	unsigned int gap;   /* line after the first such hole */
	const char *form;   /* "offset and bytes", ... */
	char label[128];    /* the text line before it, cut */
	char structure[64]; /* the structure that a trace line names */
};

struct hex {
	uint8_t *bytes;
	struct dump *dumps;
	size_t count;
	size_t text_lines;		       /* lines that are not rows of a dump */
	bool cut;			       /* the input was longer than HEX_MAX_TEXT */
	bool none;			       /* the input is text without a dump */
	char error[256];		       /* why nothing could be read, with line and column */
	unsigned int error_line, error_column; /* from 1; 0: no place */
};

/* Whether it is text (UTF-8 or similar), not binary. */
bool hex_is_text(const char *text, size_t len);

/* Reads all of `in` up to the limit. Returns the text, to be freed; NULL with hex->error set. */
char *hex_load(struct hex *hex, FILE *in, size_t *len);

/*
 * Parses the text. words: "be", "le" or NULL. Returns 0, or -1 with hex->error set; call hex_free()
 * either way.
 */
int hex_parse(struct hex *hex, const char *text, size_t len, const char *words);

/*
 * Like hex_parse(), but leaves out lines that are no dump, such as most of a log: returns 0, and
 * hex->error has the first error.
 */
int hex_parse_some(struct hex *hex, const char *text, size_t len, const char *words);
void hex_free(struct hex *hex);

#endif
