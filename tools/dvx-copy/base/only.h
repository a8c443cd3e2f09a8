/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_ONLY_H
#define DVX_COPY_ONLY_H

#include <stdbool.h>
#include <stddef.h>

#include "fault.h"

/*
 * The paths that -R and --files-from name. Everything else in the tree is left out, except the
 * directories above these paths. A path travels as "= PATH", as "~ PATH" if its contents are copied
 * too, or as "/ PATH" if these are copied without what their directories hold.
 */
struct only;

#define ONLY_MAX       (1u << 20)
#define ONLY_BYTES_MAX (64u << 20)

/* Adds such a text to a list, which the first makes. "//" and "/./" become "/". */
int only_add(struct only **list, const char *text, struct copy_fault *f);
void only_free(struct only *o);

bool only_hides(struct only *o, const char *path, bool is_dir);

/* Returns the i-th path in the form in which it travels, NULL behind the last. */
const char *only_text(struct only *o, size_t i);

/* Returns the next path that the source lacks, NULL behind the last. *i begins with 0. */
const char *only_missing(struct only *o, size_t *i);

#endif
