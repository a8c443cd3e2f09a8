/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_HARD_H
#define DVX_COPY_HARD_H

#include "dest.h"

/*
 * -H: the first listed link is copied; the others are linked to it when all files have their names.
 * 1: this entry is one of the others. 0: it is to be copied.
 */
int hard_later(struct dest *d, const struct copy_msg *m, const char *name, struct dest_found *found,
	       struct copy_fault *f);

/* Notes the verdict of the first link: it may be up to date, and stay, or be left out. */
void hard_judged(struct dest *d, uint32_t id, uint32_t verdict);

/* Notes that the first link could not be copied: the next one that is listed takes its place. */
void hard_lose(struct dest *d, uint32_t id);

/* Makes the links of a source. A later source may have more of them. */
int hard_finish(struct dest *d, struct copy_fault *f);
void hard_forget(struct dest *d);

#endif
