/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_FLOW_FILL_H
#define DVX_FLOW_FILL_H

#include "rules/compile.h"

/* Writes value[i] of the shape's key i (for a matcher: its mask) into an fte_match_param. */
void fill_match(void *fte_match_param, const struct shape *shape, const uint64_t *value);

#endif
