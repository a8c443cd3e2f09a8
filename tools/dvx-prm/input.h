/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PRM_INPUT_H
#define DVX_PRM_INPUT_H

#include "dvx-prm.h"
#include "hex.h"

/* The dumps in a file ("-" or NULL: stdin); -1 after a sentence. */
int input_read(struct hex *hex, const char *path, const struct args *a);

/* What a reader must know about a dump: holes, offsets that do not begin at 0, a cut. */
json_t *input_notes(const struct hex *hex, const struct dump *d);

/* "line 3, offsets and bytes, 64 bytes" */
json_t *input_json(const struct dump *d);

#endif
