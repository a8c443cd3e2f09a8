/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_INFO_DIFF_H
#define DVX_INFO_DIFF_H

#include "source.h"

/* Differences as a JSON array; `only`, if not negative, is the one page to compare. */
json_t *diff_sources(const struct cap_source *a, const struct cap_source *b, int only);
void diff_print(const struct cap_source *a, const struct cap_source *b, const json_t *diffs);

#endif
