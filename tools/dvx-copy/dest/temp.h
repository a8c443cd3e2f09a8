/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_TEMP_H
#define DVX_COPY_TEMP_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/fault.h"

#define TEMP_PREFIX ".dvx-copy."
#define TEMP_PART   ".part"
#define TEMP_BYTES  40

/* Makes a name that is unique to this process. */
int temp_name(char to[TEMP_BYTES], struct copy_fault *f);

/*
 * Makes the name that every copy of this version of a file uses, so that the next one can continue
 * it.
 */
void temp_part_name(char to[TEMP_BYTES], const char *name, uint64_t size,
		    const struct timespec *mtime);

/* Whether temp_clean() may remove a file of this name. */
bool temp_is_reserved(const char *name);

/* Removes what killed copies left in a directory. Returns whether there was anything. */
bool temp_clean(int dir);

#endif
