/* SPDX-License-Identifier: BSD-2-Clause */
/* A decoded structure as JSON, and that JSON as text: every command shows the same. */
#ifndef DVX_PRM_TREE_H
#define DVX_PRM_TREE_H

#include "dvx-prm.h"

/* all: fields that are 0 too. */
json_t *tree_make(const struct prm_struct *s, const uint8_t *p, size_t len, bool all);
void tree_print(FILE *out, const json_t *tree, const char *indent);

#endif
