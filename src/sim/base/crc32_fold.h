/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_CRC32_FOLD_H
#define SIM_BASE_CRC32_FOLD_H

#include <stddef.h>
#include <stdint.h>

/*
 * Adds to a CRC by carry-less multiplication, some ten times as fast as tables if the message is long.
 * x86 only.
 */
#define CRC32_FOLDED	 16u /* len is a multiple of it */
#define CRC32_FOLD_LEAST 32u

typedef uint32_t crc32_fold_fn(uint32_t crc, const uint8_t *bytes, size_t len);
/* Returns NULL if this CPU can't. */
crc32_fold_fn *crc32_folder(void);

#endif
