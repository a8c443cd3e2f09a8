/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PRM_DIAGRAM_H
#define DVX_PRM_DIAGRAM_H

#include <stdio.h>
#include "src/prm/reflect.h"

/* Whether the field belongs to the alternatives that are drawn: named, or the first of each. */
bool diagram_shows(const struct prm_struct *s, const struct prm_field *f, const char *variant);

/* One row for each 32 bits, bit 31 at the left; equal rows are drawn once. */
void diagram_print(FILE *out, const struct prm_struct *s, const char *variant);

#endif
