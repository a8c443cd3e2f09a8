/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads bytes from pasted text: dumps of many tools, logs around them, binary. */
#ifndef DVX_PRM_HEX_H
#define DVX_PRM_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A longer dump is cut, with a message; the largest structure has 4 KiB. */
#define HEX_MAX_TEXT  (4u << 20)
#define HEX_MAX_ROWS  (1u << 17)
#define HEX_MAX_BYTES (1u << 20)
#define HEX_MAX_DUMPS 4096

struct dump {
	const uint8_t *bytes;
	size_t len;
	unsigned int line;  /* where it begins; 0 for binary input */
	uint64_t base;	    /* offset that its first row claims */
	uint64_t missing;   /* bytes that no row gives, read as 0 */
	unsigned int gap;   /* line after the first such hole */
	const char *form;   /* "offset and bytes", ... */
	char label[128];    /* the text line before it, cut */
	char structure[64]; /* a trace line says what it is */
};

struct hex {
	uint8_t *bytes;
	struct dump *dumps;
	size_t count;
	size_t text_lines; /* lines that are no row of a dump */
	bool cut;	   /* there was more input than HEX_MAX_TEXT */
	bool none;	   /* the input is text without any dump */
	char error[256];   /* why nothing could be read, one sentence with line and column */
	unsigned int error_line, error_column; /* from 1; 0: it is about no place */
};

/* Whether it is text (UTF-8 or similar), and no binary. */
bool hex_is_text(const char *text, size_t len);

/* All that `in` holds, as far as it is read; NULL with hex->error set. Free it. */
char *hex_load(struct hex *hex, FILE *in, size_t *len);

/* words: "be", "le" or NULL. 0, or -1 with hex->error set. Free with hex_free either way. */
int hex_parse(struct hex *hex, const char *text, size_t len, const char *words);

/* The same, but lines that are no dump, as most of a log, are left out: 0, with the first fault. */
int hex_parse_some(struct hex *hex, const char *text, size_t len, const char *words);
void hex_free(struct hex *hex);

#endif
