/* SPDX-License-Identifier: BSD-2-Clause */
/* A capability page: its type, its bytes, and its layout in the tables. */
#ifndef DVX_INFO_PAGE_H
#define DVX_INFO_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/prm/reflect.h"

struct page {
	uint16_t type;
	uint8_t *bytes; /* NULL: the device does not return it */
	size_t len;
	char error[200]; /* why it has no bytes, or a note on them */
};

/* Returns "GENERAL", or "" for a type without a name. */
const char *page_name(uint16_t type);
/* Returns NULL if there is no public layout. */
const struct prm_struct *page_layout(uint16_t type);

/* Reads a name (general-2, GENERAL_2, cmd_hca_cap_2) or a number of up to 15 bits. */
bool page_parse(const char *word, uint16_t *type);
/* Returns " (did you mean ...?)" for a word that names no page, or "". */
const char *page_near(const char *word, char *buf, size_t size);

/* Returns the types that have a name, by index from 0. false: there are no more. */
bool page_type_at(size_t index, uint16_t *type);

#endif
