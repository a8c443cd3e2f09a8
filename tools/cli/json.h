/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_TOOLS_JSON_H
#define DVX_TOOLS_JSON_H

#include <jansson.h>
#include <stdint.h>

/* Prints and frees root; EXIT_DONE, or EXIT_INPUT after a sentence. */
int json_out(json_t *root);

/* Numbers above 2^53 are strings, "0x...", as in prm.json. */
json_t *json_number(uint64_t v);

#endif
