/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_CRC32_H
#define SIM_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Adds to IEEE 802.3's CRC, reflected, not inverted: start with ~0 and invert the end. */
uint32_t crc32_add(uint32_t crc, const void *bytes, size_t len);
/* Removes that many zero bytes from the end: returns the CRC before them. */
uint32_t crc32_rewind(uint32_t crc, size_t zeros);

#endif
