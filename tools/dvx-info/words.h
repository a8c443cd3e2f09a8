/* SPDX-License-Identifier: BSD-2-Clause */
/* Capability pages in words: the JSON that everything is printed from. */
#ifndef DVX_INFO_WORDS_H
#define DVX_INFO_WORDS_H

#include <jansson.h>
#include "page.h"
#include "tools/dvx-prm/walk.h"

/*
 * The value as a person says it: "17 (131072)", "ETH (1)", "MKEY, FLOW_TABLE (0x204)"; for one bit,
 * "yes" or "no".
 */
void words_value(char *buf, size_t size, const struct prm_field *f, uint64_t value);
/* The field's meaning without what its being listed says already. */
const char *words_meaning(const struct prm_field *f);
const char *words_group(const struct prm_struct *s, const char *path, char *buf, size_t size);

/* Set bits that no table has, of a page with a layout or without. */
json_t *words_unknown(const struct page *p);
/* The whole page; all: fields that are 0 too. */
json_t *words_page(const struct page *p, bool all);

#endif
