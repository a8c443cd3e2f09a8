/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_CRC32_FOLD_H
#define SIM_BASE_CRC32_FOLD_H

#include <stddef.h>
#include <stdint.h>

/*
 * Folds messages by carry-less multiplication, some ten times as fast as tables if they are long:
 * len bytes become 16 with the same remainder. x86 only.
 */
#define CRC32_FOLDED	 16u /* len is a multiple of it */
#define CRC32_FOLD_LEAST 32u

typedef void crc32_fold_fn(uint32_t crc, const uint8_t *bytes, size_t len,
			   uint8_t left[CRC32_FOLDED]);
/* Returns NULL if this CPU can't. */
crc32_fold_fn *crc32_folder(void);

#endif
