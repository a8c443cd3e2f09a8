/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_CRC32_FOLD_H
#define SIM_BASE_CRC32_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Long messages by carry-less multiplication, some ten times as fast as tables: len bytes become 16
 * that have the same remainder. x86 only; elsewhere crc32_can_fold() is false.
 */
#define CRC32_FOLDED	 16u /* len is a multiple of it */
#define CRC32_FOLD_LEAST 64u

bool crc32_can_fold(void);
void crc32_fold(uint32_t crc, const uint8_t *bytes, size_t len, uint8_t left[CRC32_FOLDED]);

#endif
