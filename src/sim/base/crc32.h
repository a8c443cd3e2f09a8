/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_CRC32_H
#define SIM_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* IEEE 802.3's CRC, reflected, without inversion: the caller starts with ~0 and inverts the end. */
uint32_t crc32_add(uint32_t crc, const void *bytes, size_t len);
/* What became of the CRC behind so many bytes of zero: the CRC before them. */
uint32_t crc32_rewind(uint32_t crc, size_t zeros);

#endif
