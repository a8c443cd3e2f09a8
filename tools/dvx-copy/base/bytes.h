/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_BYTES_H
#define DVX_COPY_BYTES_H

#include <stdint.h>

/* Bytes that belong to somebody else: a name, a ticket, part of a frame. */
struct copy_bytes {
	const uint8_t *p;
	uint32_t n;
};

#endif
