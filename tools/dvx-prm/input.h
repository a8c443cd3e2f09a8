/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PRM_INPUT_H
#define DVX_PRM_INPUT_H

#include "dvx-prm.h"
#include "hex.h"

/* Reads the dumps in a file ("-" or NULL: stdin). -1 after an error message. */
int input_read(struct hex *hex, const char *path, const struct prm_args *a);

/*
 * Reads the text (or binary input), which the caller frees. NULL: input_fail() prints the reason.
 */
char *input_text(struct hex *hex, const char *path, size_t *len);

/* Prints why the input could not be read, and frees hex. */
void input_fail(struct hex *hex, const char *path);

/* Returns notes on a dump: holes, offsets that do not begin at 0, a cut. */
json_t *input_notes(const struct hex *hex, const struct dump *d);

/* Describes a dump: "line 3, offsets and bytes, 64 bytes". */
json_t *input_json(const struct dump *d);

#endif
