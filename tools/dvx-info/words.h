/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes capability pages in words, as JSON, which all output is printed from. */
#ifndef DVX_INFO_WORDS_H
#define DVX_INFO_WORDS_H

#include <jansson.h>
#include "page.h"
#include "tools/dvx-prm/walk.h"

/*
 * Formats a value: "17 (131072)", "ETH (1)", "MKEY, FLOW_TABLE (0x204)"; a single bit is "yes" or
 * "no".
 */
void words_value(char *buf, size_t size, const struct prm_field *f, uint64_t value);
/* Formats the value of a field on a page with these bytes; over 64 bits: "0x...". */
void words_leaf(char *buf, size_t size, const struct walk_leaf *leaf, const uint8_t *page);
/* Returns the field's meaning, without words that are clear because it is listed. */
const char *words_meaning(const struct prm_field *f);

/* Returns the set bits that no table has, of a page with or without a layout. */
json_t *words_unknown(const struct page *p);
/* Describes a page. all: fields that are 0, too. */
json_t *words_page(const struct page *p, bool all);

#endif
