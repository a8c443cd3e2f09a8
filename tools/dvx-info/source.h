/* SPDX-License-Identifier: BSD-2-Clause */
/* Sources of capability pages: devices and saved dumps. */
#ifndef DVX_INFO_SOURCE_H
#define DVX_INFO_SOURCE_H

#include <jansson.h>
#include "page.h"

#define SOURCE_PAGES 128

struct cap_source {
	char name[256]; /* name of the device or file */
	bool dump;
	struct dvx_dev *dev; /* NULL: a dump */
	/* The device's description; "" if unknown. */
	char device[64], pci[32], guid[32], firmware[64], board[64];
	struct page pages[SOURCE_PAGES];
	size_t count;
	char error[768]; /* why it cannot be opened */
};

/*
 * Opens a source: a dump if `which` names a readable file, else a device; NULL: the first device.
 * Returns EXIT_DONE, or EXIT_INPUT with the reason in s->error; call cap_source_close() either way.
 * `only` is cap_dump_load()'s.
 */
int cap_source_open(struct cap_source *s, const char *which, int only);
void cap_source_close(struct cap_source *s);

/* Returns a page, or NULL if the source lacks it. */
static inline const struct page *source_page(const struct cap_source *s, uint16_t type)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->pages[i].type == type)
			return &s->pages[i];
	return NULL;
}

/*
 * Adds a page of a type that is not there yet, to be filled. NULL: no room, or it is there already.
 */
static inline struct page *source_add(struct cap_source *s, uint16_t type)
{
	struct page *page;

	if (s->count == SOURCE_PAGES || source_page(s, type))
		return NULL;
	page = &s->pages[s->count++];
	*page = (struct page){.type = type};
	return page;
}

/* Makes {"source", "kind", "device", ...}. */
json_t *source_json(const struct cap_source *s);

/*
 * Returns the differences as a JSON array; `only`, if not negative, is the only page to compare. In
 * diff.c.
 */
json_t *diff_sources(const struct cap_source *a, const struct cap_source *b, int only);
void diff_print(const struct cap_source *a, const struct cap_source *b, const json_t *diffs);

#endif
