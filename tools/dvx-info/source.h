/* SPDX-License-Identifier: BSD-2-Clause */
/* Sources of capability pages: a device or a saved dump. */
#ifndef DVX_INFO_SOURCE_H
#define DVX_INFO_SOURCE_H

#include <jansson.h>
#include "page.h"

#define SOURCE_PAGES 128

struct cap_source {
	char name[256]; /* of the device or the file */
	bool dump;
	struct dvx_dev *dev; /* NULL: a dump */
	/* Its description, "" where unknown. */
	char device[64], pci[32], guid[32], firmware[64], board[64];
	struct page pages[SOURCE_PAGES];
	size_t count;
	char error[768]; /* why it cannot be opened */
};

/*
 * A word that is a readable file's name is a dump, any other a device; NULL: the first device.
 * EXIT_DONE, or EXIT_INPUT with a sentence in s->error; cap_source_close() either way. `only` as in
 * cap_dump_load().
 */
int cap_source_open(struct cap_source *s, const char *which, int only);
void cap_source_close(struct cap_source *s);

/* NULL: the source does not have it. */
const struct page *source_page(const struct cap_source *s, uint16_t type);
/* A page to fill, of a type that is not there yet; NULL: no room, or it is there. */
struct page *source_add(struct cap_source *s, uint16_t type);

/* {"source", "kind", "device", ...} */
json_t *source_json(const struct cap_source *s);

/* Differences as a JSON array; `only`, if not negative, is the one page to compare. In diff.c. */
json_t *diff_sources(const struct cap_source *a, const struct cap_source *b, int only);
void diff_print(const struct cap_source *a, const struct cap_source *b, const json_t *diffs);

#endif
