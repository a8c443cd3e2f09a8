/* SPDX-License-Identifier: BSD-2-Clause */
/* Capability pages as text that any dvx-info reads, on any machine. */
#ifndef DVX_INFO_DUMP_H
#define DVX_INFO_DUMP_H

#include <stdio.h>
#include "source.h"

/* 0, or -1 after a sentence in err; the path is written whole or not at all. */
int cap_dump_save(const struct cap_source *s, const char *path, char *err, size_t size);
/* Fills s. `only`, if not negative, is the type of a dump that does not say it. */
int cap_dump_load(struct cap_source *s, const char *path, int only, char *err, size_t size);
int cap_dump_parse(struct cap_source *s, const char *text, size_t len, int only, char *err,
		   size_t size);

#endif
