/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_TOOLS_JSON_H
#define DVX_TOOLS_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Prints and frees root, without empty members; EXIT_DONE, or EXIT_INPUT after a sentence. */
int json_out(json_t *root);
/* The same on one line, flushed: for what prints one object after another. */
int json_out_line(json_t *root);
/* true once json_out() has printed the answer. */
bool json_is_out(void);

/* {"message": ..., "exit": ...}, the error object of all tools; with say_placed()'s line and column. */
json_t *json_error(const char *message, int code);

/* Numbers above 2^53 are strings, "0x...", as in prm.json. */
json_t *json_number(uint64_t v);

/* A string of any bytes: if they are not UTF-8, those above 0x7e are written as \xNN. */
json_t *json_text(const char *s, size_t n);

/* A member of an object: "" if it is no string. */
const char *json_str(const json_t *object, const char *key);
/* Returns a member of an object: 0 if it is no number. */
static inline json_int_t json_int(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

#endif
