/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_CRC_H
#define SIM_BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* The CRCs of block signatures; crc32.h has a faster one for each packet. No inversions. */

/* T10-DIF: polynomial 0x8bb7, most significant bit first. */
uint16_t crc16_add(uint16_t crc, const void *bytes, size_t len);
/* Castagnoli's, reflected. */
uint32_t crc32c_add(uint32_t crc, const void *bytes, size_t len);
/* XP10's, which NVMe has, too: polynomial 0xad93d23594c93659, reflected. */
uint64_t crc64_add(uint64_t crc, const void *bytes, size_t len);

#endif
