/* SPDX-License-Identifier: BSD-2-Clause */
/* A capability page: its type, its bytes, and the layout that the tables have for it. */
#ifndef DVX_INFO_PAGE_H
#define DVX_INFO_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/prm/reflect.h"

struct page {
	uint16_t type;
	uint8_t *bytes; /* NULL: the device does not give it */
	size_t len;
	char error[200]; /* why not, or a note on the bytes */
};

/* "GENERAL", or "" for a type without a name. */
const char *page_name(uint16_t type);
/* NULL: no public layout. */
const struct prm_struct *page_layout(uint16_t type);

/* A name (general-2, GENERAL_2, cmd_hca_cap_2) or a number of up to 15 bits. */
bool page_parse(const char *word, uint16_t *type);
/* " (did you mean ...?)" for a word that is no page, or "". */
const char *page_near(const char *word, char *buf, size_t size);

/* All types that have a name, in order; index from 0. */
bool page_type_at(size_t index, uint16_t *type);

#endif
