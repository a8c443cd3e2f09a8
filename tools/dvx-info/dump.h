/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes capability pages as text, for any dvx-info on any machine. */
#ifndef DVX_INFO_DUMP_H
#define DVX_INFO_DUMP_H

#include <stdio.h>
#include "source.h"

/* Returns 0, or -1 with an error in err. The file is written completely or not at all. */
int cap_dump_save(const struct cap_source *s, const char *path, char *err, size_t size);
/* Fills s. `only`, if not negative, is the page's type in a dump without "page" lines. */
int cap_dump_load(struct cap_source *s, const char *path, int only, char *err, size_t size);
int cap_dump_parse(struct cap_source *s, const char *text, size_t len, int only, char *err,
		   size_t size);

#endif
