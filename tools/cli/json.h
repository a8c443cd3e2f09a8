/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_TOOLS_JSON_H
#define DVX_TOOLS_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Prints and frees root, without empty members. Returns EXIT_DONE, or EXIT_INPUT after an error
 * message.
 */
int json_out(json_t *root);
/*
 * Like json_out(), but on one line and flushed: for programs that print one object after another.
 */
int json_out_line(json_t *root);
/* Whether json_out() has printed the answer. */
bool json_is_out(void);

/*
 * Makes {"message": ..., "exit": ...}, the error object of all tools, with the place of
 * message_get_place().
 */
json_t *json_error(const char *message, int code);

/* Makes a number; above 2^53 it is a string "0x...", as in prm.json. */
json_t *json_number(uint64_t v);

/* Makes a string of any bytes. If they are not UTF-8, those above 0x7e are written as \xNN. */
json_t *json_text(const char *s, size_t n);

/* Returns a member of an object as a string, "" if it is none. */
const char *json_str(const json_t *object, const char *key);
/* Returns a member of an object as a number, 0 if it is none. */
static inline json_int_t json_int(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

#endif
