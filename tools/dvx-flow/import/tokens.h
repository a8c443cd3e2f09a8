/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of another tool's text with their places. */
#ifndef DVX_FLOW_IMPORT_TOKENS_H
#define DVX_FLOW_IMPORT_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

struct token {
	const char *text;
	uint32_t line, column; /* from 1; columns count characters */
	bool quoted;
};

/* The words of a line; `at` is the next one. The last one's text is NULL: the line's end. */
struct tokens {
	struct token *token;
	size_t n, room, at;
};

struct token_reader {
	const char *p, *end;
	const char *marks;  /* characters that are words of their own */
	const char *blanks; /* characters between words */
	struct arena *memory;
	uint32_t line, column;
	bool no_memory;
};

/*
 * Reads the next line that has words, without comments, a shell's or testpmd's prompt, and sudo;
 * a \ at its end joins the following one.
 * Single and double quotes keep blanks in a word. Returns false at the text's end. The caller frees
 * t->token.
 */
bool tokens_line(struct token_reader *r, struct tokens *t);

/* Return the next word, or the line's end; tokens_next() takes it. */
const struct token *tokens_peek(const struct tokens *t);
const struct token *tokens_next(struct tokens *t);
/* Takes the next word if it is this one. Returns whether it was. */
bool tokens_take(struct tokens *t, const char *word);
bool token_is(const struct token *t, const char *word);
/* Returns whether the word is one of several with blanks between them. */
bool token_among(const struct token *t, const char *words);

/* Returns the place of text[0..n) among names with blanks between them, or -1. */
int names_index(const char *names, const char *text, size_t n);
/* Returns whether the text begins with one of these names. */
bool names_begin(const char *names, const char *text);
/* Finds the value behind NAME= among such names. */
bool names_value(const char *names, const char *name, char value[16]);

#endif
