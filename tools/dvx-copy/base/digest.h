/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_DIGEST_H
#define DVX_COPY_DIGEST_H

#include <stdint.h>

#include "alive.h"

#define DIGEST_BYTES 32

/* SHA-256 of a regular file's bytes. -1 if it can't be read. */
int digest_at(int dir, const char *name, uint8_t digest[DIGEST_BYTES], struct alive *alive);

#endif
