/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_HARD_H
#define DVX_COPY_HARD_H

#include "dest.h"

/*
 * -H: the first link that is listed is copied; the others are linked to it when all files have
 * their names. 1 if this entry is such another link, 0 if it is to be copied.
 */
int hard_later(struct dest *d, const struct copy_msg *m, const char *name, struct dest_found *found,
	       struct copy_fault *f);

/* The first one is there already, and stays. */
void hard_same(struct dest *d, const struct copy_msg *m);

int hard_finish(struct dest *d, struct copy_fault *f);
void hard_forget(struct dest *d);

#endif
